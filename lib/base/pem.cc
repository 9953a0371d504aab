#include "lib/base/pem.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"

namespace st::base {
namespace {

// The label of a line such as `-----BEGIN CERTIFICATE-----`; empty when the line is none.
std::string_view Label(std::string_view line, std::string_view edge) {
  const bool is_edge =
      absl::ConsumePrefix(&line, "-----") && absl::ConsumePrefix(&line, edge) && absl::ConsumeSuffix(&line, "-----");
  return is_edge ? line : std::string_view();
}

bool IsKey(std::string_view label) { return absl::EndsWith(label, "PRIVATE KEY"); }

bool IsOf(std::string_view label, PemKind kind) {
  return kind == PemKind::kPrivateKey ? IsKey(label) : absl::EndsWith(label, "CERTIFICATE");
}

// Base64, or a header of an encrypted key ("Proc-Type: 4,ENCRYPTED").
bool IsContent(std::string_view line) {
  if (absl::StrContains(line, ": ")) return true;
  return std::all_of(line.begin(), line.end(), [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '+' || c == '/' || c == '=';
  });
}

// Takes the next whole block off `text`; its label, empty when there is none.
std::string_view NextBlock(std::string_view* text) {
  std::string_view label;
  bool has_content = false;
  while (!text->empty()) {
    const size_t end = text->find('\n');
    const std::string_view line = absl::StripTrailingAsciiWhitespace(text->substr(0, end));
    text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
    if (const std::string_view begun = Label(line, "BEGIN "); !begun.empty()) {
      label = begun;
      has_content = false;
    } else if (label.empty()) {
      continue;
    } else if (Label(line, "END ") == label) {
      if (has_content) return label;
      label = {};
    } else if (!IsContent(line)) {
      label = {};
    } else {
      has_content |= !line.empty();
    }
  }
  return {};
}

}  // namespace

bool HasPem(std::string_view text, PemKind kind) {
  while (true) {
    const std::string_view label = NextBlock(&text);
    if (label.empty() || IsOf(label, kind)) return !label.empty();
  }
}

std::string_view PemFault(std::string_view text, PemKind kind) {
  if (text.find('\0') != std::string_view::npos) return "holds a NUL";
  if (text.find('\r') != std::string_view::npos) return "holds a carriage return";
  // Also a broken one: what is in it is no less secret.
  const bool has_key = absl::StrContains(text, "PRIVATE KEY-----");
  if (kind == PemKind::kCertificate && has_key) return "holds a private key, which is a secret";
  if (HasPem(text, kind)) return {};
  return kind == PemKind::kCertificate ? "holds no PEM block of a certificate" : "holds no PEM block of a private key";
}

}  // namespace st::base
