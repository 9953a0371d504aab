// The screen of `st-resume --status`.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "lib/base/clock.h"
#include "lib/execute/summary.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::execute {
namespace {

// What one screen has room for.
constexpr int kShownActions = 7;
constexpr size_t kShownFacts = 12;
constexpr int kShownOffsets = 6;
constexpr size_t kLineBytes = 160;

// Cut at a character.
std::string Line(std::string_view text) {
  if (text.size() <= kLineBytes) return std::string(text);
  size_t end = kLineBytes;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return absl::StrCat(text.substr(0, end), "...");
}

std::string At(int64_t at_ms) { return base::FormatRfc3339(at_ms).text; }

// How far each action is: its last checkpoint.
std::vector<const v1::Checkpoint*> Reached(const v1::OperationStatus& status) {
  std::vector<const v1::Checkpoint*> reached(static_cast<size_t>(status.intent().actions_size()), nullptr);
  for (const v1::Checkpoint& checkpoint : status.checkpoints()) {
    if (checkpoint.action_index() < reached.size()) reached[checkpoint.action_index()] = &checkpoint;
  }
  return reached;
}

bool IsDone(const v1::Checkpoint* checkpoint) {
  return checkpoint != nullptr && checkpoint->name() == v1::Checkpoint::ACTION_DONE;
}

// The action that comes next, with some of those around it.
void AppendActions(const v1::OperationStatus& status, std::string* text) {
  const std::vector<const v1::Checkpoint*> reached = Reached(status);
  const int count = status.intent().actions_size();
  const int done = static_cast<int>(std::count_if(reached.begin(), reached.end(), IsDone));
  absl::StrAppend(text, "\n  intended: ", count, count == 1 ? " action, " : " actions, ", done, " done");
  const int first = std::clamp(done - kShownActions / 2, 0, std::max(0, count - kShownActions));
  const int end = std::min(count, first + kShownActions);
  if (first > 0) absl::StrAppend(text, "\n    ... ", first, " before");
  for (int i = first; i < end; ++i) {
    const v1::Checkpoint* checkpoint = reached[static_cast<size_t>(i)];
    absl::StrAppend(text, "\n    ", i,
                    IsDone(checkpoint)      ? " done  "
                    : checkpoint != nullptr ? " begun "
                                            : "       ",
                    Line(status.intent().actions(i).reason()));
  }
  if (end < count) absl::StrAppend(text, "\n    ... ", count - end, " more");
}

void AppendLastCheckpoint(const v1::OperationStatus& status, std::string* text) {
  if (status.checkpoints().empty()) {
    absl::StrAppend(text, "\n  last checkpoint: the intent; no step was taken");
    return;
  }
  const v1::Checkpoint& last = *status.checkpoints().rbegin();
  absl::StrAppend(text, "\n  last checkpoint: ", v1::Checkpoint::Name_Name(last.name()), " of action ",
                  last.action_index(), ", ", At(last.at_ms()));
  if (last.exit_code_known()) absl::StrAppend(text, "; exit code ", last.exit_code());
  for (int i = 0; i < std::min(last.vector_size(), kShownOffsets); ++i) {
    absl::StrAppend(text, i == 0 ? "; offsets " : ", ", last.vector(i).partition(), ":", last.vector(i).offset());
  }
  if (last.vector_size() > kShownOffsets) absl::StrAppend(text, ", ... of ", last.vector_size(), " partitions");
  if (!last.unclean().empty()) absl::StrAppend(text, "\n    it did not close cleanly: ", Line(last.unclean()));
}

void AppendFacts(const v1::OperationStatus& status, std::string* text) {
  absl::StrAppend(text, "\n  the world now:");
  const std::vector<std::string> lines = absl::StrSplit(absl::StripSuffix(status.facts(), "\n"), '\n');
  if (status.facts().empty()) absl::StrAppend(text, " not looked at");
  // Offsets of many partitions are what there is most of; what stands behind them is shown all the same.
  const size_t half = kShownFacts / 2;
  for (size_t i = 0; i < lines.size() && !status.facts().empty(); ++i) {
    if (lines.size() > kShownFacts && i == half) {
      absl::StrAppend(text, "\n    ... ", lines.size() - kShownFacts, " more lines in the document");
      i = lines.size() - half;
    }
    absl::StrAppend(text, "\n    ", Line(lines[i]));
  }
}

std::string NothingOpen(const v1::OperationStatus& status) {
  std::string text = absl::StrCat(status.address(), ": no operation is open");
  if (!status.has_last_receipt()) return text;
  absl::StrAppend(&text, "; the last one, ", status.last_receipt().operation_id(), ", finished ",
                  At(status.last_receipt().at_ms()));
  return text;
}

}  // namespace

std::string Summary(const v1::OperationStatus& status) {
  if (status.operation_id().empty()) return NothingOpen(status);
  const v1::Intent& intent = status.intent();
  std::string text =
      absl::StrCat(status.address(), ": operation ", status.operation_id(), " is open\n  begun ", At(intent.at_ms()),
                   " by ", intent.by(), " (", intent.tool(), "), resumed ", status.authorizations_size(), " times");
  if (!status.authorizations().empty()) {
    const v1::Authorization& last = *status.authorizations().rbegin();
    absl::StrAppend(&text, "\n  last resumed ", At(last.at_ms()), " by ", last.by(), ", at ", last.interruption());
  }
  AppendActions(status, &text);
  AppendLastCheckpoint(status, &text);
  AppendFacts(status, &text);
  absl::StrAppend(&text, "\n  next step: ", status.next_step(), " (", status.allowed() ? "allowed" : "not allowed",
                  ": ", status.reason(), ")");
  if (!status.next_command().empty()) absl::StrAppend(&text, "\n  to go on: ", status.next_command());
  return text;
}

}  // namespace st::execute
