#include "runner/log.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"

namespace st::runner {
namespace {

// Kinds come from our code and from the client library's, which has some dozens; memory is bounded all the same.
constexpr size_t kMostKinds = 100;
constexpr char kOther[] = "others";
constexpr size_t kMostBytes = 4000;

std::string_view NameOf(Level level) {
  switch (level) {
    case Level::kInfo:
      return "info";
    case Level::kWarning:
      return "warning";
    case Level::kError:
      return "error";
  }
  return "error";
}

}  // namespace

Log::Log(std::string application_id, base::Clock* clock, std::FILE* out)
    : application_id_(std::move(application_id)), clock_(clock), out_(out) {}

void Log::Say(Level level, std::string_view kind, std::string_view text) {
  absl::MutexLock lock(&mu_);
  const std::string visible = Note(level, text);
  Kind* found = Find(kind);
  if (Allow(found)) {
    Print(level, visible);
    return;
  }
  if (found->left_out++ == 0) found->since_ms = clock_->MonotonicMs();
}

void Log::SayState(Level level, std::string_view text) {
  absl::MutexLock lock(&mu_);
  Print(level, Note(level, text));
}

void Log::Tick() {
  absl::MutexLock lock(&mu_);
  SayLeftOut(kLeftOutMs);
}

void Log::Finish() {
  absl::MutexLock lock(&mu_);
  SayLeftOut(0);
}

Faults Log::faults() const {
  absl::MutexLock lock(&mu_);
  return faults_;
}

// A leaky bucket that holds kBurst and loses one each period.
bool Log::Allow(Kind* kind) {
  const int64_t now = clock_->MonotonicMs();
  const int64_t next = std::max(kind->next_ms, now);
  if (next - now > (kBurst - 1) * kPeriodMs) return false;
  kind->next_ms = next + kPeriodMs;
  return true;
}

Log::Kind* Log::Find(std::string_view name) {
  auto found = kinds_.find(name);
  if (found != kinds_.end()) return &found->second;
  return &kinds_[kinds_.size() < kMostKinds ? std::string(name) : kOther];
}

std::string Log::Note(Level level, std::string_view text) {
  std::string visible = diag::Visible(text, kMostBytes);
  if (level == Level::kInfo) return visible;
  ++faults_.count;
  faults_.last_ms = clock_->NowMs();
  faults_.last = visible;
  return visible;
}

void Log::SayLeftOut(int64_t after_ms) {
  const int64_t now = clock_->MonotonicMs();
  for (auto& [name, kind] : kinds_) {
    if (kind.left_out == 0 || now - kind.since_ms < after_ms) continue;
    Print(Level::kWarning, absl::StrCat(kind.left_out, " lines like those of \"", diag::Visible(name, kMostBytes),
                                        "\" were left out in ", (now - kind.since_ms) / 1000, " s"));
    kind.left_out = 0;
  }
}

// A reader that went away is no reason to stop.
void Log::Print(Level level, std::string_view text) {
  const std::string line = absl::StrCat(base::FormatRfc3339(clock_->NowMs()).text, " ", NameOf(level), " ",
                                        application_id_, " ", text, "\n");
  std::fwrite(line.data(), 1, line.size(), out_);
  std::fflush(out_);
}

}  // namespace st::runner
