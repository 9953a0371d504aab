#include "lib/kafka/outrun.h"

#include <algorithm>

namespace st::kafka {

bool IsOutrun(const v1::TopicFacts& topic, const v1::GroupOffsets& read) {
  if (read.topic() != topic.name()) return false;
  return std::any_of(read.offsets().begin(), read.offsets().end(), [&](const v1::GroupOffset& offset) {
    const auto& partitions = topic.partitions();
    const auto found = std::lower_bound(partitions.begin(), partitions.end(), offset.partition(),
                                        [](const auto& one, int32_t number) { return one.partition() < number; });
    return found != partitions.end() && found->partition() == offset.partition() &&
           offset.offset() > found->end_offset();
  });
}

}  // namespace st::kafka
