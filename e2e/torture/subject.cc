#include "e2e/torture/subject.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/runner/plans.h"
#include "e2e/torture/oracle.h"

namespace st::e2e {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(30);
constexpr absl::Duration kLook = absl::Milliseconds(20);

std::vector<Era> OneEra(size_t partitions) {
  return {{.from = std::vector<int64_t>(partitions, 0), .at_least = Subject::kBound}};
}

size_t Size(const std::vector<std::vector<std::string>>& parts) {
  size_t size = 0;
  for (const auto& part : parts) size += part.size();
  return size;
}

}  // namespace

std::vector<int64_t> Ends(const std::vector<Record>& records, int partitions) {
  std::vector<int64_t> ends(static_cast<size_t>(partitions), 0);
  for (const Record& record : records) {
    int64_t& end = ends.at(static_cast<size_t>(record.partition));
    end = std::max(end, record.offset + 1);
  }
  return ends;
}

Subject::Subject(const std::string& servers, const std::string& name, const Shape& shape)
    : servers_(servers),
      cluster_(servers),
      group_("st.t.dev." + name),
      input_(name + "-in"),
      output_(name + "-out"),
      in_(shape.in),
      out_(shape.out),
      commit_interval_ms_(shape.commit_interval_ms) {
  cluster_.CreateTopic(input_, in_);
  cluster_.CreateTopic(output_, out_, shape.out_configs);
  cluster_.CommitOffsets(group_, input_, std::vector<int64_t>(static_cast<size_t>(in_), 0));
  model_ = Copy();
}

Subject::~Subject() {
  feeder_.reset();
  cluster_.DeleteTopic(input_);
  cluster_.DeleteTopic(output_);
}

std::unique_ptr<Model> Subject::Copy() {
  auto model = std::make_unique<Model>(&cluster_, servers_, AtLeast(input_, output_, kBound), group_, in_);
  model->flags["commit-interval-ms"] = absl::StrCat(commit_interval_ms_);
  return model;
}

void Subject::Produce(const std::vector<Record>& records) {
  cluster_.Produce(input_, records);
  next_ += static_cast<int>(records.size());
}

std::vector<Record> Subject::FedRecords(int count) const {
  std::vector<Record> records;
  records.reserve(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) records.push_back(FedRecord(next_ + i, in_));
  return records;
}

void Subject::Feed(int batch) { feeder_ = std::make_unique<Feeder>(servers_, input_, in_, batch, next_); }

void Subject::EndFeeding() {
  if (feeder_ != nullptr) feeder_->Pause();
  feeder_.reset();
}

void Subject::AddPartitions(int more) {
  in_ += more;
  cluster_.AddPartitions(input_, in_);
  if (feeder_ != nullptr) feeder_->SetPartitions(in_);
}

bool Subject::AwaitCommitted(const std::vector<int64_t>& offsets) {
  const absl::Time deadline = absl::Now() + kPatience;
  while (Committed() != offsets) {
    if (absl::Now() > deadline) return false;
    absl::SleepFor(kLook);
  }
  return true;
}

std::string Subject::Difference(const std::vector<Record>& input, const std::vector<int64_t>& committed) {
  const auto wanted = Wanted(input, committed, OneEra(committed.size()));
  const absl::Time deadline = absl::Now() + kPatience;
  // The end of a transaction shows a moment later in another partition.
  while (true) {
    const std::vector<Record> output = Output();
    std::string difference = e2e::Difference(wanted, BySource(output, wanted.size()));
    if (difference.empty() || output.size() >= Size(wanted) || absl::Now() > deadline) return difference;
    absl::SleepFor(kLook);
  }
}

std::string Subject::DifferenceFromBeginning(const std::vector<Record>& input) {
  auto wanted = Wanted(input, Ends(input, in_), OneEra(static_cast<size_t>(in_)));
  const auto got = BySource(Output(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) wanted[i].resize(std::min(wanted[i].size(), got[i].size()));
  return e2e::Difference(wanted, got);
}

}  // namespace st::e2e
