#include "lib/project/names.h"

#include "absl/strings/ascii.h"

namespace st::project {
namespace {

bool IsStart(char c) { return absl::ascii_islower(static_cast<unsigned char>(c)) || c == '_'; }

bool IsPart(char c, NameKind kind) {
  return IsStart(c) || absl::ascii_isdigit(static_cast<unsigned char>(c)) || (c == '-' && kind == NameKind::kDashed);
}

}  // namespace

bool IsName(std::string_view text, NameKind kind) {
  if (text.empty() || text.size() > kMaxNameBytes || !IsStart(text[0])) return false;
  for (const char c : text) {
    if (!IsPart(c, kind)) return false;
  }
  return true;
}

std::string_view NameRule(NameKind kind) {
  return kind == NameKind::kPlain ? "a name is a-z, 0-9 and _, begins with no digit, and has up to 249 bytes"
                                  : "a name is a-z, 0-9, _ and -, begins with a letter or _, and has up to 249 bytes";
}

std::string SuggestName(std::string_view text, NameKind kind) {
  std::string out;
  for (const char c : text.substr(0, kMaxNameBytes - 1)) {
    // One `_` for a character of several bytes.
    if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;
    const char lower = absl::ascii_tolower(static_cast<unsigned char>(c));
    out += IsPart(lower, kind) ? lower : '_';
  }
  if (out.empty() || !IsStart(out[0])) out.insert(0, 1, '_');
  return out;
}

}  // namespace st::project
