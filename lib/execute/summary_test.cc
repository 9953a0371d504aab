#include "lib/execute/summary.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "schemas/st/v1/operation.pb.h"

namespace st::execute {
namespace {

using ::testing::HasSubstr;

constexpr cli::ToolInfo kTool = {"st-apply", "", "", "", "", "", ""};

struct Answered {
  int code = -1;
  std::string error_text;
};

// What st-apply answers when its standard output is a full device.
Answered AnswerToNobody(v1::ApplyReport::Outcome outcome, std::vector<std::string> arguments) {
  cli::Flags flags(kTool);
  arguments.insert(arguments.begin(), "st-apply");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  EXPECT_EQ(flags.Parse(static_cast<int>(arguments.size()), argv.data()), cli::Flags::Parsed::kRun);
  v1::ApplyReport report;
  report.set_outcome(outcome);

  const int kept = dup(STDOUT_FILENO);
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  EXPECT_TRUE(kept >= 0 && full >= 0 && dup2(full, STDOUT_FILENO) >= 0);
  testing::internal::CaptureStderr();
  Answered answered;
  answered.code = Answer(flags, kTool, report);
  answered.error_text = testing::internal::GetCapturedStderr();
  EXPECT_GE(dup2(kept, STDOUT_FILENO), 0);
  close(full);
  close(kept);
  return answered;
}

TEST(Answer, SaysThatADeploymentIsDoneWhoseReportCannotBeWritten) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{}, {"--quiet"}, {"--diagnostics=textproto"}, {"--diagnostics=github"}}) {
    const Answered answered = AnswerToNobody(v1::ApplyReport::DONE, arguments);
    EXPECT_EQ(answered.code, cli::kUnreachable);
    EXPECT_THAT(answered.error_text, HasSubstr("the deployment is done, only its report could not be written: "
                                               "standard output: cannot write: No space left on device"));
  }
}

// What must be done next outweighs the report.
TEST(Answer, KeepsTheExitCodeOfADeploymentThatIsNotDone) {
  for (const auto& [outcome, code] :
       {std::pair(v1::ApplyReport::BLOCKED, cli::kNo), std::pair(v1::ApplyReport::REFUSED, cli::kNo),
        std::pair(v1::ApplyReport::UNREACHABLE, cli::kUnreachable),
        std::pair(v1::ApplyReport::UNKNOWN, cli::kUnknown)}) {
    const Answered answered = AnswerToNobody(outcome, {"--quiet"});
    EXPECT_EQ(answered.code, code);
    EXPECT_THAT(answered.error_text, HasSubstr("error: the report could not be written: standard output"));
  }
}

}  // namespace
}  // namespace st::execute
