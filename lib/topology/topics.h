// The physical topics: their names, who declares them, what a managed one is made with.
#ifndef ST_LIB_TOPOLOGY_TOPICS_H_
#define ST_LIB_TOPOLOGY_TOPICS_H_

#include "lib/topology/catalog.h"

namespace st::topology {

// Sets `topic` of each source and model, and checks the names: Kafka's rules (its Topic.java: 1 to 249 of the
// characters a-z A-Z 0-9 . _ -, neither `.` nor `..`), the broker's own topics, names that differ by `.` and `_` alone,
// two declarations of one topic.
void CheckTopicNames(Catalog* catalog, Report* report);

// A model that reads the topic that it writes. Needs inputs resolved.
void CheckInputIsNotOutput(Catalog* catalog, Report* report);

v1::OwnershipMode ModeOf(const Declaration& declaration);

// One compiled topic of a source or model, with its defaults; reports what a managed one lacks.
void CompileTopic(const v1::Project& project, const Declaration& declaration, Report* report, v1::CompiledTopic* topic);

}  // namespace st::topology

#endif  // ST_LIB_TOPOLOGY_TOPICS_H_
