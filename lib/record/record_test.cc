// The rules of a record value, one by one, on the fast executor and on the plain reference.
#include "lib/record/record.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/record/test_plans.h"

namespace st::record {
namespace {

struct Case {
  std::string_view value;
  Answer answer;
};

// The reference parses first and asks for columns then: a value that is no JSON has no column there.
Answer WithoutColumnOfSyntax(Answer answer) {
  for (const std::string_view kind : {"SYNTAX", "UNPAIRED_SURROGATE", "TOO_DEEP"}) {
    if (answer.fault == kind) answer.column.clear();
  }
  return answer;
}

// Each case three times over, so that the answer does not depend on what was read before.
void Expect(const v1::RecordPlan& plan, const std::vector<Case>& cases) {
  Both both(plan);
  for (int round = 0; round < 3; ++round) {
    for (const Case& one : cases) {
      EXPECT_EQ(both.Fast(one.value), one.answer) << one.value.substr(0, 200);
    }
  }
  for (const Case& one : cases) {
    EXPECT_EQ(both.Reference(one.value), WithoutColumnOfSyntax(one.answer)) << one.value.substr(0, 200);
  }
}

v1::RecordPlan OneColumn(std::string_view type, bool required = false) {
  v1::RecordPlan plan = PlanOf(R"pb(columns { name: "c" member: "m" }
                                    projections { column: "c" name: "o" })pb");
  v1::ColumnType parsed = v1::COLUMN_TYPE_UNSPECIFIED;
  EXPECT_TRUE(v1::ColumnType_Parse(std::string(type), &parsed));
  plan.mutable_columns(0)->set_type(parsed);
  plan.mutable_columns(0)->set_required(required);
  return plan;
}

TEST(RecordTest, ProjectsInOrderAndFilters) {
  Expect(OrdersPlan(), {{R"({"id":"a","amount":100,"paid":true,"note":null,"shipTo":{"x": 1}})", Filtered()},
                        {R"({"id":"a","amount":100,"paid":true,"note":"","shipTo":{"x": 1}})",
                         Pass(R"({"order_id":"a","amount":100,"ship_to":{"x": 1}})")},
                        {R"({ "shipTo" : [ ] , "paid" : true , "note" : "x" , "amount" : 101 , "id" : "" })",
                         Pass(R"({"order_id":"","amount":101,"ship_to":[ ]})")},
                        {R"({"id":"a","amount":99,"paid":true,"note":"","shipTo":null})", Filtered()},
                        {R"({"id":"a","amount":null,"paid":true,"note":"","shipTo":null})", Filtered()},
                        {R"({"id":"a","amount":100,"paid":false,"note":"","shipTo":null})", Filtered()},
                        {R"({"id":"a","amount":100,"paid":true,"note":"skip me","shipTo":null})", Filtered()},
                        {R"({"id":"a","amount":100,"paid":true,"note":"skip\u0020me","shipTo":null})", Filtered()},
                        {R"({"id":"a","amount":100,"paid":true,"note":"skip me!","shipTo":null})",
                         Pass(R"({"order_id":"a","amount":100,"ship_to":null})")}});
}

TEST(RecordTest, AFilteredRecordIsCheckedWhole) {
  Expect(OrdersPlan(),
         {{R"({"amount":1,"paid":false,"note":"","shipTo":null,"id":7})", Poison("WRONG_TYPE", "id")},
          {R"({"amount":1,"paid":false,"note":"","shipTo":null,"id":"\ud800"})", Poison("UNPAIRED_SURROGATE", "id")},
          {R"({"amount":1,"paid":false,"note":"","shipTo":null,"id":"a"}x)", Poison("TRAILING_DATA")},
          {R"({"amount":1,"paid":false,"note":"","shipTo":null})", Poison("MISSING_MEMBER", "id")}});
}

TEST(RecordTest, TopLevel) {
  Expect(AnyPlan(), {{"", Poison("EMPTY_VALUE")},
                     {" ", Poison("SYNTAX")},
                     {"[]", Poison("NOT_AN_OBJECT")},
                     {" null\n", Poison("NOT_AN_OBJECT")},
                     {"\"{}\"", Poison("NOT_AN_OBJECT")},
                     {"17", Poison("NOT_AN_OBJECT")},
                     {"[1,]", Poison("SYNTAX")},
                     {"[] []", Poison("SYNTAX")},
                     {"{", Poison("SYNTAX")},
                     {"{}", Poison("MISSING_MEMBER", "v")},
                     {R"({"v":1)", Poison("SYNTAX")},
                     {R"({"v":1,})", Poison("SYNTAX")},
                     {R"({,"v":1})", Poison("SYNTAX")},
                     {R"({"v" 1})", Poison("SYNTAX")},
                     {R"({v:1})", Poison("SYNTAX")},
                     {R"({'v':1})", Poison("SYNTAX")},
                     {R"({"v":1}})", Poison("TRAILING_DATA")},
                     {R"({"v":1} {"v":1})", Poison("TRAILING_DATA")},
                     {R"({"v":1} //)", Poison("TRAILING_DATA")},
                     {std::string_view("{\"v\":1}\0", 8), Poison("TRAILING_DATA")},
                     {std::string_view("\0{\"v\":1}", 8), Poison("SYNTAX")},
                     {std::string_view("{\"v\":1\0}", 8), Poison("SYNTAX")},
                     {"\xef\xbb\xbf{\"v\":1}", Poison("BYTE_ORDER_MARK")},
                     {"\xef\xbb{\"v\":1}", Poison("INVALID_UTF8")},
                     {" \t\r\n{ \t\r\n\"v\" \t\r\n: \t\r\n1 \t\r\n} \t\r\n", Pass(R"({"v":1})")},
                     {"\v{\"v\":1}", Poison("SYNTAX")},
                     {"{\"v\":\f1}", Poison("SYNTAX", "v")},
                     {"{\"v\":1\xc2\xa0}", Poison("SYNTAX")}});
}

TEST(RecordTest, Members) {
  Expect(OneColumn("ANY"), {{R"({"m":1,"m":1})", Poison("DUPLICATE_MEMBER", "c")},
                            {R"({"m":1,"\u006d":1})", Poison("DUPLICATE_MEMBER", "c")},
                            {R"({"\u006D":1})", Pass(R"({"o":1})")},
                            {R"({"m":1,"n":1})", Poison("UNKNOWN_MEMBER", "n")},
                            {R"({"\u006e\u00e9":1})", Poison("UNKNOWN_MEMBER", "n\xc3\xa9")},
                            {R"({"M":1})", Poison("UNKNOWN_MEMBER", "M")},
                            {R"({"c":1})", Poison("UNKNOWN_MEMBER", "c")},
                            {R"({"":1})", Poison("UNKNOWN_MEMBER", "")},
                            {R"({"m\u0000":1})", Poison("UNKNOWN_MEMBER", std::string_view("m\0", 2))},
                            {R"({"m\ud800":1})", Poison("UNPAIRED_SURROGATE")},
                            {"{\"m\n\":1}", Poison("SYNTAX")},
                            {R"({"m":{"a":1,"a":2}})", Pass(R"({"o":{"a":1,"a":2}})")}});
}

TEST(RecordTest, IgnoredMembersAreCheckedAndDropped) {
  v1::RecordPlan plan = OneColumn("ANY");
  plan.set_extra_members(v1::ignore);
  Expect(plan, {{R"({"m":1})", Pass(R"({"o":1})")},
                {R"({"x":{"a":[1,2,{}],"a":"\n"},"m":1,"y":"z"})", Pass(R"({"o":1})")},
                {R"({"x":1,"m":1,"y":2,"x":3})", Poison("DUPLICATE_MEMBER", "x")},
                {R"({"x":1,"m":1,"\u0078":3})", Poison("DUPLICATE_MEMBER", "x")},
                {R"({"x":1,"y":2,"m":1})", Pass(R"({"o":1})")},
                {R"({"x":1,"x":2,"m":1})", Poison("DUPLICATE_MEMBER", "x")},
                {R"({"y":1,"y":2,"m":1})", Poison("DUPLICATE_MEMBER", "y")},
                {R"({"y":1,"x":2,"m":1})", Pass(R"({"o":1})")},
                {R"({"x":1})", Poison("MISSING_MEMBER", "c")},
                {R"({"m":1,"x":01})", Poison("SYNTAX")},
                {R"({"m":1,"x":"\ud800"})", Poison("UNPAIRED_SURROGATE")},
                {"{\"m\":1,\"x\":\"\xff\"}", Poison("INVALID_UTF8")}});
}

TEST(RecordTest, MemberNamesOfAnyKind) {
  const std::string name28(28, 'n');
  const std::string name256(256, 'l');
  v1::RecordPlan plan = PlanOf(R"pb(
    columns { name: "a" member: "quote \" and \\ and \n" type: BIGINT }
    columns { name: "b" member: "caf\303\251" type: BIGINT }
    columns { name: "c" type: BIGINT }
    columns { name: "d" type: BIGINT }
    projections { column: "a" name: "a" }
    projections { column: "b" name: "b" }
    projections { column: "c" name: "c" }
    projections { column: "d" name: "d" })pb");
  plan.mutable_columns(2)->set_member(name28);
  plan.mutable_columns(3)->set_member(name256);
  const std::string value = R"({"quote \" and \\ and \n":1,"café":2,")" + name28 + R"(":3,")" + name256 + R"(":4})";
  const std::string escaped = R"({"quote \u0022 and \u005c and \u000A":1,"caf\u00E9":2,")" + name28 + R"(":3,"\u006C)" +
                              name256.substr(1) + R"(":4})";
  const std::string longer = R"({")" + name28 + R"(n":3})";
  Expect(plan, {{value, Pass(R"({"a":1,"b":2,"c":3,"d":4})")},
                {escaped, Pass(R"({"a":1,"b":2,"c":3,"d":4})")},
                {longer, Poison("UNKNOWN_MEMBER", name28 + "n")}});
}

