// Whom each change touches: models, applications, owners and live consumer groups downstream, by path.
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "lib/plan/draft.h"

namespace st::plan {
namespace {

// More than this for one change are counted, not listed: a reviewer reads no thousand lines.
constexpr int kMaxImpactsPerChange = 1000;

struct Change {
  v1::Impact::Severity severity;
  std::string text;      // what it means downstream
  bool touches_writers;  // applications that produce into the topic see it too
};

Change Judge(const v1::Action& action) {
  switch (action.action_case()) {
    case v1::Action::kCreateTopic:
      return {v1::Impact::INFORMATION, "its topic is made; it is empty until something writes to it", true};
    case v1::Action::kUpdateTopic:
      if (action.update_topic().partitions() != action.update_topic().prior_partitions()) {
        return {
            v1::Impact::DECLARED_BREAKAGE,
            "partitions are added: records of one key may lie in two partitions from now on, so their order is lost",
            true};
      }
      return {v1::Impact::POTENTIAL_IMPACT, "topic configs change: what is kept, and for how long, may differ", true};
    case v1::Action::kCreateRunner:
      return {v1::Impact::POTENTIAL_IMPACT, "records start to arrive", false};
    case v1::Action::kStartRunner:
      return {v1::Impact::POTENTIAL_IMPACT, "records arrive again, from where they stopped, if the runner gets on",
              false};
    case v1::Action::kStopRunner:
      return {v1::Impact::POTENTIAL_IMPACT, "no new records arrive until it is started again", false};
    case v1::Action::kReplaceRunner:
      return {v1::Impact::POTENTIAL_IMPACT, "what it produces changes, for the records from here on", false};
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
        Add(writer->resource(), writer->owner(), {start, writer->resource()}, " (it writes to this topic)");
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
        Add(reader->resource(), reader->owner(), PathTo(reader->resource()), "");
        queue.push_back(reader->resource());
      }
    }
    if (left_out_ > 0) {
      draft_.Warn("IMPACT_CUT", action_.resource(), absl::StrCat(left_out_, " more are downstream than are listed"));
    }
  }

 private:
  // Applications and live groups on one topic.
  void Visit(std::string_view resource) {
    const Index& index = draft_.index;
    absl::flat_hash_map<std::string_view, bool> known;
    for (const v1::CompiledExposure* exposure : index.Consumers(resource)) {
      known[exposure->consumer_group()] = true;
      Add(exposure->resource(), exposure->owner(), PathTo(resource, exposure->resource()),
          exposure->consumer_group().empty() ? "; its consumer group is not declared, so whether it reads is not known"
                                             : "");
    }
    for (const v1::CompiledModel* reader : index.Readers(resource)) known[reader->application_id()] = true;
    for (const v1::GroupFacts* group : index.GroupsOn(index.TopicOf(resource))) {
      if (known.contains(group->group_id())) continue;
      const std::string name = absl::StrCat("group:", group->group_id());
      Add(name, "", PathTo(resource, name),
          "; no declaration names this consumer group, so its owner and needs are not known");
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
           std::string_view unknown) {
    if (added_ == kMaxImpactsPerChange) {
      ++left_out_;
      return;
    }
    ++added_;
    v1::Impact& impact = *draft_.plan().add_impacts();
    impact.set_severity(change_.severity);
    impact.set_change(action_.resource());
    impact.set_affected(std::string(affected));
    impact.set_owner(std::string(owner));
    for (std::string_view step : path) impact.add_path(std::string(step));
    impact.set_text(absl::StrCat(change_.text, unknown));
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
