// Runs a project's `tests:` through the executor that the runner uses.
#ifndef ST_TOOLS_ST_TEST_DECLARED_TESTS_H_
#define ST_TOOLS_ST_TEST_DECLARED_TESTS_H_

#include "absl/status/status.h"

namespace st::v1 {
class Project;
class TestReport;
class Topology;
}  // namespace st::v1

namespace st::test {

// `topology` is the compiled `project`. Every test, by name, into `report`.
//
// A test passes when the runner would write exactly the expected rows, in order, keys included. Given tombstones are
// dropped, as the runner does. An expected value is read by the output's columns and compared by its canonical text, so
// its order of members and its spelling do not matter (but inside of an ANY column they do). A given row that is poison
// fails the test, and no row after it is run: the runner stops there.
// InvalidArgument: a model's plan is not whole, which the compiler should have prevented.
absl::Status RunDeclaredTests(const v1::Project& project, const v1::Topology& topology, v1::TestReport* report);

}  // namespace st::test

#endif  // ST_TOOLS_ST_TEST_DECLARED_TESTS_H_
