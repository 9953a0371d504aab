// Runs the probe as a process: what counts is what a shell sees.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "lib/docio/docio.h"
#include "schemas/st/v1/diagnostic.pb.h"

namespace st::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Result {
  int code = -1;
  std::string out, err;
};

std::string Get(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::string Temporary(const std::string& name) { return testing::TempDir() + "/" + name; }

void Redirect(const std::string& path, int flags, int onto) {
  const int fd = open(path.c_str(), flags, 0600);
  if (fd < 0 || dup2(fd, onto) < 0) _exit(126);
  if (fd != onto) close(fd);
}

// Streams are files; `in_child` changes them before the probe runs.
Result Probe(
    const std::vector<std::string>& args, const std::string& input, const std::function<void()>& in_child = [] {}) {
  const std::string in = Temporary("in");
  const std::string out = Temporary("out");
  const std::string err = Temporary("err");
  std::ofstream(in, std::ios::binary) << input;
  std::ofstream(out, std::ios::trunc) << "";
  std::ofstream(err, std::ios::trunc) << "";
  const pid_t child = fork();
  if (child == 0) {
    Redirect(in, O_RDONLY, STDIN_FILENO);
    Redirect(out, O_WRONLY, STDOUT_FILENO);
    Redirect(err, O_WRONLY, STDERR_FILENO);
    in_child();
    std::vector<char*> argv = {const_cast<char*>("st-probe")};
    for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
    argv.push_back(nullptr);
    execv("lib/cli/probe", argv.data());
    _exit(127);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), Get(out), Get(err)};
}

std::string Document() {
  v1::Diagnostics message;
  message.add_diagnostics()->set_text("hello");
  return docio::Write(message);
}

TEST(Flags, HelpFitsAScreen) {
  const Result result = Probe({"--help"}, "");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out,
            "Copies a document.\n"
            "\n"
            "Usage: st-probe [flags] [FILE]\n"
            "Reads: st.v1.Diagnostics on standard input, or FILE\n"
            "Writes: the same\n"
            "\n"
            "Flags:\n"
            "  --open FILE         opened before anything is written\n"
            "  --fail NAME         end with this status\n"
            "  --say TEXT          a summary\n"
            "  --count N           a number\n"
            "  --progress          show two lines of progress\n"
            "  --by-hand           take a document without trailer\n"
            "  --diagnostics FORM  text (default), github or textproto\n"
            "  --quiet             no summary on standard error\n"
            "  --help              this text\n"
            "  --version           name and version\n"
            "\n"
            "Exit codes:\n"
            "  0  done\n"
            "  1  not a document\n"
            "  3  standard output cannot be written\n"
            "\n"
            "Example:\n"
            "  st-probe < one.textproto > two.textproto\n");
  EXPECT_LE(std::count(result.out.begin(), result.out.end(), '\n'), 40);
}

TEST(Flags, Version) {
  const Result result = Probe({"--version"}, "");
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, "st-probe 0.1.0\n");
}

TEST(Flags, WrongUse) {
  const struct {
    std::vector<std::string> args;
    const char* says;
  } kCases[] = {
      {{"--foo"}, "unknown flag --foo\n"},
      {{"--cuont=1"}, "unknown flag --cuont; did you mean --count?\n"},
      {{"--diagnostic=text", "--diagnosticss"}, "unknown flag --diagnosticss; did you mean --diagnostics?\n"},
      {{"file", "--foo", "more"}, "unknown flag --foo\n"},
      {{"--by"}, ""},
      {{"--pro", "--q", "--"}, ""},
      {{"--"}, ""},
      {{"-x"}, "unknown flag -x: flags begin with two dashes\n"},
      {{"-\x1b"}, "unknown flag -\\u{1B}: flags begin with two dashes\n"},
      {{"--fo\x1bo"}, "unknown flag --fo\\u{1B}o\n"},
      {{"--count"}, "flag --count needs a value\n"},
      {{"--say="}, "flag --say needs a value\n"},
      {{"--say", ""}, "flag --say needs a value\n"},
      {{"--quiet=1"}, "flag --quiet takes no value\n"},
      {{"--say=a", "--say=a"}, "flag --say is given twice\n"},
      {{"--count=x"}, "flag --count: not a whole number from -5 to 10\n"},
      {{"--count=11"}, "flag --count: not a whole number from -5 to 10\n"},
      {{"--count", "-6"}, "flag --count: not a whole number from -5 to 10\n"},
      {{"--count= 3"}, "flag --count: not a whole number from -5 to 10\n"},
      {{"--count=99999999999999999999"}, "flag --count: not a whole number from -5 to 10\n"},
      {{"--diagnostics=xml"}, "flag --diagnostics: the forms are text, github and textproto\n"},
  };
  for (const auto& c : kCases) {
    const bool good = *c.says == '\0';
    const Result result = Probe(c.args, Document());
    EXPECT_EQ(result.code, good ? 0 : 2) << c.says;
    if (good) continue;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(result.err, std::string("st-probe: error: ") + c.says + "  hint: st-probe --help shows how it is used\n");
  }
  EXPECT_THAT(Probe({"--"}, Document()).code, 0);
}

