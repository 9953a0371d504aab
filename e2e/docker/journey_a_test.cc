// Journey A in containers: a topic that an outsider made, fills and reads is imported, described by hand, filtered by a
// model in a container, and read by a declared application. What is the outsider's is afterwards what it was.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/docker/ground.h"
#include "e2e/docker/operator.h"
#include "e2e/pipe.h"
#include "lib/kafka/admin.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::e2e {
namespace {

using ::testing::HasSubstr;

constexpr char kTheirs[] = "billing.payments";
constexpr char kTheirGroup[] = "billing-report";
constexpr char kOurs[] = "payments.large.v1";
constexpr char kSource[] = "sources/billing_payments.yml";

constexpr char kColumns[] =
    "    columns:\n"
    "      - {name: id, type: STRING, required: true}\n"
    "      - {name: cents, type: BIGINT, required: true}\n";

constexpr char kModel[] =
    "models:\n"
    "  - name: large_payments\n"
    "    owner: risk-team\n"
    "    executor: runner\n"
    "    sql: SELECT id, cents AS amount FROM {{ source(\"billing_payments\") }} WHERE cents >= 10000\n"
    "    topic: {name: payments.large.v1, partitions: 2}\n";

constexpr char kExposures[] =
    "exposures:\n"
    "  - name: billing_report\n"
    "    type: application\n"
    "    owner: billing\n"
    "    consumer_group: billing-report\n"
    "    consumes: [{source: billing_payments}]\n"
    "  - name: audit\n"
    "    type: application\n"
    "    owner: audit-team\n"
    "    consumes: [{ref: large_payments}]\n"
    "    columns:\n"
    "      - {name: id, type: STRING, required: true}\n"
    "      - {name: amount, type: BIGINT, required: true}\n";

class JourneyATest : public testing::TestWithParam<Operator::Who> {
 protected:
  JourneyATest() : broker_(*ground_, "broker"), operator_(*ground_, broker_.bootstrap(), broker_.inside(), GetParam()) {
    operator_.Write("stream_project.yml", absl::StrCat("project: {name: ", operator_.project(),
                                                       "}\n"
                                                       "runtime:\n"
                                                       "  kafka: {bootstrap_servers: \"${KAFKA_BOOTSTRAP_SERVERS}\"}\n"
                                                       "  runner: {host: process, initial_offset: earliest}\n"));
    operator_.Write("environments/docker.yml",
                    "runtime:\n"
                    "  kafka: {bootstrap_servers_internal: \"${KAFKA_BOOTSTRAP_SERVERS_INTERNAL}\"}\n"
                    "  runner: {host: docker, image: \"${ST_IMAGE}\", network: \"${ST_NETWORK}\"}\n");
    ground_->Docker({"load", "--input", operator_.Path("prefix/share/st/st-runner-image.tar")});
  }

  static void SetUpTestSuite() { ground_ = std::make_unique<Ground>(); }
  static void TearDownTestSuite() { ground_.reset(); }

  // Two topics, records, and a group that has read a part of them.
  void BeTheOutsider() {
    Probe(broker_.bootstrap(), {"create", kTheirs, "--partitions", "2", "--config", "retention.ms=86400000", "--config",
                                "max.message.bytes=65536"});
    Probe(broker_.bootstrap(), {"create", "billing.secrets"});
    Probe(broker_.bootstrap(), {"produce", "billing.secrets"}, "theirs alone\n");
    std::string records;
    for (int i = 0; i < 40; ++i) {
      absl::StrAppend(&records, "c", i % 5, "|{\"id\":\"p", i, "\",\"cents\":", i * 500, "}\n");
    }
    Probe(broker_.bootstrap(), {"produce", kTheirs, "--key-separator", "|"}, records);
    absl::StatusOr<std::unique_ptr<kafka::ClusterAdmin>> admin =
        kafka::OpenAdmin({{"bootstrap.servers", broker_.bootstrap()}}, "outsider");
    ASSERT_TRUE(admin.ok()) << admin.status();
    v1::PartitionOffset read;
    read.set_partition(0);
    read.set_offset(3);
    read.set_leader_epoch(-1);
    // A broker that was never asked for a group refuses for a moment.
    const absl::Time deadline = absl::Now() + absl::Minutes(1);
    absl::Status committed;
    do {
      committed = (*admin)->CommitOffsets(kTheirGroup, kTheirs, {read}, "theirs");
    } while (!committed.ok() && absl::Now() < deadline);
    ASSERT_TRUE(committed.ok()) << committed;
  }

