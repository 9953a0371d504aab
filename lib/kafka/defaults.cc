#include "lib/kafka/defaults.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace st::kafka {
namespace {

constexpr int64_t kMinuteMs = 60'000;

using Configs = absl::flat_hash_map<std::string_view, std::string_view>;

std::optional<int64_t> Number(const Configs& configs, std::string_view name) {
  auto found = configs.find(name);
  int64_t number = 0;
  if (found == configs.end() || !absl::SimpleAtoi(found->second, &number)) return std::nullopt;
  return number;
}

// As retention.ms; any negative number is "without limit".
std::optional<int64_t> RetentionMs(const Configs& configs) {
  constexpr std::pair<const char*, int64_t> kUnits[] = {
      {"log.retention.ms", 1}, {"log.retention.minutes", kMinuteMs}, {"log.retention.hours", 60 * kMinuteMs}};
  for (const auto& [name, unit] : kUnits) {
    if (std::optional<int64_t> number = Number(configs, name)) return *number < 0 ? -1 : *number * unit;
  }
  return std::nullopt;
}

v1::BrokerDefaults ToDefaults(const Configs& configs) {
  v1::BrokerDefaults defaults;
  auto add = [&](std::string_view topic_config, std::string_view value) {
    v1::TopicConfig* config = defaults.add_topic_configs();
    config->set_name(std::string(topic_config));
    config->set_value(std::string(value));
  };
  for (const char* name : {"cleanup.policy", "message.timestamp.type"}) {
    if (auto found = configs.find(absl::StrCat("log.", name)); found != configs.end()) add(name, found->second);
  }
  if (std::optional<int64_t> retention = RetentionMs(configs)) add("retention.ms", absl::StrCat(*retention));
  if (std::optional<int64_t> minutes = Number(configs, "offsets.retention.minutes")) {
    defaults.set_offsets_retention_ms(*minutes * kMinuteMs);
  }
  return defaults;
}

absl::Status AskConfigs(AdminClient& client, v1::BrokerDefaults* defaults) {
  const int32_t broker = rd_kafka_controllerid(client.handle(), client.timeout_ms());
  if (broker < 0) return client.ToLook(RD_KAFKA_RESP_ERR__TRANSPORT, "", "find a broker to describe");
  ConfigResource resource(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_BROKER, absl::StrCat(broker).c_str()));
  rd_kafka_ConfigResource_t* asked = resource.get();
  AdminClient::Request request = client.NewRequest(RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS);
  rd_kafka_DescribeConfigs(client.handle(), &asked, 1, request.options(), client.queue());
  absl::StatusOr<Event> event = client.Await(request, Effect::kNone, "describe a broker's configs");
  if (!event.ok()) return event.status();
  size_t count = 0;
  const rd_kafka_ConfigResource_t** answers =
      rd_kafka_DescribeConfigs_result_resources(rd_kafka_event_DescribeConfigs_result(event->get()), &count);
  if (count != 1) return absl::UnavailableError("the broker's answer does not mention its configs");
  const rd_kafka_resp_err_t code = rd_kafka_ConfigResource_error(answers[0]);
  if (IsHidden(code)) return absl::OkStatus();
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client.ToLook(code, Text(rd_kafka_ConfigResource_error_string(answers[0])), "describe a broker's configs");
  }
  Configs configs;
  const rd_kafka_ConfigEntry_t** entries = rd_kafka_ConfigResource_configs(answers[0], &count);
  for (size_t i = 0; i < count; ++i) {
    if (const char* value = rd_kafka_ConfigEntry_value(entries[i])) {
      configs[rd_kafka_ConfigEntry_name(entries[i])] = value;
    }
  }
  *defaults = ToDefaults(configs);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<v1::BrokerDefaults> DescribeDefaults(AdminClient& client) {
  v1::BrokerDefaults defaults;
  absl::Status status = client.Settle([&] { return AskConfigs(client, &defaults); });
  if (!status.ok()) return status;
  return defaults;
}

}  // namespace st::kafka
