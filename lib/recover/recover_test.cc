// Every place at which an apply can be cut off, and what may then be settled; and that nothing is settled by a guess.
#include "lib/recover/recover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "lib/base/digest.h"
#include "lib/execute/execute_scene.h"
#include "lib/execute/sim/faces.h"
#include "lib/execute/sim/runner.h"

namespace st::recover {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::testing::HasSubstr;
using Settlement = v1::Receipt;
using Evidence = v1::Recovery::Evidence;

class RecoverTest : public execute::ExecuteTest {
 protected:
  absl::StatusOr<v1::Recovery> ProposeNow(v1::Receipt::Settlement settlement) {
    return Propose("p/e", settlement, Open());
  }
  // Which settlements are possible, as letters.
  std::string Possible() {
    std::string letters;
    if (ProposeNow(Settlement::OBSERVED).ok()) letters += "O";
    if (ProposeNow(Settlement::ROLLED_BACK).ok()) letters += "R";
    if (ProposeNow(Settlement::ABANDONED).ok()) letters += "A";
    store_.reset();
    return letters;
  }
  std::string Verdicts(v1::Receipt::Settlement settlement) {
    absl::StatusOr<v1::Recovery> recovery = ProposeNow(settlement);
    EXPECT_THAT(recovery, IsOk());
    std::string words;
    if (!recovery.ok()) return words;
    for (const Evidence& evidence : recovery->evidence()) {
      absl::StrAppend(&words, Evidence::Verdict_Name(evidence.verdict()), " ");
      EXPECT_NE(evidence.facts(), "");
    }
    return words;
  }
};

TEST_F(RecoverTest, AtEachPlaceOnlyWhatTheFactsProve) {
  struct Case {
    std::string boundary;
    int nth;
    std::string possible;
  };
  // The topic is the first action, the runner the second.
  for (const Case& c : std::initializer_list<Case>{
           {"after:intent", 1, "ORA"},          // nothing was done
           {"before:create_topic", 1, "OR"},    // STARTED stands there: perhaps it was sent
           {"after:create_topic", 1, "O"},      // it is there, empty and as declared
           {"before:commit_offsets", 1, "O"},   // topic made, nothing of the runner
           {"after:commit_offsets", 1, ""},     // offsets without a runner: neither
           {"after:create_volume", 1, ""},      //
           {"after:create_generation", 1, ""},  // made and never started
           {"after:start_generation", 1, "O"},  // it runs as intended: only the journal does not know
           {"before:complete", 1, "O"}}) {
    Reset();
    SCOPED_TRACE(c.boundary);
    ASSERT_TRUE(ApplyKilledAt(c.boundary, c.nth));
    // One that was started gets on.
    for (int i = 0; i < 3; ++i) sim::SleepThrough(&world_, 100);
    EXPECT_EQ(Possible(), c.possible);
    EXPECT_TRUE(Read().open) << "a file to be reviewed changes nothing";
  }
}

TEST_F(RecoverTest, ObservedTakesOverExactlyWhatIsThere) {
  ASSERT_TRUE(ApplyKilledAt("before:commit_offsets", 1));
  EXPECT_EQ(Verdicts(Settlement::OBSERVED), "INTENDED PRIOR ");
  absl::StatusOr<v1::Recovery> recovery = ProposeNow(Settlement::OBSERVED);
  ASSERT_THAT(recovery, IsOk());
  absl::StatusOr<v1::Receipt> receipt = Settle(*recovery, Open());
  ASSERT_THAT(receipt, IsOk());
  EXPECT_EQ(receipt->settlement(), Settlement::OBSERVED);
  EXPECT_EQ(receipt->recovery_checksum(), recovery->checksum());
  const execute::Journal journal = Read();
  EXPECT_FALSE(journal.open);
  EXPECT_EQ(journal.reference.serial(), 1);
  ASSERT_EQ(journal.ownership.resources_size(), 1);
  EXPECT_EQ(journal.ownership.resources(0).topic().topic_id(), world_.topics["out"].topic_id());
  EXPECT_EQ(journal.receipt.ownership_checksum(), base::Sha256Hex(journal.snapshot.ownership));
  // A second time, after a lost answer: it is recognised, and changes nothing.
  EXPECT_THAT(Settle(*recovery, Open()), IsOk());
  EXPECT_EQ(Read().snapshot.revision, journal.snapshot.revision);
  // What was taken over is owned: the plan's own creation would now meet its topic.
  EXPECT_THAT(ApplyNow().reason(), HasSubstr("stale"));
}

TEST_F(RecoverTest, AFinishedRunnerIsObservedAsItIs) {
  ASSERT_TRUE(ApplyKilledAt("before:complete", 1));
  absl::StatusOr<v1::Recovery> recovery = ProposeNow(Settlement::OBSERVED);
  ASSERT_THAT(recovery, IsOk());
  ASSERT_THAT(Settle(*recovery, Open()), IsOk());
  store_.reset();
  ExpectDeployed();
}

// Another machine: nothing of the runner is there.
class Elsewhere : public sim::Host {
 public:
  using sim::Host::Host;
  absl::StatusOr<v1::HostFacts> Identify() override {
    absl::StatusOr<v1::HostFacts> facts = sim::Host::Identify();
    facts->set_host_id("elsewhere");
    return facts;
  }
  absl::StatusOr<std::vector<v1::GenerationFacts>> Inventory(const std::vector<std::string>&, host::Depth) override {
    return std::vector<v1::GenerationFacts>();
  }
  absl::StatusOr<std::vector<v1::VolumeFacts>> Volumes(const std::vector<std::string>&) override {
    return std::vector<v1::VolumeFacts>();
  }
};

// The right to see groups was taken away.
class Blindfold : public sim::Cluster {
 public:
  using sim::Cluster::Cluster;
  absl::StatusOr<v1::GroupFacts> DescribeGroup(const std::string& name,
                                               const std::vector<std::pair<std::string, int>>&) override {
    v1::GroupFacts facts;
    facts.set_group_id(name);
    facts.set_state(v1::GroupFacts::INVISIBLE);
    return facts;
  }
};

TEST_F(RecoverTest, WhatIsFinishedStaysSoWhateverCameAfter) {
  ASSERT_TRUE(ApplyKilledAt("before:complete", 1));
  world_.topics["out"].mutable_partitions(0)->set_end_offset(5);
  EXPECT_EQ(Possible(), "O") << "records were written";
  const std::string generation = world_.generations.begin()->first;
  sim::Kill(&world_, generation);
  EXPECT_EQ(Possible(), "O") << "the runner was killed";
  const std::string topic = world_.topics["out"].topic_id();
  absl::StatusOr<v1::Recovery> recovery = ProposeNow(Settlement::OBSERVED);
  ASSERT_THAT(recovery, IsOk());
  ASSERT_THAT(Settle(*recovery, Open()), IsOk());
  store_.reset();
  const v1::OwnedResources owned = Read().ownership;
  ASSERT_EQ(owned.resources_size(), 2);
  EXPECT_EQ(owned.resources(0).runner().generation_id(), generation);
  EXPECT_EQ(owned.resources(1).topic().topic_id(), topic);
}

TEST_F(RecoverTest, WhatIsFinishedIsWhatWasRecordedAndNoOther) {
  ASSERT_TRUE(ApplyKilledAt("before:complete", 1));
  Elsewhere elsewhere(&world_);
  execute::World world = Open();
  world.host = &elsewhere;
  EXPECT_THAT(Propose("p/e", Settlement::OBSERVED, world),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("NOT_PROVEN: st://p/e/model/m")));
  // Empty and as declared, as the one that was made: it is another one all the same, and that one never comes back.
  world_.AddTopic("out", 1);
  EXPECT_EQ(Verdicts(Settlement::OBSERVED), "TAKEN_AWAY INTENDED ");
  absl::StatusOr<v1::Recovery> recovery = ProposeNow(Settlement::OBSERVED);
  ASSERT_THAT(recovery, IsOk());
  ASSERT_THAT(Settle(*recovery, Open()), IsOk());
  const v1::OwnedResources owned = Read().ownership;
  ASSERT_EQ(owned.resources_size(), 1);
  EXPECT_TRUE(owned.resources(0).has_runner());
}

