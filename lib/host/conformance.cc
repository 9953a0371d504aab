#include "lib/host/conformance.h"

#include <atomic>
#include <map>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "lib/base/clock.h"

namespace st::host {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using v1::GenerationFacts;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(HostConformance);

std::string HostKindName(const testing::TestParamInfo<HostKindUnderTest>& info) { return info.param.name; }

absl::StatusOr<GenerationFacts> AwaitState(RunnerHost* host, const std::string& application_id,
                                           GenerationFacts::State state) {
  base::Clock& clock = base::RealClock();
  const int64_t deadline = clock.MonotonicMs() + 60'000;
  for (;;) {
    absl::StatusOr<std::vector<GenerationFacts>> all = host->Inventory({application_id}, Depth::kDeep);
    if (!all.ok()) return all.status();
    if (all->size() == 1) {
      const GenerationFacts& one = all->front();
      const bool settled = state != GenerationFacts::RUNNING || one.status().state() == v1::RunnerStatus::RUNNING;
      if (one.state() == state && settled) return one;
    }
    if (clock.MonotonicMs() > deadline) {
      return absl::DeadlineExceededError(all->empty() ? "no generation" : all->front().DebugString());
    }
    clock.SleepMs(2);
  }
}

void HostConformance::SetUp() {
  bench_ = GetParam().make();
  host_ = bench_->Open();
  application_ = absl::StrCat("st.shop.dev.late_flights_", bench_->unique());
  operation_ = absl::StrCat("op-", bench_->unique());
}

GenerationSpec HostConformance::Spec(uint32_t action_index) {
  if (volume_.empty()) {
    absl::StatusOr<std::string> made = host_->CreateVolume(application_, operation_);
    EXPECT_THAT(made, IsOk());
    volume_ = made.ok() ? *made : "";
  }
  GenerationSpec spec;
  spec.generation_id = GenerationId(action_index);
  spec.application_id = application_;
  spec.operation_id = operation_;
  spec.action_index = action_index;
  spec.cluster_id = "the-cluster";
  spec.input_topic_id = "in";
  spec.output_topic_id = "out";
  spec.initialized_partitions = 3;
  spec.commit_interval_ms = 250;
  spec.volume_instance = volume_;
  bench_->Fill(&spec);
  return spec;
}

std::string HostConformance::GenerationId(uint32_t action_index) const {
  return absl::StrCat("g-", operation_, "-", action_index);
}

GenerationSpec HostConformance::Created() {
  GenerationSpec spec = Spec();
  EXPECT_THAT(host_->Create(spec), IsOk());
  return spec;
}

GenerationFacts HostConformance::Only() {
  absl::StatusOr<std::vector<GenerationFacts>> all = host_->Inventory({application_}, Depth::kDeep);
  EXPECT_THAT(all, IsOkAndHolds(SizeIs(1)));
  return all.ok() && all->size() == 1 ? all->front() : GenerationFacts();
}

TEST_P(HostConformance, NothingIsThereAtFirst) {
  EXPECT_THAT(host_->Inventory({application_}, Depth::kDeep), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(host_->Volumes({application_}), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(host_->Start(application_, "g-1"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(host_->Stop(application_, "g-1"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(host_->Remove(application_, "g-1"), StatusIs(absl::StatusCode::kNotFound));
}

TEST_P(HostConformance, SaysWhoItIs) {
  absl::StatusOr<v1::HostFacts> facts = host_->Identify();
  ASSERT_THAT(facts, IsOk());
  EXPECT_NE(facts->kind(), v1::HOST_KIND_UNSPECIFIED);
  EXPECT_NE(facts->host_id(), "");
  EXPECT_EQ(facts->runner_sha256(), Spec().runner_sha256);
  EXPECT_EQ(bench_->Open()->Identify()->host_id(), facts->host_id());
}

TEST_P(HostConformance, OneVolumeForAnApplication) {
  absl::StatusOr<std::string> made = host_->CreateVolume(application_, operation_);
  ASSERT_THAT(made, IsOk());
  EXPECT_NE(*made, "");
  EXPECT_THAT(host_->CreateVolume(application_, "op-2"), StatusIs(absl::StatusCode::kAlreadyExists));
  absl::StatusOr<std::vector<v1::VolumeFacts>> volumes = bench_->Open()->Volumes({application_});
  ASSERT_THAT(volumes, IsOkAndHolds(SizeIs(1)));
  EXPECT_EQ(volumes->front().application_id(), application_);
  EXPECT_EQ(volumes->front().instance_id(), *made);
  EXPECT_EQ(volumes->front().operation_id(), operation_);
  absl::StatusOr<std::string> other =
      host_->CreateVolume(absl::StrCat("st.shop.dev.other_", bench_->unique()), operation_);
  ASSERT_THAT(other, IsOk());
  EXPECT_NE(*other, *made);
}

TEST_P(HostConformance, CreatedIsNotStarted) {
  const GenerationSpec spec = Created();
  const GenerationFacts facts = Only();
  EXPECT_EQ(facts.generation_id(), spec.generation_id);
  EXPECT_EQ(facts.application_id(), spec.application_id);
  EXPECT_EQ(facts.operation_id(), spec.operation_id);
  EXPECT_EQ(facts.action_index(), spec.action_index);
  EXPECT_EQ(facts.state(), GenerationFacts::CREATED);
  EXPECT_EQ(facts.plan_sha256(), spec.plan_sha256);
  EXPECT_EQ(facts.volume_instance(), spec.volume_instance);
  EXPECT_EQ(facts.cluster_id(), spec.cluster_id);
  EXPECT_EQ(facts.input_topic_id(), spec.input_topic_id);
  EXPECT_EQ(facts.output_topic_id(), spec.output_topic_id);
  EXPECT_EQ(facts.initialized_partitions(), spec.initialized_partitions);
  EXPECT_FALSE(facts.has_status());
  EXPECT_EQ(facts.pid(), 0);
  EXPECT_EQ(facts.detail(), "");
  EXPECT_NE(facts.location(), "");
  EXPECT_THAT(host_->Stop(application_, spec.generation_id), IsOk());
  EXPECT_EQ(Only().state(), GenerationFacts::CREATED);
}

TEST_P(HostConformance, ASecondCreateMeetsTheFirst) {
  GenerationSpec spec = Created();
  EXPECT_THAT(host_->Create(spec), StatusIs(absl::StatusCode::kAlreadyExists));
  spec.cluster_id = "another";
  EXPECT_THAT(bench_->Open()->Create(spec), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(Only().cluster_id(), "the-cluster");
}

TEST_P(HostConformance, WhatWasNotReviewedIsNotCreated) {
  const GenerationSpec good = Spec();
  GenerationSpec bad = good;
  bad.runner_sha256 = std::string(64, '0');
  EXPECT_THAT(host_->Create(bad), StatusIs(absl::StatusCode::kFailedPrecondition));
  bad = good;
  bad.plan_sha256 = std::string(64, '0');
  EXPECT_THAT(host_->Create(bad), StatusIs(absl::StatusCode::kInvalidArgument));
  bad = good;
  bad.plan_document.resize(bad.plan_document.size() / 2);
  EXPECT_THAT(host_->Create(bad), StatusIs(absl::StatusCode::kInvalidArgument));
  bad = good;
  bad.volume_instance = "another";
  EXPECT_THAT(host_->Create(bad), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("volume")));
  for (const std::string& id : {std::string(), std::string("../x"), std::string("a/b"), std::string(".x"),
                                std::string("a b"), std::string(201, 'x')}) {
    bad = good;
    bad.generation_id = id;
    EXPECT_THAT(host_->Create(bad), StatusIs(absl::StatusCode::kInvalidArgument)) << id;
    bad = good;
    bad.application_id = id;
    EXPECT_THAT(host_->Create(bad), StatusIs(absl::StatusCode::kInvalidArgument)) << id;
  }
  EXPECT_THAT(host_->Inventory({application_}, Depth::kDeep), IsOkAndHolds(IsEmpty()));
  // A refused one is not in the way of a good one.
  EXPECT_THAT(host_->Create(good), IsOk());
}

TEST_P(HostConformance, AWholeLife) {
  const GenerationSpec spec = Created();
  for (int round = 0; round < 2; ++round) {
    ASSERT_THAT(host_->Start(application_, spec.generation_id), IsOk());
    absl::StatusOr<GenerationFacts> running = AwaitState(host_.get(), application_, GenerationFacts::RUNNING);
    ASSERT_THAT(running, IsOk()) << running.status();
    EXPECT_EQ(running->status().generation_id(), spec.generation_id);
    EXPECT_EQ(running->status().application_id(), application_);
    EXPECT_EQ(running->detail(), "");
    EXPECT_THAT(host_->Start(application_, spec.generation_id),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("already running")));
    EXPECT_THAT(host_->Remove(application_, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
    // Another handle, as after the tool was started again.
    ASSERT_THAT(bench_->Open()->Stop(application_, spec.generation_id), IsOk());
    absl::StatusOr<GenerationFacts> ended = AwaitState(host_.get(), application_, GenerationFacts::EXITED);
    ASSERT_THAT(ended, IsOk());
    EXPECT_EQ(ended->status().state(), v1::RunnerStatus::CLOSED);
    EXPECT_THAT(host_->Stop(application_, spec.generation_id), IsOk());
  }
  ASSERT_THAT(host_->Remove(application_, spec.generation_id), IsOk());
  EXPECT_THAT(host_->Inventory({application_}, Depth::kDeep), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(host_->Volumes({application_}), IsOkAndHolds(SizeIs(1)));
  EXPECT_THAT(host_->Remove(application_, spec.generation_id), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(host_->Create(spec), IsOk());
}

TEST_P(HostConformance, AKilledOneHasExited) {
  const GenerationSpec spec = Created();
  ASSERT_THAT(host_->Start(application_, spec.generation_id), IsOk());
  absl::StatusOr<GenerationFacts> running = AwaitState(host_.get(), application_, GenerationFacts::RUNNING);
  ASSERT_THAT(running, IsOk()) << running.status();
  ASSERT_THAT(bench_->Kill(*running), IsOk());
  const GenerationFacts killed = Only();
  EXPECT_EQ(killed.state(), GenerationFacts::EXITED);
  // What it wrote last: nobody closed it.
  EXPECT_EQ(killed.status().state(), v1::RunnerStatus::RUNNING);
  EXPECT_THAT(host_->Stop(application_, spec.generation_id), IsOk());
  ASSERT_THAT(host_->Start(application_, spec.generation_id), IsOk());
  EXPECT_THAT(AwaitState(host_.get(), application_, GenerationFacts::RUNNING), IsOk());
}

TEST_P(HostConformance, AnEditedPlanShowsAndIsNotStarted) {
  const GenerationSpec spec = Created();
  ASSERT_THAT(bench_->ReplacePlan(Only()), IsOk());
  EXPECT_NE(Only().plan_sha256(), spec.plan_sha256);
  EXPECT_NE(Only().plan_sha256(), "");
  EXPECT_THAT(host_->Start(application_, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_THAT(bench_->EditPlan(Only()), IsOk());
  EXPECT_EQ(Only().plan_sha256(), "");
  EXPECT_NE(Only().detail(), "");
  EXPECT_THAT(host_->Start(application_, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(Only().state(), GenerationFacts::CREATED);
}

TEST_P(HostConformance, AnEditedBinaryShowsAndIsNotStarted) {
  const GenerationSpec spec = Created();
  const absl::Status edited = bench_->EditBinary(Only());
  if (absl::IsUnimplemented(edited)) return;
  ASSERT_THAT(edited, IsOk());
  EXPECT_NE(Only().binary_sha256(), spec.runner_sha256);
  EXPECT_THAT(host_->Start(application_, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(Only().state(), GenerationFacts::CREATED);
}

TEST_P(HostConformance, ItIsFoundByItsLabels) {
  const GenerationSpec spec = Created();
  ASSERT_THAT(host_->Start(application_, spec.generation_id), IsOk());
  ASSERT_THAT(AwaitState(host_.get(), application_, GenerationFacts::RUNNING), IsOk());
  ASSERT_THAT(bench_->Rename(Only()), IsOk());
  EXPECT_EQ(Only().generation_id(), spec.generation_id);
  EXPECT_EQ(Only().state(), GenerationFacts::RUNNING);
  EXPECT_THAT(host_->Create(spec), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(host_->Start(application_, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(host_->Stop(application_, spec.generation_id), IsOk());
}

TEST_P(HostConformance, OfTwoStartsAtOnceOneRuns) {
  const GenerationSpec spec = Created();
  std::atomic<int> started = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, host = bench_->Open()] {
      const absl::Status status = host->Start(application_, spec.generation_id);
      if (status.ok()) {
        ++started;
      } else {
        EXPECT_TRUE(absl::IsFailedPrecondition(status) || absl::IsUnavailable(status)) << status;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(started, 1);
  EXPECT_THAT(AwaitState(host_.get(), application_, GenerationFacts::RUNNING), IsOk());
}

TEST_P(HostConformance, ManyApplicationsAreOneQuestion) {
  const GenerationSpec spec = Created();
  const std::string other = absl::StrCat("st.shop.dev.another_", bench_->unique());
  GenerationSpec second = spec;
  second.application_id = other;
  second.generation_id = GenerationId(1);
  absl::StatusOr<std::string> volume = host_->CreateVolume(other, operation_);
  ASSERT_THAT(volume, IsOk());
  second.volume_instance = *volume;
  ASSERT_THAT(host_->Create(second), IsOk());
  ASSERT_THAT(host_->Start(application_, spec.generation_id), IsOk());
  ASSERT_THAT(AwaitState(host_.get(), application_, GenerationFacts::RUNNING), IsOk());
  const std::string nobody = absl::StrCat("st.shop.dev.nobody_", bench_->unique());
  absl::StatusOr<std::vector<GenerationFacts>> all =
      host_->Inventory({application_, nobody, other, application_}, Depth::kShallow);
  ASSERT_THAT(all, IsOkAndHolds(SizeIs(2)));
  EXPECT_EQ((*all)[0].application_id(), other);
  EXPECT_EQ((*all)[0].state(), GenerationFacts::CREATED);
  EXPECT_EQ((*all)[1].application_id(), application_);
  EXPECT_EQ((*all)[1].state(), GenerationFacts::RUNNING);
  for (const GenerationFacts& one : *all) {
    EXPECT_EQ(one.plan_sha256(), spec.plan_sha256);
    EXPECT_EQ(one.binary_sha256(), spec.runner_sha256);
    EXPECT_EQ(one.detail(), "");
  }
  absl::StatusOr<std::vector<v1::VolumeFacts>> volumes = host_->Volumes({application_, nobody, other});
  ASSERT_THAT(volumes, IsOkAndHolds(SizeIs(2)));
  EXPECT_EQ((*volumes)[0].instance_id(), *volume);
  EXPECT_EQ((*volumes)[1].instance_id(), spec.volume_instance);
  EXPECT_THAT(host_->Inventory({}, Depth::kShallow), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(host_->Volumes({}), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(host_->Inventory({"../x"}, Depth::kDeep), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_P(HostConformance, ClientFilesAreNamedInTheProperties) {
  GenerationSpec spec = Spec();
  spec.client_files = {{"ssl.ca.location", "ca.pem", "first\nsecond\n"}, {"ssl.key.location", "key.pem", "canary-key"}};
  ASSERT_THAT(host_->Create(spec), IsOk());
  absl::StatusOr<std::map<std::string, std::string>> seen = bench_->ClientFiles(Only());
  ASSERT_THAT(seen, IsOk());
  EXPECT_THAT(*seen, testing::UnorderedElementsAre(testing::Pair("ssl.ca.location", "first\nsecond\n"),
                                                   testing::Pair("ssl.key.location", "canary-key")));
  for (const ClientFile& file :
       {ClientFile{"ssl.ca.location", "../ca.pem", ""}, ClientFile{"ssl.ca.location", "", ""},
        ClientFile{"ssl.ca.location", "plan.textproto", ""}, ClientFile{"ssl.ca.location", "client.properties", ""},
        ClientFile{"a=b", "ca.pem", ""}, ClientFile{"a\nb", "ca.pem", ""}}) {
    GenerationSpec bad = spec;
    bad.generation_id = GenerationId(9);
    bad.client_files = {file};
    EXPECT_THAT(host_->Create(bad), StatusIs(absl::StatusCode::kInvalidArgument)) << file.name << " " << file.property;
  }
  GenerationSpec twice = spec;
  twice.generation_id = GenerationId(9);
  twice.client_files.push_back(twice.client_files.front());
  EXPECT_THAT(host_->Create(twice), StatusIs(absl::StatusCode::kInvalidArgument));
}

TEST_P(HostConformance, SeveralGenerationsComeSorted) {
  ASSERT_THAT(host_->Create(Spec(7)), IsOk());
  ASSERT_THAT(host_->Create(Spec(3)), IsOk());
  absl::StatusOr<std::vector<GenerationFacts>> all = host_->Inventory({application_}, Depth::kDeep);
  ASSERT_THAT(all, IsOkAndHolds(SizeIs(2)));
  EXPECT_EQ((*all)[0].action_index(), 3);
  EXPECT_EQ((*all)[1].action_index(), 7);
  ASSERT_THAT(host_->Remove(application_, GenerationId(3)), IsOk());
  EXPECT_EQ(Only().action_index(), 7);
  EXPECT_THAT(host_->Inventory({absl::StrCat("st.shop.dev.late_", bench_->unique())}, Depth::kDeep),
              IsOkAndHolds(IsEmpty()));
}

}  // namespace st::host
