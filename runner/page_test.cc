// docs/runner.md names every reason, state and flag that there is.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/cli/cli.h"
#include "lib/fs/file.h"
#include "runner/options.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::runner {
namespace {

std::string Page() {
  auto text = fs::ReadFile("docs/runner.md", size_t{1} << 20);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

TEST(Page, EveryReasonHasARow) {
  const std::string page = Page();
  const auto* reasons = v1::RunnerStatus::Reason_descriptor();
  ASSERT_GT(reasons->value_count(), 10);
  for (int i = 1; i < reasons->value_count(); ++i) {
    const std::string reason = absl::AsciiStrToLower(reasons->value(i)->name());
    EXPECT_TRUE(absl::StrContains(page, absl::StrCat("\n| `", reason, "` |"))) << reason;
  }
}

TEST(Page, EveryStateIsNamed) {
  const std::string page = Page();
  const auto* states = v1::RunnerStatus::State_descriptor();
  for (int i = 1; i < states->value_count(); ++i) {
    const std::string state = absl::AsciiStrToLower(states->value(i)->name());
    EXPECT_TRUE(absl::StrContains(page, absl::StrCat("`", state, "`"))) << state;
  }
}

TEST(Page, EveryFlagOfTheHelpIsInTheUsage) {
  cli::Flags flags(kRunnerInfo);
  Options options;
  AddFlags(&flags, &options);
  const std::string page = Page();
  const std::string help = flags.Help();
  int seen = 0;
  for (std::string_view line : absl::StrSplit(help, '\n')) {
    line = absl::StripLeadingAsciiWhitespace(line);
    const std::string_view flag = line.substr(0, line.find_first_of(" =,"));
    const bool is_everybodys = flag == "--help" || flag == "--version" || flag == "--quiet" || flag == "--diagnostics";
    if (!absl::StartsWith(flag, "--") || is_everybodys) continue;
    ++seen;
    EXPECT_TRUE(absl::StrContains(page, flag)) << flag;
  }
  EXPECT_GE(seen, 10);
}

}  // namespace
}  // namespace st::runner
