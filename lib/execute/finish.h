// How a run ends: the completion, and the report. Internal to lib/execute.
#ifndef ST_LIB_EXECUTE_FINISH_H_
#define ST_LIB_EXECUTE_FINISH_H_

#include <string>
#include <vector>

#include "lib/execute/journal.h"
#include "lib/execute/loop.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::execute {

std::string ResumeCommand(const std::string& operation_id);
// What is left to do with an operation that cannot go on.
std::string SettleCommand();

// The answer to a caller that opened no store.
absl::Status NoStore();

// Nothing was begun.
v1::ApplyReport Refused(v1::ApplyReport report, std::string reason);

// What an explicit resume starts from.
transition::Progress ResumedProgress(const Journal& journal, const World& world);

// Actions, then completion (ownership, receipt and the clearing of the operation are one transaction), then report.
v1::ApplyReport RunToTheEnd(v1::ApplyReport report, const v1::Intent& intent, const Journal& before, const World& world,
                            Writer* writer, transition::Progress* progress);

// Report of an ending; `checkpoints` say which actions are done.
v1::ApplyReport Conclude(v1::ApplyReport report, const Ending& ending, const v1::Intent& intent,
                         const std::vector<v1::Checkpoint>& checkpoints);

}  // namespace st::execute

#endif  // ST_LIB_EXECUTE_FINISH_H_
