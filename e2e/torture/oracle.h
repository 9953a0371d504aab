// What the output has to be and what the journal says, worked out by the test alone: nothing of the runner, the planner
// or the driver is in here.
#ifndef ST_E2E_TORTURE_ORACLE_H_
#define ST_E2E_TORTURE_ORACLE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "e2e/runner/record.h"
#include "lib/state/state.h"

namespace st::e2e {

// One filter, `n >= at_least`, from these offsets of the input on.
struct Era {
  std::vector<int64_t> from;  // by partition
  int at_least = 0;
};

// Values of the output topic that the input before `committed` makes, by input partition, in order. An input value is
// {"k":"<partition>-<number>","n":<n>}.
std::vector<std::vector<std::string>> Wanted(const std::vector<Record>& input, const std::vector<int64_t>& committed,
                                             const std::vector<Era>& eras);

// The values that are in the output topic, sorted into the partitions that they came from, in order.
std::vector<std::vector<std::string>> BySource(const std::vector<Record>& output, size_t partitions);

// Where the two differ first, in words; empty: they do not.
std::string Difference(const std::vector<std::vector<std::string>>& wanted,
                       const std::vector<std::vector<std::string>>& got);

// What a store's log says of the operations that began after entry `after`.
struct Told {
  uint64_t last_entry = 0;
  int operations = 0;
  // Of each replacement, in order: where the old generation closed.
  std::vector<std::vector<int64_t>> closes;
  std::vector<std::string> violations;  // of what every log must keep to
};

Told ReadLog(state::StateStore* store, const std::string& address, uint64_t after);

}  // namespace st::e2e

#endif  // ST_E2E_TORTURE_ORACLE_H_
