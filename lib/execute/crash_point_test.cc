#include "lib/execute/crash_point.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status_matchers.h"
#include "absl/status/statusor.h"
#include "gtest/gtest.h"

namespace st::execute {
namespace {

using ::absl_testing::StatusIs;

// What becomes of a child that meets `a` twice and `b` once, each before and after it is crossed.
int Ends(const std::string& spec) {
  const pid_t child = fork();
  if (child == 0) {
    absl::StatusOr<std::function<void(std::string_view)>> point = CrashPoint(spec);
    if (!point.ok()) _exit(1);
    for (const char* boundary : {"before:a", "after:a", "before:b", "after:b", "before:a", "after:a"}) {
      (*point)(boundary);
    }
    _exit(7);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
  if (!WIFSTOPPED(status)) return status;
  int end = 0;
  EXPECT_EQ(kill(child, SIGCONT), 0);
  EXPECT_EQ(waitpid(child, &end, 0), child);
  EXPECT_EQ(WEXITSTATUS(end), 7) << "it goes on from there, and is not stopped again";
  return status;
}

TEST(CrashPointTest, StrikesTheNamedBoundaryOnly) {
  for (const char* spec : {"before:a:1", "after:a:2", "after:b:1"}) {
    const int killed = Ends(spec);
    EXPECT_TRUE(WIFSIGNALED(killed) && WTERMSIG(killed) == SIGKILL) << spec;
    const int stopped = Ends(std::string(spec) + ":stop");
    EXPECT_TRUE(WIFSTOPPED(stopped) && WSTOPSIG(stopped) == SIGSTOP) << spec;
  }
  for (const char* spec : {"", "before:a:3", "before:c:1", "before:a:3:stop"}) {
    EXPECT_EQ(WEXITSTATUS(Ends(spec)), 7) << spec;
  }
}

TEST(CrashPointTest, AnotherFormIsRefused) {
  for (const char* spec : {"a", "a:1", "before:a", "before:a:0", "before:a:x", "during:a:1", "before:a:1:go", ":stop",
                           "before:stop", "before:a:stop"}) {
    EXPECT_THAT(CrashPoint(spec), StatusIs(absl::StatusCode::kInvalidArgument)) << spec;
  }
}

}  // namespace
}  // namespace st::execute
