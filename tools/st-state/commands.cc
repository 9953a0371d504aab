#include "tools/st-state/commands.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/base/id.h"
#include "lib/cli/cli.h"
#include "lib/kafka/properties.h"
#include "lib/recover/recover.h"
#include "lib/topology/topology.h"
#include "lib/world/world.h"
#include "schemas/st/v1/store.pb.h"
#include "schemas/st/v1/topology.pb.h"
#include "tools/st-state/audit.h"
#include "tools/st-state/copy.h"

namespace st::state_tool {
namespace {

template <typename Document>
int Answer(const cli::Flags& flags, const cli::ToolInfo& tool, const absl::StatusOr<Document>& document) {
  if (!document.ok()) return cli::Fail(flags, tool, document.status());
  cli::Say(flags, Summary(*document));
  if (absl::Status written = cli::WriteStdout(*document); !written.ok()) return cli::Fail(flags, tool, written);
  return cli::kOk;
}

int AnswerOverview(const cli::Flags& flags, const cli::ToolInfo& tool, const absl::StatusOr<v1::StoreOverview>& found) {
  const int code = Answer(flags, tool, found);
  return code == cli::kOk && Damaged(*found) ? cli::kNo : code;
}

int RunCopy(const cli::Flags& flags, const cli::ToolInfo& tool, const Arguments& arguments, state::WholeStore& from) {
  absl::StatusOr<std::unique_ptr<state::WholeStore>> to = Open(SettingsOf(arguments.to), state::Access::kReadWrite);
  if (!to.ok()) return cli::Fail(flags, tool, to.status());
  Copying copying;
  copying.from = &from;
  copying.to = to->get();
  copying.clock = &base::RealClock();
  copying.by = base::WhoAmI();
  return Answer(flags, tool, Copy(copying, arguments.address));
}

v1::Receipt::Settlement SettlementOf(const std::string& word) {
  if (word == "observed") return v1::Receipt::OBSERVED;
  if (word == "rolled_back") return v1::Receipt::ROLLED_BACK;
  return word == "abandoned" ? v1::Receipt::ABANDONED : v1::Receipt::CARRIED_OUT;
}

std::string RecoverError(const Arguments& arguments) {
  const bool confirms = !arguments.operation.empty() && !arguments.checksum.empty();
  if (arguments.settle.empty()) {
    return !arguments.apply.empty() && confirms ? ""
                                                : "recover needs --settle, or --apply with --operation and --checksum";
  }
  if (!arguments.apply.empty() || !arguments.operation.empty() || !arguments.checksum.empty()) {
    return "recover first writes a file (--settle), and then does what the reviewed one says (--apply)";
  }
  return SettlementOf(arguments.settle) == v1::Receipt::CARRIED_OUT ? "--settle is observed, rolled_back or abandoned"
                                                                    : "";
}

// The reviewed file, which the confirmation repeats.
bool ReadReviewed(const Arguments& arguments, const std::string& address, v1::Recovery* recovery,
                  diag::Diagnostics* diagnostics) {
  if (!cli::ReadDocument(arguments.apply, recovery, diagnostics)) return false;
  const diag::Position file = {.file = arguments.apply};
  if (std::string defect = recover::Defect(*recovery); !defect.empty()) {
    diagnostics->Error(file, "RECOVERY_EDITED", std::move(defect), "make a new one with --settle");
  } else if (recovery->operation_id() != arguments.operation || recovery->checksum() != arguments.checksum) {
    diagnostics->Error(file, "NOT_CONFIRMED", "--operation and --checksum are not those of the file",
                       "give those of the file that was reviewed");
  } else if (recovery->address() != address) {
    diagnostics->Error(file, "OTHER_ADDRESS",
                       absl::StrCat("it is about ", recovery->address(), ", the project is ", address),
                       "compile the project and environment of that operation");
  }
  return !diagnostics->HasErrors();
}

template <typename Document>
int AnswerRecovery(const cli::Flags& flags, const cli::ToolInfo& tool, const absl::StatusOr<Document>& document) {
  if (!document.ok()) return cli::Fail(flags, tool, document.status());
  cli::Say(flags, recover::Summary(*document));
  if (absl::Status written = cli::WriteStdout(*document); !written.ok()) return cli::Fail(flags, tool, written);
  return cli::kOk;
}

int RunRecover(const cli::Flags& flags, const cli::ToolInfo& tool, const Arguments& arguments) {
  diag::Diagnostics diagnostics;
  v1::Topology topology;
  v1::Recovery reviewed;
  bool read = cli::ReadStdin(&topology, &diagnostics) && topology::Verify(topology, &diagnostics);
  const std::string address = absl::StrCat(topology.project(), "/", topology.environment());
  if (read && !arguments.apply.empty()) read = ReadReviewed(arguments, address, &reviewed, &diagnostics);
  if (int code = cli::Report(flags, diagnostics); !read || code != cli::kOk) return code;
  const state::Access access = arguments.apply.empty() ? state::Access::kReadOnly : state::Access::kReadWrite;
  auto opened = world::Open(topology, access, "st-state", kafka::ProcessLookup());
  if (!opened.ok()) return cli::Fail(flags, tool, opened.status());
  const execute::World world = world::ForExecute(*opened, flags, [](std::string_view) {});
  if (!arguments.apply.empty()) return AnswerRecovery(flags, tool, recover::Settle(reviewed, world));
  return AnswerRecovery(flags, tool, recover::Propose(address, SettlementOf(arguments.settle), world));
}

}  // namespace

std::string UsageError(const std::vector<std::string>& positional, const Arguments& arguments) {
  static constexpr std::string_view kCommands[] = {"init", "show", "history", "verify", "copy", "recover"};
  if (positional.size() != 1 ||
      std::find(std::begin(kCommands), std::end(kCommands), positional[0]) == std::end(kCommands)) {
    return "one command is needed: init, show, history, verify, copy or recover";
  }
  const std::string& command = positional[0];
  if (command == "recover") {
    if (!arguments.store.empty() || !arguments.to.empty() || !arguments.address.empty()) {
      return "recover looks at the world of a project, which comes by the pipe";
    }
    return RecoverError(arguments);
  }
  if (!arguments.settle.empty() || !arguments.apply.empty() || !arguments.operation.empty() ||
      !arguments.checksum.empty()) {
    return "--settle, --apply, --operation and --checksum are for recover";
  }
  if (const std::string wrong = arguments.store.Error(); !wrong.empty()) return wrong;
  if (const std::string wrong = arguments.to.Error(); !wrong.empty()) return absl::StrCat("of --to-...: ", wrong);
  if ((command == "copy") == arguments.to.empty())
    return "copy, and only copy, needs --to-sqlite or --to-postgres-dsn-env";
  if (command == "history" && !arguments.store.empty() && arguments.address.empty()) {
    return "history needs --address where flags name the store";
  }
  const bool one = command == "history" || command == "copy";
  return one || arguments.address.empty() ? "" : absl::StrCat(command, " is about all addresses of a store");
}

int Run(const cli::Flags& flags, const cli::ToolInfo& tool, Arguments arguments) {
  if (arguments.command == "recover") return RunRecover(flags, tool, arguments);
  v1::StateSettings settings;
  if (arguments.store.empty()) {
    diag::Diagnostics diagnostics;
    v1::Topology topology;
    const bool read = cli::ReadStdin(&topology, &diagnostics) && topology::Verify(topology, &diagnostics);
    if (int code = cli::Report(flags, diagnostics); !read || code != cli::kOk) return code;
    settings = topology.state();
    if (arguments.command == "history" && arguments.address.empty()) {
      arguments.address = absl::StrCat(topology.project(), "/", topology.environment());
    }
  } else {
    settings = SettingsOf(arguments.store);
  }
  const bool writes = arguments.command == "init" || arguments.command == "copy";
  absl::StatusOr<std::unique_ptr<state::WholeStore>> store =
      Open(settings, writes ? state::Access::kReadWrite : state::Access::kReadOnly);
  if (!store.ok()) return cli::Fail(flags, tool, store.status());
  if (arguments.command == "history") return Answer(flags, tool, History(**store, arguments.address));
  if (arguments.command == "verify") return AnswerOverview(flags, tool, Verify(**store));
  if (arguments.command == "copy") return RunCopy(flags, tool, arguments, **store);
  return AnswerOverview(flags, tool, Show(**store));
}

}  // namespace st::state_tool
