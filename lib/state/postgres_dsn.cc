#include "lib/state/postgres_dsn.h"

#include <libpq-fe.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace st::state {
namespace {

// libpq's own words repeat pieces of what it cannot read, and a piece may be the password.
absl::Status Unreadable(const std::string& name) {
  return absl::InvalidArgumentError(
      absl::StrCat(name, " holds no connection string that can be read; write postgresql://user@host/database or ",
                   "host=... user=... dbname=..., with special characters of a password as %XX in the first form"));
}

bool IsPort(std::string_view text) {
  return text.size() <= 5 && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

// A name, an address or an absolute path: what errors may quote, as it cannot be half of a password.
bool IsHost(std::string_view text) {
  if (!text.empty() && text[0] == '/') return text.find('@') == std::string_view::npos;
  return std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return absl::ascii_isalnum(c) || c == '.' || c == '-' || c == '_' || c == ':' || c == '%';
  });
}

bool MayBeQuoted(std::string_view keyword, std::string_view value) {
  for (std::string_view part : absl::StrSplit(value, ',')) {
    if (keyword == "port" && !IsPort(part)) return false;
    if ((keyword == "host" || keyword == "hostaddr") && !IsHost(part)) return false;
  }
  if (keyword != "dbname" && keyword != "user") return true;
  return value.find_first_of("@/=") == std::string_view::npos;
}

}  // namespace

absl::StatusOr<Dsn> ReadDsn(const std::string& dsn, const std::string& name) {
  // Blank reads as "everything by default", which would be some database of this machine.
  if (absl::StripAsciiWhitespace(dsn).empty() || dsn.find('\0') != std::string::npos) return Unreadable(name);
  char* words = nullptr;
  std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> parsed(PQconninfoParse(dsn.c_str(), &words),
                                                                      &PQconninfoFree);
  PQfreemem(words);
  if (parsed == nullptr) return Unreadable(name);
  Dsn result;
  std::string mode = "verify-full";
  for (const PQconninfoOption* option = parsed.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr || *option->val == '\0') continue;
    const std::string_view keyword = option->keyword;
    if (!MayBeQuoted(keyword, option->val)) return Unreadable(name);
    if (keyword == "sslmode") {
      mode = option->val;
    } else {
      result.options.emplace_back(keyword, option->val);
    }
  }
  if (mode == "allow" || mode == "prefer") {
    return absl::FailedPreconditionError(absl::StrCat(
        name, " has sslmode=", mode, ", which falls back to no encryption; write verify-full (or require, which ",
        "encrypts and does not prove who the server is; disable switches encryption off by name)"));
  }
  result.plain_by_name = mode == "disable";
  result.options.emplace_back("sslmode", std::move(mode));
  return result;
}

}  // namespace st::state
