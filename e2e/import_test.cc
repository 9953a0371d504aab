// st-import against a real broker, and against what is none.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "e2e/broker.h"
#include "e2e/command.h"
#include "lib/fs/file.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"
#include "schemas/st/v1/report.pb.h"

namespace st {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kTool[] = "tools/st-import/st-import";
// What a person waits at most to learn that nobody answers.
constexpr double kPatience = 15;

e2e::CommandResult Import(const std::vector<std::string>& arguments) {
  std::vector<std::string> all = {kTool};
  all.insert(all.end(), arguments.begin(), arguments.end());
  absl::StatusOr<e2e::CommandResult> result = e2e::RunCommand(all);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.value_or(e2e::CommandResult{});
}

std::string FreshFolder() {
  std::string folder = absl::StrCat(testing::TempDir(), "/into.XXXXXX");
  EXPECT_NE(mkdtemp(folder.data()), nullptr);
  return folder;
}

class ImportTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    absl::StatusOr<std::unique_ptr<e2e::Broker>> broker = e2e::Broker::Start();
    ASSERT_TRUE(broker.ok()) << broker.status();
    broker_ = broker->release();
    absl::StatusOr<std::unique_ptr<kafka::ClusterAdmin>> admin =
        kafka::OpenAdmin({{"bootstrap.servers", broker_->bootstrap()}}, "import-test");
    ASSERT_TRUE(admin.ok()) << admin.status();
    for (const char* name : {"orders.raw-V1", "2024.sales", "Clash", "clash"}) {
      v1::CreateTopic topic;
      topic.set_name(name);
      topic.set_partitions(2);
      absl::Status status = (*admin)->CreateTopic(topic);
      ASSERT_TRUE(status.ok()) << status;
    }
    // Makes the broker create its own topic.
    ASSERT_TRUE((*admin)->DescribeGroup("nobody", {{"clash", 1}}).ok());
    absl::StatusOr<std::vector<v1::TopicFacts>> facts = (*admin)->DescribeTopics({"orders.raw-V1"});
    ASSERT_TRUE(facts.ok()) << facts.status();
    topic_id_ = facts->front().topic_id();
  }
  static void TearDownTestSuite() {
    delete broker_;
    broker_ = nullptr;
  }
  void SetUp() override { ASSERT_NE(broker_, nullptr); }

  static e2e::Broker* broker_;
  static std::string topic_id_;
};

e2e::Broker* ImportTest::broker_ = nullptr;
std::string ImportTest::topic_id_;

TEST_F(ImportTest, WithoutIntoItOnlyLists) {
  e2e::CommandResult result = Import({"--bootstrap-servers", broker_->bootstrap(), "--except", "Clash"});
  EXPECT_EQ(result.exit_code, 0) << result.error_text;
  v1::ImportReport report;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(result.output, &report)) << result.output;
  std::vector<std::string> topics;
  for (const auto& entry : report.entries()) {
    topics.push_back(entry.topic());
    EXPECT_EQ(entry.outcome(), v1::ImportReport::Entry::LISTED);
    EXPECT_EQ(entry.source().provenance().partitions(), 2u);
  }
  EXPECT_THAT(topics, ElementsAre("2024.sales", "clash", "orders.raw-V1"));
  EXPECT_EQ(report.entries(2).source().provenance().topic_id(), topic_id_);
  EXPECT_EQ(report.cluster_id().size(), 22u);
  EXPECT_EQ(report.internal_topics_left_out(), 1u);
  EXPECT_THAT(result.output, HasSubstr("# end sha256:"));
}

TEST_F(ImportTest, ASecondRunChangesNoByte) {
  std::string folder = FreshFolder();
  const std::vector<std::string> arguments = {
      "--bootstrap-servers", broker_->bootstrap(), "--topics", "orders.*|2024.*", "--into", folder};
  e2e::CommandResult first = Import(arguments);
  EXPECT_EQ(first.exit_code, 0) << first.error_text;
  EXPECT_THAT(first.error_text, HasSubstr("2 sources written, 0 topics declared already"));
  EXPECT_THAT(*fs::ListFolder(folder + "/sources"), ElementsAre("_2024_sales.yml", "orders_raw_v1.yml"));
  std::string path = folder + "/sources/orders_raw_v1.yml";
  std::string before = *fs::ReadFile(path, 1 << 20);
  EXPECT_THAT(before, HasSubstr(topic_id_));
  e2e::CommandResult second = Import(arguments);
  EXPECT_EQ(second.exit_code, 0) << second.error_text;
  EXPECT_THAT(second.error_text, HasSubstr("0 sources written, 2 topics declared already and left as they are"));
  EXPECT_EQ(*fs::ReadFile(path, 1 << 20), before);
  std::string edited = before + "    columns: [{name: id, type: STRING}]\n";
  ASSERT_TRUE(fs::WriteFileAtomically(path, edited, 0644, fs::Existing::kReplace).ok());
  EXPECT_EQ(Import(arguments).exit_code, 0);
  EXPECT_EQ(*fs::ReadFile(path, 1 << 20), edited);
}

TEST_F(ImportTest, ACollisionIsRefusedBeforeAnythingIsWritten) {
  std::string folder = FreshFolder();
  e2e::CommandResult result = Import({"--bootstrap-servers", broker_->bootstrap(), "--into", folder});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error_text, HasSubstr("topics `Clash` and `clash` would both be the source `clash`"));
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(*fs::ListFolder(folder), IsEmpty());
  result = Import({"--bootstrap-servers", broker_->bootstrap()});
  EXPECT_EQ(result.exit_code, 1) << "a look says what an import would";
  EXPECT_THAT(result.output, IsEmpty());
}

