#include "tools/st-import/client.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/base/address.h"
#include "lib/fs/file.h"

namespace st::import {
namespace {

constexpr size_t kMaxPropertiesBytes = size_t{1} << 20;

}  // namespace

absl::StatusOr<kafka::Properties> ReadProperties(const std::string& file, const std::string& servers) {
  kafka::Properties properties;
  if (!file.empty()) {
    absl::StatusOr<std::string> text = fs::ReadFile(file, kMaxPropertiesBytes);
    if (!text.ok()) return text.status();
    absl::StatusOr<kafka::Properties> parsed = kafka::ParseWithReferences(*text, kafka::ProcessLookup());
    if (!parsed.ok()) return absl::InvalidArgumentError(absl::StrCat(file, ": ", parsed.status().message()));
    properties = *std::move(parsed);
  }
  if (!servers.empty()) properties.emplace_back("bootstrap.servers", servers);
  if (absl::Status status = kafka::CheckAllowed(properties); !status.ok()) return status;
  for (const auto& [name, value] : properties) {
    if (name != "bootstrap.servers" || base::IsHostPortList(value)) continue;
    return absl::InvalidArgumentError(
        "the client property 'bootstrap.servers' is no list of brokers: write host:port[,host:port...], ports from 1 "
        "to "
        "65535");
  }
  return properties;
}

}  // namespace st::import
