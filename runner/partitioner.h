// Which output partition a record goes to: as the Java client's default partitioner would place it, so that one key is
// in one partition whoever wrote it. Pure; one thread.
#ifndef ST_RUNNER_PARTITIONER_H_
#define ST_RUNNER_PARTITIONER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace st::runner {

// MurmurHash2, 32 bits, with the seed that Kafka's Java client uses (org.apache.kafka.common.utils.Utils.murmur2).
uint32_t Murmur2(std::string_view key);

class Partitioner {
 public:
  // `partitions` is at least 1; `first` is where records without a key begin.
  Partitioner(int partitions, uint32_t first);

  // The empty key is a key.
  int32_t ForKey(std::string_view key) const;
  // For a record of `bytes` without a key: stays on one partition for a batch's worth, then takes the next.
  int32_t WithoutKey(size_t bytes);

 private:
  const uint32_t partitions_;
  uint32_t sticky_;
  size_t room_;
};

}  // namespace st::runner

#endif  // ST_RUNNER_PARTITIONER_H_
