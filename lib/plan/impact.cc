// Whom each change touches: models, applications, owners and live consumer groups downstream, by path.
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lib/plan/draft.h"
#include "lib/plan/record_change.h"

namespace st::plan {
namespace {

// More than this for one change are counted, not listed: a reviewer reads no thousand lines.
constexpr int kMaxImpactsPerChange = 1000;

struct Change {
  v1::Impact::Severity severity;
  std::string text;      // what it means downstream
  bool touches_writers;  // applications that produce into the topic see it too
  // Other columns than before: whether that matters depends on what each consumer declares.
  bool other_columns = false;
  // Other records than before, too.
  bool other_records = true;
};

Change JudgeReplacement(const v1::Action& action) {
  const RecordChange change = Compare(action.prior().runner().plan(), action.replace_runner().plan());
  Change judged = {v1::Impact::POTENTIAL_IMPACT, absl::StrCat("from here on ", Words(change)), false};
  judged.other_columns = !change.columns.empty();
  judged.other_records = !change.filter.empty() || !action.replace_runner().running();
  if (!judged.other_columns && change.filter.empty() && change.only_order) judged.severity = v1::Impact::INFORMATION;
  if (!action.replace_runner().running()) absl::StrAppend(&judged.text, ", and nothing arrives until it is started");
  return judged;
}

Change JudgeUpdate(const v1::UpdateTopic& update) {
  constexpr char kPartitions[] =
      "partitions are added: records of one key may lie in two partitions from now on, so their order is lost";
  constexpr char kConfigs[] = "topic configs change: what is kept, and for how long, may differ";
  if (update.partitions() == update.prior_partitions()) return {v1::Impact::POTENTIAL_IMPACT, kConfigs, true};
  if (update.configs().empty()) return {v1::Impact::DECLARED_BREAKAGE, kPartitions, true};
  return {v1::Impact::DECLARED_BREAKAGE, absl::StrCat(kPartitions, "; and ", kConfigs), true};
}

Change Judge(const v1::Action& action) {
  switch (action.action_case()) {
    case v1::Action::kCreateTopic:
      return {v1::Impact::INFORMATION, "its topic is made; it is empty until something writes to it", true};
    case v1::Action::kUpdateTopic:
      return JudgeUpdate(action.update_topic());
    case v1::Action::kCreateRunner:
      return {v1::Impact::POTENTIAL_IMPACT, "records start to arrive", false};
    case v1::Action::kStartRunner:
      return {v1::Impact::POTENTIAL_IMPACT, "records arrive again, from where they stopped, if the runner gets on",
              false};
    case v1::Action::kStopRunner:
      return {v1::Impact::POTENTIAL_IMPACT, "no new records arrive until it is started again", false};
    case v1::Action::kReplaceRunner:
      return JudgeReplacement(action);
    case v1::Action::kRestoreOffsets:
      // After a clean close exactly what it had not read yet is left; of a chosen place the action itself says more.
      if (action.restore_offsets().from() == v1::RestoreOffsets::CLEAN_CLOSE) break;
      return {v1::Impact::DECLARED_BREAKAGE, "it goes on from a chosen place: records may come twice or not at all",
              false};
    case v1::Action::ACTION_NOT_SET:
      break;
  }
  return {v1::Impact::INFORMATION, "", false};
}

class ImpactWalk {
 public:
  ImpactWalk(Draft* draft, const v1::Action& action) : draft_(*draft), action_(action), change_(Judge(action)) {}

  void Run() {
    const Index& index = draft_.index;
    std::string_view start = action_.resource();
    if (action_.action_case() == v1::Action::kCreateTopic) start = index.DeclaredBy(action_.create_topic().name());
    if (action_.action_case() == v1::Action::kUpdateTopic) start = index.DeclaredBy(action_.update_topic().name());
    if (change_.touches_writers) {
      for (const v1::CompiledExposure* writer : index.Producers(start)) {
        Add(writer->resource(), writer->owner(), {start, writer->resource()}, " (it writes to this topic)",
            change_.severity);
      }
    }
    cause_[start] = {};
    std::deque<std::string_view> queue = {start};
    while (!queue.empty()) {
      const std::string_view at = queue.front();
      queue.pop_front();
      Visit(at);
      for (const v1::CompiledModel* reader : index.Readers(at)) {
        if (!cause_.emplace(reader->resource(), at).second) continue;
        AddReader(*reader, at == start);
        queue.push_back(reader->resource());
      }
    }
    if (left_out_ > 0) {
      draft_.Warn("IMPACT_CUT", action_.resource(), absl::StrCat(left_out_, " more are downstream than are listed"));
    }
  }

