#include "lib/kafka/runner_files.h"

#include <array>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/pem.h"

namespace st::kafka {
namespace {

using std::string_view;

struct TlsText {
  string_view inline_property;
  string_view location_property;
  string_view file;
  base::PemKind kind;
};

constexpr std::array<TlsText, 3> kTexts = {{
    {"ssl.ca.pem", "ssl.ca.location", "ca.pem", base::PemKind::kCertificate},
    {"ssl.certificate.pem", "ssl.certificate.location", "certificate.pem", base::PemKind::kCertificate},
    {"ssl.key.pem", "ssl.key.location", "key.pem", base::PemKind::kPrivateKey},
}};

const TlsText* Find(string_view property, string_view TlsText::*column) {
  for (const TlsText& text : kTexts) {
    if (text.*column == property) return &text;
  }
  return nullptr;
}

}  // namespace

absl::StatusOr<RunnerFiles> SplitForRunner(const Properties& properties) {
  if (absl::Status status = CheckAllowed(properties); !status.ok()) return status;
  RunnerFiles result;
  Properties lines;
  for (const auto& [name, value] : properties) {
    if (const TlsText* text = Find(name, &TlsText::inline_property)) {
      result.files.push_back({std::string(text->location_property), std::string(text->file), value});
    } else {
      lines.emplace_back(name, value);
    }
  }
  absl::StatusOr<std::string> file = FormatProperties(lines);
  if (!file.ok()) return file.status();
  result.client_properties = *std::move(file);
  return result;
}

absl::StatusOr<RunnerFiles> SplitForContainer(const Properties& properties,
                                              absl::FunctionRef<absl::StatusOr<std::string>(const std::string&)> read) {
  Properties lines;
  std::vector<RunnerFiles::File> files;
  for (const auto& [name, value] : properties) {
    const TlsText* text = Find(name, &TlsText::location_property);
    if (text == nullptr) {
      lines.emplace_back(name, value);
      continue;
    }
    absl::StatusOr<std::string> content = read(value);
    if (!content.ok()) {
      return absl::Status(content.status().code(),
                          absl::StrCat("the file of the client property '", name, "': ", content.status().message()));
    }
    if (!base::HasPem(*content, text->kind)) {
      return absl::InvalidArgumentError(
          absl::StrCat("the file of the client property '", name, "' holds no PEM block of ",
                       text->kind == base::PemKind::kPrivateKey ? "a private key" : "a certificate"));
    }
    files.push_back({name, std::string(text->file), *std::move(content)});
  }
  absl::StatusOr<RunnerFiles> result = SplitForRunner(lines);
  if (!result.ok()) return result.status();
  for (RunnerFiles::File& file : files) {
    for (const RunnerFiles::File& other : result->files) {
      if (other.property == file.property) {
        return absl::InvalidArgumentError(
            absl::StrCat("the client property '", file.property, "' stands beside the same text written inline"));
      }
    }
    result->files.push_back(std::move(file));
  }
  return result;
}

}  // namespace st::kafka
