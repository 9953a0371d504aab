#include "lib/observe/observe.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/plan.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::observe {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

// Answers from tables, and writes down what it was asked.
class FakeCluster : public kafka::ClusterReader {
 public:
  absl::StatusOr<v1::ClusterFacts> DescribeCluster() override {
    if (!reachable.ok()) return reachable;
    v1::ClusterFacts facts;
    facts.set_cluster_id("cluster-1");
    facts.set_brokers(1);
    return facts;
  }
  absl::StatusOr<v1::BrokerDefaults> DescribeDefaults() override {
    asked.push_back("defaults");
    return defaults;
  }
  absl::StatusOr<std::vector<std::vector<int64_t>>> FindByTime(const std::vector<std::pair<std::string, int>>& of,
                                                               int64_t since_ms) override {
    asked.push_back(absl::StrCat("since ", since_ms, ":", absl::StrJoin(of, ",", absl::PairFormatter("="))));
    std::vector<std::vector<int64_t>> found;
    for (const auto& [topic, partitions] : of) found.emplace_back(partitions, young);
    return found;
  }
  absl::StatusOr<std::vector<std::string>> ListTopics() override { return absl::InternalError("not asked for"); }
  absl::StatusOr<std::vector<v1::TopicFacts>> DescribeTopics(const std::vector<std::string>& names) override {
    std::vector<v1::TopicFacts> all;
    for (const std::string& name : names) {
      asked.push_back("topic " + name);
      auto found = topics.find(name);
      all.push_back(found == topics.end() ? Parse<v1::TopicFacts>("presence: ABSENT") : found->second);
      all.back().set_name(name);
      // Whoever asks for one alone asks again.
      if (names.size() == 1 && grown_end > 0) all.back().mutable_partitions(0)->set_end_offset(grown_end);
    }
    return all;
  }
  absl::StatusOr<std::vector<std::string>> ListGroups() override {
    asked.push_back("groups");
    std::vector<std::string> names;
    for (const auto& [name, facts] : groups) names.push_back(name);
    return names;
  }
  absl::StatusOr<v1::GroupFacts> DescribeGroup(const std::string& group,
                                               const std::vector<std::pair<std::string, int>>& of) override {
    asked.push_back(absl::StrCat("group ", group, ":", absl::StrJoin(of, ",", absl::PairFormatter("="))));
    auto found = groups.find(group);
    v1::GroupFacts facts = found == groups.end() ? Parse<v1::GroupFacts>("state: NONE") : found->second;
    facts.set_group_id(group);
    return facts;
  }
  absl::StatusOr<std::vector<v1::TopicVerdict>> ValidateCreate(const std::vector<v1::CreateTopic>& creates) override {
    std::vector<v1::TopicVerdict> verdicts;
    for (const v1::CreateTopic& create : creates) {
      asked.push_back("create " + create.ShortDebugString());
      verdicts.emplace_back().set_topic(create.name());
    }
    return verdicts;
  }
  absl::StatusOr<v1::TopicVerdict> ValidateUpdate(const std::string& topic,
                                                  const std::vector<std::pair<std::string, std::string>>& set,
                                                  const std::vector<std::string>& unset, int partitions) override {
    asked.push_back(absl::StrCat("update ", topic, " ", absl::StrJoin(set, ",", absl::PairFormatter("=")), " -",
                                 absl::StrJoin(unset, ","), " ", partitions));
    v1::TopicVerdict verdict;
    verdict.set_topic(topic);
    verdict.set_refused(true);
    return verdict;
  }

  absl::Status reachable;
  v1::BrokerDefaults defaults;
  int64_t young = 7;
  int64_t grown_end = 0;
  std::map<std::string, v1::TopicFacts> topics;
  std::map<std::string, v1::GroupFacts> groups;
  std::vector<std::string> asked;
};

