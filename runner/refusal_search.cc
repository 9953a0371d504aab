#include "runner/refusal_search.h"

#include <algorithm>

#include "lib/kafka/fault.h"

namespace st::runner {
namespace {

// A round costs an abort and so many batches, each waited for: a few rounds for the largest batch.
constexpr size_t kGroups = 64;

}  // namespace

bool RefusalSearch::Note(const std::vector<kafka::FailedDelivery>& failures) {
  std::vector<const kafka::FailedDelivery*> refused;
  for (const kafka::FailedDelivery& failure : failures) {
    if (kafka::ClassifyDelivery(failure.code) == kafka::DeliveryFault::kRefused) refused.push_back(&failure);
  }
  if (refused.empty()) return false;
  // One alone: it was its own batch, or the broker has singled it out of one.
  if (refused.size() == 1) return convicts_.try_emplace(refused.front()->mark, refused.front()->code).second;
  const bool narrower = refused.size() < suspects_.size() &&
                        std::all_of(refused.begin(), refused.end(), [this](const kafka::FailedDelivery* failure) {
                          return suspects_.contains(failure->mark);
                        });
  if (narrower) suspects_.clear();
  bool is_new = false;
  for (const kafka::FailedDelivery* failure : refused) is_new |= suspects_.insert(failure->mark).second;
  return is_new;
}

size_t RefusalSearch::GroupSize() const { return suspects_.size() / kGroups + 1; }

void RefusalSearch::Committed(const std::vector<kafka::Position>& positions) {
  if (suspects_.empty()) return;
  for (const kafka::Position& position : positions) {
    absl::erase_if(suspects_, [&](uint64_t mark) {
      return PartitionOf(mark) == position.partition && OffsetOf(mark) < position.offset;
    });
  }
}

void RefusalSearch::Convict(int32_t partition, int64_t offset, rd_kafka_resp_err_t code) {
  convicts_.try_emplace(MarkOf(partition, offset), code);
}

std::optional<rd_kafka_resp_err_t> RefusalSearch::Convicted(int32_t partition, int64_t offset) const {
  auto convict = convicts_.find(MarkOf(partition, offset));
  if (convict == convicts_.end()) return std::nullopt;
  return convict->second;
}

}  // namespace st::runner
