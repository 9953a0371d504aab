#include "lib/kafka/outrun.h"

namespace st::kafka {

bool IsOutrun(const v1::TopicFacts& topic, const v1::GroupFacts& group) {
  for (const v1::GroupOffsets& offsets : group.topics()) {
    if (offsets.topic() != topic.name()) continue;
    for (const v1::GroupOffset& offset : offsets.offsets()) {
      for (const v1::TopicFacts::Partition& partition : topic.partitions()) {
        if (partition.partition() == offset.partition() && offset.offset() > partition.end_offset()) return true;
      }
    }
  }
  return false;
}

}  // namespace st::kafka
