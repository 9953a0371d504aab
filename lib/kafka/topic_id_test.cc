#include "lib/kafka/topic_id.h"

#include <gtest/gtest.h>

#include <memory>

namespace st::kafka {
namespace {

std::string Text(int64_t most, int64_t least) {
  rd_kafka_Uuid_t* id = rd_kafka_Uuid_new(most, least);
  std::string text = TopicIdText(id);
  rd_kafka_Uuid_destroy(id);
  return text;
}

TEST(TopicIdText, IsUrlSafeBase64) {
  // 0xfbff... begins with all that differs between the two alphabets.
  EXPECT_EQ(Text(static_cast<int64_t>(0xfbffbffbffbffbff), static_cast<int64_t>(0xbffbffbffbffbffb)),
            "-_-_-_-_-_-_-_-_-_-_-w");
  EXPECT_EQ(Text(0x0001020304050607, 0x08090a0b0c0d0e0f), "AAECAwQFBgcICQoLDA0ODw");
}

TEST(TopicIdText, OfNoTopicIsEmpty) {
  EXPECT_EQ(Text(0, 0), "");
  EXPECT_EQ(TopicIdText(nullptr), "");
}

}  // namespace
}  // namespace st::kafka
