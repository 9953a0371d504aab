// The admin where it may not do all: credentials, certificates and access rights, each with what a person is told.
// A canary stands in every credential and must not come back.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/broker.h"
#include "e2e/command.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPassword[] = "canary-right";
constexpr char kWrong[] = "canary-wrong";
constexpr absl::Duration kSoon = absl::Seconds(8);  // well under the bound of a call: it was not waited out

int FreePort() {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(fd, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(fd);
  return ntohs(address.sin_port);
}

void Shell(const std::string& script) {
  absl::StatusOr<e2e::CommandResult> result = e2e::RunCommand({"sh", "-ec", script});
  ASSERT_TRUE(result.ok()) << result.status();
  ASSERT_EQ(result->exit_code, 0) << result->error_text;
}

// Lets `reader` do one thing with one topic.
void Allow(const std::string& bootstrap, const std::string& topic, rd_kafka_AclOperation_t operation) {
  std::array<char, 512> words{};
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  rd_kafka_conf_set(conf, "bootstrap.servers", bootstrap.c_str(), words.data(), words.size());
  rd_kafka_t* handle = rd_kafka_new(RD_KAFKA_PRODUCER, conf, words.data(), words.size());
  ASSERT_NE(handle, nullptr) << words.data();
  rd_kafka_AclBinding_t* acl =
      rd_kafka_AclBinding_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str(), RD_KAFKA_RESOURCE_PATTERN_LITERAL, "User:reader",
                              "*", operation, RD_KAFKA_ACL_PERMISSION_TYPE_ALLOW, words.data(), words.size());
  ASSERT_NE(acl, nullptr) << words.data();
  rd_kafka_queue_t* queue = rd_kafka_queue_new(handle);
  rd_kafka_CreateAcls(handle, &acl, 1, nullptr, queue);
  rd_kafka_event_t* event = rd_kafka_queue_poll(queue, 10'000);
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(rd_kafka_event_error(event), RD_KAFKA_RESP_ERR_NO_ERROR) << rd_kafka_event_error_string(event);
  rd_kafka_event_destroy(event);
  rd_kafka_queue_destroy(queue);
  rd_kafka_AclBinding_destroy(acl);
  rd_kafka_destroy(handle);
}

v1::CreateTopic NewTopic(const std::string& name) {
  v1::CreateTopic topic;
  topic.set_name(name);
  topic.set_partitions(1);
  return topic;
}

std::unique_ptr<kafka::ClusterAdmin> Open(const kafka::Properties& properties) {
  absl::StatusOr<std::unique_ptr<kafka::ClusterAdmin>> admin = kafka::OpenAdmin(properties, "rights-test");
  EXPECT_TRUE(admin.ok()) << admin.status();
  return admin.ok() ? *std::move(admin) : nullptr;
}

class RightsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = absl::StrCat(testing::TempDir(), "/tls.XXXXXX");
    ASSERT_NE(mkdtemp(folder_.data()), nullptr);
    Shell(absl::StrCat("cd ", folder_, R"(
      for ca in ca other; do
        openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=$ca" -keyout $ca.key -out $ca.pem
      done
      openssl req -newkey rsa:2048 -nodes -subj /CN=broker -keyout broker.key -out broker.csr
      echo subjectAltName=IP:127.0.0.1 > san
      openssl x509 -req -in broker.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile san -out broker.pem
      cat broker.key broker.pem > keystore.pem)"));
    int port = FreePort(), controller = FreePort(), sasl = FreePort(), tls = FreePort();
    auto at = [](std::string_view name, int number) { return absl::StrCat(name, "://127.0.0.1:", number); };
    std::string clients = absl::StrCat(at("PLAINTEXT", port), ",", at("SASL", sasl), ",", at("TLS", tls));
    absl::StatusOr<std::unique_ptr<e2e::Broker>> broker = e2e::Broker::Start(
        {absl::StrCat("listeners=", clients, ",", at("CONTROLLER", controller)),
         absl::StrCat("advertised.listeners=", clients),
         absl::StrCat("controller.quorum.voters=1@127.0.0.1:", controller),
         "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SASL:SASL_PLAINTEXT,TLS:SSL",
         "sasl.enabled.mechanisms=PLAIN",
         absl::StrCat("listener.name.sasl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain."
                      "PlainLoginModule required user_reader=\"",
                      kPassword, "\";"),
         "listener.name.tls.ssl.keystore.type=PEM",
         absl::StrCat("listener.name.tls.ssl.keystore.location=", folder_, "/keystore.pem"),
         "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer", "super.users=User:ANONYMOUS"},
        port);
    ASSERT_TRUE(broker.ok()) << broker.status();
    broker_ = broker->release();
    sasl_ = absl::StrCat("127.0.0.1:", sasl);
    tls_ = tls;
  }
  static void TearDownTestSuite() {
    delete broker_;
    broker_ = nullptr;
  }
  void SetUp() override { ASSERT_NE(broker_, nullptr); }

  static kafka::Properties Reader(const std::string& password) {
    return {{"bootstrap.servers", sasl_},
            {"security.protocol", "SASL_PLAINTEXT"},
            {"sasl.mechanism", "PLAIN"},
            {"sasl.username", "reader"},
            {"sasl.password", password}};
  }
  static kafka::Properties Tls(const std::string& host, const std::string& ca) {
    return {{"bootstrap.servers", absl::StrCat(host, ":", tls_)},
            {"security.protocol", "SSL"},
            {"ssl.ca.location", absl::StrCat(folder_, "/", ca)},
            {"broker.address.family", "v4"}};
  }

  static std::string folder_;
  static std::string sasl_;
  static int tls_;
  static e2e::Broker* broker_;
};

