#include "runner/identity_watch.h"

#include <gtest/gtest.h>

namespace st::runner {
namespace {

TEST(IdentityWatch, DoubtIsWhatWasCommittedSinceTheLastGoodLook) {
  EXPECT_EQ(DescribeDoubt({}, {{.partition = 0, .offset = 5}}), "");
  EXPECT_EQ(DescribeDoubt({{.partition = 0, .offset = 5}}, {{.partition = 0, .offset = 5}}), "");
  EXPECT_EQ(DescribeDoubt({{.partition = 1, .offset = 5}, {.partition = 0, .offset = 2}},
                          {{.partition = 0, .offset = 9}, {.partition = 1, .offset = 6}}),
            "partition 0 from offset 2 to before 9, partition 1 from offset 5 to before 6");
}

TEST(IdentityWatch, ARefusalIsNoSilence) {
  EXPECT_EQ(DescribeTrouble(absl::DeadlineExceededError("timed out"), "connection refused"),
            "no answer from the broker: connection refused");
  EXPECT_EQ(DescribeTrouble(absl::PermissionDeniedError("topic in could not be described"), "connection refused"),
            "topic in could not be described");
  EXPECT_EQ(DescribeTrouble(absl::UnavailableError("topic \x01 could not be described"), ""),
            "topic \\u{1} could not be described");
}

}  // namespace
}  // namespace st::runner
