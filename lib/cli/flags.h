// The command line of a tool: flags, help, version, usage errors, signals. For mains only; main thread.
#ifndef ST_LIB_CLI_FLAGS_H_
#define ST_LIB_CLI_FLAGS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/diag/diag.h"

namespace st::cli {

// One exit code per answer.
enum Exit : int {
  kOk = 0,           // done, or no changes
  kNo = 1,           // invalid, blocked, stale; a path that cannot be meant
  kUsage = 2,        // wrong use
  kUnreachable = 3,  // something outside could not be reached, or a file or stream not read or written
  kUnknown = 4,      // the outcome is not known: st-resume
  kDeclared = 10,    // st-plan --detailed-exitcode
  kDrifted = 11,
  kBoth = 12,
};

// What a tool says of itself. `--help` prints it on one screen (24 to 40 lines): sentence, message in, message out,
// flags, exit codes, one example. The texts outlive the Flags.
struct ToolInfo {
  std::string_view name;
  std::string_view sentence;
  std::string_view usage;       // arguments after the name
  std::string_view reads;       // message in
  std::string_view writes;      // message out
  std::string_view exit_codes;  // the ones of this tool, a line each
  std::string_view example;
};

// Where diagnostics are for: people, GitHub's annotations, or a program that reads an st.v1.Diagnostics document.
enum class DiagnosticsForm { kText, kGithub, kTextproto };

// Flags by getopt_long(3): `--name=value` or `--name value`, in any order with the arguments, a unique beginning of a
// name for the name; `--` ends them. Unknown and ambiguous ones, an empty value and a second value for one flag are
// usage errors. Every tool has --help, --version, --quiet, --diagnostics=text|github|textproto.
class Flags {
 public:
  explicit Flags(const ToolInfo& info);
  // Pointers outlive Parse. `help` is a few words. A flag that is not given leaves its value as it is.
  void Text(std::string_view name, std::string* value, std::string_view value_name, std::string_view help);
  void Bool(std::string_view name, bool* value, std::string_view help);
  // A decimal integer from `least` to `most`.
  void Int(std::string_view name, int64_t* value, int64_t least, int64_t most, std::string_view value_name,
           std::string_view help);

  // What to do next.
  enum class Parsed { kRun, kExitOk, kExitUsage };
  // Prints help, version or the usage error itself. Makes every write error a result: SIGPIPE and SIGXFSZ are ignored,
  // and a standard descriptor that was closed is opened so that its use fails and no other file gets its number.
  Parsed Parse(int argc, char** argv);
  // For what Parse said, when it is not kRun: kOk, kUsage, or kUnreachable when help could not be written.
  int exit_code() const { return exit_code_; }

  const std::vector<std::string>& positional() const { return positional_; }
  bool quiet() const { return quiet_; }
  DiagnosticsForm form() const { return form_; }
  // Writes `<tool>: error: text` (and the hint) to standard error; returns kUsage.
  int UsageError(std::string_view text, std::string_view hint = {}) const;
  // The text of --help.
  std::string Help() const;

 private:
  struct Flag {
    std::string name, value_name, help;
    std::string* text = nullptr;
    bool* flag = nullptr;
    int64_t* number = nullptr;
    int64_t least = 0, most = 0;
    bool given = false;
  };
  bool TakesValue(const Flag& flag) const { return flag.flag == nullptr; }
  int Unknown(std::string_view argument) const;
  int Set(Flag& flag, std::string_view value);
  int ParseAll(int argc, char** argv);
  Parsed Print(std::string_view text);

  const ToolInfo info_;
  std::vector<Flag> flags_;
  std::vector<std::string> positional_;
  bool help_ = false, version_ = false, quiet_ = false;
  std::string form_name_ = "text";
  DiagnosticsForm form_ = DiagnosticsForm::kText;
  int exit_code_ = kOk;
};

}  // namespace st::cli

#endif  // ST_LIB_CLI_FLAGS_H_
