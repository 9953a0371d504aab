#include "lib/kafka/outrun.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <string>

namespace st::kafka {
namespace {

template <typename Message>
Message Parse(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

TEST(OutrunTest, WhatIsCommittedBehindTheEndThatWasSeen) {
  const auto topic = Parse<v1::TopicFacts>(
      "name: 'in' partitions { partition: 0 end_offset: 5 } partitions { partition: 1 end_offset: 9 }");
  const struct {
    const char* read;
    bool outrun;
  } cases[] = {
      {"", false},
      {"topic: 'in' offsets { partition: 0 offset: 5 } offsets { partition: 1 offset: 9 }", false},
      {"topic: 'in' offsets { partition: 0 offset: 5 } offsets { partition: 1 offset: 10 }", true},
      {"topic: 'in' offsets { partition: 0 offset: 6 }", true},
      {"topic: 'other' offsets { partition: 0 offset: 6 }", false},
      {"topic: 'in' offsets { partition: 0 offset: -1 } offsets { partition: 7 offset: 10 }", false},
  };
  for (const auto& [read, outrun] : cases) EXPECT_EQ(IsOutrun(topic, Parse<v1::GroupOffsets>(read)), outrun) << read;
}

}  // namespace
}  // namespace st::kafka
