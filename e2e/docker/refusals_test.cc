// What is refused before anything outside is touched: the exit code, the code, the sentence, the way out, and an engine
// and a broker that are afterwards what they were.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <librdkafka/rdkafka.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/docker/ground.h"
#include "e2e/docker/operator.h"
#include "e2e/docker/recorder.h"
#include "e2e/pipe.h"

namespace st::e2e {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kModels[] = "models/orders.yml";
constexpr char kOutput[] = "orders.large.v1";

// One ground and one operator for all.
class RefusalsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    ground_ = std::make_unique<Ground>();
    broker_ = std::make_unique<BrokerContainer>(*ground_, "broker");
    operator_ = std::make_unique<Operator>(*ground_, broker_->bootstrap(), broker_->inside(), Operator::Who::kRoot);
    operator_->TakeExample("orders");
    ground_->Docker({"load", "--input", operator_->Path("prefix/share/st/st-runner-image.tar")});
    application_ = operator_->application_id("large_orders");
    topology_ = operator_->Compile();
    // The project as it stands is not refused.
    const CommandResult planned = operator_->Plan("good.textproto");
    ASSERT_EQ(planned.exit_code, 10) << planned.error_text;
  }
  static void TearDownTestSuite() {
    operator_.reset();
    broker_.reset();
    ground_.reset();
  }

  void TearDown() override { EXPECT_EQ(operator_->Compile(), topology_) << "the next test would stand on sand"; }

  static std::string Broker(const std::vector<std::string>& topics) {
    return absl::StrCat(broker_->State(topics, {application_}), Probe(broker_->bootstrap(), {"topics"}));
  }

  // All that an engine tells of what is done to it (reads are not).
  static std::string EventsSince(absl::Time since) {
    const auto unix = [](absl::Time time) {
      return absl::StrFormat("%d.%06d", absl::ToUnixMicros(time) / 1'000'000, absl::ToUnixMicros(time) % 1'000'000);
    };
    return ground_->Docker({"events", "--since", unix(since), "--until", unix(absl::Now())});
  }

  // A plan that can be read and not applied; nothing is done by making it, nor by trying to apply it.
  static void ExpectBlocked(const std::string& code, const std::string& sentence, const std::string& way_out,
                            const std::vector<std::string>& topics = {}) {
    const std::string engine = ground_->State();
    const std::string broker = Broker(topics);
    const absl::Time since = absl::Now();
    const CommandResult planned = operator_->Plan("refused.textproto");
    EXPECT_EQ(planned.exit_code, 1) << planned.error_text;
    EXPECT_THAT(planned.error_text, AllOf(HasSubstr(code), HasSubstr(sentence), HasSubstr(way_out)));
    const CommandResult document = operator_->Run({"cat", "refused.textproto"});
    ASSERT_EQ(document.exit_code, 0) << document.error_text;
    const v1::Plan plan = ReadAnswer<v1::Plan>(document.output);
    ASSERT_EQ(plan.blockers_size(), 1) << document.output;
    EXPECT_EQ(plan.blockers(0).code(), code);
    EXPECT_THAT(plan.blockers(0).text(), HasSubstr(sentence));
    EXPECT_THAT(plan.blockers(0).way_out(), HasSubstr(way_out));
    const CommandResult applied = operator_->Apply("refused.textproto");
    EXPECT_EQ(applied.exit_code, 1) << applied.error_text;
    EXPECT_THAT(applied.error_text, HasSubstr(code));
    EXPECT_EQ(EventsSince(since), "");
    EXPECT_EQ(ground_->State(), engine);
    EXPECT_EQ(Broker(topics), broker);
  }

  static std::unique_ptr<Ground> ground_;
  static std::unique_ptr<BrokerContainer> broker_;
  static std::unique_ptr<Operator> operator_;
  static std::string application_;
  static std::string topology_;
};

std::unique_ptr<Ground> RefusalsTest::ground_;
std::unique_ptr<BrokerContainer> RefusalsTest::broker_;
std::unique_ptr<Operator> RefusalsTest::operator_;
std::string RefusalsTest::application_;
std::string RefusalsTest::topology_;

struct Edit {
  const char* file;
  const char* from;
  const char* to;
};

struct BadProject {
  std::vector<Edit> edits;
  const char* code;
  const char* sentence;
  const char* way_out;
};

