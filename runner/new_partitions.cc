#include "runner/new_partitions.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"

namespace st::runner {
namespace {

constexpr size_t kMaxStatusBytes = 16 << 20;

Failure Missing(const Expected& expected, const std::vector<int32_t>& partitions, std::string_view why) {
  return {.reason = v1::RunnerStatus::OFFSET_MISSING,
          .detail = absl::StrCat("no offset is committed for partition ", absl::StrJoin(partitions, ", "), " of ",
                                 expected.input_topic, why, ", and the runner never chooses one")};
}

}  // namespace

NamedBefore ReadNamedBefore(const std::string& status_path, const std::string& input_topic_id) {
  absl::StatusOr<std::string> text = fs::ReadFile(status_path, kMaxStatusBytes);
  if (absl::IsNotFound(text.status())) return {};
  v1::RunnerStatus status;
  diag::Diagnostics diagnostics;
  if (!text.ok() || !docio::Read(*text, status_path, docio::Trailer::kOptional, &status, &diagnostics)) {
    return {.below = std::numeric_limits<int32_t>::max()};
  }
  if (status.input_topic_id() != input_topic_id) return {};
  NamedBefore before;
  KeepNamed(status.partitions(), &before.partitions);
  for (const auto& partition : before.partitions) before.below = std::max(before.below, partition.partition() + 1);
  return before;
}

void KeepNamed(const NamedPartitions& before, NamedPartitions* now) {
  const int known = now->size();
  for (const v1::RunnerStatus::Partition& partition : before) {
    const bool is_there = std::any_of(now->begin(), now->begin() + known, [&](const v1::RunnerStatus::Partition& one) {
      return one.partition() == partition.partition();
    });
    if (is_there) continue;
    v1::RunnerStatus::Partition& kept = *now->Add();
    kept.set_partition(partition.partition());
    kept.set_committed(partition.committed());
    kept.set_position(partition.committed());
    kept.set_last_stable_offset(-1);
    kept.set_high_watermark(-1);
    kept.set_lag_records(-1);
  }
  std::sort(now->begin(), now->end(), [](const v1::RunnerStatus::Partition& a, const v1::RunnerStatus::Partition& b) {
    return a.partition() < b.partition();
  });
}

MaybeFailure FindFresh(const Expected& expected, int32_t named, const std::vector<kafka::Position>& committed,
                       std::vector<int32_t>* fresh) {
  fresh->clear();
  std::vector<int32_t> missing;
  std::vector<int32_t> read_before;
  for (const kafka::Position& position : committed) {
    if (position.offset >= 0) continue;
    if (position.partition < expected.initialized_partitions) {
      missing.push_back(position.partition);
    } else if (position.partition < named) {
      read_before.push_back(position.partition);
    } else {
      fresh->push_back(position.partition);
    }
  }
  // Were one below it not settled, a new partition could be an old one whose offsets expired with the others'.
  if (!missing.empty()) return Missing(expected, missing, "");
  if (!read_before.empty()) return Missing(expected, read_before, ", which was read before");
  return std::nullopt;
}

MaybeFailure CheckBegins(const Expected& expected, const std::vector<kafka::Position>& begins) {
  std::vector<int32_t> cut;
  for (const kafka::Position& begin : begins) {
    if (begin.offset != 0) cut.push_back(begin.partition);
  }
  if (cut.empty()) return std::nullopt;
  return Missing(expected, cut, ", whose first records are gone");
}

MaybeFailure AskPositions(kafka::Consumer* consumer, const Expected& expected, int32_t named,
                          const std::vector<int32_t>& partitions, int answer_ms,
                          std::vector<kafka::Position>* committed) {
  if (partitions.empty()) {
    committed->clear();
    return std::nullopt;
  }
  std::vector<int32_t> all(static_cast<size_t>(*std::max_element(partitions.begin(), partitions.end())) + 1);
  std::iota(all.begin(), all.end(), 0);
  auto found = consumer->Committed(all, answer_ms);
  if (!found.ok()) return FailureOf(found.status());
  std::vector<int32_t> fresh;
  if (auto failure = FindFresh(expected, named, *found, &fresh)) return failure;
  if (!fresh.empty()) {
    auto begins = consumer->Begins(fresh, answer_ms);
    if (!begins.ok()) return FailureOf(begins.status());
    if (auto failure = CheckBegins(expected, *begins)) return failure;
  }
  committed->clear();
  for (int32_t partition : partitions) committed->push_back((*found)[static_cast<size_t>(partition)]);
  return std::nullopt;
}

}  // namespace st::runner
