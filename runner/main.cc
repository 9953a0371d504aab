// st-runner: see docs/runner.md.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "lib/cli/cli.h"
#include "runner/options.h"
#include "runner/pulse.h"
#include "runner/session.h"

namespace {

st::runner::Pulse* g_pulse = nullptr;

extern "C" void OnStop(int /*signal*/) { g_pulse->RequestStop(); }

}  // namespace

int main(int argc, char** argv) {
  st::runner::Options options;
  st::cli::Flags flags(st::runner::kRunnerInfo);
  st::runner::AddFlags(&flags, &options);
  if (flags.Parse(argc, argv) != st::cli::Flags::Parsed::kRun) return flags.exit_code();
  if (auto status = st::runner::CheckOptions(flags, options); !status.ok()) {
    return flags.UsageError(status.message(), "st-runner --help lists the flags");
  }
  static st::runner::Pulse pulse;
  g_pulse = &pulse;
  struct sigaction action = {};
  action.sa_handler = OnStop;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  const int code = st::runner::RunSession(flags, options, &pulse);
  std::fflush(nullptr);
  std::_Exit(code);
}
