#include "lib/execute/sim/runner.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace st::sim {
namespace {

// Of one transaction, for each partition.
constexpr int64_t kBatch = 3;
constexpr int64_t kLongestSleepMs = 10'000;

using Phase = Process::Phase;

class Runner {
 public:
  Runner(State* state, const std::string& id, Process* process)
      : state_(state),
        process_(process),
        generation_(&state->generations.at(id)),
        group_(&state->groups[generation_->application_id()]),
        input_(state->TopicOfId(generation_->input_topic_id())) {}

  // True: something moved. `*ended`: the process is gone.
  bool Step(bool* ended) {
    if (process_->phase == Phase::kLoading) {
      process_->phase = Phase::kJoining;
      return true;
    }
    BeginStatus();
    generation_->mutable_status()->set_updated_at_ms(state_->now_ms);
    if (process_->phase == Phase::kClosing) generation_->mutable_status()->set_state(v1::RunnerStatus::CLOSING);
    if (!HasTopics()) {
      Fail(v1::RunnerStatus::IDENTITY_MISMATCH);
      *ended = true;
      return true;
    }
    if (process_->phase == Phase::kJoining) return Join(ended);
    if (group_->open.has_value()) {
      EndTransaction();
      return true;
    }
    if (process_->phase == Phase::kClosing) {
      Close();
      *ended = true;
      return true;
    }
    return BeginTransaction();
  }

  void CloseNow() {
    BeginStatus();
    if (!HasTopics()) return Fail(v1::RunnerStatus::IDENTITY_MISMATCH);
    if (group_->open.has_value()) EndTransaction();
    Close();
  }

  void Fail(v1::RunnerStatus::Reason reason) {
    BeginStatus();
    if (group_->open.has_value() && group_->open->generation_id == id()) group_->open.reset();
    Leave();
    End(3, v1::RunnerStatus::FAILED);
    generation_->mutable_status()->set_reason(reason);
    state_->Note({.kind = Event::Kind::kFailed, .subject = id()});
  }

 private:
  // Its first one. Partitions that were named stay named.
  void BeginStatus() {
    v1::RunnerStatus& status = *generation_->mutable_status();
    if (status.pid() == generation_->pid()) return;
    v1::RunnerStatus first;
    first.set_state(v1::RunnerStatus::STARTING);
    first.set_generation_id(id());
    first.set_application_id(generation_->application_id());
    first.set_plan_sha256(generation_->plan_sha256());
    first.set_cluster_id(state_->cluster_id);
    first.set_input_topic_id(generation_->input_topic_id());
    first.set_output_topic_id(generation_->output_topic_id());
    first.set_pid(static_cast<uint32_t>(generation_->pid()));
    first.set_updated_at_ms(state_->now_ms);
    first.mutable_partitions()->Swap(status.mutable_partitions());
    status = std::move(first);
  }

  const std::string& id() const { return generation_->generation_id(); }

  bool HasTopics() const { return input_ != nullptr && state_->TopicOfId(generation_->output_topic_id()) != nullptr; }

  // Its own is committed; what an earlier process of the same id left open is not (init_transactions).
  void EndTransaction() {
    if (group_->open->until_ms == 0) return Commit();
    group_->open.reset();
  }

  // The group takes a new member when the old one's session is over.
  bool Join(bool* ended) {
    if (group_->open.has_value()) {
      EndTransaction();
      return true;
    }
    if (!group_->members.empty()) return false;
    const auto& committed = group_->offsets[input_->name()];
    for (const v1::TopicFacts::Partition& partition : input_->partitions()) {
      const auto from = committed.find(partition.partition());
      const bool in_log = from != committed.end() && from->second.offset() >= partition.begin_offset() &&
                          from->second.offset() <= partition.end_offset();
      if (in_log) continue;
      Fail(v1::RunnerStatus::OFFSET_MISSING);
      *ended = true;
      return true;
    }
    group_->members.push_back({process_->member_id, id(), input_->name(), input_->partitions_size(), 0});
    process_->phase = Phase::kRunning;
    generation_->mutable_status()->set_member_id(process_->member_id);
    generation_->mutable_status()->set_state(v1::RunnerStatus::RUNNING);
    return true;
  }

  bool BeginTransaction() {
    Transaction transaction;
    transaction.generation_id = id();
    transaction.output_topic_id = generation_->output_topic_id();
    for (const v1::TopicFacts::Partition& partition : input_->partitions()) {
      const int32_t number = partition.partition();
      const int64_t from = group_->offsets[input_->name()][number].offset();
      const int64_t to = std::min(from + kBatch, partition.end_offset());
      if (to <= from) continue;
      transaction.next[number] = to;
      for (int64_t offset = from; offset < to; ++offset) {
        const int64_t value = state_->ValueAt(input_->name(), number, offset);
        if (Passes(state_->plans[id()], value)) transaction.outputs.push_back({number, offset, value, id()});
      }
    }
    if (transaction.next.empty()) return false;
    group_->open = std::move(transaction);
    return true;
  }

