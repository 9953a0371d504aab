#include "lib/transition/ending.h"

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace st::transition {
namespace {

struct Case {
  v1::GenerationFacts::State state;
  const char* status;  // null: none
  const char* words;
};

class Ending : public testing::TestWithParam<Case> {};

TEST_P(Ending, IsToldFromTheLastStatus) {
  v1::GenerationFacts generation;
  generation.set_state(GetParam().state);
  if (GetParam().status != nullptr) {
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(GetParam().status, generation.mutable_status()));
  }
  EXPECT_EQ(HowItEnded(generation), GetParam().words);
}

INSTANTIATE_TEST_SUITE_P(
    All, Ending,
    testing::Values(Case{v1::GenerationFacts::CREATED, nullptr, "never started"},
                    Case{v1::GenerationFacts::EXITED, nullptr, "it wrote no status"},
                    Case{v1::GenerationFacts::EXITED, "state: RUNNING", "killed while it ran"},
                    Case{v1::GenerationFacts::EXITED, "state: CLOSED", "CLOSED"},
                    Case{v1::GenerationFacts::EXITED, "state: FAILED reason: FENCED", "FAILED FENCED"},
                    Case{v1::GenerationFacts::EXITED, "state: FAILED reason: POISON_RECORD detail: 'in-0 at 7'",
                         "FAILED POISON_RECORD: in-0 at 7"}));

}  // namespace
}  // namespace st::transition
