// The benchmark's counting checks on a real broker: every contender gives the records that the model says. Nothing that
// is timed is looked at.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "e2e/bench/contender.h"
#include "e2e/command.h"
#include "lib/fs/file.h"

namespace st::e2e::bench {
namespace {

bool Says(const std::string& output, const std::string& line) {
  for (std::string_view one : absl::StrSplit(output, '\n')) {
    if (one == line) return true;
  }
  return false;
}

TEST(BenchTest, EveryContenderGivesTheRecordsOfTheModel) {
  const std::string csv = absl::StrCat(std::getenv("TEST_TMPDIR"), "/counts.csv");
  auto result = RunCommand({"e2e/bench/bench", "--counts", "--csv", csv});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->exit_code, 0) << result->output << result->error_text;
  int streams = 0, right = 0;
  for (const Contender& contender : Contenders()) {
    const bool narrow = Says(result->output, absl::StrCat("narrow, ", contender.name, ": right"));
    const bool wide = Says(result->output, absl::StrCat("wide, ", contender.name, ": right"));
    right += narrow + wide;
    // Each variant of Streams on one of the inputs, all others on both.
    if (contender.kind == Contender::Kind::kStreams) {
      streams += narrow + wide;
    } else {
      EXPECT_TRUE(narrow && wide) << contender.name;
    }
  }
  EXPECT_EQ(streams, 4);
  EXPECT_EQ(right, 20);
  EXPECT_TRUE(Says(result->output, "st-runner, as a service: right"));
  EXPECT_TRUE(Says(result->output, "22 runs, the output of each as the model says"));
  auto text = fs::ReadFile(csv, 1 << 20);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_TRUE(Says(*text, "setting,,all,,,commit interval,100 ms")) << *text;
}

TEST(BenchTest, WrongUseIsSaid) {
  for (const char* flag : {"--records=1", "--records=x", "--blocks=0", "--fast", "--csv"}) {
    auto result = RunCommand({"e2e/bench/bench", flag});
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_EQ(result->exit_code, 2) << flag << result->output;
    EXPECT_NE(result->error_text.find("usage: "), std::string::npos) << flag;
  }
}

}  // namespace
}  // namespace st::e2e::bench
