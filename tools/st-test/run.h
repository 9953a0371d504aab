// The two things that st-test does with a compiled project.
#ifndef ST_TOOLS_ST_TEST_RUN_H_
#define ST_TOOLS_ST_TEST_RUN_H_

#include <string>

#include "absl/status/status.h"
#include "lib/cli/flags.h"
#include "lib/diag/diag.h"
#include "lib/project/project.h"

namespace st::v1 {
class TestReport;
class Topology;
}  // namespace st::v1

namespace st::test {

// What the flags ask for.
struct RecordsRequest {
  std::string model;
  std::string file;  // empty: run the declared tests
  std::string encoding = "lines";
};

// Empty, or what is wrong with the flags.
std::string CheckRequest(const RecordsRequest& request);

// Runs the declared tests. A failed one is a located error in `diagnostics`, and its difference goes to standard error
// for people.
absl::Status RunTests(const cli::Flags& flags, const project::Loaded& loaded, const v1::Topology& topology,
                      v1::TestReport* report, std::string* summary, diag::Diagnostics* diagnostics);

// Tries the requested model; answers go to the descriptor `out`.
absl::Status RunRecords(const v1::Topology& topology, const RecordsRequest& request, int out, std::string* summary,
                        diag::Diagnostics* diagnostics);

}  // namespace st::test

#endif  // ST_TOOLS_ST_TEST_RUN_H_