TEST_F(RecoverTest, WhatCannotBeSeenIsNoProof) {
  ASSERT_TRUE(ApplyKilledAt("before:commit_offsets", 1));
  EXPECT_EQ(Possible(), "O");
  const auto refused = [&](execute::World world) {
    EXPECT_THAT(Propose("p/e", Settlement::OBSERVED, world),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("NOT_PROVEN: st://p/e/model/m")));
  };
  Elsewhere elsewhere(&world_);
  execute::World world = Open();
  world.host = &elsewhere;
  refused(world);
  Blindfold blindfold(&world_);
  world = Open();
  world.cluster = &blindfold;
  refused(world);
}

TEST_F(RecoverTest, OffsetsOfAnInputThatIsGoneAreFound) {
  ASSERT_TRUE(ApplyKilledAt("after:commit_offsets", 1));
  world_.topics.erase("in");
  EXPECT_EQ(Possible(), "");
  world_.groups.clear();
  EXPECT_EQ(Possible(), "O");
}

// It dies at each start, and a resume would only start it again.
TEST_F(RecoverTest, ARunnerThatDiesWithoutAWordIsOwnedAndEnded) {
  ASSERT_TRUE(ApplyKilledAt("after:start_generation", 1));
  sim::Kill(&world_, world_.generations.begin()->first);
  world_.generations.begin()->second.mutable_status()->set_state(v1::RunnerStatus::STARTING);
  world_.groups["st.p.e.m"].members.clear();
  world_.groups["st.p.e.m"].open.reset();
  EXPECT_EQ(Possible(), "O");
  absl::StatusOr<v1::Recovery> recovery = ProposeNow(Settlement::OBSERVED);
  ASSERT_THAT(recovery, IsOk());
  ASSERT_THAT(Settle(*recovery, Open()), IsOk());
  store_.reset();
  ASSERT_EQ(Read().ownership.resources_size(), 2);
  EXPECT_TRUE(Read().ownership.resources(0).runner().running());
}

