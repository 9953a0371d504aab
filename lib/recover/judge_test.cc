// What an action may be taken for, once it is done or while it is half-way, after all that can have happened since.
#include "lib/recover/judge.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "lib/transition/scene.h"

namespace st::recover {
namespace {

using Evidence = v1::Recovery::Evidence;
using Checkpoint = v1::Checkpoint;
using transition::kOperation;
using transition::kPlanHash;
using transition::Scene;

// One letter a verdict.
char Letter(const Scene& scene, bool overtaken = false) {
  transition::Progress progress = scene.progress;
  const Evidence evidence = Judge(scene.action, overtaken, scene.facts, &progress);
  EXPECT_EQ(evidence.has_owned(), evidence.verdict() == Evidence::INTENDED);
  switch (evidence.verdict()) {
    case Evidence::INTENDED:
      return 'I';
    case Evidence::PRIOR:
      return 'P';
    case Evidence::TAKEN_AWAY:
      return 'T';
    case Evidence::FOREIGN:
      return 'F';
    default:
      return 'N';
  }
}

Checkpoint& Reach(Scene* scene, Checkpoint::Name name) {
  Checkpoint& checkpoint = scene->progress.checkpoints.emplace_back();
  checkpoint.set_action_index(scene->action.index());
  checkpoint.set_name(name);
  checkpoint.set_at_ms(scene->facts.now_ms);
  return checkpoint;
}

v1::PartitionOffset At(int partition, int64_t value) {
  v1::PartitionOffset offset;
  offset.set_partition(partition);
  offset.set_offset(value);
  offset.set_leader_epoch(-1);
  return offset;
}

v1::OwnedRunner Owned(const std::string& generation_id) {
  v1::OwnedRunner owned;
  owned.set_application_id("st.p.e.m");
  owned.set_plan_sha256(kPlanHash);
  owned.set_host(v1::PROCESS);
  owned.set_host_id("host");
  owned.set_runner_sha256("binary");
  owned.set_generation_id(generation_id);
  owned.set_volume_instance("instance");
  owned.set_initialized_partitions(2);
  return owned;
}

void AddVolume(Scene* scene) {
  v1::VolumeFacts& volume = *scene->facts.host.add_volumes();
  volume.set_application_id("st.p.e.m");
  volume.set_operation_id(kOperation);
  volume.set_instance_id("instance");
}

// The scene's own generation runs at 20 of 50, and is what the operation records as done.
void Finish(Scene* scene, const v1::OwnedRunner& owned) {
  AddVolume(scene);
  scene->Running().set_generation_id(owned.generation_id());
  scene->CommitVector(20, "");
  scene->facts.group.set_state(v1::GroupFacts::STABLE);
  *Reach(scene, Checkpoint::ACTION_DONE).mutable_owned()->mutable_runner() = owned;
}

Scene DoneTopic(bool created) {
  Scene scene;
  if (created) {
    v1::CreateTopic& create = *scene.action.mutable_create_topic();
    create.set_name("out");
    create.set_partitions(2);
  } else {
    v1::UpdateTopic& update = *scene.action.mutable_update_topic();
    update.set_name("out");
    update.set_topic_id("out-id");
    update.set_prior_partitions(1);
    update.set_partitions(2);
  }
  v1::TopicConfig& config = *scene.facts.output.add_configs();
  config.set_name("retention.ms");
  config.set_value("5");
  v1::OwnedTopic& owned = *Reach(&scene, Checkpoint::ACTION_DONE).mutable_owned()->mutable_topic();
  owned.set_name("out");
  owned.set_topic_id("out-id");
  owned.set_partitions(2);
  v1::OwnedConfig& set = *owned.add_configs();
  set.set_name("retention.ms");
  set.set_declared("+5");
  set.set_reported("5");
  return scene;
}

Scene DoneCreate() {
  Scene scene;
  scene.Bind(scene.action.mutable_create_runner());
  Finish(&scene, Owned(transition::GenerationId(kOperation, 0)));
  return scene;
}

template <typename Runner>
Scene DoneWithOurs(Runner* (v1::Action::*field)()) {
  Scene scene;
  Runner& runner = *(scene.action.*field)();
  scene.Bind(&runner);
  runner.set_generation_id("g-of-before");
  *scene.action.mutable_prior()->mutable_runner() = Owned("g-of-before");
  Finish(&scene, Owned("g-of-before"));
  return scene;
}

Scene DoneReplace() {
  Scene scene = DoneWithOurs(&v1::Action::mutable_replace_runner);
  scene.progress.checkpoints.clear();
  scene.facts.host.clear_volumes();
  Finish(&scene, Owned(transition::GenerationId(kOperation, 0)));
  return scene;
}

Scene DoneRestore() {
  Scene scene = DoneWithOurs(&v1::Action::mutable_restore_offsets);
  v1::RestoreOffsets& restore = *scene.action.mutable_restore_offsets();
  for (int i = 0; i < 2; ++i) {
    *restore.add_prior() = At(i, -1);
    *restore.add_offsets() = At(i, 20);
  }
  return scene;
}

void Nothing(Scene*) {}
void RecordsWritten(Scene* scene) {
  scene->facts.output.mutable_partitions(0)->set_end_offset(7);
  if (scene->facts.group.topics_size() > 0) scene->CommitVector(30, "");
}
// And its member is in the group still.
void RunnerKilled(Scene* scene) {
  if (scene->facts.host.generations_size() == 0) return;
  scene->facts.host.mutable_generations(0)->set_state(v1::GenerationFacts::EXITED);
}
void MachineRebooted(Scene* scene) {
  RunnerKilled(scene);
  scene->facts.group.set_state(v1::GroupFacts::EMPTY);
  scene->facts.group.clear_members();
}
void OtherHost(Scene* scene) {
  scene->facts.host.set_host_id("other");
  scene->facts.host.clear_generations();
  scene->facts.host.clear_volumes();
}
void OtherEngine(Scene* scene) { scene->facts.host.set_host_id("other"); }
void TopicMadeAgain(Scene* scene) {
  scene->facts.output.set_topic_id("another-id");
  for (auto& partition : *scene->facts.output.mutable_partitions()) partition.set_end_offset(0);
}
void TopicGone(Scene* scene) {
  scene->facts.output.Clear();
  scene->facts.output.set_name("out");
  scene->facts.output.set_presence(v1::ABSENT);
}
void TopicHidden(Scene* scene) {
  scene->facts.output.clear_partitions();
  scene->facts.output.set_presence(v1::NOT_VISIBLE);
}
void ConfigChanged(Scene* scene) {
  if (scene->facts.output.configs_size() > 0) scene->facts.output.mutable_configs(0)->set_value("6");
}
void PartitionAdded(Scene* scene) { scene->facts.output.add_partitions()->set_partition(2); }
void GroupHidden(Scene* scene) {
  scene->facts.group.Clear();
  scene->facts.group.set_state(v1::GroupFacts::INVISIBLE);
}
void GroupForgotten(Scene* scene) {
  scene->facts.group.Clear();
  scene->facts.group.set_state(v1::GroupFacts::NONE);
}
void OffsetsMovedBack(Scene* scene) { scene->CommitVector(19, ""); }
void GenerationReplaced(Scene* scene) {
  if (scene->facts.host.generations_size() > 0) scene->facts.host.mutable_generations(0)->set_generation_id("g-x");
}
void VolumeMadeAgain(Scene* scene) {
  if (scene->facts.host.volumes_size() > 0) scene->facts.host.mutable_volumes(0)->set_instance_id("another");
}
void OtherCluster(Scene* scene) { scene->facts.cluster.set_cluster_id("other"); }

TEST(JudgeTest, WhatIsDoneIsJudgedByWhatWasRecordedOfIt) {
  const std::vector<std::function<Scene()>> done = {
      [] { return DoneTopic(/*created=*/true); },
      [] { return DoneTopic(/*created=*/false); },
      DoneCreate,
      [] { return DoneWithOurs(&v1::Action::mutable_start_runner); },
      [] { return DoneWithOurs(&v1::Action::mutable_stop_runner); },
      DoneReplace,
      DoneRestore,
  };
  const struct {
    const char* what;
    void (*since)(Scene*);
    // CREATE_TOPIC, UPDATE_TOPIC, CREATE_RUNNER, START_RUNNER, STOP_RUNNER, REPLACE_RUNNER, RESTORE_OFFSETS
    const char* verdicts;
  } cases[] = {
      {"nothing", Nothing, "IIIIIII"},
      {"records written", RecordsWritten, "IIIIIII"},
      {"runner killed", RunnerKilled, "IIIIIII"},
      {"machine rebooted", MachineRebooted, "IIIIIII"},
      {"other host", OtherHost, "IINNNNN"},
      {"other engine with the same", OtherEngine, "IINNNNN"},
      {"topic made again, empty", TopicMadeAgain, "TTIIIII"},
      {"topic gone", TopicGone, "PTIIIII"},
      {"topic not visible", TopicHidden, "NNIIIII"},
      {"config changed", ConfigChanged, "NNIIIII"},
      {"partition added", PartitionAdded, "IIIIIII"},
      {"group not visible", GroupHidden, "IIIIIIN"},
      {"group forgotten", GroupForgotten, "IIIIIII"},
      {"offsets moved back", OffsetsMovedBack, "IIIIIIN"},
      {"another generation", GenerationReplaced, "IINNNNN"},
      {"volume made again", VolumeMadeAgain, "IINNNNN"},
      {"another cluster", OtherCluster, "NNNNNNN"},
  };
  for (const auto& c : cases) {
    std::string verdicts;
    for (const auto& make : done) {
      Scene scene = make();
      c.since(&scene);
      verdicts += Letter(scene);
    }
    EXPECT_EQ(verdicts, c.verdicts) << c.what;
  }
}

TEST(JudgeTest, WhatIsDoneKeepsWhatWasRecorded) {
  Scene scene = DoneTopic(/*created=*/true);
  RecordsWritten(&scene);
  transition::Progress progress = scene.progress;
  const Evidence evidence = Judge(scene.action, false, scene.facts, &progress);
  EXPECT_EQ(evidence.owned().topic().configs(0).declared(), "+5");
  EXPECT_EQ(progress.checkpoints.size(), 1);
}

// Offsets were restored, then the runner was replaced: the generation is the replacement's business.
TEST(JudgeTest, WhatALaterActionTookOverIsJudgedThere) {
  Scene scene = DoneRestore();
  scene.facts.host.mutable_generations(0)->set_generation_id("g-that-replaced-it");
  EXPECT_EQ(Letter(scene, /*overtaken=*/false), 'N');
  EXPECT_EQ(Letter(scene, /*overtaken=*/true), 'I');
  OffsetsMovedBack(&scene);
  EXPECT_EQ(Letter(scene, /*overtaken=*/true), 'N');
}

// Nothing of a runner is there, as far as can be seen.
Scene NothingMade() {
  Scene scene;
  scene.Bind(scene.action.mutable_create_runner());
  Reach(&scene, Checkpoint::STARTED);
  return scene;
}

TEST(JudgeTest, ARunnerThatWasToBeMadeIsNotThereOnlyWhereItWouldBeSeen) {
  EXPECT_EQ(Letter(NothingMade()), 'P');
  const struct {
    const char* what;
    void (*is)(Scene*);
    char verdict;
  } cases[] = {
      {"another machine", [](Scene* s) { s->facts.host.set_host_id("other"); }, 'N'},
      {"another kind of host", [](Scene* s) { s->facts.host.set_kind(v1::DOCKER); }, 'N'},
      {"a group that cannot be seen", GroupHidden, 'N'},
      {"an active group", [](Scene* s) { s->facts.group.set_state(v1::GroupFacts::REBALANCING); }, 'N'},
      {"an empty group", [](Scene* s) { s->facts.group.set_state(v1::GroupFacts::EMPTY); }, 'P'},
      {"offsets", [](Scene* s) { s->CommitVector(5, kOperation); }, 'N'},
      {"an input that cannot be seen", [](Scene* s) { s->facts.input.set_presence(v1::NOT_VISIBLE); }, 'N'},
      {"an input that is gone", [](Scene* s) { s->facts.input.set_presence(v1::ABSENT); }, 'P'},
      {"a volume", AddVolume, 'N'},
      {"a generation", [](Scene* s) { s->Generation(v1::GenerationFacts::CREATED); }, 'N'},
  };
  for (const auto& c : cases) {
    Scene scene = NothingMade();
    c.is(&scene);
    EXPECT_EQ(Letter(scene), c.verdict) << c.what;
  }
}

// A group out of range on partition 0, good on partition 1; nothing was written yet.
Scene NothingRestored() {
  Scene scene = DoneWithOurs(&v1::Action::mutable_restore_offsets);
  scene.progress.checkpoints.clear();
  Reach(&scene, Checkpoint::STARTED);
  MachineRebooted(&scene);
  scene.CommitVector(3, "");
  v1::RestoreOffsets& restore = *scene.action.mutable_restore_offsets();
  *restore.add_prior() = At(0, 3);
  *restore.add_offsets() = At(0, 5);
  // Retention has moved on, so that it can never be carried out.
  scene.facts.input.mutable_partitions(0)->set_begin_offset(6);
  return scene;
}

TEST(JudgeTest, OffsetsThatWereNotRestoredAreTheReviewedOnes) {
  EXPECT_EQ(Letter(NothingRestored()), 'P');
  const struct {
    const char* what;
    void (*is)(Scene*);
    char verdict;
  } cases[] = {
      {"another offset", [](Scene* s) { s->CommitVector(4, ""); }, 'N'},
      {"gone", [](Scene* s) { s->facts.group.clear_topics(); }, 'N'},
      {"pending", [](Scene* s) { s->facts.group.mutable_topics(0)->mutable_offsets(0)->set_unstable(true); }, 'N'},
      {"a member", [](Scene* s) { s->facts.group.set_state(v1::GroupFacts::STABLE); }, 'N'},
      {"a group that cannot be seen", GroupHidden, 'N'},
      {"another machine", OtherEngine, 'N'},
      {"of a topic that was made again", [](Scene* s) { s->facts.input.set_topic_id("x"); }, 'P'},
      {"forgotten with their topic",
       [](Scene* s) {
         s->facts.input.set_presence(v1::ABSENT);
         s->facts.group.clear_topics();
       },
       'T'},
      {"written, and not recorded",
       [](Scene* s) {
         s->facts.input.mutable_partitions(0)->set_begin_offset(5);
         s->CommitVector(5, kOperation);
       },
       'I'},
  };
  for (const auto& c : cases) {
    Scene scene = NothingRestored();
    c.is(&scene);
    EXPECT_EQ(Letter(scene), c.verdict) << c.what;
  }
  Scene none = NothingRestored();
  none.action.mutable_restore_offsets()->mutable_prior(0)->set_offset(-1);
  none.facts.group.clear_topics();
  EXPECT_EQ(Letter(none), 'P');
}

// The old one is gone, the new one was started and ended without a word, at 20 or later.
Scene DeadCandidate() {
  Scene scene = DoneReplace();
  scene.progress.checkpoints.clear();
  v1::ReplaceRunner& replace = *scene.action.mutable_replace_runner();
  replace.set_runner_sha256("binary");
  replace.set_input_partitions(2);
  replace.set_running(true);
  Reach(&scene, Checkpoint::STARTED);
  Checkpoint& closed = Reach(&scene, Checkpoint::GENERATION_CLOSED);
  for (int i = 0; i < 2; ++i) *closed.add_vector() = At(i, 20);
  Reach(&scene, Checkpoint::GENERATION_REMOVED);
  Reach(&scene, Checkpoint::GENERATION_CREATED);
  Reach(&scene, Checkpoint::GENERATION_STARTED);
  MachineRebooted(&scene);
  return scene;
}

TEST(JudgeTest, AReplacementThatDiedWithoutAWordIsThereAndEnded) {
  Scene scene = DeadCandidate();
  transition::Progress progress = scene.progress;
  const Evidence evidence = Judge(scene.action, false, scene.facts, &progress);
  EXPECT_EQ(evidence.verdict(), Evidence::INTENDED);
  EXPECT_EQ(evidence.owned().runner().generation_id(), transition::GenerationId(kOperation, 0));
  EXPECT_NE(progress.checkpoints.back().failure(), "");
  // The table itself would start it again.
  scene.progress.resuming = true;
  EXPECT_EQ(scene.Ask().act, transition::Do::kStartGeneration);

  const struct {
    const char* what;
    void (*is)(Scene*);
    char verdict;
  } cases[] = {
      {"it went on", [](Scene* s) { s->CommitVector(30, ""); }, 'I'},
      {"its offsets are out of the log", [](Scene* s) { s->facts.input.mutable_partitions(0)->set_begin_offset(40); },
       'I'},
      {"its offsets went back", OffsetsMovedBack, 'N'},
      {"its member is there still", [](Scene* s) { s->facts.group.set_state(v1::GroupFacts::STABLE); }, 'N'},
      {"a group that cannot be seen", GroupHidden, 'N'},
      {"of another binary", [](Scene* s) { s->facts.host.mutable_generations(0)->set_binary_sha256("x"); }, 'N'},
      {"of another topic", [](Scene* s) { s->facts.host.mutable_generations(0)->set_output_topic_id("x"); }, 'N'},
      {"of another operation", [](Scene* s) { s->facts.host.mutable_generations(0)->set_operation_id("x"); }, 'N'},
      {"of another volume", [](Scene* s) { s->facts.host.mutable_generations(0)->set_volume_instance("x"); }, 'N'},
      {"on another volume", VolumeMadeAgain, 'N'},
      {"never started", [](Scene* s) { s->facts.host.mutable_generations(0)->set_state(v1::GenerationFacts::CREATED); },
       'N'},
      {"gone", [](Scene* s) { s->facts.host.clear_generations(); }, 'T'},
  };
  for (const auto& c : cases) {
    Scene each = DeadCandidate();
    c.is(&each);
    EXPECT_EQ(Letter(each), c.verdict) << c.what;
  }
}

// Recorded as closed and not as done: what is recorded is looked at, too.
TEST(JudgeTest, AStopThatWasSeenToEndIsLookedAtOnItsHost) {
  Scene scene = DoneWithOurs(&v1::Action::mutable_stop_runner);
  scene.progress.checkpoints.clear();
  Reach(&scene, Checkpoint::STARTED);
  Reach(&scene, Checkpoint::GENERATION_CLOSED);
  MachineRebooted(&scene);
  EXPECT_EQ(Letter(scene), 'I');
  OtherHost(&scene);
  EXPECT_EQ(Letter(scene), 'N');
}

// Begun, and never finished: 1 partition and no config were reviewed, 2 and one are wanted.
Scene OpenUpdate() {
  Scene scene = DoneTopic(/*created=*/false);
  v1::UpdateTopic::ConfigChange& change = *scene.action.mutable_update_topic()->add_configs();
  change.set_name("retention.ms");
  change.set_has_value(true);
  change.set_desired("5");
  scene.progress.checkpoints.clear();
  Reach(&scene, Checkpoint::STARTED);
  scene.facts.output.clear_configs();
  return scene;
}

TEST(JudgeTest, ATopicThatOthersChangedForGoodCanBeSettled) {
  const struct {
    const char* what;
    int partitions;
    void (*is)(Scene*);
    char verdict;
  } cases[] = {
      {"as reviewed", 1, Nothing, 'P'},
      {"half done", 2, Nothing, 'N'},
      {"more partitions than wanted", 3, Nothing, 'P'},
      {"more partitions, and another config", 3,
       [](Scene* s) { s->facts.output.add_configs()->set_name("retention.ms"); }, 'N'},
      {"made again", 1, TopicMadeAgain, 'T'},
      {"gone", 1, TopicGone, 'T'},
      {"hidden", 1, TopicHidden, 'N'},
      {"not begun, and half changed", 2, [](Scene* s) { s->progress.checkpoints.clear(); }, 'F'},
  };
  for (const auto& c : cases) {
    Scene scene = OpenUpdate();
    scene.facts.output.clear_partitions();
    for (int i = 0; i < c.partitions; ++i) scene.facts.output.add_partitions()->set_partition(i);
    c.is(&scene);
    EXPECT_EQ(Letter(scene), c.verdict) << c.what;
  }
}

TEST(JudgeTest, AnothersTopicWithTheNameThatWasAskedFor) {
  Scene scene = DoneTopic(/*created=*/true);
  scene.progress.checkpoints.clear();
  Reach(&scene, Checkpoint::STARTED);
  scene.facts.output.mutable_partitions(0)->set_end_offset(7);
  EXPECT_EQ(Letter(scene), 'F');
  scene.facts.output.set_configs_hidden(true);
  EXPECT_EQ(Letter(scene), 'N') << "it may be ours";
  scene.progress.checkpoints.clear();
  EXPECT_EQ(Letter(scene), 'F');
}

// What it was to make can never be made (its topic is another one): else nothing could ever be settled.
TEST(JudgeTest, AnOldGenerationThatTheOperationTookAway) {
  v1::Action action;
  action.set_index(3);
  action.mutable_replace_runner();
  action.mutable_prior()->mutable_runner()->set_host_id("host");
  transition::Facts facts;
  facts.cluster.set_cluster_id("cluster");
  facts.host.set_host_id("host");
  transition::Progress progress;
  progress.cluster_id = "cluster";
  const auto judge = [&] {
    transition::Progress copy = progress;
    return Judge(action, /*overtaken=*/false, facts, &copy).verdict();
  };
  v1::Checkpoint& checkpoint = progress.checkpoints.emplace_back();
  checkpoint.set_action_index(3);
  checkpoint.set_name(v1::Checkpoint::STARTED);
  EXPECT_EQ(judge(), Evidence::NEITHER) << "somebody else removed it";
  checkpoint.set_name(v1::Checkpoint::GENERATION_CLOSED);
  EXPECT_EQ(judge(), Evidence::TAKEN_AWAY);
  checkpoint.set_action_index(2);
  EXPECT_EQ(judge(), Evidence::FOREIGN) << "the close is another action's, and this one was not begun";
  checkpoint.set_action_index(3);
  facts.host.add_generations()->set_generation_id("candidate");
  EXPECT_EQ(judge(), Evidence::NEITHER) << "something is in its place";
  facts.host.clear_generations();
  facts.host.set_host_id("another");
  EXPECT_EQ(judge(), Evidence::NEITHER) << "this host would not have it";

  v1::Recovery recovery;
  recovery.add_evidence()->set_verdict(Evidence::TAKEN_AWAY);
  EXPECT_EQ(WhyNot(v1::Receipt::OBSERVED, recovery, /*any_checkpoint=*/true), "");
  EXPECT_NE(WhyNot(v1::Receipt::ROLLED_BACK, recovery, /*any_checkpoint=*/true), "");
}

}  // namespace
}  // namespace st::recover
