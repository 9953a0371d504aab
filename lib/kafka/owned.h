// Ownership of the client library's objects. Used by lib/kafka only.
#ifndef ST_LIB_KAFKA_OWNED_H_
#define ST_LIB_KAFKA_OWNED_H_

#include <librdkafka/rdkafka.h>

#include <memory>
#include <string_view>
#include <vector>

namespace st::kafka {

template <auto kDestroy>
struct Deleter {
  template <typename T>
  void operator()(T* object) const {
    kDestroy(object);
  }
};

template <typename T, auto kDestroy>
using Owned = std::unique_ptr<T, Deleter<kDestroy>>;

using Event = Owned<rd_kafka_event_t, rd_kafka_event_destroy>;
using PartitionList = Owned<rd_kafka_topic_partition_list_t, rd_kafka_topic_partition_list_destroy>;
using ConfigResource = Owned<rd_kafka_ConfigResource_t, rd_kafka_ConfigResource_destroy>;
using NewTopic = Owned<rd_kafka_NewTopic_t, rd_kafka_NewTopic_destroy>;
using Error = Owned<rd_kafka_error_t, rd_kafka_error_destroy>;

// The array that the library wants to be given; valid while `owners` lives and does not change.
template <typename T, typename D>
std::vector<T*> Pointers(const std::vector<std::unique_ptr<T, D>>& owners) {
  std::vector<T*> pointers;
  pointers.reserve(owners.size());
  for (const auto& owner : owners) pointers.push_back(owner.get());
  return pointers;
}

// The library's texts may be null.
inline std::string_view Text(const char* text) { return text == nullptr ? std::string_view() : std::string_view(text); }

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_OWNED_H_
