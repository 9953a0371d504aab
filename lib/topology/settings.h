// What is said once a project: how to reach the cluster, how models run, where state is kept, what is guarded.
#ifndef ST_LIB_TOPOLOGY_SETTINGS_H_
#define ST_LIB_TOPOLOGY_SETTINGS_H_

#include "lib/topology/report.h"

namespace st::v1 {
class Project;
class Topology;
}  // namespace st::v1

namespace st::topology {

// The connection under librdkafka's names (its CONFIGURATION.md), secrets as variables.
void CompileConnection(const v1::Project& project, Report* report, v1::Topology* topology);

// `has_sql`: some model has SQL, so that the settings matter.
void CompileRunner(const v1::Project& project, bool has_sql, Report* report, v1::Topology* topology);

void CompileStateAndSafety(const v1::Project& project, Report* report, v1::Topology* topology);

}  // namespace st::topology

#endif  // ST_LIB_TOPOLOGY_SETTINGS_H_
