#include "lib/execute/sim/fingerprint.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/base/digest.h"
#include "schemas/st/v1/operation.pb.h"

namespace st::sim {
namespace {

void AddOffsets(const Vector& offsets, std::string* text) {
  for (const auto& [partition, offset] : offsets) absl::StrAppend(text, partition, "=", offset, ",");
}

int64_t Left(int64_t until_ms, const State& state) { return until_ms == 0 ? 0 : until_ms - state.now_ms; }

void AddWorld(const State& state, std::string* text) {
  absl::StrAppend(text, state.feed_left, ";", state.creates, ";");
  // What it was asked with stands in the plan and in the checkpoints.
  if (state.late.has_value()) absl::StrAppend(text, "late ", state.late->name, ";");
  for (const auto& [name, topic] : state.topics) absl::StrAppend(text, base::DeterministicBytes(topic), ";");
  for (const auto& [name, volume] : state.volumes) absl::StrAppend(text, base::DeterministicBytes(volume), ";");
  for (const auto& [id, generation] : state.generations) {
    v1::GenerationFacts facts = generation;
    // Only its age counts, and only of one that does not run any more.
    facts.mutable_status()->set_updated_at_ms(facts.state() == v1::GenerationFacts::RUNNING ? 0 : 1);
    absl::StrAppend(text, base::DeterministicBytes(facts), ";");
  }
  for (const auto& [id, process] : state.processes) {
    absl::StrAppend(text, id, process.member_id, static_cast<int>(process.phase), ";");
  }
  for (const auto& [name, group] : state.groups) {
    for (const auto& [topic, offsets] : group.offsets) {
      for (const auto& [partition, offset] : offsets) {
        absl::StrAppend(text, topic, base::DeterministicBytes(offset), ";");
      }
    }
    for (const Member& member : group.members) {
      absl::StrAppend(text, member.member_id, member.partitions, " ", Left(member.until_ms, state), ";");
    }
    if (!group.open.has_value()) continue;
    absl::StrAppend(text, "open ", group.open->generation_id, Left(group.open->until_ms, state), " ");
    AddOffsets(group.open->next, text);
  }
}

template <typename Message>
std::string WithoutTime(const std::string& payload) {
  Message message;
  message.ParseFromString(payload);
  message.clear_at_ms();
  return base::DeterministicBytes(message);
}

}  // namespace

std::string Fingerprint(const State& state, const state::Snapshot& snapshot) {
  std::string text = absl::StrCat(snapshot.revision, ";", snapshot.serial, ";", snapshot.ownership, ";");
  for (const state::Frame& frame : snapshot.frames) {
    // Who resumed does not decide anything; how often does.
    absl::StrAppend(
        &text,
        frame.kind == state::Frame::Kind::kCheckpoint ? WithoutTime<v1::Checkpoint>(frame.payload) : "authorization",
        ";");
  }
  absl::StrAppend(&text, snapshot.operation_id.empty() ? "none open" : "open", ";");
  AddWorld(state, &text);
  const std::string& operation = snapshot.operation_id.empty() ? snapshot.last_operation_id : snapshot.operation_id;
  if (!operation.empty()) text = absl::StrReplaceAll(text, {{operation, "OPERATION"}});
  return base::Sha256Hex(text);
}

}  // namespace st::sim
