// Answers of a real engine, whole and damaged (testdata/docker).
#include "lib/host/engine_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"
#include "lib/host/tar_file.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::host {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::StatusIs;
using ::nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string Answer(const std::string& name) {
  absl::StatusOr<std::string> text = fs::ReadFile("testdata/docker/" + name, 1 << 20);
  EXPECT_THAT(text, IsOk());
  return text.value_or("");
}

std::string Id(char digit) { return std::string(64, digit); }

// Containers live for months: what an earlier version made must still be ours. When this fails the canonical text has
// changed, and every container that exists would be taken for foreign.
TEST(EngineAnswersTest, TheEvidenceOfAContainerThatExistsStillHolds) {
  absl::StatusOr<ContainerAnswer> container = ReadContainer(Answer("container.json"));
  ASSERT_THAT(container, IsOk());
  EXPECT_EQ(EvidenceOf(container->shape), container->labels["st.evidence"]);
  EXPECT_EQ(container->id, Id('c'));
  EXPECT_EQ(container->image_id, "sha256:" + Id('a'));
  EXPECT_EQ(container->state, "running");
  EXPECT_EQ(container->finished_at_ms, 0);
  EXPECT_EQ(container->started_at_ms, 1795991523551);
  EXPECT_EQ(container->shape.mounts.size(), 3);
}

TEST(EngineAnswersTest, ARealEnginesAnswersAreRead) {
  absl::StatusOr<VersionAnswer> version = ReadVersion(Answer("version.json"));
  ASSERT_THAT(version, IsOk());
  EXPECT_EQ(version->newest.Text(), "1.41");
  EXPECT_EQ(version->oldest.Text(), "1.12");
  absl::StatusOr<InfoAnswer> info = ReadInfo(Answer("info.json"));
  ASSERT_THAT(info, IsOk());
  EXPECT_TRUE(info->limits_memory && info->limits_pids);
  EXPECT_THAT(info->security_options, testing::ElementsAre("name=seccomp,profile=default"));
  absl::StatusOr<ImageAnswer> image = ReadImage(Answer("image.json"));
  ASSERT_THAT(image, IsOk());
  EXPECT_EQ(image->labels["st.record_plan.version"], "1");
  EXPECT_THAT(image->entrypoint, testing::ElementsAre("/fake_runner"));
  EXPECT_EQ(ReadNetwork(Answer("network.json"))->driver, "bridge");
  EXPECT_EQ(ReadVolume(Answer("volume.json"))->labels["st.operation"], "op");
  EXPECT_EQ(ReadVolumes(Answer("volumes.json"))->size(), 1);
  absl::StatusOr<std::vector<ListedContainer>> listed = ReadContainers(Answer("containers.json"));
  ASSERT_THAT(listed, IsOk());
  ASSERT_EQ(listed->size(), 1);
  EXPECT_EQ(listed->front().network, Id('b'));
  EXPECT_EQ(listed->front().sources.size(), 2);
}

TEST(EngineAnswersTest, ARealEnginesArchiveIsRead) {
  absl::StatusOr<std::string> text = ReadTarFile(Answer("status.tar"));
  ASSERT_THAT(text, IsOk());
  v1::RunnerStatus status;
  diag::Diagnostics diagnostics;
  EXPECT_TRUE(docio::Read(*text, "status", docio::Trailer::kRequired, &status, &diagnostics));
  EXPECT_EQ(status.state(), v1::RunnerStatus::RUNNING);
}

// Each member that is read, missing and of another type.
TEST(EngineAnswersTest, AMemberThatIsMissingOrOfAnotherTypeIsNamed) {
  const struct {
    const char* file;
    std::function<absl::Status(std::string_view)> read;
    std::vector<const char*> members;
  } cases[] = {
      {"version.json",
       [](std::string_view text) { return ReadVersion(text).status(); },
       {"/Version", "/ApiVersion", "/MinAPIVersion"}},
      {"info.json",
       [](std::string_view text) { return ReadInfo(text).status(); },
       {"/ID", "/MemoryLimit", "/PidsLimit"}},
      {"image.json", [](std::string_view text) { return ReadImage(text).status(); }, {"/Id"}},
      {"network.json", [](std::string_view text) { return ReadNetwork(text).status(); }, {"/Id", "/Name", "/Driver"}},
      {"volume.json", [](std::string_view text) { return ReadVolume(text).status(); }, {"/Name"}},
      {"volumes.json", [](std::string_view text) { return ReadVolumes(text).status(); }, {"/Volumes/0/Name"}},
      {"containers.json",
       [](std::string_view text) { return ReadContainers(text).status(); },
       {"/0/Id", "/0/ImageID", "/0/State", "/0/Labels", "/0/Mounts", "/0/Mounts/0/Type", "/0/Mounts/0/Source",
        "/0/Mounts/0/Destination", "/0/HostConfig", "/0/HostConfig/NetworkMode"}},
      {"container.json",
       [](std::string_view text) { return ReadContainer(text).status(); },
       {"/Id",
        "/Image",
        "/State",
        "/State/Status",
        "/State/ExitCode",
        "/State/OOMKilled",
        "/State/Error",
        "/State/StartedAt",
        "/State/FinishedAt",
        "/Config",
        "/Config/Image",
        "/Config/User",
        "/HostConfig",
        "/HostConfig/NetworkMode",
        "/HostConfig/AutoRemove",
        "/HostConfig/Privileged",
        "/HostConfig/ReadonlyRootfs",
        "/HostConfig/Memory",
        "/HostConfig/RestartPolicy",
        "/HostConfig/RestartPolicy/Name",
        "/HostConfig/LogConfig",
        "/HostConfig/LogConfig/Type",
        "/HostConfig/Ulimits/0/Name",
        "/HostConfig/Mounts/0/Type",
        "/HostConfig/Mounts/0/Target"}},
  };
  for (const auto& one : cases) {
    const json whole = json::parse(Answer(one.file));
    ASSERT_THAT(one.read(whole.dump()), IsOk()) << one.file;
    for (const char* member : one.members) {
      const json::json_pointer place(member);
      json damaged = whole;
      ASSERT_TRUE(damaged.contains(place)) << one.file << member;
      damaged.at(place.parent_pointer()).erase(place.back());
      EXPECT_THAT(one.read(damaged.dump()),
                  StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr(place.back()), HasSubstr("is missing"))))
          << one.file << member;
      damaged = whole;
      damaged.at(place) = 1.5;
      EXPECT_THAT(one.read(damaged.dump()),
                  StatusIs(absl::StatusCode::kDataLoss, AllOf(HasSubstr(place.back()), HasSubstr("is no "))))
          << one.file << member;
    }
  }
}

}  // namespace
}  // namespace st::host
