#include "runner/refusal_search.h"

#include "lib/kafka/fault.h"

namespace st::runner {

bool RefusalSearch::Note(const std::vector<kafka::FailedDelivery>& failures) {
  std::vector<const kafka::FailedDelivery*> refused;
  for (const kafka::FailedDelivery& failure : failures) {
    if (kafka::ClassifyDelivery(failure.code) == kafka::DeliveryFault::kRefused) refused.push_back(&failure);
  }
  // One alone: it was its own batch, or the broker has singled it out of one.
  if (refused.size() == 1) return convicts_.try_emplace(refused.front()->mark, refused.front()->code).second;
  bool is_new = false;
  for (const kafka::FailedDelivery* failure : refused) is_new |= suspects_.insert(failure->mark).second;
  return is_new;
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
