// librdkafka's list of partitions, owned, and between it and our positions. Internal to lib/kafka.
#ifndef ST_LIB_KAFKA_PARTITION_LIST_H_
#define ST_LIB_KAFKA_PARTITION_LIST_H_

#include <librdkafka/rdkafka.h>

#include <memory>
#include <string>
#include <vector>

#include "lib/kafka/consumer.h"

namespace st::kafka {

struct PartitionListDeleter {
  void operator()(rd_kafka_topic_partition_list_t* list) const { rd_kafka_topic_partition_list_destroy(list); }
};
using PartitionList = std::unique_ptr<rd_kafka_topic_partition_list_t, PartitionListDeleter>;

// With offset and leader epoch.
inline PartitionList MakePartitionList(const std::string& topic, const std::vector<Position>& positions) {
  PartitionList list(rd_kafka_topic_partition_list_new(static_cast<int>(positions.size())));
  for (const Position& position : positions) {
    auto* entry = rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), position.partition);
    entry->offset = position.offset;
    rd_kafka_topic_partition_set_leader_epoch(entry, position.leader_epoch);
  }
  return list;
}

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_PARTITION_LIST_H_
