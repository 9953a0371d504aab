#include "e2e/torture/oracle.h"

#include <map>
#include <utility>

#include "absl/log/absl_check.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::e2e {
namespace {

std::string Between(const std::string& text, const std::string& before, const std::string& after) {
  const size_t from = text.find(before);
  ABSL_CHECK_NE(from, std::string::npos) << text;
  const size_t begin = from + before.size();
  return text.substr(begin, text.find(after, begin) - begin);
}

int Number(const std::string& text) {
  int number = 0;
  ABSL_CHECK(absl::SimpleAtoi(text, &number)) << text;
  return number;
}

// One operation's part of a log.
class Operation {
 public:
  explicit Operation(Told* told) : told_(told) {}

  void Begin(const state::HistoryEntry& entry, uint64_t serial_before) {
    if (open_) told_->violations.push_back("an operation begins while another is open");
    open_ = intent_.ParseFromString(entry.payload);
    if (!open_) told_->violations.push_back("an intent cannot be read");
    if (intent_.state().serial() != serial_before) {
      told_->violations.push_back(
          absl::StrCat("the intent is of serial ", intent_.state().serial(), ", the log was at ", serial_before));
    }
    closes_.clear();
    done_.clear();
    ++told_->operations;
  }

  void Reach(const state::HistoryEntry& entry) {
    v1::Checkpoint checkpoint;
    if (!open_ || !checkpoint.ParseFromString(entry.payload)) {
      told_->violations.push_back("a checkpoint that cannot be read, or of no operation");
      return;
    }
    const int action = static_cast<int>(checkpoint.action_index());
    if (checkpoint.name() == v1::Checkpoint::ACTION_DONE && ++done_[action] > 1) {
      told_->violations.push_back(absl::StrCat("action ", action, " was done twice"));
    }
    if (checkpoint.name() != v1::Checkpoint::GENERATION_CLOSED || !intent_.actions(action).has_replace_runner()) return;
    // A generation that somebody started again is closed again: the last close counts.
    std::vector<int64_t>& close = closes_[action];
    close.assign(static_cast<size_t>(checkpoint.vector_size()), 0);
    for (const v1::PartitionOffset& offset : checkpoint.vector()) {
      close.at(static_cast<size_t>(offset.partition())) = offset.offset();
    }
  }

  void Complete(const state::HistoryEntry& entry, uint64_t serial_before) {
    v1::Receipt receipt;
    if (!open_ || !receipt.ParseFromString(entry.payload) || receipt.operation_id() != intent_.operation_id()) {
      told_->violations.push_back("a receipt that cannot be read, or of no open operation");
    }
    open_ = false;
    if (receipt.serial_before() != serial_before || receipt.serial_after() != entry.serial ||
        entry.serial - serial_before > 1) {
      told_->violations.push_back(absl::StrCat("the serial goes from ", serial_before, " to ", entry.serial,
                                               ", the receipt says ", receipt.serial_before(), " to ",
                                               receipt.serial_after()));
    }
    if (done_.size() != static_cast<size_t>(intent_.actions_size())) {
      told_->violations.push_back(
          absl::StrCat("completed with ", done_.size(), " of ", intent_.actions_size(), " actions done"));
    }
    for (auto& [action, close] : closes_) told_->closes.push_back(std::move(close));
  }

 private:
  Told* told_;
  bool open_ = false;
  v1::Intent intent_;
  std::map<int, std::vector<int64_t>> closes_;
  std::map<int, int> done_;
};

}  // namespace

std::vector<std::vector<std::string>> Wanted(const std::vector<Record>& input, const std::vector<int64_t>& committed,
                                             const std::vector<Era>& eras) {
  std::vector<std::vector<std::string>> wanted(committed.size());
  for (const Record& record : input) {
    const size_t partition = static_cast<size_t>(record.partition);
    if (record.offset >= committed.at(partition)) continue;
    int at_least = 0;
    for (const Era& era : eras) {
      if (record.offset >= era.from.at(partition)) at_least = era.at_least;
    }
    const std::string n = Between(*record.value, "\"n\":", "}");
    if (Number(n) < at_least) continue;
    wanted[partition].push_back(
        absl::StrCat("{\"k\":\"", Between(*record.value, "\"k\":\"", "\""), "\",\"number\":", n, "}"));
  }
  return wanted;
}

std::vector<std::vector<std::string>> BySource(const std::vector<Record>& output, size_t partitions) {
  std::vector<std::vector<std::string>> found(partitions);
  for (const Record& record : output) {
    found.at(static_cast<size_t>(Number(Between(*record.value, "\"k\":\"", "-")))).push_back(*record.value);
  }
  return found;
}

std::string Difference(const std::vector<std::vector<std::string>>& wanted,
                       const std::vector<std::vector<std::string>>& got) {
  for (size_t partition = 0; partition < wanted.size(); ++partition) {
    const std::vector<std::string>& want = wanted[partition];
    const std::vector<std::string>& have = got.at(partition);
    for (size_t i = 0; i < want.size() || i < have.size(); ++i) {
      const std::string wish = i < want.size() ? want[i] : "nothing";
      const std::string seen = i < have.size() ? have[i] : "nothing";
      if (wish == seen) continue;
      return absl::StrCat("output of input partition ", partition, ", record ", i, ": want ", wish, ", got ", seen,
                          " (", want.size(), " wanted, ", have.size(), " there)");
    }
  }
  return "";
}

Told ReadLog(state::StateStore* store, const std::string& address, uint64_t after) {
  auto log = store->History(address);
  ABSL_CHECK(log.ok()) << log.status();
  Told told;
  Operation operation(&told);
  uint64_t serial = 0;
  for (const state::HistoryEntry& entry : *log) {
    const uint64_t before = std::exchange(serial, entry.serial);
    told.last_entry = entry.sequence;
    if (entry.sequence <= after) continue;
    if (entry.kind != "complete" && entry.serial != before) told.violations.push_back("a serial grew half-way");
    if (entry.kind == "begin") operation.Begin(entry, before);
    if (entry.kind == "checkpoint") operation.Reach(entry);
    if (entry.kind == "complete") operation.Complete(entry, before);
  }
  return told;
}

}  // namespace st::e2e
