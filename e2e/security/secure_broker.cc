#include "e2e/security/secure_broker.h"

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string_view>
#include <thread>

#include "absl/log/absl_check.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "e2e/command.h"

namespace st::e2e {
namespace {

constexpr int kAnswerMs = 30'000;
constexpr auto kPatience = std::chrono::seconds(60);
constexpr auto kPause = std::chrono::milliseconds(20);

std::string Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  content << file.rdbuf();
  ABSL_CHECK(file.good()) << path;
  return content.str();
}

// Owned by the caller.
rd_kafka_AclBinding_t* Binding(const std::string& principal, const Right& right, bool is_filter) {
  std::array<char, 512> words{};
  const std::string user = "User:" + principal;
  auto* make = is_filter ? rd_kafka_AclBindingFilter_new : rd_kafka_AclBinding_new;
  rd_kafka_AclBinding_t* binding =
      make(right.kind, right.name.c_str(), RD_KAFKA_RESOURCE_PATTERN_LITERAL, user.c_str(), "*", right.operation,
           RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, words.data(), words.size());
  ABSL_CHECK(binding != nullptr) << words.data();
  return binding;
}

// What an admin call answers on a queue of its own; `ask` makes the call, `count` reads the answer.
template <typename Ask, typename Count>
size_t Answer(rd_kafka_t* admin, rd_kafka_AclBinding_t* binding, Ask ask, Count count) {
  rd_kafka_queue_t* queue = rd_kafka_queue_new(admin);
  ask(binding, queue);
  rd_kafka_event_t* event = rd_kafka_queue_poll(queue, kAnswerMs);
  ABSL_CHECK(event != nullptr) << "no answer about access rights";
  ABSL_CHECK_EQ(rd_kafka_event_error(event), RD_KAFKA_RESP_ERR_NO_ERROR) << rd_kafka_event_error_string(event);
  const size_t result = count(event);
  rd_kafka_event_destroy(event);
  rd_kafka_queue_destroy(queue);
  rd_kafka_AclBinding_destroy(binding);
  return result;
}

size_t NothingToCount(rd_kafka_event_t*) { return 0; }

std::string_view Name(rd_kafka_AclOperation_t operation) {
  switch (operation) {
    case RD_KAFKA_ACL_OPERATION_READ:
      return "Read";
    case RD_KAFKA_ACL_OPERATION_WRITE:
      return "Write";
    case RD_KAFKA_ACL_OPERATION_CREATE:
      return "Create";
    case RD_KAFKA_ACL_OPERATION_ALTER:
      return "Alter";
    case RD_KAFKA_ACL_OPERATION_DESCRIBE:
      return "Describe";
    case RD_KAFKA_ACL_OPERATION_DESCRIBE_CONFIGS:
      return "DescribeConfigs";
    case RD_KAFKA_ACL_OPERATION_ALTER_CONFIGS:
      return "AlterConfigs";
    default:
      return "All";
  }
}

}  // namespace

std::string Right::Text() const {
  switch (kind) {
    case RD_KAFKA_RESOURCE_TOPIC:
      return absl::StrCat(Name(operation), " on topic '", name, "'");
    case RD_KAFKA_RESOURCE_GROUP:
      return absl::StrCat(Name(operation), " on group '", name, "'");
    case RD_KAFKA_RESOURCE_TRANSACTIONAL_ID:
      return absl::StrCat(Name(operation), " on transactional id '", name, "'");
    default:
      return absl::StrCat(Name(operation), " on the cluster");
  }
}

SecureBroker::SecureBroker(const std::map<std::string, std::string>& users) {
  absl::StatusOr<std::unique_ptr<Broker>> broker = Broker::StartSecure(users);
  ABSL_CHECK(broker.ok()) << broker.status();
  broker_ = *std::move(broker);
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  std::array<char, 512> words{};
  const kafka::Properties properties = {{"bootstrap.servers", Address("MTLS")},
                                        {"security.protocol", "SSL"},
                                        {"ssl.ca.location", File("ca.pem")},
                                        {"ssl.certificate.location", File("client-admin.pem")},
                                        {"ssl.key.location", File("client-admin.key")}};
  for (const auto& [name, value] : properties) {
    rd_kafka_conf_set(conf, name.c_str(), value.c_str(), words.data(), words.size());
  }
  admin_ = rd_kafka_new(RD_KAFKA_PRODUCER, conf, words.data(), words.size());
  ABSL_CHECK(admin_ != nullptr) << words.data();
}

