// Which plans Program::Compile takes.
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "google/protobuf/unknown_field_set.h"
#include "gtest/gtest.h"
#include "lib/record/record.h"
#include "lib/record/test_plans.h"

namespace st::record {
namespace {

using ::testing::HasSubstr;

TEST(ProgramTest, TakesAWholePlan) {
  EXPECT_TRUE(Program::Compile(OrdersPlan()).ok());
  EXPECT_TRUE(Program::Compile(AnyPlan()).ok());
}

struct BadPlan {
  std::string_view name;
  std::function<void(v1::RecordPlan*)> spoil;
  std::string_view says;
};

class BadPlanTest : public testing::TestWithParam<BadPlan> {};

TEST_P(BadPlanTest, IsRefused) {
  v1::RecordPlan plan = OrdersPlan();
  GetParam().spoil(&plan);
  const auto program = Program::Compile(plan);
  ASSERT_EQ(program.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(program.status().message()), HasSubstr(std::string(GetParam().says)));
}

void AddUnknown(google::protobuf::Message* message) {
  message->GetReflection()->MutableUnknownFields(message)->AddVarint(99, 1);
}

// OrdersPlan: columns amount, id, note, paid, ship_to; predicates amount >= 100, note != 'skip me', paid = TRUE.
INSTANTIATE_TEST_SUITE_P(
    All, BadPlanTest,
    testing::Values(
        BadPlan{"NoVersion", [](auto* plan) { plan->clear_version(); }, "version 0 is not 1"},
        BadPlan{"NewerVersion", [](auto* plan) { plan->set_version(2); }, "version 2 is not 1"},
        BadPlan{"NoInput", [](auto* plan) { plan->clear_input_topic(); }, "no input topic"},
        BadPlan{"NoOutput", [](auto* plan) { plan->clear_output_topic(); }, "no output topic"},
        BadPlan{"SameTopic", [](auto* plan) { plan->set_output_topic("in"); }, "is the output topic"},
        BadPlan{"NoExtraMembers", [](auto* plan) { plan->clear_extra_members(); }, "extra_members"},
        BadPlan{"OddExtraMembers", [](auto* plan) { plan->set_extra_members(static_cast<v1::ExtraMembers>(7)); },
                "extra_members"},
        BadPlan{"UnknownField", [](auto* plan) { AddUnknown(plan); }, "unknown field number 99"},
        BadPlan{"UnknownFieldInside", [](auto* plan) { AddUnknown(plan->mutable_predicates(1)); },
                "Predicate has the unknown field number 99"},
        BadPlan{"NoColumns",
                [](auto* plan) {
                  plan->clear_columns();
                  plan->clear_projections();
                  plan->clear_predicates();
                },
                "no columns"},
        BadPlan{"UnsortedColumns", [](auto* plan) { plan->mutable_columns()->SwapElements(0, 1); },
                "columns are not sorted"},
        BadPlan{"ColumnTwice", [](auto* plan) { plan->mutable_columns(1)->set_name("amount"); }, "amount stands twice"},
        BadPlan{"UnnamedColumn", [](auto* plan) { plan->mutable_columns(0)->clear_name(); }, "without a name"},
        BadPlan{"NoMember", [](auto* plan) { plan->mutable_columns(0)->clear_member(); }, "no member name"},
        BadPlan{"LongMember", [](auto* plan) { plan->mutable_columns(0)->set_member(std::string(257, 'm')); },
                "no member name of 1 to 256 bytes"},
        BadPlan{"MemberNotUtf8", [](auto* plan) { plan->mutable_columns(0)->set_member("\xff"); }, "bytes of UTF-8"},
        BadPlan{"MemberTwice", [](auto* plan) { plan->mutable_columns(0)->set_member("paid"); },
                "has another column's member"},
        BadPlan{"NoType", [](auto* plan) { plan->mutable_columns(0)->clear_type(); }, "unknown type"},
        BadPlan{"OddType", [](auto* plan) { plan->mutable_columns(0)->set_type(static_cast<v1::ColumnType>(9)); },
                "unknown type"},
        BadPlan{"NoProjections", [](auto* plan) { plan->clear_projections(); }, "no projections"},
        BadPlan{"ProjectsNothing", [](auto* plan) { plan->mutable_projections(0)->set_column("gone"); },
                "the column gone, which does not exist"},
        BadPlan{"UnnamedOutput", [](auto* plan) { plan->mutable_projections(0)->clear_name(); },
                "projection without a name"},
        BadPlan{"OutputTwice", [](auto* plan) { plan->mutable_projections(0)->set_name("amount"); },
                "output name amount stands twice"},
        BadPlan{"PredicateOfNothing", [](auto* plan) { plan->mutable_predicates(0)->set_column("gone"); },
                "a predicate names the column gone"},
        BadPlan{"NoOperator", [](auto* plan) { plan->mutable_predicates(0)->clear_op(); }, "unknown operator"},
        BadPlan{"OddOperator",
                [](auto* plan) { plan->mutable_predicates(0)->set_op(static_cast<v1::Predicate::Operator>(42)); },
                "unknown operator"},
        BadPlan{"OrderedText", [](auto* plan) { plan->mutable_predicates(1)->set_op(v1::Predicate::LT); },
                "orders column note, which is not BIGINT"},
        BadPlan{"OrderedBoolean", [](auto* plan) { plan->mutable_predicates(2)->set_op(v1::Predicate::GE); },
                "orders column paid"},
        BadPlan{"NoLiteral", [](auto* plan) { plan->mutable_predicates(0)->clear_literal(); },
                "no literal of the column's type"},
        BadPlan{"OtherLiteral", [](auto* plan) { plan->mutable_predicates(0)->set_string_value("100"); },
                "no literal of the column's type"},
        BadPlan{"LiteralNotUtf8", [](auto* plan) { plan->mutable_predicates(1)->set_string_value("\xff"); },
                "is not UTF-8"},
        BadPlan{"NullTestWithLiteral", [](auto* plan) { plan->mutable_predicates(0)->set_op(v1::Predicate::IS_NULL); },
                "tests for null but has a literal"},
        BadPlan{"AnyCompared",
                [](auto* plan) {
                  plan->mutable_predicates(2)->set_column("ship_to");
                  plan->mutable_predicates(2)->set_op(v1::Predicate::EQ);
                },
                "is ANY"},
        BadPlan{"UnsortedPredicates", [](auto* plan) { plan->mutable_predicates()->SwapElements(0, 1); },
                "predicates are not sorted"},
        BadPlan{"PredicateTwice", [](auto* plan) { *plan->add_predicates() = plan->predicates(2); }, "not sorted"},
        BadPlan{"UnsortedOperators",
                [](auto* plan) {
                  *plan->mutable_predicates(1) = plan->predicates(0);
                  plan->mutable_predicates(1)->set_op(v1::Predicate::NE);
                },
                "not sorted"},
        BadPlan{"UnsortedLiterals",
                [](auto* plan) {
                  *plan->mutable_predicates(1) = plan->predicates(0);
                  plan->mutable_predicates(1)->set_bigint_value(-1);
                },
                "not sorted"}),
    [](const auto& plan) { return std::string(plan.param.name); });

// Each operator on each kind of literal, with null beside it.
struct Operation {
  std::string_view predicate;
  std::string_view passes;  // of the values, those that pass
};

void ExpectOperations(std::string_view type, const std::vector<std::string_view>& values,
                      const std::vector<Operation>& operations) {
  for (const Operation& operation : operations) {
    const v1::RecordPlan plan = PlanOf("columns { name: 'c' member: 'c' type: " + std::string(type) +
                                       " } projections { column: 'c' name: 'c' } predicates { column: 'c' " +
                                       std::string(operation.predicate) + " }");
    Both both(plan);
    std::string passed;
    for (const std::string_view value : values) {
      const std::string record = "{\"c\":" + std::string(value) + "}";
      EXPECT_TRUE(both.Agree(record));
      if (both.Fast(record).outcome == Outcome::kPass)
        passed += std::string(passed.empty() ? "" : " ") + std::string(value);
    }
    EXPECT_EQ(passed, operation.passes) << type << ' ' << operation.predicate;
  }
}

TEST(PredicateTest, Bigint) {
  ExpectOperations("BIGINT", {"-9223372036854775808", "-1", "-0", "7", "8", "123456789", "9223372036854775807", "null"},
                   {{"op: EQ bigint_value: 7", "7"},
                    {"op: EQ bigint_value: 0", "-0"},
                    {"op: EQ bigint_value: -9223372036854775808", "-9223372036854775808"},
                    {"op: NE bigint_value: 7", "-9223372036854775808 -1 -0 8 123456789 9223372036854775807"},
                    {"op: LT bigint_value: 7", "-9223372036854775808 -1 -0"},
                    {"op: LE bigint_value: 7", "-9223372036854775808 -1 -0 7"},
                    {"op: GT bigint_value: 7", "8 123456789 9223372036854775807"},
                    {"op: GE bigint_value: 123456789", "123456789 9223372036854775807"},
                    {"op: IS_NULL", "null"},
                    {"op: IS_NOT_NULL", "-9223372036854775808 -1 -0 7 8 123456789 9223372036854775807"}});
}

TEST(PredicateTest, String) {
  ExpectOperations("STRING", {R"("a")", R"("A")", R"("\u0061")", R"("ab")", R"("")", "null"},
                   {{"op: EQ string_value: 'a'", R"("a" "\u0061")"},
                    {"op: EQ string_value: ''", R"("")"},
                    {"op: NE string_value: 'a'", R"("A" "ab" "")"},
                    {"op: IS_NULL", "null"},
                    {"op: IS_NOT_NULL", R"("a" "A" "\u0061" "ab" "")"}});
}

TEST(PredicateTest, Boolean) {
  ExpectOperations("BOOLEAN", {"true", "false", "null"},
                   {{"op: EQ boolean_value: true", "true"},
                    {"op: EQ boolean_value: false", "false"},
                    {"op: NE boolean_value: true", "false"},
                    {"op: IS_NULL", "null"},
                    {"op: IS_NOT_NULL", "true false"}});
}

TEST(PredicateTest, Any) {
  ExpectOperations("ANY", {"0", "{}", "false", "null"}, {{"op: IS_NULL", "null"}, {"op: IS_NOT_NULL", "0 {} false"}});
}

}  // namespace
}  // namespace st::record