TEST(Flags, AmbiguousOnesAreNamed) {
  // `--open` and none other begins with `o`; nothing is a beginning of all.
  EXPECT_EQ(Probe({"--o=f"}, Document()).code, 0);
  const Result result = Probe({"--=1"}, Document());
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("ambiguous: --open, --fail, --say, --count, --progress"));
}

TEST(Flags, GoodValues) {
  EXPECT_EQ(Probe({"--count=-5", "--say", "n="}, Document()).err, "n=-5\nprobe.yml:1:2: warning: copied [PROBED]\n");
  EXPECT_THAT(Probe({"--count", "10", "--say=--x"}, Document()).err, StartsWith("--x10\n"));
  EXPECT_THAT(Probe({"--say=n"}, Document()).err, StartsWith("n3\n")) << "as it was";
}

TEST(Streams, DocumentsGoThrough) {
  const Result result = Probe({}, Document());
  EXPECT_EQ(result.code, 0);
  EXPECT_EQ(result.out, Document());
  EXPECT_EQ(result.err, "probe.yml:1:2: warning: copied [PROBED]\n");
}

TEST(Streams, InputThatIsNone) {
  const Result empty = Probe({}, "");
  EXPECT_EQ(empty.code, 1);
  EXPECT_EQ(empty.out, "");
  EXPECT_THAT(empty.err, HasSubstr("the tool before it failed [EMPTY_INPUT]"));
  EXPECT_THAT(Probe({}, Document().substr(0, 100)).err, HasSubstr("[NO_TRAILER]"));

  const Result closed = Probe({}, "", [] { close(STDIN_FILENO); });
  EXPECT_EQ(closed.code, 3);
  EXPECT_THAT(closed.err, AllOf(StartsWith("-: error: cannot read: "), HasSubstr("[READ_FAILED]")));

  const Result folder = Probe({}, "", [] { Redirect("/", O_RDONLY, STDIN_FILENO); });
  EXPECT_EQ(folder.code, 1);
  EXPECT_THAT(folder.err, HasSubstr("name a file, not a folder [UNREADABLE]"));
}

TEST(Streams, ATerminalIsNoInput) {
  int ours = -1;
  int theirs = -1;
  ASSERT_EQ(openpty(&ours, &theirs, nullptr, nullptr, nullptr), 0);
  const Result result = Probe({}, "", [&] { dup2(theirs, STDIN_FILENO); });
  close(ours);
  close(theirs);
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err,
            "-: error: standard input is a terminal: the document comes by a pipe or a file [NO_INPUT]\n"
            "  hint: for example: st-compile DIR | st-observe | st-plan\n");
}

TEST(Streams, Files) {
  const std::string path = Temporary("document");
  std::ofstream(path, std::ios::binary) << Document();
  EXPECT_EQ(Probe({path}, "").out, Document());
  EXPECT_EQ(Probe({"/no/such"}, "").err,
            "/no/such: error: cannot open: No such file or directory; check the path "
            "[NO_SUCH_FILE]\n");
  EXPECT_THAT(Probe({"/"}, "").err, HasSubstr("/: error: cannot read: Is a directory; name a file, not a folder"));
  EXPECT_EQ(Probe({"/"}, "").code, 1) << "never a document";
  EXPECT_THAT(Probe({"--by-hand", "/dev/null"}, "").err, HasSubstr("not a regular file"));
  // The first page of a process is never mapped: reading it gives EIO.
  const Result failed = Probe({"/proc/self/mem"}, "");
  EXPECT_EQ(failed.code, 3) << "another time it may be read";
  EXPECT_EQ(failed.err, "/proc/self/mem: error: cannot read: Input/output error [READ_FAILED]\n");
  std::ofstream(path, std::ios::binary) << "diagnostics { text: 'x' }";
  EXPECT_THAT(Probe({path}, "").err, HasSubstr(path + ":1:1: error: this is no document of these tools"));
  EXPECT_EQ(Probe({"--by-hand", path}, "").code, 0);
}

