#include "lib/execute/sim/audit.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/execute/sim/audit_entries.h"

namespace st::sim {
namespace {

using Kind = Event::Kind;

bool ChangesWorld(const Event& event) {
  switch (event.kind) {
    case Kind::kTopicMade:
    case Kind::kConfigsSet:
    case Kind::kPartitionsAdded:
    case Kind::kOffsetsWritten:
    case Kind::kVolumeMade:
    case Kind::kGenerationMade:
    case Kind::kGenerationStarted:
    case Kind::kStopAsked:
    case Kind::kGenerationRemoved:
      return event.actor > 0;
    default:
      return false;
  }
}

const v1::RestoreOffsets* Restores(const Scenario& scenario) {
  for (const v1::Action& action : scenario.plan.actions()) {
    if (action.has_restore_offsets()) return &action.restore_offsets();
  }
  return nullptr;
}

// Walks over what happened, once.
class Walk {
 public:
  explicit Walk(const Evidence& evidence)
      : evidence_(evidence), entries_(evidence.history, evidence.entries_before), scenario_(*evidence.scenario) {
    for (const auto& [id, generation] : scenario_.state.generations) {
      alive_.insert(id);
      if (scenario_.state.processes.contains(id)) running_.insert(id);
      if (generation.state() == v1::GenerationFacts::EXITED) reviewed_.insert(id);
    }
  }

  std::vector<std::string> Go() {
    const std::vector<Event>& events = evidence_.state->events;
    for (size_t i = scenario_.state.events.size(); i < events.size(); ++i) {
      CheckOrder(events[i]);
      CheckLock(events[i]);
      CheckGenerations(events[i]);
      SeeMeddling(events[i]);
      CheckMinded(events[i]);
      if (events[i].kind == Kind::kOffsetsWritten) CheckOffsets(events[i]);
      if (events[i].kind == Kind::kCommitted) was_read_ = true;
    }
    return std::move(violations_);
  }

 private:
  void Broken(std::string sentence) { violations_.push_back(std::move(sentence)); }

  void CheckOrder(const Event& event) {
    if (event.kind == Kind::kStored) {
      if (event.actor > 0) stored_.insert(event.revision);
      if (event.subject == "begin") begun_ = true;
      if (event.subject == "authorization") authorized_.insert(event.actor);
    }
    if (event.kind == Kind::kAnswerLost) lost_[event.actor] = event.subject;
    if (event.kind == Kind::kAsked && lost_.contains(event.actor)) {
      Broken(absl::StrCat("run ", event.actor, " asked for ", event.subject, " after the answer of ",
                          lost_[event.actor], " was lost"));
    }
    if (!ChangesWorld(event)) return;
    if (!begun_) Broken(absl::StrCat("run ", event.actor, " changed ", event.subject, " before an intent was stored"));
    const bool resumes = std::count(evidence_.resumes.begin(), evidence_.resumes.end(), event.actor) > 0;
    if (resumes && !authorized_.contains(event.actor)) {
      Broken(absl::StrCat("run ", event.actor, " changed ", event.subject, " without an authorization"));
    }
  }

  // What was under way may still be carried out; nothing else is asked for.
  void CheckLock(const Event& event) {
    if (event.kind == Kind::kLockLost) unlocked_.insert(event.actor);
    if (ChangesWorld(event) && unlocked_.contains(event.actor)) {
      Broken(absl::StrCat("run ", event.actor, " changed ", event.subject, " after it had lost the lock"));
    }
  }

  // It was there when the plan was made, or this operation wrote down its id; before that one is like another.
  bool IsKnown(const std::string& topic) const {
    if (scenario_.state.topics.contains(topic)) return true;
    for (const v1::Action& action : scenario_.plan.actions()) {
      if (!action.has_create_topic() || action.create_topic().name() != topic) continue;
      const Entry* done = entries_.DoneOf(action.index());
      if (done != nullptr && stored_.contains(done->sequence)) return true;
    }
    return false;
  }

