#include "lib/state/conformance.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "lib/base/digest.h"

namespace st::state {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(StoreConformance);

constexpr char kAddress[] = "shop/dev";
constexpr char kOther[] = "shop/prod";

std::string StoreKindName(const testing::TestParamInfo<StoreKind>& info) { return info.param.name; }

void StoreConformance::SetUp() { bench_ = GetParam().make(); }

std::unique_ptr<StateStore> StoreConformance::Store() {
  absl::StatusOr<std::unique_ptr<StateStore>> store = bench_->Open();
  EXPECT_THAT(store, IsOk());
  return store.ok() ? *std::move(store) : nullptr;
}

absl::StatusOr<uint64_t> RunOperation(StateStore* store, const std::string& address, const std::string& operation_id,
                                      const std::string& ownership) {
  absl::StatusOr<std::unique_ptr<Lease>> lease = store->Acquire(address);
  if (!lease.ok()) return lease.status();
  absl::StatusOr<Snapshot> before = store->Read(address);
  if (!before.ok()) return before.status();
  absl::StatusOr<uint64_t> revision = store->Begin(**lease, before->revision, operation_id, "intent " + operation_id);
  if (!revision.ok()) return revision;
  revision = store->Append(**lease, *revision, {Frame::Kind::kCheckpoint, "checkpoint " + operation_id});
  if (!revision.ok()) return revision;
  return store->Complete(**lease, *revision, ownership, "receipt " + operation_id);
}

namespace {

std::string Summary(const Snapshot& snapshot) {
  std::string text = absl::StrCat("revision ", snapshot.revision, " serial ", snapshot.serial, " ownership '",
                                  snapshot.ownership, "' open '", snapshot.operation_id, "' intent '", snapshot.intent,
                                  "' last '", snapshot.last_operation_id, "' receipt '", snapshot.last_receipt, "'");
  for (const Frame& frame : snapshot.frames) {
    absl::StrAppend(&text, frame.kind == Frame::Kind::kCheckpoint ? " C:" : " A:", frame.payload);
  }
  return text;
}

std::string SummaryOf(StateStore* store, const std::string& address) {
  absl::StatusOr<Snapshot> snapshot = store->Read(address);
  return snapshot.ok() ? Summary(*snapshot) : snapshot.status().ToString();
}

constexpr char kNothing[] = "revision 0 serial 0 ownership '' open '' intent '' last '' receipt ''";

}  // namespace

TEST_P(StoreConformance, AMissingStoreReadsAsEmptyAndIsNotMade) {
  absl::StatusOr<std::unique_ptr<StateStore>> reader = bench_->OpenReadOnly();
  ASSERT_THAT(reader, IsOk());
  absl::StatusOr<Snapshot> snapshot = (*reader)->Read(kAddress);
  ASSERT_THAT(snapshot, IsOk());
  EXPECT_EQ(snapshot->store_id, "");
  EXPECT_EQ(Summary(*snapshot), kNothing);
  EXPECT_THAT((*reader)->History(kAddress), IsOkAndHolds(testing::IsEmpty()));
  EXPECT_FALSE(bench_->Exists());

  // The same handle sees it once it is there, at the location that it said before.
  std::unique_ptr<StateStore> writer = Store();
  ASSERT_THAT(RunOperation(writer.get(), kOther, "op-1", "owned"), IsOk());
  absl::StatusOr<Snapshot> after = (*reader)->Read(kAddress);
  ASSERT_THAT(after, IsOk());
  EXPECT_NE(after->store_id, "");
  EXPECT_EQ(after->location, snapshot->location);
  EXPECT_EQ(Summary(*after), kNothing);
}

TEST_P(StoreConformance, AReaderCannotTakeTheLock) {
  ASSERT_NE(Store(), nullptr);
  absl::StatusOr<std::unique_ptr<StateStore>> reader = bench_->OpenReadOnly();
  ASSERT_THAT(reader, IsOk());
  EXPECT_THAT((*reader)->Acquire(kAddress), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_P(StoreConformance, AStoreKeepsItsId) {
  const std::string id = Store()->Read(kAddress)->store_id;
  EXPECT_NE(id, "");
  EXPECT_EQ(Store()->Read(kAddress)->store_id, id);
  EXPECT_EQ((*bench_->OpenReadOnly())->Read(kOther)->store_id, id);
  bench_ = GetParam().make();
  EXPECT_NE(Store()->Read(kAddress)->store_id, id);
}

TEST_P(StoreConformance, AWholeOperation) {
  std::unique_ptr<StateStore> store = Store();
  std::unique_ptr<StateStore> reader = *bench_->OpenReadOnly();
  std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
  EXPECT_EQ(lease->address(), kAddress);
  EXPECT_EQ(SummaryOf(reader.get(), kAddress), kNothing);

  ASSERT_THAT(store->Begin(*lease, 0, "op-1", "do it"), IsOkAndHolds(1));
  EXPECT_EQ(SummaryOf(reader.get(), kAddress),
            "revision 1 serial 0 ownership '' open 'op-1' intent 'do it' last '' receipt ''");
  ASSERT_THAT(store->Append(*lease, 1, {Frame::Kind::kCheckpoint, "a"}), IsOkAndHolds(2));
  ASSERT_THAT(store->Append(*lease, 2, {Frame::Kind::kAuthorization, "b"}), IsOkAndHolds(3));
  ASSERT_THAT(store->Append(*lease, 3, {Frame::Kind::kCheckpoint, "c"}), IsOkAndHolds(4));
  EXPECT_EQ(SummaryOf(reader.get(), kAddress),
            "revision 4 serial 0 ownership '' open 'op-1' intent 'do it' last '' receipt '' C:a A:b C:c");
  ASSERT_THAT(store->Complete(*lease, 4, "topics", "done"), IsOkAndHolds(5));
  EXPECT_EQ(SummaryOf(reader.get(), kAddress),
            "revision 5 serial 1 ownership 'topics' open '' intent '' last 'op-1' receipt 'done'");

  ASSERT_THAT(store->Begin(*lease, 5, "op-2", "more"), IsOkAndHolds(6));
  EXPECT_EQ(SummaryOf(reader.get(), kAddress),
            "revision 6 serial 1 ownership 'topics' open 'op-2' intent 'more' last 'op-1' receipt 'done'");
}

TEST_P(StoreConformance, TheSerialGrowsOnlyWhenOwnershipChanges) {
  std::unique_ptr<StateStore> store = Store();
  const std::vector<std::pair<std::string, uint64_t>> steps = {{"", 0}, {"a", 1}, {"a", 1}, {"b", 2}, {"", 3}, {"", 3}};
  int number = 0;
  for (const auto& [ownership, serial] : steps) {
    ASSERT_THAT(RunOperation(store.get(), kAddress, absl::StrCat("op-", ++number), ownership), IsOk());
    absl::StatusOr<Snapshot> snapshot = store->Read(kAddress);
    ASSERT_THAT(snapshot, IsOk());
    EXPECT_EQ(snapshot->serial, serial) << number;
    EXPECT_EQ(snapshot->ownership, ownership) << number;
  }
}

TEST_P(StoreConformance, OneOperationAtATime) {
  std::unique_ptr<StateStore> store = Store();
  std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
  EXPECT_THAT(store->Append(*lease, 0, {Frame::Kind::kCheckpoint, "x"}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(store->Complete(*lease, 0, "x", "x"), StatusIs(absl::StatusCode::kFailedPrecondition));
  ASSERT_THAT(store->Begin(*lease, 0, "op-1", "i"), IsOk());
  EXPECT_THAT(store->Begin(*lease, 1, "op-2", "i"), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("op-1")));
  ASSERT_THAT(store->Complete(*lease, 1, "x", "r"), IsOk());
  EXPECT_THAT(store->Append(*lease, 2, {Frame::Kind::kCheckpoint, "x"}),
              StatusIs(absl::StatusCode::kFailedPrecondition));
  EXPECT_THAT(store->Begin(*lease, 2, "op-1", "i"), StatusIs(absl::StatusCode::kAlreadyExists));
  std::unique_ptr<Lease> other = *store->Acquire(kOther);
  EXPECT_THAT(store->Begin(*other, 0, "op-1", "i"), StatusIs(absl::StatusCode::kAlreadyExists));
  EXPECT_EQ(store->Read(kAddress)->revision, 2);
  EXPECT_EQ(SummaryOf(store.get(), kOther), kNothing);
}

TEST_P(StoreConformance, AStaleRevisionIsRefused) {
  std::unique_ptr<StateStore> store = Store();
  std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
  ASSERT_THAT(store->Begin(*lease, 0, "op-1", "i"), IsOk());
  ASSERT_THAT(store->Append(*lease, 1, {Frame::Kind::kCheckpoint, "a"}), IsOk());
  const std::string before = SummaryOf(store.get(), kAddress);
  for (const uint64_t stale : {0, 1, 3, 100}) {
    EXPECT_THAT(store->Append(*lease, stale, {Frame::Kind::kCheckpoint, "b"}), StatusIs(absl::StatusCode::kAborted));
    EXPECT_THAT(store->Complete(*lease, stale, "o", "r"), StatusIs(absl::StatusCode::kAborted));
    EXPECT_THAT(store->Begin(*lease, stale, "op-2", "i"), StatusIs(absl::StatusCode::kAborted));
  }
  EXPECT_EQ(SummaryOf(store.get(), kAddress), before);
  EXPECT_EQ(store->History(kAddress)->size(), 2);
}

TEST_P(StoreConformance, OneHolderAtATime) {
  std::unique_ptr<StateStore> a = Store();
  std::unique_ptr<StateStore> b = Store();
  std::unique_ptr<Lease> first = *a->Acquire(kAddress);
  EXPECT_THAT(b->Acquire(kAddress), StatusIs(absl::StatusCode::kAborted, HasSubstr(kAddress)));
  EXPECT_THAT(a->Acquire(kAddress), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(b->Acquire(kOther), IsOk());
  EXPECT_THAT(first->Check(), IsOk());
  const uint64_t epoch = first->epoch();
  first.reset();
  absl::StatusOr<std::unique_ptr<Lease>> second = b->Acquire(kAddress);
  ASSERT_THAT(second, IsOk());
  EXPECT_EQ((*second)->epoch(), epoch + 1);
  EXPECT_EQ(b->Read(kAddress)->revision, 0);
}

TEST_P(StoreConformance, WhoLostTheLockWritesNothing) {
  std::unique_ptr<StateStore> a = Store();
  std::unique_ptr<StateStore> b = Store();
  std::unique_ptr<Lease> lost = *a->Acquire(kAddress);
  ASSERT_THAT(a->Begin(*lost, 0, "op-1", "i"), IsOk());
  ASSERT_THAT(bench_->StealLock(kAddress), IsOk());
  EXPECT_THAT(lost->Check(), StatusIs(absl::StatusCode::kAborted));
  absl::StatusOr<std::unique_ptr<Lease>> taken = b->Acquire(kAddress);
  ASSERT_THAT(taken, IsOk());
  EXPECT_THAT((*taken)->Check(), IsOk());
  EXPECT_THAT(lost->Check(), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(a->Append(*lost, 1, {Frame::Kind::kCheckpoint, "late"}), StatusIs(absl::StatusCode::kAborted));
  EXPECT_THAT(a->Complete(*lost, 1, "late", "late"), StatusIs(absl::StatusCode::kAborted));
  EXPECT_EQ(a->History(kAddress)->size(), 1);
  EXPECT_THAT(b->Append(**taken, 1, {Frame::Kind::kCheckpoint, "mine"}), IsOkAndHolds(2));
}

TEST_P(StoreConformance, AddressesDoNotTouchEachOther) {
  std::unique_ptr<StateStore> store = Store();
  std::unique_ptr<Lease> dev = *store->Acquire(kAddress);
  std::unique_ptr<Lease> prod = *store->Acquire(kOther);
  ASSERT_THAT(store->Begin(*dev, 0, "op-1", "i"), IsOk());
  ASSERT_THAT(store->Begin(*prod, 0, "op-2", "i"), IsOk());
  ASSERT_THAT(store->Complete(*prod, 1, "o", "r"), IsOk());
  EXPECT_EQ(SummaryOf(store.get(), kAddress),
            "revision 1 serial 0 ownership '' open 'op-1' intent 'i' last '' receipt ''");
  EXPECT_EQ(store->History(kOther)->size(), 2);
}

TEST_P(StoreConformance, TheLogTellsEverything) {
  std::unique_ptr<StateStore> store = Store();
  ASSERT_THAT(RunOperation(store.get(), kAddress, "op-1", "mine"), IsOk());
  std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
  ASSERT_THAT(store->Begin(*lease, 3, "op-2", "i"), IsOk());
  ASSERT_THAT(store->Append(*lease, 4, {Frame::Kind::kAuthorization, "by me"}), IsOk());
  absl::StatusOr<std::vector<HistoryEntry>> log = store->History(kAddress);
  ASSERT_THAT(log, IsOk());
  std::string text;
  for (const HistoryEntry& entry : *log) {
    absl::StrAppend(&text, entry.sequence, " ", entry.kind, " ", entry.operation_id, " '", entry.payload, "' ",
                    entry.serial, "\n");
    EXPECT_EQ(entry.ownership_sha256, base::Sha256Hex(entry.sequence < 3 ? "" : "mine"));
    EXPECT_EQ(entry.chain.size(), 64);
    EXPECT_GT(entry.at_ms, 1'700'000'000'000);
  }
  EXPECT_EQ(text,
            "1 begin op-1 'intent op-1' 0\n"
            "2 checkpoint op-1 'checkpoint op-1' 0\n"
            "3 complete op-1 'receipt op-1' 1\n"
            "4 begin op-2 'i' 1\n"
            "5 authorization op-2 'by me' 1\n");
}

TEST_P(StoreConformance, AnyBytesComeBack) {
  std::unique_ptr<StateStore> store = Store();
  std::unique_ptr<Lease> lease = *store->Acquire(kAddress);
  std::string all;
  for (int c = 0; c < 256; ++c) all.push_back(static_cast<char>(c));
  const std::string large(size_t{5} << 20, '\xff');
  ASSERT_THAT(store->Begin(*lease, 0, "op-1", all), IsOk());
  ASSERT_THAT(store->Append(*lease, 1, {Frame::Kind::kCheckpoint, ""}), IsOk());
  ASSERT_THAT(store->Append(*lease, 2, {Frame::Kind::kCheckpoint, large}), IsOk());
  absl::StatusOr<Snapshot> open = store->Read(kAddress);
  ASSERT_THAT(open, IsOk());
  EXPECT_EQ(open->intent, all);
  ASSERT_EQ(open->frames.size(), 2);
  EXPECT_EQ(open->frames[0].payload, "");
  EXPECT_TRUE(open->frames[1].payload == large);
  ASSERT_THAT(store->Complete(*lease, 3, large, all), IsOk());
  absl::StatusOr<Snapshot> closed = store->Read(kAddress);
  ASSERT_THAT(closed, IsOk());
  EXPECT_TRUE(closed->ownership == large);
  EXPECT_EQ(closed->last_receipt, all);
}

TEST_P(StoreConformance, AddressesAndIdsHaveLimits) {
  std::unique_ptr<StateStore> store = Store();
  const std::string longest(160, 'x');
  for (const std::string& bad : {std::string(), longest + "x"}) {
    EXPECT_THAT(store->Read(bad), StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(store->Acquire(bad), StatusIs(absl::StatusCode::kInvalidArgument));
    EXPECT_THAT(store->History(bad), StatusIs(absl::StatusCode::kInvalidArgument));
  }
  // Different addresses, different locks, whatever is in them.
  std::vector<std::unique_ptr<Lease>> leases;
  for (const std::string& odd : {longest, std::string("../x"), std::string("a/b"), std::string("a%2Fb"),
                                 std::string("A/b"), std::string("."), std::string("..")}) {
    absl::StatusOr<std::unique_ptr<Lease>> lease = store->Acquire(odd);
    ASSERT_THAT(lease, IsOk()) << odd;
    leases.push_back(*std::move(lease));
  }
  EXPECT_THAT(store->Begin(*leases[0], 0, "", "i"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(store->Begin(*leases[0], 0, longest + "x", "i"), StatusIs(absl::StatusCode::kInvalidArgument));
  EXPECT_THAT(store->Begin(*leases[0], 0, longest, "i"), IsOk());
}

TEST_P(StoreConformance, WhatWasChangedBehindItsBackIsRefused) {
  const std::vector<Tampering> everything = {
      Tampering::kPayloadOfEntry2, Tampering::kOperationOfEntry2, Tampering::kTimeOfEntry2, Tampering::kDropEntry2,
      Tampering::kDropLastEntry,   Tampering::kSwapEntries2And3,  Tampering::kOwnership,    Tampering::kSerial,
      Tampering::kOpenOperation};
  for (const Tampering what : everything) {
    bench_ = GetParam().make();
    {
      std::unique_ptr<StateStore> store = Store();
      ASSERT_THAT(RunOperation(store.get(), kAddress, "op-1", "mine"), IsOk());
      ASSERT_THAT(RunOperation(store.get(), kAddress, "op-2", "ours"), IsOk());
    }
    ASSERT_THAT((*bench_->OpenReadOnly())->History(kAddress), IsOk());
    ASSERT_THAT(bench_->Tamper(kAddress, what), IsOk()) << static_cast<int>(what);
    std::unique_ptr<StateStore> reader = *bench_->OpenReadOnly();
    EXPECT_THAT(reader->History(kAddress), StatusIs(absl::StatusCode::kDataLoss)) << static_cast<int>(what);
    // What a plan rests on is never shown when it does not fit the log.
    const bool in_head = what == Tampering::kDropLastEntry || what == Tampering::kOwnership ||
                         what == Tampering::kSerial || what == Tampering::kOpenOperation;
    if (in_head) {
      EXPECT_THAT(reader->Read(kAddress), StatusIs(absl::StatusCode::kDataLoss)) << static_cast<int>(what);
    }
  }
}

}  // namespace st::state