TEST(Streams, OutputThatCannotBeWritten) {
  for (const std::vector<std::string>& args : {std::vector<std::string>{}, {"--help"}, {"--version"}}) {
    const Result full = Probe(args, Document(), [] { Redirect("/dev/full", O_WRONLY, STDOUT_FILENO); });
    EXPECT_EQ(full.code, 3);
    EXPECT_EQ(full.err,
              "st-probe: error: standard output: cannot write: No space left on device; make room on that file system "
              "and try again\n");
  }
  const Result gone = Probe({}, Document(), [] {
    int ends[2];
    if (pipe(ends) != 0) _exit(126);
    close(ends[0]);
    dup2(ends[1], STDOUT_FILENO);
  });
  EXPECT_EQ(gone.code, 3) << "and no SIGPIPE";
  EXPECT_THAT(gone.err, HasSubstr("the reader at the other end went away"));
}

TEST(Streams, AFileOpenedLaterIsNotStandardOutput) {
  const std::string path = Temporary("innocent");
  std::ofstream(path, std::ios::binary) << "content";
  const Result result = Probe({"--open", path}, Document(), [] { close(STDOUT_FILENO); });
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("standard output: cannot write: Bad file descriptor"));
  EXPECT_EQ(Get(path), "content");
  EXPECT_EQ(Probe({"--open", path}, Document(), [] { close(STDERR_FILENO); }).code, 0);
  EXPECT_EQ(Get(path), "content");
}

TEST(Report, Forms) {
  EXPECT_EQ(Probe({"--diagnostics=github"}, Document()).err,
            "::warning file=probe.yml,line=1,col=2,title=PROBED::copied\n");
  const Result result = Probe({"--diagnostics=textproto", "--say=x"}, Document());
  v1::Diagnostics read;
  diag::Diagnostics none;
  ASSERT_TRUE(docio::Read(result.err, "-", docio::Trailer::kRequired, &read, &none)) << result.err;
  ASSERT_EQ(read.diagnostics_size(), 1);
  EXPECT_EQ(read.diagnostics(0).code(), "PROBED");
}

TEST(Fail, ExitCodes) {
  const struct {
    const char* status;
    int code;
    const char* says;
  } kCases[] = {
      {"unavailable", 3, "st-probe: error: the broker\\u{1B} is not there\n"},
      {"deadline", 3, "st-probe: error: late\n"},
      {"unknown", 4, "st-probe: error: no answer\n"},
      {"internal", 1, "st-probe: error: broken\n"},
  };
  for (const auto& c : kCases) {
    const Result result = Probe({"--fail", c.status}, Document());
    EXPECT_EQ(result.code, c.code) << c.status;
    EXPECT_EQ(result.err, c.says);
    EXPECT_EQ(result.out, "");
  }
  EXPECT_EQ(Probe({"--fail=internal", "--diagnostics=github"}, "").err, "::error title=INTERNAL::st-probe: broken\n");
  EXPECT_THAT(Probe({"--fail=internal", "--diagnostics=textproto"}, "").err, HasSubstr("code: \"INTERNAL\""));
}

TEST(Say, QuietDropsIt) {
  EXPECT_THAT(Probe({"--say=n"}, Document()).err, HasSubstr("n3\n"));
  EXPECT_THAT(Probe({"--say=n", "--quiet"}, Document()).err, Not(HasSubstr("n3\n")));
  EXPECT_THAT(Probe({"--say=\x1b"}, Document()).err, HasSubstr("\\u{1B}3\n"));
}

TEST(Progress, OnATerminalOnly) {
  EXPECT_THAT(Probe({"--progress"}, Document()).err, Not(HasSubstr("of 2")));
  const auto on_terminal = [](const std::vector<std::string>& args) {
    int ours = -1;
    int theirs = -1;
    EXPECT_EQ(openpty(&ours, &theirs, nullptr, nullptr, nullptr), 0);
    const Result result = Probe(args, Document(), [&] { dup2(theirs, STDERR_FILENO); });
    EXPECT_EQ(result.code, 0);
    char bytes[4096];
    const ssize_t got = read(ours, bytes, sizeof bytes);
    close(ours);
    close(theirs);
    return std::string(bytes, got > 0 ? static_cast<size_t>(got) : 0);
  };
  EXPECT_THAT(on_terminal({"--progress"}), StartsWith("\r\x1b[K1 of 2\r\x1b[K2 of 2\r\x1b[K"));
  EXPECT_THAT(on_terminal({"--progress", "--quiet"}), Not(HasSubstr("of 2")));
}

}  // namespace
}  // namespace st::cli
