// Reports and statuses for people, on standard error.
#ifndef ST_LIB_EXECUTE_SUMMARY_H_
#define ST_LIB_EXECUTE_SUMMARY_H_

#include <string>

#include "lib/cli/cli.h"

namespace st::v1 {
class ApplyReport;
class OperationStatus;
}  // namespace st::v1

namespace st::execute {

std::string Summary(const v1::ApplyReport& report);
// Says the summary, writes the report to standard output, and gives the exit code of its outcome; kUnreachable after a
// deployment that is done and whose report cannot be written, which the error says.
int Answer(const cli::Flags& flags, const cli::ToolInfo& tool, const v1::ApplyReport& report);
// What was intended, what was reached, what the world looks like, what comes next and why: one screen.
std::string Summary(const v1::OperationStatus& status);
// The same for a status: kOk when no operation is open or the next step is allowed, kUnreachable when something outside
// could not be asked.
int Answer(const cli::Flags& flags, const cli::ToolInfo& tool, const v1::OperationStatus& status);

}  // namespace st::execute

#endif  // ST_LIB_EXECUTE_SUMMARY_H_
