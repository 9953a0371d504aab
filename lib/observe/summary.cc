#include "absl/strings/str_cat.h"
#include "lib/observe/observe.h"
#include "schemas/st/v1/observation.pb.h"

namespace st::observe {
namespace {

// One that we may not see is not said to be there.
bool IsThere(const v1::GroupFacts& group) {
  return group.state() == v1::GroupFacts::EMPTY || group.state() == v1::GroupFacts::STABLE ||
         group.state() == v1::GroupFacts::REBALANCING;
}

}  // namespace

std::string Summary(const v1::Observation& observation) {
  if (observation.offline()) return "offline: nothing was asked";
  int topics = 0;
  for (const v1::TopicFacts& topic : observation.topics()) topics += topic.presence() == v1::PRESENT ? 1 : 0;
  int groups = 0;
  for (const v1::GroupFacts& group : observation.groups()) groups += IsThere(group) ? 1 : 0;
  int refused = 0;
  for (const v1::TopicVerdict& verdict : observation.verdicts()) refused += verdict.refused() ? 1 : 0;
  return absl::StrCat("cluster ", observation.cluster().cluster_id(), ": ", topics, " of ", observation.topics_size(),
                      " topics there, ", refused, " changes refused by the broker, ", groups, " of ",
                      observation.groups_size(), " consumer groups there, ", observation.host().generations_size(),
                      " runner generations, ", observation.state().resources_size(), " resources owned");
}

}  // namespace st::observe
