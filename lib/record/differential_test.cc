// The fast executor against the plain reference on values that nobody wrote: valid ones, broken ones, and every place
// around the borders of what is read at once.
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gtest/gtest.h"
#include "lib/record/random_record.h"
#include "lib/record/test_plans.h"

namespace st::record {
namespace {

std::vector<v1::RecordPlan> Plans() {
  v1::RecordPlan ignoring = OrdersPlan();
  ignoring.set_extra_members(v1::ignore);
  v1::RecordPlan unfiltered = OrdersPlan();
  unfiltered.clear_predicates();
  return {OrdersPlan(), ignoring, unfiltered, AnyPlan(), WidePlan(40), WidePlan(100)};
}

struct Counts {
  int pass = 0;
  int filtered = 0;
  int poison = 0;
};

void Check(Both* both, std::string_view value, Counts* counts) {
  ASSERT_TRUE(both->Agree(value));
  switch (both->Fast(value).outcome) {
    case Outcome::kPass:
      ++counts->pass;
      break;
    case Outcome::kFiltered:
      ++counts->filtered;
      break;
    case Outcome::kPoison:
      ++counts->poison;
      break;
  }
}

TEST(DifferentialTest, RandomRecords) {
  RandomRecord random(20261129);
  Counts counts;
  for (const v1::RecordPlan& plan : Plans()) {
    Both both(plan);
    for (int i = 0; i < 500; ++i) ASSERT_NO_FATAL_FAILURE(Check(&both, random.Make(plan), &counts));
  }
  EXPECT_GT(counts.pass, 800);
  EXPECT_GT(counts.filtered, 300);
}

TEST(DifferentialTest, BrokenRecords) {
  RandomRecord random(42);
  Counts counts;
  for (const v1::RecordPlan& plan : Plans()) {
    Both both(plan);
    for (int i = 0; i < 300; ++i) {
      const std::string whole = random.Make(plan);
      for (int j = 0; j < 5; ++j) ASSERT_NO_FATAL_FAILURE(Check(&both, random.Break(whole), &counts));
    }
  }
  EXPECT_GT(counts.pass, 100);
  EXPECT_GT(counts.poison, 5000);
}

TEST(DifferentialTest, CutAnywhere) {
  RandomRecord random(7);
  Counts counts;
  for (const v1::RecordPlan& plan : Plans()) {
    Both both(plan);
    const std::string whole = random.Make(plan);
    for (size_t size = 0; size <= whole.size(); ++size) {
      ASSERT_NO_FATAL_FAILURE(Check(&both, std::string_view(whole).substr(0, size), &counts));
    }
  }
  EXPECT_GT(counts.poison, 1000);
}

// What is put into a string so that it starts at any byte up to two blocks: the borders of 16, 32 and 64 bytes and all
// between.
TEST(DifferentialTest, OddBytesAtEveryPlace) {
  const std::vector<std::string> pieces = {"\xff",
                                           "\xc3",
                                           "\xc3\xa9",
                                           "\xe2\x82",
                                           "\xe2\x82\xac",
                                           "\xed\xa0\x80",
                                           "\xf0\x9f\x98",
                                           "\xf0\x9f\x98\x80",
                                           "\xf4\x90\x80\x80",
                                           "\xc0\xaf",
                                           "\x80",
                                           "\xef\xbb\xbf",
                                           "\\",
                                           "\\\\",
                                           "\\\"",
                                           "\"",
                                           "\\u00e9",
                                           "\\ud83d\\ude00",
                                           "\\ud83d",
                                           "\\ude00",
                                           "\\u12",
                                           "\\x",
                                           "\n",
                                           "\x1f",
                                           std::string(1, '\0'),
                                           "\x7f"};
  v1::RecordPlan text = AnyPlan();
  text.mutable_columns(0)->set_type(v1::STRING);
  int accepted = 0;
  for (const v1::RecordPlan& plan : {AnyPlan(), text}) {
    Both both(plan);
    for (const std::string& piece : pieces) {
      for (size_t before = 0; before < 140; ++before) {
        for (const size_t after : {size_t{0}, size_t{1}, size_t{20}}) {
          const std::string value = "{\"v\":\"" + std::string(before, 'a') + piece + std::string(after, 'z') + "\"}";
          ASSERT_TRUE(both.Agree(value));
          ASSERT_TRUE(both.Agree(std::string_view(value).substr(0, value.size() - 2 - after)));
          if (both.Fast(value).outcome == Outcome::kPass) ++accepted;
        }
      }
    }
  }
  // The pieces that are whole: é, €, the emoji, U+FEFF, two escapes of letters and two of numbers, DEL.
  EXPECT_EQ(accepted, 2 * 140 * 3 * 9);
}

TEST(DifferentialTest, EveryByteInEveryRole) {
  v1::RecordPlan text = AnyPlan();
  text.mutable_columns(0)->set_type(v1::STRING);
  v1::RecordPlan number = AnyPlan();
  number.mutable_columns(0)->set_type(v1::BIGINT);
  for (const v1::RecordPlan& plan : {AnyPlan(), text, number}) {
    Both both(plan);
    for (const std::string_view whole :
         {R"({"v":"a\u0041b"})", R"({"v":-12345678.5e+3})", R"( { "v" : [ true , null ] } )",
          R"({"v":1234567890123456789})", R"({"v":{"a":false}})"}) {
      for (size_t place = 0; place <= whole.size(); ++place) {
        for (int byte = 0; byte < 256; ++byte) {
          std::string value(whole);
          value.insert(place, 1, static_cast<char>(byte));
          ASSERT_TRUE(both.Agree(value));
          if (place == whole.size()) continue;
          value.erase(place + 1, 1);
          ASSERT_TRUE(both.Agree(value));
        }
      }
    }
  }
}

TEST(DifferentialTest, AMegabyteOfWhiteSpace) {
  Both both(AnyPlan());
  for (const char space : {' ', '\n', '\t', '\r'}) {
    const std::string many(size_t{1} << 20, space);
    for (const std::string& value : {many + "{\"v\":1}", "{" + many + "\"v\":1}", "{\"v\"" + many + ":1}",
                                     "{\"v\":" + many + "1}", "{\"v\":1" + many + "}", "{\"v\":1}" + many}) {
      EXPECT_EQ(both.Fast(value), Pass("{\"v\":1}"));
    }
    EXPECT_EQ(both.Fast("{\"v\":1}" + many + "x"), Poison("TRAILING_DATA"));
    EXPECT_EQ(both.Fast(many), Poison("SYNTAX"));
    EXPECT_EQ(both.Reference(many + "{\"v\":1}"), Pass("{\"v\":1}"));
  }
}

TEST(DifferentialTest, LargeValues) {
  Both both(AnyPlan());
  std::string value = "{\"v\":[";
  for (int i = 0; i < 50000; ++i) value += "{\"a\":\"\\u00e9\",\"b\":[1.5,null]},";
  value.back() = ']';
  value += '}';
  ASSERT_TRUE(both.Agree(value));
  EXPECT_EQ(both.Fast(value).outcome, Outcome::kPass);
  value[value.size() / 2] = '\x01';
  EXPECT_EQ(both.Fast(value).outcome, Outcome::kPoison);
  EXPECT_EQ(both.Fast("{\"v\":1}"), Pass("{\"v\":1}"));
}

// More undeclared members than the layout remembers.
TEST(DifferentialTest, ManyUndeclaredMembers) {
  v1::RecordPlan plan = AnyPlan();
  plan.set_extra_members(v1::ignore);
  Both both(plan);
  std::string value = "{\"v\":1";
  for (int i = 0; i < 10000; ++i) value += ",\"x" + std::to_string(i) + "\":" + std::to_string(i);
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(both.Fast(value + "}"), Pass("{\"v\":1}"));
    EXPECT_EQ(both.Fast(value + ",\"x17\":1}"), Poison("DUPLICATE_MEMBER", "x17"));
    EXPECT_EQ(both.Fast(value + ",\"x9999\":1}"), Poison("DUPLICATE_MEMBER", "x9999"));
  }
}

}  // namespace
}  // namespace st::record