TEST(RecordTest, Bigint) {
  Expect(OneColumn("BIGINT"), {{R"({"m":0})", Pass(R"({"o":0})")},
                               {R"({"m":-0})", Pass(R"({"o":0})")},
                               {R"({"m":-1})", Pass(R"({"o":-1})")},
                               {R"({"m":12345678})", Pass(R"({"o":12345678})")},
                               {R"({"m":123456789})", Pass(R"({"o":123456789})")},
                               {R"({"m":999999999999999999})", Pass(R"({"o":999999999999999999})")},
                               {R"({"m":9223372036854775807})", Pass(R"({"o":9223372036854775807})")},
                               {R"({"m":9223372036854775808})", Poison("INTEGER_OUT_OF_RANGE", "c")},
                               {R"({"m":-9223372036854775808})", Pass(R"({"o":-9223372036854775808})")},
                               {R"({"m":-9223372036854775809})", Poison("INTEGER_OUT_OF_RANGE", "c")},
                               {R"({"m":18446744073709551616})", Poison("INTEGER_OUT_OF_RANGE", "c")},
                               {R"({"m":100000000000000000000000000000})", Poison("INTEGER_OUT_OF_RANGE", "c")},
                               {R"({"m":1.0})", Poison("NOT_AN_INTEGER", "c")},
                               {R"({"m":1e2})", Poison("NOT_AN_INTEGER", "c")},
                               {R"({"m":-1E+2})", Poison("NOT_AN_INTEGER", "c")},
                               {R"({"m":1e400})", Poison("NOT_AN_INTEGER", "c")},
                               {R"({"m":00})", Poison("SYNTAX", "c")},
                               {R"({"m":-01})", Poison("SYNTAX", "c")},
                               {R"({"m":+1})", Poison("SYNTAX", "c")},
                               {R"({"m":-})", Poison("SYNTAX", "c")},
                               {R"({"m":1.})", Poison("SYNTAX", "c")},
                               {R"({"m":1e})", Poison("SYNTAX", "c")},
                               {R"({"m":.5})", Poison("SYNTAX", "c")},
                               {R"({"m":1 2})", Poison("SYNTAX")},
                               {R"({"m":"1"})", Poison("WRONG_TYPE", "c")},
                               {R"({"m":true})", Poison("WRONG_TYPE", "c")},
                               {R"({"m":[]})", Poison("WRONG_TYPE", "c")},
                               {R"({"m":NaN})", Poison("SYNTAX", "c")},
                               {R"({"m":null})", Pass(R"({"o":null})")}});
}