std::string RightsTest::folder_;
std::string RightsTest::sasl_;
int RightsTest::tls_ = 0;
e2e::Broker* RightsTest::broker_ = nullptr;

TEST_F(RightsTest, AWrongPasswordIsSaidAtOnceAndNotRepeated) {
  absl::Time start = absl::Now();
  absl::Status status = Open(Reader(kWrong))->DescribeCluster().status();
  EXPECT_LT(absl::Now() - start, kSoon);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("refused our user name or our password (SASL PLAIN)"));
  EXPECT_THAT(std::string(status.message()), HasSubstr(sasl_));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("canary")));
}

TEST_F(RightsTest, WithoutCredentialsTheWayInIsNamed) {
  absl::Status status = Open({{"bootstrap.servers", sasl_}})->DescribeCluster().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), AnyOf(HasSubstr("security.protocol"), HasSubstr("Disconnected")));
}

TEST_F(RightsTest, WhatWeMayNotSeeIsNeverAbsent) {
  std::unique_ptr<kafka::ClusterAdmin> owner = Open({{"bootstrap.servers", broker_->bootstrap()}});
  ASSERT_TRUE(owner->CreateTopic(NewTopic("hidden")).ok());
  std::unique_ptr<kafka::ClusterAdmin> reader = Open(Reader(kPassword));
  absl::StatusOr<v1::ClusterFacts> cluster = reader->DescribeCluster();
  ASSERT_TRUE(cluster.ok()) << cluster.status();
  absl::StatusOr<std::vector<v1::TopicFacts>> facts = reader->DescribeTopics({"hidden", "not.there"});
  ASSERT_TRUE(facts.ok()) << facts.status();
  for (const v1::TopicFacts& topic : *facts) {
    EXPECT_EQ(topic.presence(), v1::NOT_VISIBLE) << topic.DebugString();
    EXPECT_THAT(topic.detail(), HasSubstr("authorization"));
  }
  EXPECT_THAT(*reader->ListTopics(), Not(Contains("hidden")));
  absl::StatusOr<v1::GroupFacts> group = reader->DescribeGroup("group", {{"hidden", 1}});
  ASSERT_TRUE(group.ok()) << group.status();
  EXPECT_EQ(group->state(), v1::GroupFacts::INVISIBLE) << group->DebugString();
}

