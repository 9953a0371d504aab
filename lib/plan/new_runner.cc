// A model that is declared and has no runner yet.
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/plan/runner_planner.h"

namespace st::plan {

bool RunnerPlanner::CheckNew() {
  if (!index_.Generations(model_.application_id()).empty()) {
    BlockDrifted("RUNNER_NOT_OURS",
                 absl::StrCat("a runner of ", model_.application_id(), " exists that our state does not own: ",
                              Named(*index_.Generations(model_.application_id()).front())),
                 "find out which project or state store made it");
    return false;
  }
  if (const v1::VolumeFacts* volume = index_.Volume(model_.application_id())) {
    BlockDrifted("VOLUME_FOREIGN",
                 absl::StrCat("a volume of ", model_.application_id(), " exists that our state does not own",
                              volume->detail().empty() ? "" : ": ", volume->detail()),
                 "find out which project or state store made it; nothing of it is used or removed");
    return false;
  }
  if (HasMembers()) {
    BlockActive();
    return false;
  }
  for (int i = 0; offsets_ != nullptr && i < offsets_->offsets_size(); ++i) {
    const v1::GroupOffset& offset = offsets_->offsets(i);
    if (!offset.unstable() && offset.offset() < 0) continue;
    BlockDrifted(offset.unstable() ? "OFFSETS_UNSTABLE" : "GROUP_HAS_OFFSETS",
                 absl::StrCat("consumer group ", model_.application_id(), " has offsets on ", input_topic_,
                              " that this project did not write"),
                 "find out who uses this group; a new runner needs a new group");
    return false;
  }
  return CheckMeans();
}

bool RunnerPlanner::CheckMeans() {
  if (host_.kind() == v1::DOCKER) return CheckImage() && CheckNetwork();
  if (host_.runner_sha256().empty()) {
    Block("RUNNER_BINARY_MISSING", "no st-runner stands beside the tools", "install the whole package");
    return false;
  }
  return true;
}

bool RunnerPlanner::CheckImage() {
  const v1::DockerImageFacts& image = host_.image();
  if (!image.present()) {
    BlockDeclared("IMAGE_MISSING", absl::StrCat("the Docker engine does not have image ", image.id()),
                  "docker load -i PREFIX/share/st/st-runner-image.tar; its id is in st-runner-image.id beside it");
    return false;
  }
  if (image.record_plan_version() == absl::StrCat(model_.plan().version())) return true;
  BlockDeclared(
      "IMAGE_FOREIGN",
      image.record_plan_version().empty()
          ? absl::StrCat("image ", image.id(), " is not one of st-runner: it has no label st.record_plan.version")
          : absl::StrCat("image ", image.id(), " executes record plans of version ", image.record_plan_version(),
                         ", this one is of version ", model_.plan().version()),
      "declare the image of this package: its id is in PREFIX/share/st/st-runner-image.id");
  return false;
}

bool RunnerPlanner::CheckNetwork() {
  const v1::DockerNetworkFacts& network = host_.network();
  if (!network.present()) {
    BlockDeclared("NETWORK_MISSING", absl::StrCat("the Docker engine has no network ", network.name()),
                  absl::StrCat("docker network create ", network.name(), ", or declare one that is there"));
    return false;
  }
  if (network.driver() == "bridge") return true;
  BlockDeclared("NETWORK_UNSUITABLE",
                absl::StrCat("Docker network ", network.name(), " has the driver ", network.driver(),
                             ", a runner lives on a bridge network"),
                "declare a bridge network");
  return false;
}

void RunnerPlanner::Create() {
  // The output topic's own blocker says what is wrong with it.
  const v1::TopicFacts* output = index_.Topic(model_.topic());
  const bool output_there = draft_.CreatedBy(model_.topic()) >= 0 || index_.Owned(TopicResource()) != nullptr;
  draft_.DeclarationsChanged();
  if (!index_.offline() && (!CheckNew() || !output_there)) return;
  v1::Action& action =
      draft_.AddAction(model_.resource(), v1::Action::DECLARED,
                       absl::StrCat("create runner ", model_.application_id(), " from ", input_topic_, " to ",
                                    model_.topic(), ": the model is declared and does not run"));
  v1::CreateRunner& create = *action.mutable_create_runner();
  create.set_application_id(model_.application_id());
  *create.mutable_plan() = model_.plan();
  create.set_plan_sha256(model_.plan_sha256());
  *create.mutable_input() = Bind(input_topic_);
  *create.mutable_output() = Bind(model_.topic());
  create.set_initial_offset(index_.topology().runner().initial_offset());
  create.set_host(index_.topology().runner().host());
  create.set_host_id(host_.host_id());
  create.set_runner_sha256(host_.runner_sha256());
  create.set_commit_interval_ms(index_.topology().runner().commit_interval_ms());
  create.set_network_id(host_.network().id());
  create.set_memory_mib(index_.topology().runner().memory_mib());
  create.set_pids_limit(index_.topology().runner().pids_limit());
  const int made = draft_.CreatedBy(input_topic_);
  if (made >= 0) {
    create.set_input_partitions(draft_.plan().actions(made).create_topic().partitions());
  } else if (input_ != nullptr) {
    create.set_input_partitions(static_cast<uint32_t>(input_->partitions_size()));
  }
  for (uint32_t i = 0; i < create.input_partitions(); ++i) {
    v1::PartitionOffset& today = *create.add_offsets_today();
    today.set_partition(static_cast<int32_t>(i));
    today.set_leader_epoch(-1);
    if (made >= 0 || input_ == nullptr) continue;
    const v1::TopicFacts::Partition& partition = input_->partitions(static_cast<int>(i));
    today.set_offset(create.initial_offset() == v1::LATEST ? partition.end_offset() : partition.begin_offset());
  }
  if (output != nullptr) WarnAboutSize(*output);
  WarnAboutOldRecords(create.offsets_today());
}

void RunnerPlanner::WarnAboutSize(const v1::TopicFacts& output) {
  for (const v1::TopicConfig& config : output.effective()) {
    if (config.name() != "cleanup.policy" || config.value().find("compact") == std::string::npos) continue;
    draft_.Warn("COMPACTED_OUTPUT", model_.resource(),
                absl::StrCat("topic ", model_.topic(),
                             " is compacted: a runner drops tombstones, so nothing is ever "
                             "forgotten there, and records without a key are refused"));
  }
}

}  // namespace st::plan