TEST(RecordTest, StringsHaveOneSpelling) {
  Expect(OneColumn("STRING"),
         {{R"({"m":""})", Pass(R"({"o":""})")},
          {R"({"m":"\"\\\/\b\t\n\f\r"})", Pass(R"({"o":"\"\\/\b\t\n\f\r"})")},
          {R"({"m":"\u0022\u005c\u002f\u0008\u0009\u000a\u000c\u000d"})", Pass(R"({"o":"\"\\/\b\t\n\f\r"})")},
          {R"({"m":"\u0000\u001F\u000b\u0020"})", Pass(R"({"o":"\u0000\u001f\u000b "})")},
          {R"({"m":"\u007f\u00e9\u20AC\ud83d\uDE00"})", Pass("{\"o\":\"\x7f\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"}")},
          {"{\"m\":\"\x7f\xc3\xa9\xe2\x80\xa8\xf4\x8f\xbf\xbf\"}",
           Pass("{\"o\":\"\x7f\xc3\xa9\xe2\x80\xa8\xf4\x8f\xbf\xbf\"}")},
          {R"({"m":"\uffff\ufeff"})", Pass("{\"o\":\"\xef\xbf\xbf\xef\xbb\xbf\"}")},
          {R"({"m":"\ud800"})", Poison("UNPAIRED_SURROGATE", "c")},
          {R"({"m":"\udc00"})", Poison("UNPAIRED_SURROGATE", "c")},
          {R"({"m":"\udc00\ud800"})", Poison("UNPAIRED_SURROGATE", "c")},
          {R"({"m":"\ud800\ud800"})", Poison("UNPAIRED_SURROGATE", "c")},
          {R"({"m":"\ud800\n"})", Poison("UNPAIRED_SURROGATE", "c")},
          {R"({"m":"\ud800x"})", Poison("UNPAIRED_SURROGATE", "c")},
          {R"({"m":"\u12"})", Poison("SYNTAX", "c")},
          {R"({"m":"\u12g4"})", Poison("SYNTAX", "c")},
          {R"({"m":"\ud800\u12g4"})", Poison("SYNTAX", "c")},
          {R"({"m":"\x41"})", Poison("SYNTAX", "c")},
          {R"({"m":"\U0041"})", Poison("SYNTAX", "c")},
          {R"({"m":"\)", Poison("SYNTAX", "c")},
          {R"({"m":"\u)", Poison("SYNTAX", "c")},
          {R"({"m":"a)", Poison("SYNTAX", "c")},
          {"{\"m\":\"\t\"}", Poison("SYNTAX", "c")},
          {"{\"m\":\"\x1f\"}", Poison("SYNTAX", "c")},
          {std::string_view("{\"m\":\"\0\"}", 9), Poison("SYNTAX", "c")},
          {"{\"m\":\"\xed\xa0\x80\"}", Poison("INVALID_UTF8")},
          {"{\"m\":\"\xc0\x80\"}", Poison("INVALID_UTF8")},
          {"{\"m\":\"\xf4\x90\x80\x80\"}", Poison("INVALID_UTF8")},
          {R"({"m":1})", Poison("WRONG_TYPE", "c")},
          {R"({"m":{}})", Poison("WRONG_TYPE", "c")},
          {R"({"m":null})", Pass(R"({"o":null})")}});
}

