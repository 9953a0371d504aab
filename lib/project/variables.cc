#include "lib/project/variables.h"

#include <cstdlib>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/fs/file.h"

namespace st::project {
namespace {

using Values = std::map<std::string, std::string, std::less<>>;

// The text from `${` on. `end` is behind the closing brace.
struct Use {
  std::string_view name;
  std::string_view fallback;
  bool has_fallback = false;
  size_t end = 0;
};

bool ParseUse(std::string_view text, size_t at, Use* use) {
  const size_t close = text.find('}', at + 2);
  if (close == std::string_view::npos) return false;
  const std::string_view inside = text.substr(at + 2, close - at - 2);
  use->end = close + 1;
  const size_t separator = inside.find(":-");
  use->name = inside.substr(0, separator);
  use->has_fallback = separator != std::string_view::npos;
  if (use->has_fallback) use->fallback = inside.substr(separator + 2);
  return IsVariableName(use->name) && use->fallback.find("${") == std::string_view::npos;
}

bool IsUsable(std::string_view value, Lines lines) {
  return value.find_first_of(lines == Lines::kAllow ? std::string_view("\r\0", 2) : std::string_view("\r\n\0", 3)) ==
         value.npos;
}

}  // namespace

Environment ProcessEnvironment() {
  return [](std::string_view name) -> std::optional<std::string> {
    const char* value = std::getenv(std::string(name).c_str());
    if (value == nullptr) return std::nullopt;
    return std::string(value);
  };
}

struct Variables::Impl {
  Environment process;
  // The more specific first.
  std::vector<Values> files;
  // Where a missing one may be set, for messages.
  std::string where;
};

Variables Variables::Load(const std::string& folder, std::string_view environment, const Environment& process,
                          diag::Diagnostics* diagnostics) {
  auto impl = std::make_shared<Impl>();
  impl->process = process;
  impl->where = "the environment";
  std::vector<std::string> names;
  if (!folder.empty() && !environment.empty()) names.push_back(absl::StrCat(".env.", environment));
  if (!folder.empty()) names.emplace_back(".env");
  for (const std::string& name : names) {
    absl::StrAppend(&impl->where, ", ", name);
    const std::string path = folder == "." ? name : fs::JoinPath(folder, name);
    absl::StatusOr<std::string> text = fs::ReadFile(path, kMaxDotenvBytes);
    if (absl::IsNotFound(text.status())) continue;
    if (!text.ok()) {
      diagnostics->Error({path}, absl::IsUnavailable(text.status()) ? diag::kReadFailed : "FILE_UNREADABLE",
                         std::string(text.status().message()));
      continue;
    }
    impl->files.push_back(ParseDotenv(*text, path, diagnostics));
  }
  Variables variables;
  variables.impl_ = std::move(impl);
  return variables;
}

std::optional<std::string> Variables::Get(std::string_view name) const {
  if (impl_ == nullptr) return std::nullopt;
  if (impl_->process) {
    if (auto value = impl_->process(name)) return value;
  }
  for (const Values& values : impl_->files) {
    const auto found = values.find(name);
    if (found != values.end()) return found->second;
  }
  return std::nullopt;
}

std::string_view Variables::where() const {
  if (impl_ == nullptr) return "the environment";
  return impl_->where;
}

bool IsVariableName(std::string_view text) {
  if (text.empty() || absl::ascii_isdigit(static_cast<unsigned char>(text[0]))) return false;
  for (const char c : text) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_') return false;
  }
  return true;
}

bool IsReference(std::string_view text) {
  Use use;
  return text.substr(0, 2) == "${" && ParseUse(text, 0, &use) && !use.has_fallback && use.end == text.size();
}

bool Expand(std::string_view text, const Variables& variables, const diag::Position& position, Lines lines,
            diag::Diagnostics* diagnostics, std::string* out, bool* from_variable) {
  out->clear();
  *from_variable = false;
  for (size_t at = 0; at < text.size();) {
    const size_t dollar = text.find('$', at);
    absl::StrAppend(out, text.substr(at, dollar - at));
    if (dollar == std::string_view::npos) break;
    const char next = dollar + 1 < text.size() ? text[dollar + 1] : '\0';
    if (next != '{') {
      out->push_back('$');
      at = dollar + (next == '$' ? 2 : 1);
      continue;
    }
    Use use;
    if (!ParseUse(text, dollar, &use)) {
      diagnostics->Error(
          position, "VARIABLE_SYNTAX", "`${` begins a variable here, but what follows is none",
          "write ${NAME} or ${NAME:-default} with a name of letters, digits and _, or $${ for the text ${");
      return false;
    }
    std::optional<std::string> value = variables.Get(use.name);
    if (!value || value->empty()) {
      if (!use.has_fallback) {
        diagnostics->Error(position, "VARIABLE_UNSET",
                           absl::StrCat("variable `", use.name, "` is ", value ? "empty" : "not set"),
                           absl::StrCat("set it in ", variables.where(), ", or write ${", use.name, ":-default}"));
        return false;
      }
      value = std::string(use.fallback);
    }
    if (!IsUsable(*value, lines)) {
      const bool allowed = lines == Lines::kAllow;
      diagnostics->Error(position, "VARIABLE_VALUE",
                         absl::StrCat("the value of variable `", use.name, "` holds a ",
                                      allowed ? "carriage return" : "line break", " or a NUL"),
                         allowed ? "end its lines with a line feed alone" : "give it a value of one line");
      return false;
    }
    absl::StrAppend(out, *value);
    *from_variable = true;
    at = use.end;
  }
  return true;
}

}  // namespace st::project
