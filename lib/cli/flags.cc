#include "lib/cli/flags.h"

#include <fcntl.h>
#include <getopt.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/id.h"
#include "lib/cli/cli.h"
#include "lib/cli/complain.h"

namespace st::cli {
namespace {

// Values of getopt_long for our flags begin over all characters, which stand for short ones.
constexpr int kFirstFlag = 1000;

// A file opened later must not become standard output: a document would be written into it.
void KeepStandardDescriptors() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    // Opened the wrong way round: the lowest free number is `fd`, and its use fails with EBADF as before.
    (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

std::string Indented(std::string_view lines) {
  std::string out;
  for (std::string_view line : absl::StrSplit(absl::StripSuffix(lines, "\n"), '\n')) {
    absl::StrAppend(&out, "  ", line, "\n");
  }
  return out;
}

}  // namespace

Flags::Flags(const ToolInfo& info) : info_(info) {}

void Flags::Text(std::string_view name, std::string* value, std::string_view value_name, std::string_view help) {
  Flag& flag = flags_.emplace_back();
  flag.name = name;
  flag.value_name = value_name;
  flag.help = help;
  flag.text = value;
}

void Flags::Bool(std::string_view name, bool* value, std::string_view help) {
  Flag& flag = flags_.emplace_back();
  flag.name = name;
  flag.help = help;
  flag.flag = value;
}

void Flags::Int(std::string_view name, int64_t* value, int64_t least, int64_t most, std::string_view value_name,
                std::string_view help) {
  Flag& flag = flags_.emplace_back();
  flag.name = name;
  flag.value_name = value_name;
  flag.help = help;
  flag.number = value;
  flag.least = least;
  flag.most = most;
}

Flags::Parsed Flags::Parse(int argc, char** argv) {
  KeepStandardDescriptors();
  (void)std::signal(SIGPIPE, SIG_IGN);
  (void)std::signal(SIGXFSZ, SIG_IGN);
  Text("diagnostics", &form_name_, "FORM", "text (default), github or textproto");
  Bool("quiet", &quiet_, "no summary on standard error");
  Bool("help", &help_, "this text");
  Bool("version", &version_, "name and version");
  exit_code_ = ParseAll(argc, argv);
  if (exit_code_ != kOk) return Parsed::kExitUsage;
  if (help_) return Print(Help());
  if (version_) return Print(absl::StrCat(info_.name, " ", base::Version(), "\n"));
  return Parsed::kRun;
}

Flags::Parsed Flags::Print(std::string_view text) {
  const absl::Status written = WriteStdout(text);
  if (written.ok()) return Parsed::kExitOk;
  exit_code_ = Fail(*this, info_, written);
  return Parsed::kExitUsage;
}

int Flags::ParseAll(int argc, char** argv) {
  std::vector<option> options;
  for (const Flag& flag : flags_) {
    const int value = kFirstFlag + static_cast<int>(options.size());
    options.push_back({flag.name.c_str(), TakesValue(flag) ? required_argument : no_argument, nullptr, value});
  }
  options.push_back({nullptr, 0, nullptr, 0});
  opterr = 0;
  optind = 0;  // glibc: forget an earlier command line
  for (;;) {
    // The colon tells a missing value from an unknown flag.
    const int got = getopt_long(argc, argv, ":", options.data(), nullptr);  // NOLINT(concurrency-mt-unsafe): main only
    if (got == -1) break;
    int wrong = kOk;
    if (got >= kFirstFlag) {
      wrong = Set(flags_[got - kFirstFlag], optarg == nullptr ? "" : optarg);
    } else if (optopt >= kFirstFlag) {
      const std::string& name = flags_[optopt - kFirstFlag].name;
      wrong = UsageError(got == ':' ? absl::StrCat("flag --", name, " needs a value")
                                    : absl::StrCat("flag --", name, " takes no value"));
    } else if (optopt != 0) {
      wrong = UsageError(absl::StrCat("unknown flag -", diag::Visible(std::string(1, static_cast<char>(optopt))),
                                      ": flags begin with two dashes"));
    } else {
      wrong = Unknown(argv[optind - 1]);
    }
    if (wrong != kOk) return wrong;
  }
  positional_.assign(argv + optind, argv + argc);
  return kOk;
}

int Flags::Set(Flag& flag, std::string_view value) {
  if (flag.flag != nullptr) {
    *flag.flag = true;
    return kOk;
  }
  if (flag.given) return UsageError(absl::StrCat("flag --", flag.name, " is given twice"));
  flag.given = true;
  if (value.empty()) return UsageError(absl::StrCat("flag --", flag.name, " needs a value"));
  if (flag.number != nullptr) {
    const bool digits = value.find_first_not_of("-0123456789") == std::string_view::npos;
    int64_t number = 0;
    if (!digits || !absl::SimpleAtoi(value, &number) || number < flag.least || number > flag.most) {
      return UsageError(
          absl::StrCat("flag --", flag.name, ": not a whole number from ", flag.least, " to ", flag.most));
    }
    *flag.number = number;
    return kOk;
  }
  *flag.text = value;
  if (flag.text != &form_name_) return kOk;
  if (value == "github") form_ = DiagnosticsForm::kGithub;
  if (value == "textproto") form_ = DiagnosticsForm::kTextproto;
  if (form_ == DiagnosticsForm::kText && value != "text") {
    return UsageError("flag --diagnostics: the forms are text, github and textproto");
  }
  return kOk;
}

int Flags::Unknown(std::string_view argument) const {
  std::string_view name = absl::StripPrefix(argument, "--");
  name = name.substr(0, name.find('='));
  std::vector<std::string> begun;
  std::vector<std::string_view> names;
  for (const Flag& flag : flags_) {
    names.push_back(flag.name);
    if (absl::StartsWith(flag.name, name)) begun.push_back("--" + flag.name);
  }
  const std::string shown = diag::Visible(name, 100);
  if (begun.size() > 1) {
    return UsageError(absl::StrCat("flag --", shown, " is ambiguous: ", absl::StrJoin(begun, ", ")));
  }
  const std::string_view nearest = base::Nearest(name, names);
  return UsageError(
      absl::StrCat("unknown flag --", shown, nearest.empty() ? "" : absl::StrCat("; did you mean --", nearest, "?")));
}

int Flags::UsageError(std::string_view text, std::string_view hint) const {
  const std::string help = absl::StrCat(info_.name, " --help shows how it is used");
  Complain(form_, info_.name, "USAGE", text, hint.empty() ? help : hint);
  return kUsage;
}

std::string Flags::Help() const {
  std::string out = absl::StrCat(info_.sentence, "\n\nUsage: ", info_.name, " [flags] ", info_.usage,
                                 "\nReads: ", info_.reads, "\nWrites: ", info_.writes, "\n\nFlags:\n");
  std::vector<std::string> left;
  size_t width = 0;
  for (const Flag& flag : flags_) {
    left.push_back(absl::StrCat("--", flag.name, TakesValue(flag) ? " " : "", flag.value_name));
    width = std::max(width, left.back().size());
  }
  for (size_t i = 0; i < flags_.size(); ++i) {
    absl::StrAppend(&out, "  ", left[i], std::string(width - left[i].size() + 2, ' '), flags_[i].help, "\n");
  }
  absl::StrAppend(&out, "\nExit codes:\n", Indented(info_.exit_codes), "\nExample:\n", Indented(info_.example));
  return out;
}

}  // namespace st::cli
