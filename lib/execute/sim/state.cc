#include "lib/execute/sim/state.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace st::sim {

v1::TopicFacts& State::AddTopic(const std::string& name, int partitions) {
  v1::TopicFacts& topic = topics[name];
  topic.Clear();
  topic.set_name(name);
  topic.set_presence(v1::PRESENT);
  topic.set_topic_id(absl::StrCat("id-", name, "-", ++creates));
  for (int i = 0; i < partitions; ++i) {
    v1::TopicFacts::Partition& partition = *topic.add_partitions();
    partition.set_partition(i);
    partition.set_replicas(1);
  }
  return topic;
}

const v1::TopicFacts* State::TopicOfId(const std::string& id) const {
  for (const auto& [name, topic] : topics) {
    if (topic.topic_id() == id) return &topic;
  }
  return nullptr;
}

int64_t State::ValueAt(const std::string& topic, int32_t partition, int64_t offset) const {
  // SplitMix64, so that neighbours differ and every machine agrees.
  uint64_t x = seed * 1'000'003 + static_cast<uint64_t>(partition) * 7919 + static_cast<uint64_t>(offset);
  for (const char c : topic) x = x * 31 + static_cast<unsigned char>(c);
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return static_cast<int64_t>((x ^ (x >> 31)) % 200);
}

void State::Note(Event event) {
  event.actor = actor;
  events.push_back(std::move(event));
}

void State::Pass(int64_t ms) {
  now_ms += ms;
  auto it = topics.find(fed);
  if (it == topics.end() || feed_left == 0) return;
  --feed_left;
  for (v1::TopicFacts::Partition& partition : *it->second.mutable_partitions()) {
    partition.set_end_offset(partition.end_offset() + 1);
  }
}

void State::CarryOutLate() {
  const Late asked = *std::exchange(late, std::nullopt);
  actor = asked.actor;
  asked.call(this);
}

}  // namespace st::sim