  void Commit() {
    Transaction transaction = *std::move(group_->open);
    group_->open.reset();
    Event event{.kind = Event::Kind::kCommitted, .subject = id()};
    for (const auto& [number, next] : transaction.next) {
      v1::GroupOffset& offset = group_->offsets[input_->name()][number];
      event.from[number] = offset.offset();
      event.to[number] = next;
      offset.set_partition(number);
      offset.set_offset(next);
      offset.set_leader_epoch(0);
      offset.clear_metadata();
    }
    std::vector<Output>& log = state_->outputs[transaction.output_topic_id];
    log.insert(log.end(), transaction.outputs.begin(), transaction.outputs.end());
    state_->Note(std::move(event));
  }

  void Close() {
    Event event{.kind = Event::Kind::kClosed, .subject = id()};
    generation_->mutable_status()->clear_partitions();
    for (const auto& [number, offset] : group_->offsets[input_->name()]) {
      event.to[number] = offset.offset();
      v1::RunnerStatus::Partition& partition = *generation_->mutable_status()->add_partitions();
      partition.set_partition(number);
      partition.set_committed(offset.offset());
      partition.set_position(offset.offset());
    }
    Leave();
    End(0, v1::RunnerStatus::CLOSED);
    state_->Note(std::move(event));
  }

  void Leave() {
    std::erase_if(group_->members, [&](const Member& member) { return member.generation_id == id(); });
  }

  void End(int exit_code, v1::RunnerStatus::State last) {
    generation_->set_state(v1::GenerationFacts::EXITED);
    generation_->clear_pid();
    generation_->set_exit_code_known(true);
    generation_->set_exit_code(exit_code);
    generation_->mutable_status()->set_state(last);
    generation_->mutable_status()->set_updated_at_ms(state_->now_ms);
  }

  State* state_;
  Process* process_;
  v1::GenerationFacts* generation_;
  Group* group_;
  const v1::TopicFacts* input_;
};

// Sessions and transactions whose process is gone.
bool Expire(State* state) {
  bool moved = false;
  for (auto& [name, group] : state->groups) {
    moved |= std::erase_if(group.members, [&](const Member& member) {
               return member.until_ms != 0 && member.until_ms <= state->now_ms;
             }) != 0;
    if (group.open.has_value() && group.open->until_ms != 0 && group.open->until_ms <= state->now_ms) {
      group.open.reset();
      moved = true;
    }
  }
  return moved;
}

}  // namespace

bool Passes(const v1::RecordPlan& plan, int64_t value) {
  return std::all_of(plan.predicates().begin(), plan.predicates().end(),
                     [&](const v1::Predicate& predicate) { return value >= predicate.bigint_value(); });
}

bool Step(State* state) {
  const int before = std::exchange(state->actor, kNobody);
  bool moved = Expire(state);
  for (auto it = state->processes.begin(); it != state->processes.end();) {
    bool ended = false;
    moved |= Runner(state, it->first, &it->second).Step(&ended);
    it = ended ? state->processes.erase(it) : std::next(it);
  }
  state->actor = before;
  return moved;
}

void Launch(State* state, const std::string& generation_id) {
  v1::GenerationFacts& generation = state->generations.at(generation_id);
  ++state->starts;
  Process& process = state->processes[generation_id];
  process = {Phase::kLoading, absl::StrCat("member-", state->starts)};
  generation.set_state(v1::GenerationFacts::RUNNING);
  generation.set_pid(static_cast<uint32_t>(100 + state->starts));
  generation.clear_exit_code_known();
  generation.clear_exit_code();
  if (state->fails_at_start) {
    Runner(state, generation_id, &process).Fail(v1::RunnerStatus::POISON_RECORD);
    state->processes.erase(generation_id);
  }
}

void Kill(State* state, const std::string& generation_id) {
  if (state->processes.erase(generation_id) == 0) return;
  v1::GenerationFacts& generation = state->generations.at(generation_id);
  generation.set_state(v1::GenerationFacts::EXITED);
  generation.clear_pid();
  Group& group = state->groups[generation.application_id()];
  for (Member& member : group.members) {
    if (member.generation_id == generation_id) member.until_ms = state->now_ms + kSessionMs;
  }
  if (group.open.has_value() && group.open->generation_id == generation_id) {
    group.open->until_ms = state->now_ms + kTransactionMs;
  }
  state->Note({.kind = Event::Kind::kKilled, .subject = generation_id});
}

void Close(State* state, const std::string& generation_id) {
  auto it = state->processes.find(generation_id);
  if (it == state->processes.end()) return;
  Runner(state, generation_id, &it->second).CloseNow();
  state->processes.erase(it);
}

void Fail(State* state, const std::string& generation_id) {
  auto it = state->processes.find(generation_id);
  if (it == state->processes.end()) return;
  Runner(state, generation_id, &it->second).Fail(v1::RunnerStatus::POISON_RECORD);
  state->processes.erase(it);
}

void SleepThrough(State* state, int64_t ms) {
  state->Pass(ms);
  if (Step(state)) return;
  int64_t until = state->now_ms + kLongestSleepMs;
  for (const auto& [name, group] : state->groups) {
    for (const Member& member : group.members) {
      if (member.until_ms != 0) until = std::min(until, member.until_ms);
    }
    if (group.open.has_value() && group.open->until_ms != 0) until = std::min(until, group.open->until_ms);
  }
  state->now_ms = std::max(state->now_ms, until);
  Step(state);
}

}  // namespace st::sim
