// What can be seen: escapes, and positions in characters.
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/diag/diag.h"

namespace st::diag {
namespace {

struct Interval {
  uint32_t first, last;
};

// Sorted. Unicode 15: general category Cc, Default_Ignorable_Code_Point, line and paragraph separators, bidirectional
// controls, interlinear annotations, and the noncharacters of the first plane.
constexpr std::array kInvisible = {
    Interval{0x0, 0x1F},        Interval{0x7F, 0x9F},     Interval{0xAD, 0xAD},       Interval{0x34F, 0x34F},
    Interval{0x61C, 0x61C},     Interval{0x115F, 0x1160}, Interval{0x17B4, 0x17B5},   Interval{0x180B, 0x180F},
    Interval{0x200B, 0x200F},   Interval{0x2028, 0x202E}, Interval{0x2060, 0x206F},   Interval{0x3164, 0x3164},
    Interval{0xFDD0, 0xFDEF},   Interval{0xFE00, 0xFE0F}, Interval{0xFEFF, 0xFEFF},   Interval{0xFFA0, 0xFFA0},
    Interval{0xFFF0, 0xFFFB},   Interval{0xFFFE, 0xFFFF}, Interval{0x1BCA0, 0x1BCA3}, Interval{0x1D173, 0x1D17A},
    Interval{0xE0000, 0xE0FFF},
};

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

bool IsPlainAscii(char c) { return c >= 0x20 && c < 0x7F; }

}  // namespace

bool IsInvisible(uint32_t code_point) {
  const auto* after = std::upper_bound(kInvisible.begin(), kInvisible.end(), code_point,
                                       [](uint32_t c, const Interval& interval) { return c < interval.first; });
  return after != kInvisible.begin() && code_point <= std::prev(after)->last;
}

CodePoint DecodeUtf8(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  // Shortest forms only, no surrogates, nothing over U+10FFFF: RFC 3629.
  const int length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() - at < static_cast<size_t>(length)) return {0, 0};
  uint32_t value = lead & (0x7F >> length);
  for (int i = 1; i < length; ++i) {
    if (!IsContinuation(text[at + i])) return {0, 0};
    value = value << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && value < 0x800) || (length == 4 && value < 0x10000);
  if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {0, 0};
  return {value, length};
}

bool IsUtf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

size_t FindNotUtf8(std::string_view text) {
  if (IsUtf8(text)) return std::string_view::npos;
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text, at);
    if (point.length == 0) return at;
    at += point.length;
  }
  return std::string_view::npos;
}

size_t FindInvisible(std::string_view text, bool allow_whitespace) {
  for (size_t at = 0; at < text.size();) {
    if (IsPlainAscii(text[at]) || (allow_whitespace && (text[at] == '\t' || text[at] == '\n'))) {
      ++at;
      continue;
    }
    const CodePoint point = DecodeUtf8(text, at);
    if (point.length == 0 || IsInvisible(point.value)) return at;
    at += point.length;
  }
  return std::string_view::npos;
}

bool HasInvisible(std::string_view text, bool allow_whitespace) {
  return FindInvisible(text, allow_whitespace) != std::string_view::npos;
}

std::string Visible(std::string_view text, size_t max_bytes) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const CodePoint point = DecodeUtf8(text, at);
    const size_t length = std::max(point.length, 1);
    const size_t before = out.size();
    if (point.length == 0) {
      absl::StrAppendFormat(&out, "\\x%02X", static_cast<unsigned char>(text[at]));
    } else if (IsInvisible(point.value)) {
      absl::StrAppendFormat(&out, "\\u{%X}", point.value);
    } else {
      absl::StrAppend(&out, text.substr(at, length));
    }
    if (max_bytes != 0 && out.size() > max_bytes) {
      out.resize(before);
      out += "...";
      return out;
    }
    at += length;
  }
  return out;
}

Position Locate(std::string_view file, std::string_view text, size_t offset) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  Position position{std::string(file)};
  position.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  const std::string_view in_line = before.substr(line_start);
  // Not the continuation bytes: an offset inside of a character is that character.
  size_t end = in_line.size();
  if (offset < text.size() && IsContinuation(text[offset])) {
    while (end > 0 && IsContinuation(in_line[end - 1])) --end;
    if (end > 0) --end;
  }
  position.column =
      1 + static_cast<int>(std::count_if(in_line.begin(), in_line.begin() + static_cast<std::ptrdiff_t>(end),
                                         [](char c) { return !IsContinuation(c); }));
  return position;
}

}  // namespace st::diag
