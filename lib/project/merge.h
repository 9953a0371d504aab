// Several files into one project.
#ifndef ST_LIB_PROJECT_MERGE_H_
#define ST_LIB_PROJECT_MERGE_H_

#include <memory>

#include "lib/project/reading.h"

namespace st::v1 {
class Environment;
class Project;
}  // namespace st::v1

namespace st::project {

// Moves what `part` holds into `whole`; messages keep their addresses, as positions are found by them. Findings: a
// section that is said twice, and `project` outside of the main file.
void MergePart(v1::Project* part, bool is_main, Reading* reading, v1::Project* whole);

// `environment.protected` is another spelling of `safety.protected`: afterwards the latter is set if either is. A
// finding when they contradict each other.
void UniteProtected(Reading* reading, v1::Project* project);
void UniteProtected(Reading* reading, v1::Environment* environment);

// Each field that `environment` sets replaces the project's.
void ApplyEnvironment(const v1::Environment& environment, Reading* reading, v1::Project* project);

}  // namespace st::project

#endif  // ST_LIB_PROJECT_MERGE_H_