SecureBroker::~SecureBroker() { rd_kafka_destroy(admin_); }

std::string SecureBroker::File(const std::string& name) const { return absl::StrCat(folder(), "/secure/", name); }

std::string SecureBroker::Text(const std::string& name) const { return Read(File(name)); }

std::string SecureBroker::Address(const std::string& listener) const {
  for (const std::string_view line : absl::StrSplit(Read(File("listeners")), '\n')) {
    if (absl::StartsWith(line, listener + "=")) return std::string(line.substr(listener.size() + 1));
  }
  ABSL_CHECK(false) << "no listener " << listener;
}

// Rights are appended to the log of metadata first, and reach the authorizer a moment later.
void SecureBroker::AwaitAcl(const std::string& principal, const Right& right, bool wanted) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const size_t found = Answer(
        admin_, Binding(principal, right, /*is_filter=*/true),
        [&](auto* binding, auto* queue) { rd_kafka_DescribeAcls(admin_, binding, nullptr, queue); },
        [](rd_kafka_event_t* event) {
          size_t count = 0;
          rd_kafka_DescribeAcls_result_acls(rd_kafka_event_DescribeAcls_result(event), &count);
          return count;
        });
    if ((found > 0) == wanted) return;
    ABSL_CHECK(std::chrono::steady_clock::now() < deadline) << right.Text();
    std::this_thread::sleep_for(kPause);
  }
}

void SecureBroker::Allow(const std::string& principal, const std::vector<Right>& rights) {
  for (const Right& right : rights) {
    Answer(
        admin_, Binding(principal, right, /*is_filter=*/false),
        [&](auto* binding, auto* queue) { rd_kafka_CreateAcls(admin_, &binding, 1, nullptr, queue); }, NothingToCount);
  }
  for (const Right& right : rights) AwaitAcl(principal, right, true);
}

void SecureBroker::Forbid(const std::string& principal, const Right& right) {
  Answer(
      admin_, Binding(principal, right, /*is_filter=*/true),
      [&](auto* binding, auto* queue) { rd_kafka_DeleteAcls(admin_, &binding, 1, nullptr, queue); }, NothingToCount);
  AwaitAcl(principal, right, false);
}

void SecureBroker::AllowAll(const std::string& principal) {
  Allow(principal,
        {{RD_KAFKA_RESOURCE_TOPIC, "*"}, {RD_KAFKA_RESOURCE_GROUP, "*"}, {RD_KAFKA_RESOURCE_TRANSACTIONAL_ID, "*"}});
}

std::string SecureBroker::Probe(const std::vector<std::string>& arguments, const std::string& input) const {
  std::vector<std::string> command = {"tools/dev/kafka-probe/kafka-probe", Address("MTLS")};
  command.insert(command.end(), arguments.begin(), arguments.end());
  for (const auto& [name, value] :
       std::map<std::string, std::string>{{"security.protocol", "SSL"},
                                          {"ssl.ca.location", File("ca.pem")},
                                          {"ssl.certificate.location", File("client-admin.pem")},
                                          {"ssl.key.location", File("client-admin.key")}}) {
    command.insert(command.end(), {"--property", absl::StrCat(name, "=", value)});
  }
  CommandOptions options;
  options.input = input;
  absl::StatusOr<CommandResult> result = RunCommand(command, options);
  ABSL_CHECK(result.ok()) << result.status();
  ABSL_CHECK_EQ(result->exit_code, 0) << result->error_text;
  return result->output;
}

void SecureBroker::MakeInput(const std::string& topic) const {
  Probe({"create", topic, "--partitions", "2"});
  std::string lines;
  for (int i = 0; i < 20; ++i) absl::StrAppend(&lines, "{\"k\":\"r", i, "\",\"n\":", i, "}\n");
  Probe({"produce", topic}, lines);
}

std::vector<std::string> SecureBroker::AwaitOutput(const std::string& topic, size_t wanted) const {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    std::vector<std::string> values =
        absl::StrSplit(Probe({"consume", topic, "--committed", "--exit-at-end"}), '\n', absl::SkipEmpty());
    if (values.size() >= wanted || std::chrono::steady_clock::now() >= deadline) return values;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace st::e2e
