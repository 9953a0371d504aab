#include "runner/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace st::runner {
namespace {

using kafka::Position;
using testing::ElementsAre;
using testing::IsEmpty;

MATCHER_P3(At, partition, offset, epoch, "") {
  return arg.partition == partition && arg.offset == offset && arg.leader_epoch == epoch;
}

Ledger Assigned() {
  Ledger ledger;
  ledger.Assign({{.partition = 2, .offset = 20, .leader_epoch = 5}, {.partition = 0, .offset = 10, .leader_epoch = 4}});
  return ledger;
}

TEST(Ledger, ExpectsWhatComesNextOfAssignedPartitions) {
  const Ledger ledger = Assigned();
  EXPECT_TRUE(ledger.Expects(0, 10));
  EXPECT_TRUE(ledger.Expects(0, 11));  // offsets have gaps
  EXPECT_FALSE(ledger.Expects(0, 9));
  EXPECT_FALSE(ledger.Expects(1, 10));
  EXPECT_FALSE(ledger.Expects(3, 10));
  EXPECT_FALSE(ledger.Expects(-1, 10));
}

TEST(Ledger, KnowsWhatIsNotCommitted) {
  Ledger ledger = Assigned();
  EXPECT_FALSE(ledger.HasUncommitted());
  EXPECT_THAT(ledger.Uncommitted(), IsEmpty());
  ledger.Advance(2, 21, 6);
  EXPECT_TRUE(ledger.HasUncommitted());
  EXPECT_THAT(ledger.Uncommitted(), ElementsAre(At(2, 21, 6)));
  EXPECT_FALSE(ledger.Expects(2, 20));
  EXPECT_EQ(ledger.Committed(2), 20);
  ledger.MarkCommitted();
  EXPECT_FALSE(ledger.HasUncommitted());
  EXPECT_EQ(ledger.Committed(2), 21);
  EXPECT_THAT(ledger.Positions(), ElementsAre(At(0, 10, 4), At(2, 21, 6)));
}

TEST(Ledger, LagIsFromWhatIsCommitted) {
  Ledger ledger = Assigned();
  ledger.Advance(2, 25, 6);
  EXPECT_EQ(ledger.Lag(2, 30), 10);
  EXPECT_EQ(ledger.Lag(2, 20), 0);
  // Seen before the commit.
  EXPECT_EQ(ledger.Lag(2, 19), 0);
  EXPECT_EQ(ledger.Lag(2, -1), -1);
  EXPECT_EQ(ledger.Lag(1, 30), -1);
}

TEST(Ledger, AbsorbsTheClientsPositionsForwardOnly) {
  Ledger ledger = Assigned();
  ledger.Advance(0, 15, 4);
  ledger.Absorb({{.partition = 0, .offset = 12, .leader_epoch = 4},    // behind what was processed
                 {.partition = 2, .offset = 25, .leader_epoch = 6},    // control records passed
                 {.partition = 7, .offset = 99, .leader_epoch = 1}});  // not ours
  EXPECT_THAT(ledger.Positions(), ElementsAre(At(0, 15, 4), At(2, 25, 6)));
  ledger.Absorb({{.partition = 0}, {.partition = 2}});  // unknown
  EXPECT_THAT(ledger.Positions(), ElementsAre(At(0, 15, 4), At(2, 25, 6)));
}

TEST(Ledger, DropsWhatWasNotCommittedWithItsEpoch) {
  Ledger ledger = Assigned();
  ledger.Advance(0, 15, 9);
  ledger.DropUncommitted();
  EXPECT_THAT(ledger.Positions(), ElementsAre(At(0, 10, 4), At(2, 20, 5)));
}

TEST(Ledger, AnAssignmentReplacesTheOneBefore) {
  Ledger ledger = Assigned();
  ledger.Advance(0, 15, 4);
  ledger.Assign({{.partition = 1, .offset = 3, .leader_epoch = 0}});
  EXPECT_THAT(ledger.assigned(), ElementsAre(1));
  EXPECT_FALSE(ledger.Expects(0, 15));
  EXPECT_FALSE(ledger.HasUncommitted());
  EXPECT_EQ(ledger.Committed(0), -1);
  ledger.Clear();
  EXPECT_TRUE(ledger.empty());
  EXPECT_FALSE(ledger.Expects(1, 3));
}

}  // namespace
}  // namespace st::runner
