#include "runner/partitioner.h"

#include <cstring>

namespace st::runner {
namespace {

constexpr uint32_t kSeed = 0x9747b28c;
constexpr uint32_t kMultiplier = 0x5bd1e995;
constexpr int kShift = 24;

constexpr size_t kStickyBytes = size_t{256} << 10;

uint32_t LittleEndian(const unsigned char* bytes) {
  return uint32_t{bytes[0]} | uint32_t{bytes[1]} << 8 | uint32_t{bytes[2]} << 16 | uint32_t{bytes[3]} << 24;
}

}  // namespace

uint32_t Murmur2(std::string_view key) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(key.data());
  uint32_t hash = kSeed ^ static_cast<uint32_t>(key.size());
  size_t rest = key.size();
  for (; rest >= 4; rest -= 4, bytes += 4) {
    uint32_t word = LittleEndian(bytes) * kMultiplier;
    word ^= word >> kShift;
    hash = hash * kMultiplier ^ word * kMultiplier;
  }
  if (rest > 2) hash ^= uint32_t{bytes[2]} << 16;
  if (rest > 1) hash ^= uint32_t{bytes[1]} << 8;
  if (rest > 0) hash = (hash ^ bytes[0]) * kMultiplier;
  hash = (hash ^ hash >> 13) * kMultiplier;
  return hash ^ hash >> 15;
}

Partitioner::Partitioner(int partitions, uint32_t first)
    : partitions_(static_cast<uint32_t>(partitions)), sticky_(first % partitions_), room_(kStickyBytes) {}

int32_t Partitioner::ForKey(std::string_view key) const {
  return static_cast<int32_t>((Murmur2(key) & 0x7fffffff) % partitions_);
}

int32_t Partitioner::WithoutKey(size_t bytes) {
  if (bytes > room_) {
    sticky_ = (sticky_ + 1) % partitions_;
    room_ = kStickyBytes;
  }
  room_ -= bytes < room_ ? bytes : room_;
  return static_cast<int32_t>(sticky_);
}

}  // namespace st::runner
