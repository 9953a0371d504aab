#include "runner/commit_times.h"

#include <algorithm>
#include <numeric>

namespace st::runner {

void CommitTimes::Add(int64_t now_ms, int64_t took_us) {
  ++count_;
  sum_us_ += took_us;
  last_us_ = took_us;
  const auto bound = std::lower_bound(kBoundsUs.begin(), kBoundsUs.end(), took_us);
  ++buckets_[static_cast<size_t>(bound - kBoundsUs.begin())];
  const int64_t number = now_ms / kSlotMs;
  Slot& slot = slots_[static_cast<size_t>(number) % slots_.size()];
  if (slot.number != number) slot = {.number = number};
  slot.most_us = std::max(slot.most_us, took_us);
}

int64_t CommitTimes::MostUs(int64_t now_ms) const {
  const int64_t now = now_ms / kSlotMs;
  int64_t most = -1;
  for (const Slot& slot : slots_) {
    if (slot.number >= 0 && now - slot.number < static_cast<int64_t>(slots_.size()))
      most = std::max(most, slot.most_us);
  }
  return most;
}

int64_t CommitTimes::Within(size_t i) const {
  return std::accumulate(buckets_.begin(), buckets_.begin() + static_cast<std::ptrdiff_t>(i) + 1, int64_t{0});
}

}  // namespace st::runner
