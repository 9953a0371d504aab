// What all the tools share at their edge: flags, help, exit codes, input and output of documents, summaries.
// For mains only; main thread.
#ifndef ST_LIB_CLI_CLI_H_
#define ST_LIB_CLI_CLI_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "lib/diag/diag.h"

namespace google::protobuf {
class Message;
}

namespace st::cli {

// One exit code per answer.
enum Exit : int {
  kOk = 0,           // done, or no changes
  kNo = 1,           // invalid, blocked, stale
  kUsage = 2,        // wrong use
  kUnreachable = 3,  // something outside could not be reached
  kUnknown = 4,      // the outcome is not known: st-resume
  kDeclared = 10,    // st-plan --detailed-exitcode
  kDrifted = 11,
  kBoth = 12,
};

// What a tool says of itself. `--help` prints it on one screen: sentence, message in, message out, flags, exit
// codes, one example.
struct ToolInfo {
  std::string_view name;
  std::string_view sentence;
  std::string_view usage;       // arguments after the name
  std::string_view reads;       // message in
  std::string_view writes;      // message out
  std::string_view exit_codes;  // the ones of this tool, a line each
  std::string_view example;
};

// Flags by getopt_long(3): `--name=value` or `--name value`; unknown and ambiguous ones are usage errors with the
// nearest name. Every tool has --help, --version, --quiet, --diagnostics=text|github|textproto.
class Flags {
 public:
  explicit Flags(const ToolInfo& info);
  // Pointers outlive Parse. `help` is a few words.
  void Text(std::string_view name, std::string* value, std::string_view value_name, std::string_view help);
  void Bool(std::string_view name, bool* value, std::string_view help);

  // What to do next.
  enum class Parsed { kRun, kExitOk, kExitUsage };
  // Prints help, version or the usage error itself. Sets up signals: SIGPIPE ignored.
  Parsed Parse(int argc, char** argv);

  const std::vector<std::string>& positional() const { return positional_; }
  bool quiet() const { return quiet_; }
  diag::Format format() const { return format_; }
  // Writes `<tool>: error: text` (and the hint) to standard error; returns kUsage.
  int UsageError(std::string_view text, std::string_view hint = {}) const;

 private:
  struct Flag {
    std::string name, value_name, help;
    std::string* text;
    bool* flag;
  };
  std::string Help() const;

  const ToolInfo& info_;
  std::vector<Flag> flags_;
  std::vector<std::string> positional_;
  bool quiet_ = false;
  diag::Format format_ = diag::Format::kText;
};

// Standard input whole as a document. False after diagnostics; refuses a terminal with the way to use the pipe.
bool ReadStdin(google::protobuf::Message* message, diag::Diagnostics* diagnostics);
// The same for a file.
bool ReadDocument(const std::string& path, google::protobuf::Message* message, diag::Diagnostics* diagnostics);

// Document to standard output, all of it, or an error.
absl::Status WriteStdout(const google::protobuf::Message& message);
absl::Status WriteStdout(std::string_view bytes);

// Diagnostics to standard error in the chosen format; kNo when any is an error, else kOk.
int Report(const Flags& flags, const diag::Diagnostics& diagnostics);

// A failed machinery: `<tool>: error: message` to standard error, and its exit code: Unavailable and
// DeadlineExceeded kUnreachable, Unknown kUnknown, all else kNo.
int Fail(const Flags& flags, const ToolInfo& info, const absl::Status& status);

// A line of summary for people on standard error, unless --quiet.
void Say(const Flags& flags, std::string_view line);

}  // namespace st::cli

#endif  // ST_LIB_CLI_CLI_H_
