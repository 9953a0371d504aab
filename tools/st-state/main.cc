// st-state: looks after a state store.
#include <memory>
#include <string>

#include "lib/cli/cli.h"
#include "tools/st-state/commands.h"

namespace {

constexpr st::cli::ToolInfo kTool = {
    .name = "st-state",
    .sentence = "Looks after a state store: init, show, history, verify, copy, recover.",
    .usage = "COMMAND [--sqlite FILE | --postgres-dsn-env NAME --schema S] [--address A] [< TOPOLOGY]",
    .reads = "st.v1.Topology (from st-compile) names store and address, unless flags name the store",
    .writes = "st.v1.StoreOverview; of history: st.v1.StoreHistory; recover: st.v1.Recovery, Receipt",
    .exit_codes =
        "0 done\n1 the store cannot be used, is damaged or locked, or the answer is no\n2 wrong use\n"
        "3 something outside could not be reached, or a stream not read or written\n"
        "4 whether it was written is not known: the same command again looks",
    .example = "st-compile shop/ | st-state history",
};

}  // namespace

int main(int argc, char** argv) {
  st::cli::Flags flags(kTool);
  st::state_tool::Arguments arguments;
  flags.Text("sqlite", &arguments.store.sqlite, "FILE", "the store is this file");
  flags.Text("postgres-dsn-env", &arguments.store.postgres_dsn_env, "NAME", "the variable that holds the DSN");
  flags.Text("schema", &arguments.store.schema, "S", "the schema in that database");
  flags.Text("address", &arguments.address, "A", "PROJECT/ENVIRONMENT; copy: this one alone");
  flags.Text("to-sqlite", &arguments.to.sqlite, "FILE", "copy: into this file");
  flags.Text("to-postgres-dsn-env", &arguments.to.postgres_dsn_env, "NAME", "copy: into the database of this DSN");
  flags.Text("to-schema", &arguments.to.schema, "S", "copy: and into this schema");
  flags.Text("settle", &arguments.settle, "HOW",
             "recover: observed, rolled_back or abandoned; writes the file to review");
  flags.Text("apply", &arguments.apply, "FILE", "recover: does what the reviewed file says");
  flags.Text("operation", &arguments.operation, "UUID", "recover --apply: the operation of that file");
  flags.Text("checksum", &arguments.checksum, "SHA", "recover --apply: the checksum of that file");
  if (flags.Parse(argc, argv) != st::cli::Flags::Parsed::kRun) return flags.exit_code();
  if (const std::string wrong = st::state_tool::UsageError(flags.positional(), arguments); !wrong.empty()) {
    return flags.UsageError(wrong, "st-state --help");
  }
  arguments.command = flags.positional()[0];
  return st::state_tool::Run(flags, kTool, arguments);
}
