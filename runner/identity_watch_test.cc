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

}  // namespace
}  // namespace st::runner
