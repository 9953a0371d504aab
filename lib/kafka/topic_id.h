// How a topic's id is written everywhere in the product: as the broker prints it.
#ifndef ST_LIB_KAFKA_TOPIC_ID_H_
#define ST_LIB_KAFKA_TOPIC_ID_H_

#include <librdkafka/rdkafka.h>

#include <string>

namespace st::kafka {

// 22 characters of URL-safe base64 (RFC 4648, section 5) without padding, e.g. "g9zyTL4PQWqQ6_kxeyD-Ww".
// rd_kafka_Uuid_base64str of 2.14.2 writes `+` and `/` where Kafka writes `-` and `_`. Empty for the zero id, which
// a broker without topic ids answers.
std::string TopicIdText(const rd_kafka_Uuid_t* id);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_TOPIC_ID_H_
