// Episodes of which the fault is in the topics: a record, what retention took, a topic that is another one.
#include <algorithm>
#include <csignal>
#include <iterator>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/torture/runner_episode.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::e2e {
namespace {

constexpr int kSomeRecords = 3000;

struct BadValue {
  const char* value;
  v1::FaultKind fault;
};

constexpr BadValue kBadValues[] = {{"", v1::EMPTY_VALUE},
                                   {"[1]", v1::NOT_AN_OBJECT},
                                   {R"({"k":"x","n":1)", v1::SYNTAX},
                                   {"{\"k\":\"\xff\",\"n\":1}", v1::INVALID_UTF8},
                                   {R"({"k":"\ud800","n":1})", v1::UNPAIRED_SURROGATE},
                                   {R"({"k":"x","n":1}{})", v1::TRAILING_DATA},
                                   {R"({"k":"x","n":1,"n":1})", v1::DUPLICATE_MEMBER},
                                   {R"({"k":"x","n":1,"m":1})", v1::UNKNOWN_MEMBER},
                                   {R"({"k":"x"})", v1::MISSING_MEMBER},
                                   {R"({"k":1,"n":1})", v1::WRONG_TYPE},
                                   {R"({"k":"x","n":1.0})", v1::NOT_AN_INTEGER},
                                   {R"({"k":"x","n":9223372036854775808})", v1::INTEGER_OUT_OF_RANGE},
                                   {R"({"k":null,"n":1})", v1::NULL_IN_REQUIRED}};

// A batch of one record with a key of two bytes and no headers: 61 bytes of its own, and 13 around key and value while
// they have 8 KB to 1 MB (kafka.apache.org/documentation, "Message Format").
constexpr size_t kAroundValue = 74;
constexpr size_t kBrokersMostBytes = 1048588;  // max.message.bytes, if nobody says otherwise

// So long as wanted: {"k":"<partition>-<number>xxx","n":<n>}
std::string LargeValue(int partition, int n, size_t size) {
  const std::string begin = absl::StrCat("{\"k\":\"", partition, "-0");
  const std::string end = absl::StrCat("\",\"n\":", n, "}");
  return absl::StrCat(begin, std::string(size - begin.size() - end.size(), 'x'), end);
}

// By what its output has more than it: the member's other name.
constexpr size_t kGrowth = std::string_view("number").size() - 1;

std::vector<Record> Without(const std::vector<Record>& records, int32_t partition, int64_t from, int64_t to) {
  std::vector<Record> rest;
  std::copy_if(records.begin(), records.end(), std::back_inserter(rest), [&](const Record& record) {
    return record.partition != partition || record.offset < from || record.offset >= to;
  });
  return rest;
}

// Where one of `count` records is worth being: batches have 1,000.
int DrawPlace(int count, std::mt19937_64* random) {
  const int places[] = {0, 1, count / 2, 998, 999, 1000, 1001, 1999, 2000, count - 1, count - 1};
  const size_t drawn = std::uniform_int_distribution<size_t>(0, std::size(places) - 1)(*random);
  return std::min(places[drawn], count - 1);
}

// The record of `input` with this value.
Record Find(const std::vector<Record>& input, const std::string& value) {
  return *std::find_if(input.begin(), input.end(), [&](const Record& record) { return record.value == value; });
}

std::vector<int64_t> Only(int partitions, int32_t partition, int64_t offset) {
  std::vector<int64_t> offsets(static_cast<size_t>(partitions), -1);
  offsets.at(static_cast<size_t>(partition)) = offset;
  return offsets;
}

}  // namespace

void RunnerEpisode::Poison() {
  constexpr int kWholeMs = 10'000;  // one transaction holds all
  Subject::Shape shape = DrawShape();
  if (Toss()) shape.in = 1;
  if (Toss()) shape.commit_interval_ms = kWholeMs;
  const BadValue& bad = kBadValues[Draw(std::size(kBadValues))];
  subject_ = std::make_unique<Subject>(brokers_.steady(), name_, shape);
  std::vector<Record> records = subject_->FedRecords(1 + Draw(kSomeRecords));
  const int place = DrawPlace(static_cast<int>(records.size()), &random_);
  records[static_cast<size_t>(place)].value = bad.value;
  Log(absl::StrCat(v1::FaultKind_Name(bad.fault), " as record ", place, " of ", records.size(), " in ", shape.in,
                   " partitions, a commit each ", shape.commit_interval_ms, " ms"));
  const bool running = Toss();
  if (running) Start();
  subject_->Produce(records);
  const std::vector<Record> input = subject_->Input();
  const Record poison = Find(input, bad.value);
  const std::vector<Record> rest = Without(input, poison.partition, poison.offset, poison.offset + 1);
  for (int round = Draw(2); round >= 0 && Good(); --round) {
    if (runner_ == nullptr || !running) Start();
    ExpectStop(Status::POISON_RECORD, poison, rest);
    if (Good() && runner_->Status().stop().fault() != bad.fault) Violation("another fault is named");
    runner_.reset();
  }
  if (!Good()) return;
  // Whoever may lose it goes past it.
  subject_->MoveOffsets(Only(shape.in, poison.partition, poison.offset + 1));
  FinishWith(rest, Ends(input, shape.in));
}