TEST(RecordTest, Booleans) {
  Expect(OneColumn("BOOLEAN"), {{R"({"m":true})", Pass(R"({"o":true})")},
                                {R"({"m":false})", Pass(R"({"o":false})")},
                                {R"({"m":null})", Pass(R"({"o":null})")},
                                {R"({"m":"true"})", Poison("WRONG_TYPE", "c")},
                                {R"({"m":1})", Poison("WRONG_TYPE", "c")},
                                {R"({"m":truE})", Poison("SYNTAX", "c")},
                                {R"({"m":fals})", Poison("SYNTAX", "c")},
                                {R"({"m":falsee})", Poison("SYNTAX")},
                                {R"({"m":t)", Poison("SYNTAX", "c")}});
}

TEST(RecordTest, NullsInRequiredColumns) {
  for (const std::string_view type : {"STRING", "BOOLEAN", "BIGINT", "ANY"}) {
    Expect(OneColumn(type, true), {{R"({"m":null})", Poison("NULL_IN_REQUIRED", "c")},
                                   {R"({"m":nullx})", Poison("SYNTAX", "c")},
                                   {R"({"m":nul})", Poison("SYNTAX", "c")}});
  }
}

TEST(RecordTest, AnyIsCopiedAsItStood) {
  Expect(OneColumn("ANY"),
         {{R"({"m": {"b" : [ 1.50 , -0e+00, "\/\u00E9" ],"a":{}} })",
           Pass(R"({"o":{"b" : [ 1.50 , -0e+00, "\/\u00E9" ],"a":{}}})")},
          {R"({"m":123456789012345678901234567890})", Pass(R"({"o":123456789012345678901234567890})")},
          {R"({"m":"\ud83d\ude00"})", Pass(R"({"o":"\ud83d\ude00"})")},
          {R"({"m":[1,2)", Poison("SYNTAX", "c")},
          {R"({"m":[1 2]})", Poison("SYNTAX", "c")},
          {R"({"m":[1}})", Poison("SYNTAX", "c")},
          {R"({"m":{"a"}})", Poison("SYNTAX", "c")},
          {R"({"m":{"a":1,}})", Poison("SYNTAX", "c")},
          {R"({"m":["\ude00"]})", Poison("UNPAIRED_SURROGATE", "c")},
          {R"({"m":[01]})", Poison("SYNTAX", "c")},
          {"{\"m\":[\"\xc3\"]}", Poison("INVALID_UTF8")}});
}