const BadProject kBadProjects[] = {
    {{{kModels, R"(ref("orders"))", R"(ref("order"))"}},
     "UNKNOWN_REFERENCE",
     "models/orders.yml:20:20: error: no model `order` is declared",
     "did you mean the model `orders`?"},
    {{{kModels, R"(ref("orders"))", R"(ref("back"))"},
      {kModels, "  - name: large_orders\n",
       "  - name: back\n    owner: risk-team\n    executor: runner\n"
       "    sql: SELECT order_id AS id, amount FROM {{ ref(\"large_orders\") }}\n"
       "  - name: large_orders\n"}},
     "CYCLE",
     "models read each other in a circle: back -> large_orders -> back",
     "one of them must read something else"},
    {{{kModels, "order_id, amount\n", "order_id\n"}},
     "CONTRACT_COLUMN_MISSING",
     "the contract of the exposure `fraud_app` (owner fraud-team) breaks: it needs the column `amount`",
     "agree with the owner that it goes"},
    {{{kModels, "AND paid = TRUE\n", "AND paid = TRUE GROUP BY amount\n"}},
     "SQL_GROUP_BY",
     "GROUP BY is outside the SQL subset",
     "aggregate in an engine such as Flink"},
    {{{"environments/docker.yml", "  kafka:\n",
       "  kafka:\n    security_protocol: SASL_SSL\n    sasl_mechanism: PLAIN\n    sasl_username: shop\n"
       "    sasl_password: canary-of-a-password\n"}},
     "SECRET_LITERAL",
     "`sasl_password` is a secret: it must be a reference to a variable",
     "write sasl_password: ${SASL_PASSWORD}"},
};

TEST_F(RefusalsTest, ABadProjectIsRefusedWithoutAnyCall) {
  const Recorder recorder(operator_->Path("recorder.sock"));
  const Given engine(*operator_, "DOCKER_HOST", recorder.engine());
  const Given broker(*operator_, "KAFKA_BOOTSTRAP_SERVERS", recorder.broker());
  for (const BadProject& bad : kBadProjects) {
    SCOPED_TRACE(bad.code);
    std::vector<std::pair<std::string, std::string>> before;
    for (const auto& [file, from, to] : bad.edits) {
      before.emplace_back(file, operator_->Read(file));
      operator_->Edit(file, from, to);
    }
    const CommandResult compiled = operator_->TryCompile();
    EXPECT_EQ(compiled.exit_code, 1) << compiled.error_text;
    EXPECT_EQ(compiled.output, "");
    EXPECT_THAT(compiled.error_text,
                AllOf(HasSubstr(absl::StrCat("[", bad.code, "]")), HasSubstr(bad.sentence), HasSubstr(bad.way_out)));
    EXPECT_THAT(compiled.error_text, Not(HasSubstr("canary")));
    // The rest of the pipe, as the shell runs it without pipefail too.
    for (const std::vector<std::string>& tool : std::vector<std::vector<std::string>>{
             {"st-observe"}, {"st-plan"}, {"st-apply", "--plan", "none.textproto"}, {"st-resume", "--status"}}) {
      const CommandResult result = operator_->Run(tool, compiled.output);
      EXPECT_THAT(result.exit_code, testing::AnyOf(1, 2)) << tool[0] << ": " << result.error_text;
      EXPECT_EQ(result.output, "") << tool[0];
    }
    while (!before.empty()) {
      operator_->Write(before.back().first, before.back().second);
      before.pop_back();
    }
  }
  EXPECT_EQ(recorder.engine_calls(), 0);
  EXPECT_EQ(recorder.broker_calls(), 0);
  // And it does count. Each is asked alone: a tool that asks both ends as soon as one is gone.
  EXPECT_EQ(operator_->Run({"st-import", "--bootstrap-servers", recorder.broker()}).exit_code, 3);
  EXPECT_GT(recorder.broker_calls(), 0);
  EXPECT_NE(operator_->Run({"/usr/bin/docker", "version"}).exit_code, 0);
  EXPECT_GT(recorder.engine_calls(), 0);
}

TEST_F(RefusalsTest, UnknownNetwork) {
  const Given network(*operator_, "ST_NETWORK", "nowhere");
  ExpectBlocked("NETWORK_MISSING", "the Docker engine has no network nowhere", "docker network create nowhere");
}

TEST_F(RefusalsTest, MissingImage) {
  const std::string id = absl::StrCat("sha256:", std::string(64, 'a'));
  const Given image(*operator_, "ST_IMAGE", id);
  ExpectBlocked("IMAGE_MISSING", absl::StrCat("the Docker engine does not have image ", id), "docker load -i");
}

TEST_F(RefusalsTest, ForeignImage) {
  const std::string id = ground_->Docker(
      {"container", "inspect", "--format", "{{.Image}}", broker_->inside().substr(0, broker_->inside().find(':'))});
  const Given image(*operator_, "ST_IMAGE", id);
  ExpectBlocked("IMAGE_FOREIGN", absl::StrCat("image ", id, " is not one of st-runner"), "st-runner-image.id");
}

TEST_F(RefusalsTest, ForeignVolume) {
  const std::string volume = absl::StrCat("st.", application_);
  ground_->Docker({"volume", "create", volume});
  ExpectBlocked("VOLUME_FOREIGN", absl::StrCat("a volume of ", application_, " exists that our state does not own"),
                "find out which project or state store made it");
  ground_->Docker({"volume", "rm", volume});
}