TEST_F(RecoverTest, RolledBackAndAbandonedLeaveOwnershipAsItWas) {
  for (const v1::Receipt::Settlement settlement : {Settlement::ROLLED_BACK, Settlement::ABANDONED}) {
    Reset();
    ASSERT_TRUE(ApplyKilledAt("after:intent", 1));
    absl::StatusOr<v1::Recovery> recovery = ProposeNow(settlement);
    ASSERT_THAT(recovery, IsOk());
    ASSERT_THAT(Settle(*recovery, Open()), IsOk());
    EXPECT_FALSE(Read().open);
    EXPECT_EQ(Read().reference.serial(), 0);
    EXPECT_EQ(Read().ownership.resources_size(), 0);
    MakePlan();
    *plan_.mutable_state() = Read().reference;
    EXPECT_EQ(ApplyNow().outcome(), v1::ApplyReport::DONE) << "the address is free again";
  }
}

TEST_F(RecoverTest, WhatChangedSinceTheReviewIsRefused) {
  ASSERT_TRUE(ApplyKilledAt("before:create_topic", 1));
  absl::StatusOr<v1::Recovery> reviewed = ProposeNow(Settlement::ROLLED_BACK);
  ASSERT_THAT(reviewed, IsOk());
  const auto refused = [&](const std::string& words) {
    EXPECT_THAT(Settle(*reviewed, Open()), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(words)));
    store_.reset();
    EXPECT_TRUE(Read().open);
  };
  world_.AddTopic("out", 1);
  refused("STALE: st://p/e/topic/m is not as it was reviewed");
  world_.topics.erase("out");
  world_.cluster_id = "other";
  refused("STALE");
  world_.cluster_id = "cluster";
  EXPECT_EQ(Read().checkpoints.size(), 1);
  const std::string operation = Read().intent.operation_id();
  ASSERT_TRUE(ResumeKilledAt("after:authorization", 1, operation));
  refused("STALE: the operation went on since");
}

TEST_F(RecoverTest, AnEditedFileIsSeen) {
  ASSERT_TRUE(ApplyKilledAt("after:intent", 1));
  v1::Recovery recovery = *ProposeNow(Settlement::ROLLED_BACK);
  EXPECT_EQ(Defect(recovery), "");
  recovery.set_settlement(Settlement::OBSERVED);
  EXPECT_NE(Defect(recovery), "");
}

TEST_F(RecoverTest, WithoutAnOpenOperationThereIsNothingToSettle) {
  EXPECT_THAT(ProposeNow(Settlement::ABANDONED),
              StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("NO_OPERATION")));
}

TEST_F(RecoverTest, TheLockOfAnotherKeepsItOut) {
  ASSERT_TRUE(ApplyKilledAt("after:intent", 1));
  v1::Recovery recovery = *ProposeNow(Settlement::ABANDONED);
  execute::World world = Open();
  auto lease = store_->Acquire("p/e");
  ASSERT_THAT(lease, IsOk());
  auto store = std::move(store_);
  EXPECT_THAT(Settle(recovery, Open()), StatusIs(absl::StatusCode::kAborted, HasSubstr("locked by process")));
  lease->reset();
}

}  // namespace
}  // namespace st::recover