std::string Nested(size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(RecordTest, NestingIsBounded) {
  const std::string deepest = "{\"m\":" + Nested(127) + "}";
  const std::string deeper = "{\"m\":" + Nested(128) + "}";
  const std::string far = "{\"m\":" + std::string(100000, '[');
  std::string objects = "1";
  for (int i = 0; i < 127; ++i) objects = "{\"a\":[],\"m\":" + objects + "}";
  const std::string deep_objects = "{\"m\":" + objects + "}";
  Expect(OneColumn("ANY"), {{deepest, Pass("{\"o\":" + Nested(127) + "}")},
                            {deeper, Poison("TOO_DEEP", "c")},
                            {far, Poison("TOO_DEEP", "c")},
                            {"{\"m\":" + Nested(127) + "]}", Poison("SYNTAX")},
                            {deep_objects, Poison("TOO_DEEP", "c")}});
  v1::RecordPlan ignoring = OneColumn("BIGINT");
  ignoring.set_extra_members(v1::ignore);
  Expect(ignoring, {{"{\"m\":1,\"x\":" + Nested(127) + "}", Pass(R"({"o":1})")},
                    {"{\"m\":1,\"x\":" + Nested(128) + "}", Poison("TOO_DEEP")}});
}

TEST(RecordTest, OutputIsAppended) {
  Both both(AnyPlan());
  auto program = Program::Compile(AnyPlan());
  ASSERT_TRUE(program.ok());
  Executor executor(*program);
  std::string arena = "before";
  Fault fault;
  EXPECT_EQ(executor.Run(R"({"v":1})", &arena, &fault), Outcome::kPass);
  EXPECT_EQ(executor.Run(R"({"v":)", &arena, &fault), Outcome::kPoison);
  EXPECT_EQ(executor.Run(R"({"v":2})", &arena, &fault), Outcome::kPass);
  EXPECT_EQ(arena, R"(before{"v":1}{"v":2})");
}

TEST(RecordTest, OneColumnMayBeProjectedOften) {
  const v1::RecordPlan plan = PlanOf(R"pb(columns { name: "c" member: "m" type: STRING }
                                          projections { column: "c" name: "a" }
                                          projections { column: "c" name: "b" }
                                          projections { column: "c" name: "c" })pb");
  std::string controls;
  std::string output;
  for (int i = 0; i < 100; ++i) {
    controls += "\\u0001";
    output += "\\u0001";
  }
  Expect(plan, {{R"({"m":")" + controls + R"("})",
                 Pass(R"({"a":")" + output + R"(","b":")" + output + R"(","c":")" + output + R"("})")}});
}

}  // namespace
}  // namespace st::record