class FakeHost : public host::RunnerHost {
 public:
  absl::StatusOr<v1::HostFacts> Identify() override { return Parse<v1::HostFacts>("kind: PROCESS host_id: 'm'"); }
  absl::StatusOr<std::vector<v1::GenerationFacts>> Inventory(const std::vector<std::string>& application_ids,
                                                             host::Depth depth) override {
    asked.push_back(absl::StrJoin(application_ids, ","));
    EXPECT_EQ(depth, host::Depth::kShallow);
    if (!readable.ok()) return readable;
    std::vector<v1::GenerationFacts> all;
    for (const std::string& application_id : application_ids) {
      all.emplace_back().set_application_id(application_id);
      all.back().set_generation_id("g-1");
      all.emplace_back(all.back()).set_generation_id("g-2");
    }
    return all;
  }
  absl::StatusOr<std::vector<v1::VolumeFacts>> Volumes(const std::vector<std::string>& application_ids) override {
    asked.push_back("volumes " + absl::StrJoin(application_ids, ","));
    std::vector<v1::VolumeFacts> all;
    for (const std::string& application_id : application_ids) all.emplace_back().set_application_id(application_id);
    return all;
  }
  absl::StatusOr<std::string> CreateVolume(const std::string&, const std::string&) override { return Refuse(); }
  absl::Status Create(const host::GenerationSpec&) override { return Refuse(); }
  absl::Status Start(const std::string&, const std::string&) override { return Refuse(); }
  absl::Status Stop(const std::string&, const std::string&) override { return Refuse(); }
  absl::Status Remove(const std::string&, const std::string&) override { return Refuse(); }

  absl::Status readable;
  std::vector<std::string> asked;

 private:
  static absl::Status Refuse() {
    ADD_FAILURE() << "looking must not change anything";
    return absl::InternalError("changed");
  }
};

class FakeStore : public state::StateStore {
 public:
  absl::StatusOr<state::Snapshot> Read(const std::string& address) override {
    asked.push_back(address);
    return snapshot;
  }
  absl::StatusOr<std::unique_ptr<state::Lease>> Acquire(const std::string&) override { return Refuse(); }
  absl::StatusOr<uint64_t> Begin(const state::Lease&, uint64_t, const std::string&, const std::string&) override {
    return Refuse();
  }
  absl::StatusOr<uint64_t> Append(const state::Lease&, uint64_t, const state::Frame&) override { return Refuse(); }
  absl::StatusOr<uint64_t> Complete(const state::Lease&, uint64_t, const std::string&, const std::string&) override {
    return Refuse();
  }
  absl::StatusOr<std::vector<state::HistoryEntry>> History(const std::string&) override { return Refuse(); }

  absl::StatusOr<state::Snapshot> snapshot = state::Snapshot{};
  std::vector<std::string> asked;

 private:
  static absl::Status Refuse() {
    ADD_FAILURE() << "looking must only read";
    return absl::InternalError("changed");
  }
};

class FakeClock : public base::Clock {
 public:
  int64_t NowMs() override { return 1'000; }
  int64_t MonotonicMs() override { return 0; }
  void SleepMs(int64_t) override {}
};

// A source that the model `late` reads, one that nobody of ours reads, and a managed topic without SQL.
constexpr char kTopology[] = R"(
  project: "p" environment: "e"
  runner { host: PROCESS } state { backend: SQLITE }
  topics { name: "in" resource: "st://p/e/topic/in" mode: EXTERNAL }
  topics { name: "late" resource: "st://p/e/topic/late" mode: MANAGED partitions: 3 replication_factor: 2
           configs { name: "retention.ms" value: "5" } }
  topics { name: "other" resource: "st://p/e/topic/other" mode: EXTERNAL }
  topics { name: "plain" resource: "st://p/e/topic/plain" mode: MANAGED partitions: 1
           configs { name: "cleanup.policy" value: "delete" } configs { name: "segment.ms" value: "7" } }
  sources { name: "in" resource: "st://p/e/source/in" topic: "in" }
  sources { name: "other" resource: "st://p/e/source/other" topic: "other" }
  models { name: "late" resource: "st://p/e/model/late" topic: "late" application_id: "st.p.e.late"
           plan { input_topic: "in" output_topic: "late" } }
  models { name: "plain" resource: "st://p/e/model/plain" topic: "plain" }
  exposures { name: "app" resource: "st://p/e/exposure/app" consumer_group: "app-group"
              consumes: "st://p/e/model/late" consumes: "st://p/e/source/other" }
  exposures { name: "board" resource: "st://p/e/exposure/board" consumes: "st://p/e/model/plain" }
)";