  std::string Theirs() const { return broker_.State({kTheirs, "billing.secrets"}, {kTheirGroup}); }

  CommandResult Import() {
    return operator_.Run(
        {"st-import", "--bootstrap-servers", broker_.bootstrap(), "--topics", "billing[.]payments", "--into", "shop"});
  }

  // Every file of the project, with its name.
  std::string Project() {
    const CommandResult all = operator_.Run(
        {"sh", "-c", "find shop -type f | LC_ALL=C sort | while read -r f; do echo \"$f\"; cat \"$f\"; done"});
    EXPECT_EQ(all.exit_code, 0) << all.error_text;
    return all.output;
  }

  void ExpectThatImportingChangesNothing() {
    const std::string before = Project();
    const CommandResult again = Import();
    EXPECT_EQ(again.exit_code, 0) << again.error_text;
    EXPECT_THAT(again.error_text, HasSubstr("0 sources written, 1 topics declared already and left as they are"));
    EXPECT_EQ(Project(), before);
  }

  static std::unique_ptr<Ground> ground_;
  BrokerContainer broker_;
  Operator operator_;
};

std::unique_ptr<Ground> JourneyATest::ground_;

TEST_P(JourneyATest, WhatIsTheOutsidersIsReadAndNeverTouched) {
  ASSERT_NO_FATAL_FAILURE(BeTheOutsider());
  const std::string theirs = Theirs();

  const CommandResult imported = Import();
  ASSERT_EQ(imported.exit_code, 0) << imported.error_text;
  EXPECT_THAT(Project(), HasSubstr(kSource));
  ExpectThatImportingChangesNothing();
  operator_.Write(kSource, operator_.Read(kSource) + kColumns);
  ExpectThatImportingChangesNothing();

  operator_.Write("models/large_payments.yml", kModel);
  operator_.Write("exposures/applications.yml", kExposures);
  const CommandResult planned = operator_.Plan("plan.textproto");
  ASSERT_EQ(planned.exit_code, 10) << planned.error_text;
  const v1::Plan plan = ReadAnswer<v1::Plan>(operator_.Run({"cat", "plan.textproto"}).output);
  ASSERT_EQ(plan.actions_size(), 2);
  EXPECT_EQ(plan.actions(0).create_topic().name(), kOurs);
  EXPECT_TRUE(plan.actions(1).has_create_runner());
  EXPECT_EQ(Theirs(), theirs);
  const CommandResult applied = operator_.Apply("plan.textproto");
  ASSERT_EQ(applied.exit_code, 0) << applied.error_text;

  const std::string application = operator_.application_id("large_payments");
  EXPECT_TRUE(broker_.AwaitAllRead(application, kTheirs));
  std::vector<std::string> values;
  for (const SeenRecord& record : SeenRecords(broker_.bootstrap(), kOurs)) values.push_back(record.value);
  std::vector<std::string> expected;
  for (int i = 20; i < 40; ++i) expected.push_back(absl::StrCat(R"({"id":"p)", i, R"(","amount":)", i * 500, "}"));
  EXPECT_THAT(values, testing::UnorderedElementsAreArray(expected));

  ExpectThatImportingChangesNothing();
  EXPECT_EQ(operator_.Plan("again.textproto").exit_code, 0);
  EXPECT_EQ(Theirs(), theirs);
  EXPECT_EQ(ground_->ContainersOf(application).size(), 1u);
}

INSTANTIATE_TEST_SUITE_P(Operators, JourneyATest, testing::Values(Operator::Who::kRoot, Operator::Who::kMember),
                         [](const auto& which) {
                           return which.param == Operator::Who::kRoot ? "ByRoot" : "ByAMemberOfTheGroup";
                         });

}  // namespace
}  // namespace st::e2e
