#include "runner/ledger.h"

#include <algorithm>

namespace st::runner {

void Ledger::Clear() {
  slots_.clear();
  assigned_.clear();
}

void Ledger::Assign(const std::vector<kafka::Position>& committed) {
  Clear();
  for (const kafka::Position& position : committed) {
    const auto index = static_cast<size_t>(position.partition);
    if (slots_.size() <= index) slots_.resize(index + 1);
    slots_[index] = {.assigned = true, .committed = position, .next = position};
    assigned_.push_back(position.partition);
  }
  std::sort(assigned_.begin(), assigned_.end());
}

bool Ledger::Has(int32_t partition) const {
  return partition >= 0 && static_cast<size_t>(partition) < slots_.size() &&
         slots_[static_cast<size_t>(partition)].assigned;
}

bool Ledger::Expects(int32_t partition, int64_t offset) const {
  return Has(partition) && offset >= slots_[static_cast<size_t>(partition)].next.offset;
}

void Ledger::Advance(int32_t partition, int64_t next, int32_t leader_epoch) {
  kafka::Position& position = slots_[static_cast<size_t>(partition)].next;
  position.offset = next;
  position.leader_epoch = leader_epoch;
}

void Ledger::Absorb(const std::vector<kafka::Position>& client) {
  for (const kafka::Position& position : client) {
    if (Expects(position.partition, position.offset)) {
      Advance(position.partition, position.offset, position.leader_epoch);
    }
  }
}

std::vector<kafka::Position> Ledger::Positions() const {
  std::vector<kafka::Position> positions;
  positions.reserve(assigned_.size());
  for (int32_t partition : assigned_) positions.push_back(slots_[static_cast<size_t>(partition)].next);
  return positions;
}

int64_t Ledger::Committed(int32_t partition) const {
  return Has(partition) ? slots_[static_cast<size_t>(partition)].committed.offset : -1;
}

int64_t Ledger::Lag(int32_t partition, int64_t high_watermark) const {
  const int64_t committed = Committed(partition);
  if (committed < 0 || high_watermark < 0) return -1;
  return std::max<int64_t>(high_watermark - committed, 0);
}

bool Ledger::HasUncommitted() const {
  return std::any_of(slots_.begin(), slots_.end(),
                     [](const Slot& slot) { return slot.next.offset != slot.committed.offset; });
}

std::vector<kafka::Position> Ledger::Uncommitted() const {
  std::vector<kafka::Position> moved;
  for (const kafka::Position& position : Positions()) {
    if (position.offset != Committed(position.partition)) moved.push_back(position);
  }
  return moved;
}

void Ledger::MarkCommitted() {
  for (Slot& slot : slots_) slot.committed = slot.next;
}

void Ledger::DropUncommitted() {
  for (Slot& slot : slots_) slot.next = slot.committed;
}

}  // namespace st::runner