TEST_F(RightsTest, ATopicWhoseConfigsAreHiddenIsThere) {
  std::unique_ptr<kafka::ClusterAdmin> owner = Open({{"bootstrap.servers", broker_->bootstrap()}});
  ASSERT_TRUE(owner->CreateTopic(NewTopic("half.hidden")).ok());
  Allow(broker_->bootstrap(), "half.hidden", RD_KAFKA_ACL_OPERATION_DESCRIBE);
  std::unique_ptr<kafka::ClusterAdmin> reader = Open(Reader(kPassword));
  v1::TopicFacts facts;
  // The broker learns of the new right a moment later.
  for (absl::Time end = absl::Now() + absl::Seconds(20); facts.presence() != v1::PRESENT && absl::Now() < end;) {
    absl::StatusOr<std::vector<v1::TopicFacts>> all = reader->DescribeTopics({"half.hidden"});
    ASSERT_TRUE(all.ok()) << all.status();
    facts = all->front();
  }
  EXPECT_EQ(facts.presence(), v1::PRESENT);
  EXPECT_EQ(facts.partitions_size(), 1);
  EXPECT_TRUE(facts.configs_hidden()) << facts.DebugString();
  EXPECT_THAT(facts.detail(), HasSubstr("configs are not visible"));
}

TEST_F(RightsTest, AWriteThatIsNotAllowedIsDeniedAndNotUnknown) {
  std::unique_ptr<kafka::ClusterAdmin> reader = Open(Reader(kPassword));
  absl::Status status = reader->CreateTopic(NewTopic("forbidden"));
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("topic 'forbidden'"));
  v1::PartitionOffset offset;
  status = reader->CommitOffsets("group", "hidden", {offset}, "");
  EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
  EXPECT_EQ(reader->AlterConfigs("hidden", {{"retention.ms", "1"}}, {}).code(), absl::StatusCode::kPermissionDenied);
  EXPECT_EQ(reader->CreatePartitions("hidden", 9).code(), absl::StatusCode::kPermissionDenied);
  absl::StatusOr<std::vector<v1::TopicVerdict>> verdicts = reader->ValidateCreate({NewTopic("forbidden")});
  ASSERT_TRUE(verdicts.ok()) << verdicts.status();
  EXPECT_TRUE(verdicts->front().refused());
  EXPECT_EQ(verdicts->front().code(), "TOPIC_AUTHORIZATION_FAILED");
}

TEST_F(RightsTest, TheRightCaIsTrusted) {
  absl::StatusOr<v1::ClusterFacts> cluster = Open(Tls("127.0.0.1", "ca.pem"))->DescribeCluster();
  EXPECT_TRUE(cluster.ok()) << cluster.status();
}

TEST_F(RightsTest, AWrongCaAndAWrongHostAreSaidAtOnceAndToldApart) {
  const std::pair<kafka::Properties, std::string> cases[] = {
      {Tls("127.0.0.1", "other.pem"), "is signed by CN=ca, which we do not trust: 'ssl.ca.location' holds another CA"},
      {Tls("localhost", "ca.pem"), "is for other hosts (IP Address:127.0.0.1): 'bootstrap.servers'"}};
  for (const auto& [properties, words] : cases) {
    absl::Time start = absl::Now();
    absl::Status status = Open(properties)->DescribeCluster().status();
    EXPECT_LT(absl::Now() - start, kSoon);
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
    EXPECT_THAT(std::string(status.message()), HasSubstr(words));
  }
}

TEST(Properties, WhatTheLibraryRefusesIsNamedWithoutItsValue) {
  absl::Status status =
      kafka::OpenAdmin({{"bootstrap.servers", "a:1"}, {"socket.timeout.ms", "canary"}}, "rights-test").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("'socket.timeout.ms'"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("canary")));
  status = kafka::OpenAdmin({{"bootstrap.servers", "a:1"},
                             {"security.protocol", "SSL"},
                             {"ssl.key.pem", "canary"},
                             {"ssl.certificate.pem", "canary"}},
                            "rights-test")
               .status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("canary")));
  EXPECT_EQ(kafka::OpenAdmin({}, "rights-test").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace st
