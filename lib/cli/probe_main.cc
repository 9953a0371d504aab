// A tool that does what its flags say, for the tests of this library: they look at real exit codes and streams.
#include <fcntl.h>
#include <unistd.h>

#include <string>

#include "lib/base/clock.h"
#include "lib/cli/cli.h"
#include "lib/cli/progress.h"
#include "schemas/st/v1/diagnostic.pb.h"

namespace {

constexpr st::cli::ToolInfo kInfo = {
    .name = "st-probe",
    .sentence = "Copies a document.",
    .usage = "[FILE]",
    .reads = "st.v1.Diagnostics on standard input, or FILE",
    .writes = "the same",
    .exit_codes = "0  done\n1  not a document\n3  standard output cannot be written\n",
    .example = "st-probe < one.textproto > two.textproto",
};

absl::Status StatusNamed(const std::string& name) {
  if (name == "unavailable") return absl::UnavailableError("the broker\x1b is not there");
  if (name == "deadline") return absl::DeadlineExceededError("late");
  if (name == "unknown") return absl::UnknownError("no answer");
  if (name == "internal") return absl::InternalError("broken");
  return absl::OkStatus();
}

void ShowProgress(const st::cli::Flags& flags) {
  // A clock that is always far ahead: every update is due.
  class Leaping final : public st::base::Clock {
   public:
    int64_t NowMs() override { return now_ += 5000; }
    int64_t MonotonicMs() override { return now_ += 5000; }
    void SleepMs(int64_t) override {}

   private:
    int64_t now_ = 0;
  } clock;
  st::cli::Progress progress(flags, clock);
  progress.Update("1 of 2");
  progress.Update("2 of 2");
}

}  // namespace

int main(int argc, char** argv) {
  std::string open_first;
  std::string fail;
  std::string say;
  int64_t count = 3;
  bool progress = false;
  bool by_hand = false;
  st::cli::Flags flags(kInfo);
  flags.Text("open", &open_first, "FILE", "opened before anything is written");
  flags.Text("fail", &fail, "NAME", "end with this status");
  flags.Text("say", &say, "TEXT", "a summary");
  flags.Int("count", &count, -5, 10, "N", "a number");
  flags.Bool("progress", &progress, "show two lines of progress");
  flags.Bool("by-hand", &by_hand, "take a document without trailer");
  if (flags.Parse(argc, argv) != st::cli::Flags::Parsed::kRun) return flags.exit_code();

  if (!open_first.empty() && open(open_first.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600) < 0) return 99;
  if (progress) ShowProgress(flags);
  if (!say.empty()) st::cli::Say(flags, say + std::to_string(count));
  if (absl::Status status = StatusNamed(fail); !status.ok()) return st::cli::Fail(flags, kInfo, status);

  st::v1::Diagnostics document;
  st::diag::Diagnostics diagnostics;
  const auto trailer = by_hand ? st::docio::Trailer::kOptional : st::docio::Trailer::kRequired;
  const bool read = flags.positional().empty()
                        ? st::cli::ReadStdin(&document, &diagnostics, trailer)
                        : st::cli::ReadDocument(flags.positional()[0], &document, &diagnostics, trailer);
  if (!read) return st::cli::Report(flags, diagnostics);
  if (absl::Status written = st::cli::WriteStdout(document); !written.ok()) {
    return st::cli::Fail(flags, kInfo, written);
  }
  diagnostics.Warning({"probe.yml", 1, 2}, "PROBED", "copied");
  return st::cli::Report(flags, diagnostics);
}
