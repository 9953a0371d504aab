#include "lib/base/address.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace st::base {
namespace {

bool IsPort(std::string_view text) {
  uint32_t number = 0;
  return text.size() <= 5 && text.find_first_not_of("0123456789") == std::string_view::npos &&
         absl::SimpleAtoi(text, &number) && number >= 1 && number <= 65535;
}

bool IsInAddress(char c) {
  return absl::ascii_isxdigit(static_cast<unsigned char>(c)) || c == ':' || c == '.' || c == '%';
}

bool IsInName(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '-' || c == '_'; }

}  // namespace

bool IsHostPort(std::string_view text) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || !IsPort(text.substr(colon + 1))) return false;
  std::string_view host = text.substr(0, colon);
  if (!absl::ConsumePrefix(&host, "[")) return std::all_of(host.begin(), host.end(), IsInName);
  return absl::ConsumeSuffix(&host, "]") && !host.empty() && std::all_of(host.begin(), host.end(), IsInAddress);
}

bool IsHostPortList(std::string_view text) {
  for (const std::string_view each : absl::StrSplit(text, ',')) {
    if (!IsHostPort(absl::StripAsciiWhitespace(each))) return false;
  }
  return true;
}

}  // namespace st::base