  // What another operator did, and what of it a driver saw.
  void SeeMeddling(const Event& event) {
    if (event.actor == kAnotherOperator) {
      if (event.kind == Kind::kGenerationMade) foreign_ = true;
      if (event.kind == Kind::kOffsetsWritten) moved_to_ = event.to;
      if (event.kind == Kind::kTopicMade && IsKnown(event.subject)) remade_ = event.subject;
      if (event.kind == Kind::kVolumeMade) other_volume_ = true;
    }
    // Written over between a look and the write: no tool can help that.
    const bool over = event.kind == Kind::kOffsetsWritten && event.actor > 0;
    // The broker forgets offsets with their topic.
    const bool forgotten = event.kind == Kind::kTopicMade && event.subject == "in";
    if (event.kind == Kind::kCommitted || over || forgotten) moved_to_.clear();
    if (event.kind != Kind::kLooked) return;
    if (foreign_ && event.subject == "generations") saw_foreign_.insert(event.actor);
    if (!moved_to_.empty() && event.subject == "group") saw_moved_.insert(event.actor);
    if (other_volume_ && event.subject == "volumes") saw_volume_.insert(event.actor);
    const bool saw_it =
        event.subject == "topics" && absl::StrContains(event.text + " ", absl::StrCat(" ", remade_, " "));
    if (!remade_.empty() && saw_it) saw_remade_.insert(event.actor);
  }

  // What a driver saw stops it: a generation that is not its own, offsets that somebody moved, another topic or volume.
  void CheckMinded(const Event& event) {
    if (event.actor <= 0) return;
    const bool makes = event.kind == Kind::kGenerationMade || event.kind == Kind::kGenerationStarted;
    const bool alters = event.kind == Kind::kConfigsSet || event.kind == Kind::kPartitionsAdded;
    const bool uses_topic = makes || event.kind == Kind::kOffsetsWritten || (alters && event.subject == remade_);
    if (uses_topic && saw_remade_.contains(event.actor)) {
      Broken(absl::StrCat(event.subject, " was changed, made or started on another topic ", remade_));
    }
    if (!makes) return;
    if (saw_foreign_.contains(event.actor)) Broken(absl::StrCat(event.subject, " was made or started beside another"));
    if (saw_volume_.contains(event.actor)) {
      Broken(absl::StrCat(event.subject, " was made or started on another volume"));
    }
    const Entry* held = stored_.empty() ? nullptr : entries_.VectorAt(*stored_.rbegin());
    // One that was started before may have moved them itself.
    const bool again = std::exchange(started_, started_ || event.kind == Kind::kGenerationStarted);
    if (held != nullptr && !again && !moved_to_.empty() && saw_moved_.contains(event.actor) &&
        held->vector != moved_to_) {
      Broken(absl::StrCat(event.subject, " was made or started on offsets that somebody had moved"));
    }
  }

  void CheckGenerations(const Event& event) {
    switch (event.kind) {
      case Kind::kGenerationMade:
        if (event.actor <= 0) break;
        if (!alive_.empty()) Broken(absl::StrCat(event.subject, " was made beside ", *alive_.begin()));
        alive_.insert(event.subject);
        break;
      case Kind::kGenerationStarted:
        if (!running_.empty()) Broken(absl::StrCat(event.subject, " was started beside ", *running_.begin()));
        running_.insert(event.subject);
        reviewed_.erase(event.subject);
        break;
      case Kind::kClosed:
      case Kind::kFailed:
      case Kind::kKilled:
        running_.erase(event.subject);
        break;
      case Kind::kGenerationRemoved:
        CheckRemoval(event);
        alive_.erase(event.subject);
        break;
      default:
        break;
    }
  }

  void CheckRemoval(const Event& event) {
    const Entry* closed = entries_.CloseOf(event.subject);
    if (closed == nullptr || !stored_.contains(closed->sequence)) {
      Broken(absl::StrCat(event.subject, " was removed before its close was recorded"));
      return;
    }
    const bool asked_for = reviewed_.contains(event.subject) || entries_.AuthorizedBefore(closed->sequence);
    if (event.text != "closed" && !asked_for) {
      Broken(absl::StrCat(event.subject, " was ", event.text, ", and was removed though nobody said so"));
    }
  }

