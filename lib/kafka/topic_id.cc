#include "lib/kafka/topic_id.h"

#include <algorithm>

namespace st::kafka {

std::string TopicIdText(const rd_kafka_Uuid_t* id) {
  if (id == nullptr) return "";
  if (rd_kafka_Uuid_most_significant_bits(id) == 0 && rd_kafka_Uuid_least_significant_bits(id) == 0) return "";
  const char* base64 = rd_kafka_Uuid_base64str(id);
  std::string text(base64 == nullptr ? "" : base64);
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

}  // namespace st::kafka
