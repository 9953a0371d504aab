// What a topic holds, in a number: equal for the same records in the same partitions, each once and in the order of
// their timestamps, which are those of the input. Pure; one thread.
#ifndef ST_E2E_BENCH_DIGEST_H_
#define ST_E2E_BENCH_DIGEST_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace st::e2e::bench {

class Digest {
 public:
  // Partition by partition in order; the partitions among each other in any.
  void Add(int32_t partition, int64_t timestamp_ms, std::string_view key, std::string_view value);

  int64_t records() const { return records_; }
  int64_t value_bytes() const { return value_bytes_; }

  // Nothing when `other` is the same; else what differs, for people. Holds in one process only.
  std::string Difference(const Digest& expected) const;

 private:
  int64_t records_ = 0;
  int64_t value_bytes_ = 0;
  uint64_t sum_ = 0;
  std::vector<int64_t> last_ms_;  // by partition
  std::string disorder_;
};

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_DIGEST_H_