 private:
  // A runner reads exactly the columns that it was made for: it stops at the first record with others.
  void AddReader(const v1::CompiledModel& reader, bool direct) {
    const bool breaks = direct && change_.other_columns;
    Add(reader.resource(), reader.owner(), PathTo(reader.resource()),
        breaks ? "; its runner reads exactly the columns that it was made for, and stops at others" : "",
        breaks ? v1::Impact::DECLARED_BREAKAGE : change_.severity);
  }

  // st-compile has refused a column that is declared as needed and is not produced as declared.
  void AddExposure(const v1::CompiledExposure& exposure, std::string_view resource, bool direct) {
    std::string note;
    v1::Impact::Severity severity = change_.severity;
    if (direct && change_.other_columns) {
      note = exposure.columns().empty() ? "; it declares no columns, so whether it needs these is not known"
                                        : "; every column that it declares stays as declared";
      if (!exposure.columns().empty() && !change_.other_records) severity = v1::Impact::INFORMATION;
    }
    if (exposure.consumer_group().empty()) {
      absl::StrAppend(&note, "; its consumer group is not declared, so whether it reads is not known");
    }
    Add(exposure.resource(), exposure.owner(), PathTo(resource, exposure.resource()), note, severity);
  }

  // Applications and live groups on one topic.
  void Visit(std::string_view resource) {
    const Index& index = draft_.index;
    absl::flat_hash_map<std::string_view, bool> known;
    for (const v1::CompiledExposure* exposure : index.Consumers(resource)) {
      known[exposure->consumer_group()] = true;
      AddExposure(*exposure, resource, cause_.at(resource).empty());
    }
    for (const v1::CompiledModel* reader : index.Readers(resource)) known[reader->application_id()] = true;
    for (const v1::GroupFacts* group : index.GroupsOn(index.TopicOf(resource))) {
      if (known.contains(group->group_id())) continue;
      const std::string name = absl::StrCat("group:", group->group_id());
      Add(name, "", PathTo(resource, name),
          "; no declaration names this consumer group, so its owner and needs are not known", change_.severity);
    }
  }

  std::vector<std::string_view> PathTo(std::string_view resource) const {
    std::vector<std::string_view> path = {resource};
    for (auto it = cause_.find(resource); it != cause_.end() && !it->second.empty(); it = cause_.find(it->second)) {
      path.insert(path.begin(), it->second);
    }
    return path;
  }

  std::vector<std::string_view> PathTo(std::string_view resource, std::string_view last) const {
    std::vector<std::string_view> path = PathTo(resource);
    path.push_back(last);
    return path;
  }

  void Add(std::string_view affected, std::string_view owner, const std::vector<std::string_view>& path,
           std::string_view note, v1::Impact::Severity severity) {
    if (added_ == kMaxImpactsPerChange) {
      ++left_out_;
      return;
    }
    ++added_;
    v1::Impact& impact = *draft_.plan().add_impacts();
    impact.set_severity(severity);
    impact.set_change(action_.resource());
    impact.set_action_index(action_.index());
    impact.set_affected(std::string(affected));
    impact.set_owner(std::string(owner));
    for (std::string_view step : path) impact.add_path(std::string(step));
    impact.set_text(absl::StrCat(change_.text, note));
  }

  Draft& draft_;
  const v1::Action& action_;
  const Change change_;
  absl::flat_hash_map<std::string_view, std::string_view> cause_;  // resource -> the one before it on the path
  int added_ = 0;
  int left_out_ = 0;
};

}  // namespace

void AddImpacts(Draft* draft) {
  for (const v1::Action& action : draft->plan().actions()) ImpactWalk(draft, action).Run();
}

}  // namespace st::plan