TEST_F(ImportTest, AFileInTheWayIsRefused) {
  std::string folder = FreshFolder();
  const std::string path = folder + "/sources/clash.yml";
  ASSERT_TRUE(fs::MakeFolders(folder + "/sources", 0755).ok());
  ASSERT_TRUE(fs::WriteFileAtomically(path, "sources: [{name: x, topic: x}]\n", 0644, fs::Existing::kReplace).ok());
  e2e::CommandResult result =
      Import({"--bootstrap-servers", broker_->bootstrap(), "--topics", "clash|2024.*", "--into", folder});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error_text, HasSubstr("this file exists, and does not declare topic `clash` [FILE_EXISTS]"));
  EXPECT_THAT(*fs::ListFolder(folder + "/sources"), ElementsAre("clash.yml"));
}

// A port is no more than 16 bits to the client library, which would connect to another one.
TEST(Usage, AddressesAreCheckedBeforeAnybodyIsAsked) {
  std::string file = FreshFolder() + "/client.properties";
  ASSERT_TRUE(fs::WriteFileAtomically(file, "bootstrap.servers=127.0.0.1:65536\n", 0600, fs::Existing::kReplace).ok());
  const std::vector<std::vector<std::string>> cases = {{"--bootstrap-servers", "127.0.0.1:99999"},
                                                       {"--bootstrap-servers", "localhost"},
                                                       {"--bootstrap-servers", "localhost:9092,"},
                                                       {"--client-properties", file}};
  for (const std::vector<std::string>& arguments : cases) {
    e2e::CommandResult result = Import(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments.back();
    EXPECT_THAT(result.error_text, HasSubstr("is no list of brokers: write host:port"));
    EXPECT_LT(result.seconds, 3);
  }
}

TEST_F(ImportTest, NoTopicThatMatchesIsAnAnswer) {
  e2e::CommandResult result = Import({"--bootstrap-servers", broker_->bootstrap(), "--topics", "orders"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.error_text, HasSubstr("no topic of cluster"));
}

// A socket that listens and never answers, or only refuses.
class Port {
 public:
  explicit Port(bool listens) {
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(fd_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    EXPECT_TRUE(!listens || listen(fd_, 16) == 0);
    text_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
  }
  ~Port() { close(fd_); }
  const std::string& text() const { return text_; }

 private:
  int fd_ = -1;
  std::string text_;
};

TEST(NoBroker, IsOneClearSentenceInTime) {
  Port nobody(false);
  e2e::CommandResult result = Import({"--bootstrap-servers", nobody.text()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_LT(result.seconds, kPatience);
  EXPECT_THAT(result.output, IsEmpty());
  EXPECT_THAT(result.error_text, HasSubstr(absl::StrCat("Kafka at ", nobody.text(), " did not answer")));
  EXPECT_THAT(result.error_text, HasSubstr("Connection refused"));
  EXPECT_EQ(result.error_text.find('\n'), result.error_text.size() - 1) << result.error_text;
}

TEST(NoBroker, SomebodyElsesProtocolIsNamed) {
  Port silent(true);
  e2e::CommandResult result = Import({"--bootstrap-servers", silent.text()});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_LT(result.seconds, kPatience);
  EXPECT_THAT(result.error_text, HasSubstr(absl::StrCat("Kafka at ", silent.text(), " did not answer")));
  EXPECT_THAT(result.error_text, HasSubstr("ApiVersionRequest"));
}

TEST_F(ImportTest, TlsToABrokerWithoutItIsNamed) {
  std::string file = FreshFolder() + "/client.properties";
  ASSERT_TRUE(fs::WriteFileAtomically(file, "security.protocol=SSL\n", 0600, fs::Existing::kReplace).ok());
  e2e::CommandResult result = Import({"--bootstrap-servers", broker_->bootstrap(), "--client-properties", file});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_LT(result.seconds, kPatience);
  EXPECT_THAT(result.error_text, HasSubstr("does not speak TLS: 'security.protocol' is SSL"));
}

TEST(Usage, IsChecked) {
  EXPECT_EQ(Import({}).exit_code, 2);
  EXPECT_EQ(Import({"--bootstrap-servers", "a:1", "--topics", "("}).exit_code, 2);
  EXPECT_EQ(Import({"--bootstrap-servers", "a:1", "--except", "("}).exit_code, 2);
  EXPECT_EQ(Import({"--bootstrap-servers", "a:1", "shop"}).exit_code, 2);
  std::string file = FreshFolder() + "/client.properties";
  EXPECT_EQ(Import({"--bootstrap-servers", "a:1", "--client-properties", file}).exit_code, 1) << "it is not there";
  ASSERT_TRUE(
      fs::WriteFileAtomically(file, "sasl.username=canary\nfoo.bar=canary\n", 0600, fs::Existing::kReplace).ok());
  e2e::CommandResult result = Import({"--bootstrap-servers", "a:1", "--client-properties", file});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_text, HasSubstr("line 2: the client property 'foo.bar' is not allowed"));
  EXPECT_THAT(result.error_text, Not(HasSubstr("canary")));
  ASSERT_TRUE(fs::WriteFileAtomically(file, "sasl.password=canary\n", 0600, fs::Existing::kReplace).ok());
  result = Import({"--bootstrap-servers", "a:1", "--client-properties", file});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.error_text,
              HasSubstr("line 1: the client property 'sasl.password' is a secret: write ${VARIABLE}"));
  EXPECT_THAT(result.error_text, Not(HasSubstr("canary")));
}

}  // namespace
}  // namespace st
