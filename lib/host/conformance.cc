#include "lib/host/conformance.h"

#include <atomic>
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

constexpr char kApplication[] = "st.shop.dev.late_flights";

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
}

GenerationSpec HostConformance::Spec(uint32_t action_index) {
  if (volume_.empty()) {
    absl::StatusOr<std::string> made = host_->CreateVolume(kApplication, "op-1");
    EXPECT_THAT(made, IsOk());
    volume_ = made.ok() ? *made : "";
  }
  GenerationSpec spec;
  spec.generation_id = absl::StrCat("g-op-1-", action_index);
  spec.application_id = kApplication;
  spec.operation_id = "op-1";
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

GenerationSpec HostConformance::Created() {
  GenerationSpec spec = Spec();
  EXPECT_THAT(host_->Create(spec), IsOk());
  return spec;
}

GenerationFacts HostConformance::Only() {
  absl::StatusOr<std::vector<GenerationFacts>> all = host_->Inventory({kApplication}, Depth::kDeep);
  EXPECT_THAT(all, IsOkAndHolds(SizeIs(1)));
  return all.ok() && all->size() == 1 ? all->front() : GenerationFacts();
}

TEST_P(HostConformance, NothingIsThereAtFirst) {
  EXPECT_THAT(host_->Inventory({kApplication}, Depth::kDeep), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(host_->Volumes({kApplication}), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(host_->Start(kApplication, "g-1"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(host_->Stop(kApplication, "g-1"), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(host_->Remove(kApplication, "g-1"), StatusIs(absl::StatusCode::kNotFound));
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
  absl::StatusOr<std::string> made = host_->CreateVolume(kApplication, "op-1");
  ASSERT_THAT(made, IsOk());
  EXPECT_NE(*made, "");
  EXPECT_THAT(host_->CreateVolume(kApplication, "op-2"), StatusIs(absl::StatusCode::kAlreadyExists));
  absl::StatusOr<std::vector<v1::VolumeFacts>> volumes = bench_->Open()->Volumes({kApplication});
  ASSERT_THAT(volumes, IsOkAndHolds(SizeIs(1)));
  EXPECT_EQ(volumes->front().application_id(), kApplication);
  EXPECT_EQ(volumes->front().instance_id(), *made);
  EXPECT_EQ(volumes->front().operation_id(), "op-1");
  absl::StatusOr<std::string> other = host_->CreateVolume("st.shop.dev.other", "op-1");
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
  EXPECT_THAT(host_->Stop(kApplication, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
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
  EXPECT_THAT(host_->Inventory({kApplication}, Depth::kDeep), IsOkAndHolds(IsEmpty()));
  // A refused one is not in the way of a good one.
  EXPECT_THAT(host_->Create(good), IsOk());
}

TEST_P(HostConformance, AWholeLife) {
  const GenerationSpec spec = Created();
  for (int round = 0; round < 2; ++round) {
    ASSERT_THAT(host_->Start(kApplication, spec.generation_id), IsOk());
    absl::StatusOr<GenerationFacts> running = AwaitState(host_.get(), kApplication, GenerationFacts::RUNNING);
    ASSERT_THAT(running, IsOk()) << running.status();
    EXPECT_EQ(running->status().generation_id(), spec.generation_id);
    EXPECT_EQ(running->status().application_id(), kApplication);
    EXPECT_EQ(running->detail(), "");
    EXPECT_THAT(host_->Start(kApplication, spec.generation_id),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("already running")));
    EXPECT_THAT(host_->Remove(kApplication, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
    // Another handle, as after the tool was started again.
    ASSERT_THAT(bench_->Open()->Stop(kApplication, spec.generation_id), IsOk());
    absl::StatusOr<GenerationFacts> ended = AwaitState(host_.get(), kApplication, GenerationFacts::EXITED);
    ASSERT_THAT(ended, IsOk());
    EXPECT_EQ(ended->status().state(), v1::RunnerStatus::CLOSED);
    EXPECT_THAT(host_->Stop(kApplication, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
  }
  ASSERT_THAT(host_->Remove(kApplication, spec.generation_id), IsOk());
  EXPECT_THAT(host_->Inventory({kApplication}, Depth::kDeep), IsOkAndHolds(IsEmpty()));
  EXPECT_THAT(host_->Volumes({kApplication}), IsOkAndHolds(SizeIs(1)));
  EXPECT_THAT(host_->Remove(kApplication, spec.generation_id), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_THAT(host_->Create(spec), IsOk());
}

TEST_P(HostConformance, AKilledOneHasExited) {
  const GenerationSpec spec = Created();
  ASSERT_THAT(host_->Start(kApplication, spec.generation_id), IsOk());
  absl::StatusOr<GenerationFacts> running = AwaitState(host_.get(), kApplication, GenerationFacts::RUNNING);
  ASSERT_THAT(running, IsOk()) << running.status();
  ASSERT_THAT(bench_->Kill(*running), IsOk());
  const GenerationFacts killed = Only();
  EXPECT_EQ(killed.state(), GenerationFacts::EXITED);
  // What it wrote last: nobody closed it.
  EXPECT_EQ(killed.status().state(), v1::RunnerStatus::RUNNING);
  EXPECT_THAT(host_->Stop(kApplication, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_THAT(host_->Start(kApplication, spec.generation_id), IsOk());
  EXPECT_THAT(AwaitState(host_.get(), kApplication, GenerationFacts::RUNNING), IsOk());
}

TEST_P(HostConformance, AnEditedPlanShowsAndIsNotStarted) {
  const GenerationSpec spec = Created();
  ASSERT_THAT(bench_->ReplacePlan(Only()), IsOk());
  EXPECT_NE(Only().plan_sha256(), spec.plan_sha256);
  EXPECT_NE(Only().plan_sha256(), "");
  EXPECT_THAT(host_->Start(kApplication, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_THAT(bench_->EditPlan(Only()), IsOk());
  EXPECT_EQ(Only().plan_sha256(), "");
  EXPECT_NE(Only().detail(), "");
  EXPECT_THAT(host_->Start(kApplication, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(Only().state(), GenerationFacts::CREATED);
}

TEST_P(HostConformance, AnEditedBinaryShowsAndIsNotStarted) {
  const GenerationSpec spec = Created();
  const absl::Status edited = bench_->EditBinary(Only());
  if (absl::IsUnimplemented(edited)) return;
  ASSERT_THAT(edited, IsOk());
  EXPECT_NE(Only().binary_sha256(), spec.runner_sha256);
  EXPECT_THAT(host_->Start(kApplication, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_EQ(Only().state(), GenerationFacts::CREATED);
}

TEST_P(HostConformance, ItIsFoundByItsLabels) {
  const GenerationSpec spec = Created();
  ASSERT_THAT(host_->Start(kApplication, spec.generation_id), IsOk());
  ASSERT_THAT(AwaitState(host_.get(), kApplication, GenerationFacts::RUNNING), IsOk());
  ASSERT_THAT(bench_->Rename(Only()), IsOk());
  EXPECT_EQ(Only().generation_id(), spec.generation_id);
  EXPECT_EQ(Only().state(), GenerationFacts::RUNNING);
  EXPECT_THAT(host_->Create(spec), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_THAT(host_->Start(kApplication, spec.generation_id), StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(host_->Stop(kApplication, spec.generation_id), IsOk());
}

TEST_P(HostConformance, OfTwoStartsAtOnceOneRuns) {
  const GenerationSpec spec = Created();
  std::atomic<int> started = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, host = bench_->Open()] {
      const absl::Status status = host->Start(kApplication, spec.generation_id);
      if (status.ok()) {
        ++started;
      } else {
        EXPECT_TRUE(absl::IsFailedPrecondition(status) || absl::IsUnavailable(status)) << status;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(started, 1);
  EXPECT_THAT(AwaitState(host_.get(), kApplication, GenerationFacts::RUNNING), IsOk());
}

TEST_P(HostConformance, SeveralGenerationsComeSorted) {
  ASSERT_THAT(host_->Create(Spec(7)), IsOk());
  ASSERT_THAT(host_->Create(Spec(3)), IsOk());
  absl::StatusOr<std::vector<GenerationFacts>> all = host_->Inventory({kApplication}, Depth::kDeep);
  ASSERT_THAT(all, IsOkAndHolds(SizeIs(2)));
  EXPECT_EQ((*all)[0].action_index(), 3);
  EXPECT_EQ((*all)[1].action_index(), 7);
  ASSERT_THAT(host_->Remove(kApplication, "g-op-1-3"), IsOk());
  EXPECT_EQ(Only().action_index(), 7);
  EXPECT_THAT(host_->Inventory({"st.shop.dev.late"}, Depth::kDeep), IsOkAndHolds(IsEmpty()));
}

}  // namespace st::host