  void CheckOffsets(const Event& event) {
    if (event.actor <= 0) return;
    if (saw_moved_.contains(event.actor)) Broken("offsets were written over those of somebody else");
    const Entry* started = entries_.FirstVector();
    if (started == nullptr || !stored_.contains(started->sequence)) {
      Broken("offsets were written that no checkpoint had chosen");
      return;
    }
    if (event.to != started->vector) Broken("other offsets were written than the chosen ones");
    if (event.text != started->operation_id) Broken("offsets were written without the operation's id");
    // Of a runner that is there they are restored, between its end and its start.
    const bool in_time = Restores(scenario_) != nullptr ? running_.empty() && !started_ : alive_.empty();
    if (was_read_ || !in_time) Broken("offsets were written after a generation was made or started");
  }

  const Evidence& evidence_;
  const Entries entries_;
  const Scenario& scenario_;
  std::set<std::string> alive_;
  std::set<std::string> running_;
  std::set<std::string> reviewed_;  // had ended when the plan was made, and were not started since
  std::set<uint64_t> stored_;
  std::set<int> authorized_;
  std::map<int, std::string> lost_;
  std::set<int> unlocked_;
  std::set<int> saw_foreign_;
  std::set<int> saw_moved_;
  std::set<int> saw_remade_;
  std::set<int> saw_volume_;
  Vector moved_to_;     // by another operator, and nobody read on since
  std::string remade_;  // the topic that another operator made
  bool foreign_ = false;
  bool other_volume_ = false;
  bool started_ = false;
  bool begun_ = false;
  bool was_read_ = false;
  std::vector<std::string> violations_;
};

// Nothing of the promise is left when somebody moves offsets or makes the output again.
bool PromiseStands(const Evidence& evidence) {
  return std::none_of(evidence.state->events.begin(), evidence.state->events.end(), [](const Event& event) {
    return event.actor == kAnotherOperator && (event.kind == Kind::kOffsetsWritten || event.kind == Kind::kTopicMade);
  });
}

// Output against input, from the first offset to what is committed. What is read is what somebody committed, from where
// it was left; offsets that a tool wrote are a new place only where they are the first ones or were chosen.
void CheckRecords(const Evidence& evidence, std::vector<std::string>* violations) {
  const State& state = *evidence.state;
  const v1::RestoreOffsets* restore = Restores(*evidence.scenario);
  const bool anew = restore == nullptr || restore->from() != v1::RestoreOffsets::CLEAN_CLOSE;
  int64_t minimum = evidence.scenario->old_minimum;
  Vector committed;
  std::map<int32_t, std::vector<std::pair<int64_t, int64_t>>> expected;
  for (size_t i = 0; i < state.events.size(); ++i) {
    const Event& event = state.events[i];
    const bool before = i < evidence.scenario->state.events.size();
    if (event.kind == Kind::kOffsetsWritten && (before || anew)) {
      for (const auto& [partition, to] : event.to) committed[partition] = to;
    }
    if (event.kind == Kind::kGenerationRemoved) minimum = evidence.scenario->new_minimum;
    if (event.kind != Kind::kCommitted) continue;
    for (const auto& [partition, from] : event.from) {
      if (committed[partition] != from) {
        violations->push_back(
            absl::StrCat("partition ", partition, " was read on from ", from, ", not from ", committed[partition]));
      }
      for (int64_t offset = committed[partition]; offset < event.to.at(partition); ++offset) {
        const int64_t value = state.ValueAt("in", partition, offset);
        if (value >= minimum) expected[partition].emplace_back(offset, value);
      }
      committed[partition] = event.to.at(partition);
    }
  }
  std::map<int32_t, std::vector<std::pair<int64_t, int64_t>>> written;
  auto topic = state.topics.find("out");
  auto log = topic == state.topics.end() ? state.outputs.end() : state.outputs.find(topic->second.topic_id());
  if (log != state.outputs.end()) {
    for (const Output& record : log->second) written[record.partition].emplace_back(record.offset, record.value);
  }
  if (written != expected) violations->push_back("the output is not the input put through the rules, each record once");
}

bool Happened(const Evidence& evidence, int actor, Kind kind) {
  const std::vector<Event>& events = evidence.state->events;
  return std::any_of(events.begin() + static_cast<std::ptrdiff_t>(evidence.scenario->state.events.size()), events.end(),
                     [&](const Event& event) { return event.actor == actor && event.kind == kind; });
}

// Only a topic that is as declared is taken for the one that was asked for.
void CheckTopics(const Evidence& evidence, const Entries& entries, std::vector<std::string>* violations) {
  for (const v1::Action& action : evidence.scenario->plan.actions()) {
    const Entry* done = entries.DoneOf(action.index());
    if (!action.has_create_topic() || done == nullptr) continue;
    if (done->checkpoint.owned().topic().partitions() != action.create_topic().partitions()) {
      violations->push_back(absl::StrCat("another topic ", action.create_topic().name(), " was taken for ours"));
    }
  }
}

// After a completion the world is as it was wanted, but for what others did to it.
void CheckEnd(const Evidence& evidence, const Entries& entries, std::vector<std::string>* violations) {
  if (!entries.completed()) return;
  std::vector<v1::OwnedResource> priors;
  std::set<std::string> resources;
  for (const v1::Action& action : evidence.scenario->plan.actions()) {
    // That of a later action is what an earlier one of the same plan makes of it.
    if (resources.insert(action.resource()).second) priors.push_back(action.prior());
  }
  const uint64_t serial_before =
      evidence.entries_before == 0 ? 0 : evidence.history[evidence.entries_before - 1].serial;
  const bool grew = evidence.history.back().serial == serial_before + 1;
  if (grew != entries.OwnershipChanges(priors))
    violations->push_back("the serial does not tell whether ownership changed");
  const Entry* done = entries.OwnedRunner();
  if (done == nullptr) return;
  const v1::OwnedRunner& runner = done->checkpoint.owned().runner();
  auto generation = evidence.state->generations.find(runner.generation_id());
  if (generation == evidence.state->generations.end()) {
    violations->push_back(absl::StrCat("what is owned is not there: ", runner.generation_id()));
    return;
  }
  if (generation->second.plan_sha256() != runner.plan_sha256()) violations->push_back("another plan is owned");
  if (runner.running() != evidence.scenario->runs) violations->push_back("it is not owned as running as was wanted");
  bool disturbed = Happened(evidence, kNobody, Kind::kKilled) || Happened(evidence, kNobody, Kind::kFailed);
  for (const Kind end : {Kind::kKilled, Kind::kClosed, Kind::kFailed}) {
    disturbed = disturbed || Happened(evidence, kAnotherOperator, end);
  }
  const bool running = generation->second.state() == v1::GenerationFacts::RUNNING;
  if (running != evidence.scenario->runs && !disturbed) {
    violations->push_back(running ? "it runs, and was to stop" : "it does not run, and was to run");
  }
  const bool foreign = Happened(evidence, kAnotherOperator, Kind::kGenerationMade);
  if (evidence.state->generations.size() != (foreign ? 2u : 1u)) violations->push_back("not one generation is left");
}

}  // namespace

std::vector<std::string> Violations(const Evidence& evidence) {
  std::vector<std::string> violations =
      CheckEntries(evidence.store_id, kAddress, evidence.history, evidence.entries_before);
  if (!violations.empty()) return violations;
  violations = Walk(evidence).Go();
  if (PromiseStands(evidence)) {
    CheckRecords(evidence, &violations);
    if (Happened(evidence, kNobody, Kind::kFailed)) violations.push_back("a runner failed that nobody meddled with");
  }
  const Entries entries(evidence.history, evidence.entries_before);
  CheckTopics(evidence, entries, &violations);
  CheckEnd(evidence, entries, &violations);
  return violations;
}

}  // namespace st::sim
