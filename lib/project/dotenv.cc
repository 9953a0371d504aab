// `.env` files.
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/project/variables.h"

namespace st::project {
namespace {

constexpr std::string_view kForm = "write KEY=VALUE, KEY='VALUE' or KEY=\"VALUE\"";

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

std::string_view TrimBlanks(std::string_view text) {
  while (!text.empty() && IsBlank(text.front())) text.remove_prefix(1);
  while (!text.empty() && IsBlank(text.back())) text.remove_suffix(1);
  return text;
}

// What may follow a closing quote.
bool IsRest(std::string_view text) {
  text = TrimBlanks(text);
  return text.empty() || text.front() == '#';
}

// Bare text ends before a `#` that stands behind a blank.
std::string Bare(std::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#' && (i == 0 || IsBlank(text[i - 1]))) return std::string(TrimBlanks(text.substr(0, i)));
  }
  return std::string(TrimBlanks(text));
}

// `text` begins with a quote. False when it has no end, or more stands behind it.
bool Quoted(std::string_view text, std::string* value) {
  const char quote = text.front();
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == quote) return IsRest(text.substr(i + 1));
    const bool escape =
        quote == '"' && text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    if (escape) ++i;
    value->push_back(text[i]);
  }
  return false;
}

}  // namespace

std::map<std::string, std::string, std::less<>> ParseDotenv(std::string_view text, std::string_view file,
                                                            diag::Diagnostics* diagnostics) {
  std::map<std::string, std::string, std::less<>> values;
  std::map<std::string, int, std::less<>> lines;
  if (!diag::IsUtf8(text) || text.find('\0') != std::string_view::npos) {
    diagnostics->Error({std::string(file), 1, 1}, "ENV_FILE", "the file is not UTF-8 text, or holds a NUL");
    return values;
  }
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  for (int number = 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    absl::ConsumeSuffix(&line, "\r");
    line = TrimBlanks(line);
    if (line.empty() || line.front() == '#') continue;
    const diag::Position position{std::string(file), number, 1};
    if (absl::ConsumePrefix(&line, "export ")) line = TrimBlanks(line);
    const size_t equals = line.find('=');
    const std::string_view key = line.substr(0, equals);
    if (equals == std::string_view::npos || !IsVariableName(key)) {
      diagnostics->Error(position, "ENV_FILE", "this line does not begin with a variable's name and `=`",
                         std::string(kForm));
      continue;
    }
    std::string value;
    const std::string_view rest = TrimBlanks(line.substr(equals + 1));
    const bool quoted = !rest.empty() && (rest.front() == '"' || rest.front() == '\'');
    if (quoted && !Quoted(rest, &value)) {
      diagnostics->Error(position, "ENV_FILE",
                         absl::StrCat("the quoted value of `", key, "` does not end with its line"),
                         std::string(kForm));
      continue;
    }
    if (!quoted) value = Bare(rest);
    if (!lines.try_emplace(std::string(key), number).second) {
      diagnostics->Error(
          position, "ENV_FILE",
          absl::StrCat("`", key, "` stands here a second time; the first is at line ", lines.find(key)->second),
          "keep one of the two");
      continue;
    }
    values.emplace(key, std::move(value));
  }
  return values;
}

}  // namespace st::project