class ObserveTest : public testing::Test {
 protected:
  v1::Observation Look(const Scope& scope = {}) {
    v1::Observation observation;
    absl::Status status = Observe(topology_, World{&cluster_, &host_, &store_, &clock_}, scope, &observation);
    EXPECT_TRUE(status.ok()) << status;
    return observation;
  }
  absl::Status Fail() {
    v1::Observation observation;
    return Observe(topology_, World{&cluster_, &host_, &store_, &clock_}, {}, &observation);
  }
  std::vector<std::string> Asked(const std::string& prefix) const {
    std::vector<std::string> found;
    for (const std::string& line : cluster_.asked) {
      if (absl::StartsWith(line, prefix)) found.push_back(line);
    }
    return found;
  }

  v1::Topology topology_ = Parse<v1::Topology>(kTopology);
  FakeCluster cluster_;
  FakeHost host_;
  FakeStore store_;
  FakeClock clock_;
};

TEST_F(ObserveTest, ExternalTopicsAreLookedAtOnlyWhereAManagedModelReadsThem) {
  v1::Observation observation = Look();
  EXPECT_THAT(Asked("topic"), ElementsAre("topic in", "topic late", "topic plain"));
  EXPECT_EQ(observation.cluster().cluster_id(), "cluster-1");
  EXPECT_EQ(observation.observed_at_ms(), 1'000);
  EXPECT_FALSE(observation.offline());
  ASSERT_EQ(observation.topics_size(), 3);
  EXPECT_EQ(observation.topics(1).presence(), v1::ABSENT);
}

TEST_F(ObserveTest, TheOtherExternalsOnRequest) {
  EXPECT_EQ(Look({.externals = true}).topics_size(), 4);
  EXPECT_THAT(Asked("topic"), Contains("topic other"));
}

TEST_F(ObserveTest, AdoptedTopicsAreOurs) {
  topology_.mutable_topics(2)->set_mode(v1::ADOPTED);
  Look();
  EXPECT_THAT(Asked("topic"), Contains("topic other"));
}

TEST_F(ObserveTest, TheBrokerIsAskedAboutManagedTopicsThatAreAbsentAndAboutNoOthers) {
  v1::Observation observation = Look();
  EXPECT_THAT(Asked("create"),
              ElementsAre("create name: \"late\" partitions: 3 replication_factor: 2 configs { name: \"retention.ms\" "
                          "value: \"5\" }",
                          HasSubstr("\"plain\" partitions: 1 configs")));
  EXPECT_THAT(Asked("update"), IsEmpty());
  ASSERT_EQ(observation.verdicts_size(), 2);
  EXPECT_EQ(observation.verdicts(0).topic(), "late");
  EXPECT_EQ(observation.verdicts(1).topic(), "plain");
}

TEST_F(ObserveTest, TheBrokerIsAskedAboutWhatDiffers) {
  cluster_.topics["late"] = Parse<v1::TopicFacts>(
      "presence: PRESENT topic_id: 'L' partitions { partition: 0 } configs { name: 'retention.ms' value: '5' }");
  cluster_.topics["plain"] = Parse<v1::TopicFacts>(
      "presence: PRESENT topic_id: 'P' partitions { partition: 0 } partitions { partition: 1 }"
      "configs { name: 'max.message.bytes' value: '9' } configs { name: 'segment.ms' value: '8' }");
  v1::OwnedResources owned = Parse<v1::OwnedResources>(
      "resources { resource: 'st://p/e/topic/plain' topic { name: 'plain' topic_id: 'P'"
      "  configs { name: 'max.message.bytes' declared: '9' } configs { name: 'segment.ms' declared: '8' } } }");
  store_.snapshot->serial = 1;
  store_.snapshot->ownership = owned.SerializeAsString();
  v1::Observation observation = Look();
  EXPECT_THAT(Asked("update"),
              ElementsAre("update late  - 3", "update plain cleanup.policy=delete,segment.ms=7 -max.message.bytes 0"));
  EXPECT_EQ(observation.verdicts_size(), 2);
  EXPECT_THAT(Asked("create"), IsEmpty());
}

TEST_F(ObserveTest, WhatWeSetOnAnotherTopicOfThatNameIsNotOursToUnset) {
  cluster_.topics["plain"] = Parse<v1::TopicFacts>(
      "presence: PRESENT topic_id: 'P2' partitions { partition: 0 } configs { name: 'cleanup.policy' value: 'delete' }"
      "configs { name: 'segment.ms' value: '7' } configs { name: 'max.message.bytes' value: '9' }");
  v1::OwnedResources owned = Parse<v1::OwnedResources>(
      "resources { resource: 'st://p/e/topic/plain' topic { name: 'plain' topic_id: 'P'"
      "  configs { name: 'max.message.bytes' declared: '9' } } }");
  store_.snapshot->serial = 1;
  store_.snapshot->ownership = owned.SerializeAsString();
  Look();
  EXPECT_THAT(Asked("update"), IsEmpty());
}

TEST_F(ObserveTest, ATopicThatWeMayNotSeeGetsNoVerdict) {
  cluster_.topics["late"] = Parse<v1::TopicFacts>("presence: NOT_VISIBLE detail: 'no'");
  cluster_.topics["plain"] = Parse<v1::TopicFacts>("presence: NOT_VISIBLE");
  v1::Observation observation = Look();
  EXPECT_EQ(observation.verdicts_size(), 0);
  EXPECT_EQ(observation.topics(1).detail(), "no");
}

TEST_F(ObserveTest, OfAllThatIsInForceOnlyWhatAPlanLooksAtIsKept) {
  cluster_.topics["plain"] = Parse<v1::TopicFacts>(
      "presence: PRESENT effective { name: 'cleanup.policy' value: 'delete' }"
      "effective { name: 'retention.ms' value: '1' } effective { name: 'segment.bytes' value: '2' }"
      "effective { name: 'segment.ms' value: '7' }");
  v1::Observation observation = Look();
  std::vector<std::string> names;
  for (const v1::TopicConfig& config : observation.topics(2).effective()) names.push_back(config.name());
  EXPECT_THAT(names, ElementsAre("cleanup.policy", "retention.ms", "segment.ms"));
}

constexpr char kPresent[] = "presence: PRESENT partitions { partition: 0 } partitions { partition: 1 }";

TEST_F(ObserveTest, GroupsOfRunnersAndExposuresAreAskedForTheirTopics) {
  for (const char* name : {"in", "late"}) cluster_.topics[name] = Parse<v1::TopicFacts>(kPresent);
  v1::Observation observation = Look();
  EXPECT_THAT(Asked("group "), ElementsAre("group app-group:late=2", "group st.p.e.late:in=2"));
  ASSERT_EQ(observation.groups_size(), 2);
  EXPECT_EQ(observation.groups(0).group_id(), "app-group");
  EXPECT_EQ(observation.groups(0).state(), v1::GroupFacts::NONE);
}

TEST_F(ObserveTest, ATopicWhoseReaderWentOnMeanwhileIsLookedAtAgain) {
  cluster_.topics["in"] =
      Parse<v1::TopicFacts>("presence: PRESENT topic_id: 'I' partitions { partition: 0 end_offset: 9 }");
  cluster_.groups["st.p.e.late"] =
      Parse<v1::GroupFacts>("state: STABLE topics { topic: 'in' offsets { partition: 0 offset: 9 } }");
  Look();
  EXPECT_THAT(Asked("topic"), ElementsAre("topic in", "topic late", "topic plain"));
  cluster_.asked.clear();
  cluster_.groups["st.p.e.late"].mutable_topics(0)->mutable_offsets(0)->set_offset(12);
  cluster_.grown_end = 15;
  v1::Observation observation = Look();
  EXPECT_THAT(Asked("topic"), ElementsAre("topic in", "topic late", "topic plain", "topic in"));
  EXPECT_EQ(observation.topics(0).partitions(0).end_offset(), 15);
  EXPECT_EQ(observation.topics_size(), 3);
}

TEST_F(ObserveTest, WhoeverReadsAManagedTopicIsFound) {
  for (const char* name : {"in", "late", "plain"}) cluster_.topics[name] = Parse<v1::TopicFacts>(kPresent);
  cluster_.groups["a-member"] = Parse<v1::GroupFacts>(
      "state: STABLE members { member_id: 'm' assignments { topic: 'late' partitions: 0 }"
      "                                       assignments { topic: 'secret' partitions: 0 } }");
  cluster_.groups["b-offsets"] =
      Parse<v1::GroupFacts>("state: EMPTY topics { topic: 'plain' offsets { partition: 0 offset: 4 } }");
  cluster_.groups["c-pending"] = Parse<v1::GroupFacts>(
      "state: EMPTY topics { topic: 'plain' offsets { partition: 0 offset: -1 unstable: true } }");
  cluster_.groups["d-hidden"] = Parse<v1::GroupFacts>("state: INVISIBLE");
  cluster_.groups["e-elsewhere"] = Parse<v1::GroupFacts>(
      "state: STABLE members { assignments { topic: 'in' partitions: 0 } }"
      "topics { topic: 'plain' offsets { partition: 0 offset: -1 } }");
  cluster_.groups["st.p.e.late"] = Parse<v1::GroupFacts>("state: STABLE");
  v1::Observation observation = Look();
  std::vector<std::string> found;
  for (const v1::GroupFacts& group : observation.groups()) found.push_back(group.group_id());
  EXPECT_THAT(found, ElementsAre("a-member", "app-group", "b-offsets", "c-pending", "d-hidden", "st.p.e.late"));
  EXPECT_THAT(Asked("group "), Contains("group e-elsewhere:late=-1,plain=-1"));
  EXPECT_THAT(observation.DebugString(), Not(HasSubstr("secret")));
}

TEST_F(ObserveTest, WithoutManagedTopicsNobodyElsesGroupIsAskedFor) {
  cluster_.topics["in"] = Parse<v1::TopicFacts>(kPresent);
  cluster_.groups["elsewhere"] = Parse<v1::GroupFacts>("state: STABLE");
  Look();
  EXPECT_THAT(cluster_.asked, Not(Contains("groups")));
}

TEST_F(ObserveTest, TheHostIsAskedOnceForAllRunners) {
  v1::CompiledModel& late = *topology_.add_models();
  late = topology_.models(0);
  late.set_application_id("st.p.e.later");
  Look();
  EXPECT_THAT(host_.asked, ElementsAre("st.p.e.late,st.p.e.later", "volumes st.p.e.late,st.p.e.later"));
}

TEST_F(ObserveTest, TheHostShowsEveryRunnersGenerations) {
  v1::Observation observation = Look();
  EXPECT_THAT(host_.asked, ElementsAre("st.p.e.late", "volumes st.p.e.late"));
  EXPECT_EQ(observation.host().host_id(), "m");
  ASSERT_EQ(observation.host().generations_size(), 2);
  EXPECT_EQ(observation.host().generations(0).generation_id(), "g-1");
  EXPECT_EQ(observation.host().volumes_size(), 1);
}

TEST_F(ObserveTest, WithoutRunnersNoHostIsNeeded) {
  topology_.mutable_models(0)->clear_plan();
  v1::Observation observation;
  absl::Status status = Observe(topology_, World{&cluster_, nullptr, &store_, &clock_}, {}, &observation);
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_FALSE(observation.has_host());
}

constexpr char kBrokers[] =
    "topic_configs { name: 'cleanup.policy' value: 'delete' }"
    "topic_configs { name: 'message.timestamp.type' value: 'CreateTime' }"
    "topic_configs { name: 'retention.ms' value: '900' } offsets_retention_ms: 60000";

TEST_F(ObserveTest, InputsAreAskedForWhatTheirOutputsWouldKeep) {
  cluster_.topics["in"] = Parse<v1::TopicFacts>(
      "presence: PRESENT partitions { partition: 0 end_offset: 9 } partitions { partition: 1 end_offset: 8 }");
  cluster_.defaults = Parse<v1::BrokerDefaults>(kBrokers);
  // As declared: 5 ms.
  v1::Observation observation = Look();
  EXPECT_THAT(Asked("since"), ElementsAre("since 995:in=2"));
  ASSERT_EQ(observation.record_ages_size(), 1);
  EXPECT_EQ(observation.record_ages(0).model(), "st://p/e/model/late");
  EXPECT_EQ(observation.record_ages(0).retention_ms(), 5);
  EXPECT_EQ(observation.record_ages(0).young(1).offset(), 7);
  EXPECT_EQ(observation.cluster().defaults().offsets_retention_ms(), 60'000);
  // None is that young: all are older.
  cluster_.young = -1;
  observation = Look();
  EXPECT_EQ(observation.record_ages(0).young(0).offset(), 9);
  EXPECT_EQ(observation.record_ages(0).young(1).offset(), 8);
  // Not declared: as the broker makes one, or as it is.
  topology_.mutable_topics(1)->clear_configs();
  EXPECT_EQ(Look().record_ages(0).retention_ms(), 900);
  cluster_.topics["late"] = Parse<v1::TopicFacts>(
      "presence: PRESENT effective { name: 'cleanup.policy' value: 'compact,delete' }"
      "effective { name: 'message.timestamp.type' value: 'CreateTime' } effective { name: 'retention.ms' value: '30' "
      "}");
  EXPECT_EQ(Look().record_ages(0).retention_ms(), 30);
}

TEST_F(ObserveTest, AnInputIsNotAskedForWhereNoOutputTakesRecordsAway) {
  cluster_.topics["in"] = Parse<v1::TopicFacts>(kPresent);
  const auto ages = [&](const std::string& from, const std::string& to) {
    std::string brokers = kBrokers;
    brokers.replace(brokers.find(from), from.size(), to);
    cluster_.defaults = Parse<v1::BrokerDefaults>(brokers);
    return Look().record_ages_size();
  };
  topology_.mutable_topics(1)->clear_configs();
  EXPECT_EQ(ages("900", "901"), 1);
  EXPECT_EQ(ages("'900'", "'-1'"), 0);
  EXPECT_EQ(ages("'delete'", "'compact'"), 0);
  EXPECT_EQ(ages("CreateTime", "LogAppendTime"), 0);
  // Not visible.
  EXPECT_EQ(ages("retention.ms", "retention"), 0);
  cluster_.topics["in"] = Parse<v1::TopicFacts>("presence: ABSENT");
  EXPECT_EQ(ages("900", "901"), 0);
}

TEST_F(ObserveTest, ModelsOfOneRetentionAreAskedForAtOnce) {
  for (const char* name : {"in", "other"}) cluster_.topics[name] = Parse<v1::TopicFacts>(kPresent);
  cluster_.defaults = Parse<v1::BrokerDefaults>(kBrokers);
  topology_.mutable_topics(1)->clear_configs();
  *topology_.mutable_models(1)->mutable_plan() = Parse<v1::RecordPlan>("input_topic: 'other' output_topic: 'plain'");
  v1::Observation observation = Look();
  EXPECT_THAT(Asked("since"), ElementsAre("since 100:in=2,other=2"));
  EXPECT_EQ(observation.record_ages_size(), 2);
}

TEST_F(ObserveTest, TheStateSaysWhatWeOwnAndWhatIsOpen) {
  v1::OwnedResources owned = Parse<v1::OwnedResources>("resources { resource: 'st://p/e/topic/late' topic {} }");
  v1::Intent intent = Parse<v1::Intent>("actions { resource: 'st://p/e/topic/late' }");
  v1::Checkpoint done = Parse<v1::Checkpoint>("action_index: 0 name: ACTION_DONE");
  state::Snapshot& snapshot = *store_.snapshot;
  snapshot.store_id = "s";
  snapshot.serial = 3;
  snapshot.ownership = owned.SerializeAsString();
  snapshot.operation_id = "op";
  snapshot.intent = intent.SerializeAsString();
  EXPECT_THAT(Look().state().open_operation_checkpoint(), HasSubstr("intent"));
  snapshot.frames.push_back({state::Frame::Kind::kCheckpoint, done.SerializeAsString()});
  v1::Observation observation = Look();
  EXPECT_THAT(store_.asked, Contains("p/e"));
  EXPECT_EQ(observation.state().reference().store_id(), "s");
  EXPECT_EQ(observation.state().reference().address(), "p/e");
  EXPECT_EQ(observation.state().reference().serial(), 3u);
  EXPECT_EQ(observation.state().reference().checksum().size(), 64u);
  EXPECT_EQ(observation.state().resources_size(), 1);
  EXPECT_EQ(observation.state().open_operation_id(), "op");
  EXPECT_EQ(observation.state().open_operation_checkpoint(), "ACTION_DONE of st://p/e/topic/late");
}

TEST_F(ObserveTest, AStateThatCannotBeReadIsNoEmptyState) {
  store_.snapshot->serial = 1;
  store_.snapshot->ownership = "\xff\xff";
  EXPECT_EQ(Fail().code(), absl::StatusCode::kDataLoss);
  store_.snapshot = absl::UnavailableError("locked");
  EXPECT_EQ(Fail().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ObserveTest, AnAdaptersFailureIsTheAnswer) {
  cluster_.reachable = absl::UnavailableError("nobody there");
  EXPECT_EQ(Fail(), cluster_.reachable);
  cluster_.reachable = absl::OkStatus();
  host_.readable = absl::PermissionDeniedError("no");
  EXPECT_EQ(Fail(), host_.readable);
}

TEST(Summary, TellsWhatIsThereFromWhatWasAskedAbout) {
  const auto observation = Parse<v1::Observation>(R"(
    cluster { cluster_id: 'c' }
    topics { name: 'a' presence: PRESENT } topics { name: 'b' presence: ABSENT } topics { name: 'c' presence: PRESENT }
    groups { group_id: 'g' state: NONE } groups { group_id: 'h' state: INVISIBLE } groups { group_id: 'i' state: EMPTY }
    groups { group_id: 'j' state: STABLE } groups { group_id: 'k' state: REBALANCING } groups { group_id: 'l' }
    verdicts { topic: 'b' refused: true } verdicts { topic: 'c' }
  )");
  EXPECT_EQ(Summary(observation),
            "cluster c: 2 of 3 topics there, 1 changes refused by the broker, 3 of 6 consumer groups there, 0 runner "
            "generations, 0 resources owned");
}

TEST(Offline, AsksNothing) {
  v1::Observation observation;
  Offline(&observation);
  EXPECT_EQ(observation.ShortDebugString(), "offline: true");
}

}  // namespace
}  // namespace st::observe