void RunnerEpisode::TooLarge() {
  constexpr size_t kLeast = 10'000;
  constexpr int kMore = 40'000;
  Subject::Shape shape = DrawShape();
  const bool largest = Draw(4) == 0;
  const size_t limit = largest ? kBrokersMostBytes + kGrowth : kLeast + static_cast<size_t>(Draw(kMore));
  shape.out_configs = {{"max.message.bytes", absl::StrCat(limit)}};
  // One byte too much for the output, or none; or dropped by the filter, whatever its size.
  const int excess = largest ? 0 : Draw(2);
  const bool dropped = !largest && Draw(4) == 0;
  const size_t size = limit - kAroundValue - kGrowth + static_cast<size_t>(excess);
  subject_ = std::make_unique<Subject>(brokers_.steady(), name_, shape);
  std::vector<Record> records = subject_->FedRecords(1 + Draw(kSomeRecords));
  const int place = DrawPlace(static_cast<int>(records.size()), &random_);
  Record& large = records[static_cast<size_t>(place)];
  large.value = LargeValue(large.partition, dropped ? Subject::kBound - 1 : Subject::kBound, size);
  const std::string value = *large.value;
  Log(absl::StrCat(size, " bytes as record ", place, " of ", records.size(), " in ", shape.in, " partitions, ",
                   dropped ? "dropped, " : "", excess, " too many for ", limit));
  subject_->Produce(records);
  const std::vector<Record> input = subject_->Input();
  if (excess == 0 || dropped) return FinishWith(input, Ends(input, shape.in));
  const Record refused = Find(input, value);
  const std::vector<Record> rest = Without(input, refused.partition, refused.offset, refused.offset + 1);
  Start();
  ExpectStop(Status::OUTPUT_REFUSED, refused, rest);
  runner_.reset();
  if (!Good()) return;
  subject_->MoveOffsets(Only(shape.in, refused.partition, refused.offset + 1));
  FinishWith(rest, Ends(input, shape.in));
}

void RunnerEpisode::Retain() {
  constexpr int kMostMs = 300;
  constexpr int kBehind = 200;
  Begin(brokers_.steady(), kSomeRecords);
  if (!StartUnderLoad()) return;
  SleepUpTo(kMostMs);
  // Stopped, it is behind when it goes on; killed, when it is started again.
  const bool killed = Toss();
  Log(killed ? "killed" : "stopped");
  runner_->Signal(killed ? SIGKILL : SIGSTOP);
  if (killed) {
    AwaitEnd(runner_.get(), 10'000);
    runner_.reset();
  }
  subject_->EndFeeding();
  // A fetch that is under way is answered by the first record; what comes then is not read.
  for (int round = 0; round < 2; ++round) subject_->Produce(subject_->FedRecords(kBehind));
  const std::vector<Record> input = subject_->Input();
  const std::vector<int64_t> ends = Ends(input, subject_->in());
  const int32_t partition = static_cast<int32_t>(Draw(subject_->in()));
  const int64_t kept = ends[static_cast<size_t>(partition)] - Draw(2);
  subject_->cluster().DeleteRecords(subject_->input(), partition, kept);
  if (killed) {
    Start();
  } else {
    runner_->Signal(SIGCONT);
  }
  ExpectEnd(runner_.get(), {Status::OFFSET_MISSING});
  if (!Good()) return;
  const std::vector<int64_t> committed = CommittedByStatus();
  const int64_t stood = committed[static_cast<size_t>(partition)];
  if (stood >= kept) return Violation(absl::StrCat("it went past what was gone, to ", stood));
  if (!subject_->AwaitCommitted(committed)) return Violation("the broker has other offsets than the status");
  if (std::string difference = subject_->Difference(input, committed); !difference.empty()) {
    return Violation(difference);
  }
  runner_.reset();
  // Whoever knows that it is lost chooses what is left.
  subject_->MoveOffsets(Only(subject_->in(), partition, kept));
  FinishWith(Without(input, partition, stood, kept), ends);
}

void RunnerEpisode::MakeAgain() {
  constexpr int kMostMs = 500;
  constexpr size_t kFew = 5;
  constexpr int64_t kNeverFed = 1'000'000'000;
  Begin(brokers_.steady(), kSomeRecords);
  if (!StartUnderLoad()) return;
  SleepUpTo(kMostMs);
  subject_->EndFeeding();
  const std::vector<Record> input = subject_->Input();
  const bool output = Toss();
  Log(output ? "the output" : "the input");
  const std::string& topic = output ? subject_->output() : subject_->input();
  subject_->cluster().DeleteTopic(topic);
  subject_->cluster().CreateTopic(topic, output ? 1 : subject_->in());
  // With other partitions as it were none of theirs; of the input, fewer records than the old one had, and each would
  // come out.
  std::vector<Record> others;
  for (int64_t number = kNeverFed; others.size() < kFew; ++number) {
    if (number / subject_->in() % kFedValues >= Subject::kBound) others.push_back(FedRecord(number, subject_->in()));
  }
  if (!output) subject_->Produce(others);
  ExpectEnd(runner_.get(), {Status::IDENTITY_MISMATCH});
  if (!Good() || output) return;
  // Nothing came out that the old topic did not have.
  if (std::string difference = subject_->DifferenceFromBeginning(input); !difference.empty()) Violation(difference);
  records_ = static_cast<int64_t>(input.size());
}

}  // namespace st::e2e
