// A record of a topic, as tests write and read it.
#ifndef ST_E2E_RUNNER_RECORD_H_
#define ST_E2E_RUNNER_RECORD_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace st::e2e {

struct Record {
  int32_t partition = 0;
  std::optional<std::string> key = {};
  std::optional<std::string> value = {};
  std::vector<std::pair<std::string, std::optional<std::string>>> headers = {};
  int64_t timestamp_ms = 0;  // 0: now
  int64_t offset = -1;       // when read

  bool operator==(const Record&) const = default;
};

}  // namespace st::e2e

#endif  // ST_E2E_RUNNER_RECORD_H_