TEST_F(RefusalsTest, ForeignTopic) {
  Probe(broker_->bootstrap(), {"create", kOutput, "--partitions", "3", "--config", "retention.ms=604800000"});
  Probe(broker_->bootstrap(), {"produce", kOutput}, "{\"theirs\":1}\n");
  ExpectBlocked("ADOPTION_REQUIRED", absl::StrCat("topic ", kOutput, " exists on the cluster"),
                "declare it as a source if it belongs to someone else", {kOutput});
  Probe(broker_->bootstrap(), {"delete", kOutput});
}

TEST_F(RefusalsTest, GroupInUse) {
  Probe(broker_->bootstrap(), {"create", "theirs"});
  std::array<char, 512> words{};
  rd_kafka_conf_t* conf = rd_kafka_conf_new();
  for (const auto& [name, value] : {std::pair<const char*, std::string>{"bootstrap.servers", broker_->bootstrap()},
                                    {"group.id", application_},
                                    {"enable.auto.commit", "false"}}) {
    ASSERT_EQ(rd_kafka_conf_set(conf, name, value.c_str(), words.data(), words.size()), RD_KAFKA_CONF_OK);
  }
  rd_kafka_t* consumer = rd_kafka_new(RD_KAFKA_CONSUMER, conf, words.data(), words.size());
  ASSERT_NE(consumer, nullptr) << words.data();
  rd_kafka_poll_set_consumer(consumer);
  rd_kafka_topic_partition_list_t* topics = rd_kafka_topic_partition_list_new(1);
  rd_kafka_topic_partition_list_add(topics, "theirs", RD_KAFKA_PARTITION_UA);
  ASSERT_EQ(rd_kafka_subscribe(consumer, topics), RD_KAFKA_RESP_ERR_NO_ERROR);
  rd_kafka_topic_partition_list_destroy(topics);
  for (int assigned = 0; assigned == 0;) {
    if (rd_kafka_message_t* message = rd_kafka_consumer_poll(consumer, 100)) rd_kafka_message_destroy(message);
    rd_kafka_topic_partition_list_t* assignment = nullptr;
    ASSERT_EQ(rd_kafka_assignment(consumer, &assignment), RD_KAFKA_RESP_ERR_NO_ERROR);
    assigned = assignment->cnt;
    rd_kafka_topic_partition_list_destroy(assignment);
  }
  ExpectBlocked("GROUP_ACTIVE", absl::StrCat("consumer group ", application_, " is in use: member "),
                "stop that consumer", {"theirs"});
  rd_kafka_consumer_close(consumer);
  rd_kafka_destroy(consumer);
  Probe(broker_->bootstrap(), {"delete", "theirs"});
}

TEST_F(RefusalsTest, AContainerWithOurLabelsAlone) {
  std::vector<std::string> create = {"container", "create", "--name", absl::StrCat("st.g-", ground_->unique())};
  for (const char* label : {"operation", "action", "plan_sha256", "volume_instance", "cluster", "input_topic",
                            "output_topic", "initialized_partitions", "evidence"}) {
    create.insert(create.end(), {"--label", absl::StrCat("st.", label, "=1")});
  }
  create.insert(create.end(), {"--label", absl::StrCat("st.application=", application_), "--label",
                               absl::StrCat("st.generation=g-", ground_->unique()), "--label",
                               absl::StrCat("st.image=", operator_->image()), operator_->image()});
  const std::string impostor = ground_->Docker(create);
  ExpectBlocked("RUNNER_NOT_OURS", absl::StrCat("a runner of ", application_, " exists that our state does not own"),
                "find out which project or state store made it");
  ground_->Docker({"container", "rm", impostor});
}

// The last one, as it deploys the project. The impostor has name, labels, volume and image of the very container that
// our state owns; only the request that made it is another's.
TEST_F(RefusalsTest, TheTwinOfOurContainer) {
  ASSERT_EQ(operator_->Plan("good.textproto").exit_code, 10);
  const CommandResult applied = operator_->Apply("good.textproto");
  ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
  const std::vector<std::string> ours = ground_->ContainersOf(application_);
  ASSERT_EQ(ours.size(), 1u);
  std::vector<std::string> create = {"container",        "create",   "--network",
                                     ground_->network(), "--volume", absl::StrCat("st.", application_, ":/var/lib/st")};
  create.insert(create.end(), {"--name", ground_->Inspect(ours[0], "{{.Name}}").substr(1)});
  const std::string labels =
      ground_->Inspect(ours[0], "{{range $k, $v := .Config.Labels}}{{$k}}={{$v}}{{println}}{{end}}");
  for (absl::string_view label : absl::StrSplit(labels, '\n', absl::SkipEmpty())) {
    create.insert(create.end(), {"--label", std::string(label)});
  }
  create.push_back(operator_->image());
  ground_->Docker({"stop", ours[0]});
  ground_->Docker({"container", "rm", ours[0]});
  ground_->Docker(create);
  ExpectBlocked("RUNNER_NOT_OURS", absl::StrCat("another generation of ", application_, " exists: "),
                "find out who made it; one application has one generation", {"orders.v1", kOutput});
}

}  // namespace
}  // namespace st::e2e
