// What the subset accepts, what it makes of it, and what it knows of the result.
#include "lib/sql/sql.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/digest.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::sql {
namespace {

v1::InputColumn Column(std::string name, v1::ColumnType type, bool required = false) {
  v1::InputColumn column;
  column.set_name(name);
  column.set_member(name);
  column.set_type(type);
  column.set_required(required);
  return column;
}

std::vector<v1::InputColumn> Inputs() {
  return {Column("s", v1::STRING),        Column("paid", v1::BOOLEAN),    Column("amount", v1::BIGINT),
          Column("anything", v1::ANY),    Column("id", v1::STRING, true), Column("count", v1::BIGINT, true),
          Column("timestamp", v1::BIGINT)};
}

struct Result {
  bool good = false;
  v1::RecordPlan plan;
  Checked checked;
  std::vector<Finding> findings;
};

Result Compile(std::string_view text) {
  Result result;
  const auto statement = Parse(text, &result.findings);
  if (!statement.has_value()) return result;
  auto checked = Check(*statement, Inputs(), &result.plan, &result.findings);
  result.good = checked.has_value();
  if (checked.has_value()) result.checked = *std::move(checked);
  return result;
}

std::string Describe(const Result& result) {
  return absl::StrJoin(result.findings, "\n", [](std::string* out, const Finding& finding) {
    absl::StrAppend(out, finding.offset, " ", finding.code, ": ", finding.text, " (", finding.hint, ")");
  });
}

// Predicates as `column OP literal` lines.
std::vector<std::string> Predicates(const v1::RecordPlan& plan) {
  std::vector<std::string> lines;
  for (const v1::Predicate& predicate : plan.predicates()) {
    std::string literal;
    if (predicate.has_string_value()) literal = absl::StrCat(" '", predicate.string_value(), "'");
    if (predicate.has_boolean_value()) literal = predicate.boolean_value() ? " TRUE" : " FALSE";
    if (predicate.has_bigint_value()) literal = absl::StrCat(" ", predicate.bigint_value());
    lines.push_back(absl::StrCat(predicate.column(), " ", v1::Predicate::Operator_Name(predicate.op()), literal));
  }
  return lines;
}

TEST(SqlTest, FillsAPlan) {
  const Result result = Compile(
      "select id AS order_id, amount\nFrom {{ source(\"orders\") }}\r\nwHERE amount >= 100 AND paid = true and "
      "s <> 'it''s' ;\n");
  ASSERT_TRUE(result.good) << Describe(result);
  EXPECT_TRUE(result.findings.empty()) << Describe(result);
  v1::RecordPlan wanted;
  ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(R"(
    version: 1
    columns { name: "amount" member: "amount" type: BIGINT }
    columns { name: "anything" member: "anything" type: ANY }
    columns { name: "count" member: "count" type: BIGINT required: true }
    columns { name: "id" member: "id" type: STRING required: true }
    columns { name: "paid" member: "paid" type: BOOLEAN }
    columns { name: "s" member: "s" type: STRING }
    columns { name: "timestamp" member: "timestamp" type: BIGINT }
    projections { column: "id" name: "order_id" }
    projections { column: "amount" name: "amount" }
    predicates { column: "amount" op: GE bigint_value: 100 }
    predicates { column: "paid" op: EQ boolean_value: true }
    predicates { column: "s" op: NE string_value: "it's" }
  )",
                                                            &wanted));
  EXPECT_EQ(result.plan.DebugString(), wanted.DebugString());
}

TEST(SqlTest, ReadsEveryFormOfTable) {
  using Kind = TableReference::Kind;
  const struct {
    std::string_view text;
    Kind kind;
    std::string_view name;
    size_t offset;
  } cases[] = {
      {"SELECT id FROM orders", Kind::kName, "orders", 15},
      {"SELECT id FROM fetch", Kind::kName, "fetch", 15},
      {"SELECT id FROM left WHERE paid", Kind::kName, "left", 15},
      {"SELECT id FROM {{ source(\"orders\") }}", Kind::kSource, "orders", 26},
      {"SELECT id FROM {{source('orders')}};", Kind::kSource, "orders", 25},
      {"SELECT id FROM {{\n ref ( 'group' )\t}} WHERE paid", Kind::kRef, "group", 26},
      {"\xEF\xBB\xBFSELECT id FROM orders", Kind::kName, "orders", 18},
  };
  for (const auto& test : cases) {
    std::vector<Finding> findings;
    const auto statement = Parse(test.text, &findings);
    ASSERT_TRUE(statement.has_value()) << test.text << (findings.empty() ? "" : findings[0].text);
    EXPECT_EQ(statement->table().kind, test.kind) << test.text;
    EXPECT_EQ(statement->table().name, test.name) << test.text;
    EXPECT_EQ(statement->table().offset, test.offset) << test.text;
  }
}

TEST(SqlTest, WritesPredicatesInOneWay) {
  const struct {
    std::string_view where;
    std::vector<std::string> predicates;
  } cases[] = {
      {"100 < amount", {"amount GT 100"}},
      {"100 <= amount", {"amount GE 100"}},
      {"100 > amount", {"amount LT 100"}},
      {"100 >= amount", {"amount LE 100"}},
      {"100 = amount", {"amount EQ 100"}},
      {"100 <> amount", {"amount NE 100"}},
      {"amount<-5", {"amount LT -5"}},
      {"amount=-0", {"amount EQ 0"}},
      {"amount = -9223372036854775808", {"amount EQ -9223372036854775808"}},
      {"amount = 9223372036854775807", {"amount EQ 9223372036854775807"}},
      {"paid", {"paid EQ TRUE"}},
      {"NOT paid", {"paid EQ FALSE"}},
      {"paid != TRUE", {"paid NE TRUE"}},
      {"FALSE = paid", {"paid EQ FALSE"}},
      {"anything IS NULL", {"anything IS_NULL"}},
      {"anything is not null", {"anything IS_NOT_NULL"}},
      {"s = ''", {"s EQ ''"}},
      {"s = ''''", {"s EQ '''"}},
      {"s = 'a -- b /* c */ ; \"d\" # e'", {"s EQ 'a -- b /* c */ ; \"d\" # e'"}},
      {"s = 'a\r\nb'", {"s EQ 'a\r\nb'"}},
      {"s = '\xE2\x80\x8B\xEF\xBB\xBF'", {"s EQ '\xE2\x80\x8B\xEF\xBB\xBF'"}},
      {"timestamp > 5 AND count > 5", {"count GT 5", "timestamp GT 5"}},
      {"amount != 2 AND amount != 10 AND amount != -1", {"amount NE -1", "amount NE 2", "amount NE 10"}},
      {"amount > 1 AND amount != 7 AND 1 < amount", {"amount NE 7", "amount GT 1"}},
      {"amount > 1 AND amount > 2", {"amount GT 1", "amount GT 2"}},
      {"s != '\xC3\xA9' AND s != 'z' AND s != 'Z'", {"s NE 'Z'", "s NE 'z'", "s NE '\xC3\xA9'"}},
      {"paid AND paid = TRUE AND NOT paid", {"paid EQ FALSE", "paid EQ TRUE"}},
  };
  for (const auto& test : cases) {
    const Result result = Compile(absl::StrCat("SELECT id FROM t WHERE ", test.where));
    ASSERT_TRUE(result.good) << test.where << "\n" << Describe(result);
    EXPECT_EQ(Predicates(result.plan), test.predicates) << test.where;
  }
}

TEST(SqlTest, KnowsWhatIsNeverNull) {
  const struct {
    std::string_view text;
    std::string_view required;  // one letter a column: r or n
  } cases[] = {
      {"SELECT id, amount, s, anything FROM t", "rnnn"},
      {"SELECT amount FROM t WHERE amount >= 100", "r"},
      {"SELECT amount FROM t WHERE 100 != amount", "r"},
      {"SELECT amount AS a, s FROM t WHERE amount IS NOT NULL", "rn"},
      {"SELECT amount FROM t WHERE amount IS NULL", "n"},
      {"SELECT paid FROM t WHERE paid", "r"},
      {"SELECT paid FROM t WHERE NOT paid", "r"},
      {"SELECT paid FROM t WHERE paid != FALSE", "r"},
      {"SELECT anything FROM t WHERE anything IS NOT NULL", "r"},
      {"SELECT s AS amount FROM t WHERE amount = 1", "n"},
      {"SELECT s AS x, s AS y FROM t WHERE s = 'a'", "rr"},
  };
  for (const auto& test : cases) {
    const Result result = Compile(test.text);
    ASSERT_TRUE(result.good) << test.text << "\n" << Describe(result);
    std::string required;
    for (const OutputColumn& column : result.checked.columns) required += column.required ? 'r' : 'n';
    EXPECT_EQ(required, test.required) << test.text;
  }
}

struct FindingCase {
  std::string_view marked;  // `@@` before the byte of the finding
  std::string_view code;
  std::string_view hint;  // a part of it
};

void ExpectOneFinding(const FindingCase& test, bool warning) {
  std::string text(test.marked);
  const size_t offset = text.find("@@");
  ASSERT_NE(offset, std::string::npos);
  text.erase(offset, 2);
  const Result result = Compile(text);
  EXPECT_EQ(result.good, warning) << text;
  ASSERT_EQ(result.findings.size(), 1u) << text << "\n" << Describe(result);
  EXPECT_EQ(result.findings[0].code, test.code) << text << "\n" << Describe(result);
  EXPECT_EQ(result.findings[0].offset, offset) << text << "\n" << Describe(result);
  EXPECT_EQ(result.findings[0].warning, warning) << text;
  EXPECT_NE(result.findings[0].hint.find(test.hint), std::string::npos) << text << "\n" << Describe(result);
}

TEST(SqlTest, ChecksNamesAndTypes) {
  const FindingCase cases[] = {
      {"SELECT @@amonut FROM t", "SQL_UNKNOWN_COLUMN", "`amount`"},
      {"SELECT id FROM t WHERE @@pad", "SQL_UNKNOWN_COLUMN", "`paid`"},
      {"SELECT @@zzzzzzzzz FROM t", "SQL_UNKNOWN_COLUMN", "it has s, paid, amount"},
      {"SELECT id AS order_id FROM t WHERE @@order_id = 'x'", "SQL_ALIAS_IN_WHERE", "write `id`"},
      {"SELECT id FROM t WHERE amount = @@'1'", "SQL_TYPE", ""},
      {"SELECT id FROM t WHERE amount = @@TRUE", "SQL_TYPE", ""},
      {"SELECT id FROM t WHERE s = @@1", "SQL_TYPE", ""},
      {"SELECT id FROM t WHERE paid = @@'true'", "SQL_TYPE", ""},
      {"SELECT id FROM t WHERE @@1 = paid", "SQL_TYPE", ""},
      {"SELECT id FROM t WHERE s @@< 'a'", "SQL_ORDER_TYPE", "= or !="},
      {"SELECT id FROM t WHERE paid @@>= FALSE", "SQL_ORDER_TYPE", ""},
      {"SELECT id FROM t WHERE @@s", "SQL_NOT_BOOLEAN", ""},
      {"SELECT id FROM t WHERE NOT @@amount", "SQL_NOT_BOOLEAN", ""},
      {"SELECT id FROM t WHERE @@anything = 'x'", "SQL_ANY_COMPARED", "IS NULL"},
      {"SELECT id FROM t WHERE @@anything", "SQL_ANY_COMPARED", "IS NULL"},
  };
  for (const FindingCase& test : cases) ExpectOneFinding(test, false);
}

TEST(SqlTest, WarnsOfWhatCanNeverOrAlwaysBeTrue) {
  const FindingCase cases[] = {
      {"SELECT id FROM t WHERE amount > 5 AND @@amount < 3", "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE amount > 5 AND @@amount < 6", "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE amount = 1 AND @@amount = 2 AND amount = 3", "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE amount = 1 AND @@amount != 1", "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE amount >= 1 AND amount <= 3 AND amount != 2 AND amount != 1 AND @@amount != 3",
       "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE amount != 2 AND amount != 1 AND amount > 0 AND @@amount < 3", "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE @@amount > 9223372036854775807", "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE @@amount < -9223372036854775808", "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE s = 'a' AND @@s = 'b'", "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE s != 'a' AND @@s = 'a'", "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE paid AND NOT @@paid", "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE paid != TRUE AND @@paid != FALSE", "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE paid AND @@paid != TRUE", "SQL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE amount IS NULL AND @@amount = 1", "SQL_NULL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE amount = 1 AND @@amount IS NULL", "SQL_NULL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE anything IS NULL AND @@anything IS NOT NULL", "SQL_NULL_CONTRADICTION", ""},
      {"SELECT id FROM t WHERE @@id IS NULL", "SQL_NEVER_NULL", ""},
      {"SELECT id FROM t WHERE @@id IS NOT NULL", "SQL_ALWAYS_NOT_NULL", ""},
      {"SELECT id FROM t WHERE @@amount <= 9223372036854775807", "SQL_ALWAYS_TRUE", ""},
      {"SELECT id FROM t WHERE @@amount >= -9223372036854775808", "SQL_ALWAYS_TRUE", ""},
  };
  for (const FindingCase& test : cases) ExpectOneFinding(test, true);
}

TEST(SqlTest, NeverTakesAPredicateAway) {
  const Result result = Compile("SELECT id FROM t WHERE id IS NOT NULL AND amount > 5 AND amount < 3 AND id IS NULL");
  ASSERT_TRUE(result.good);
  EXPECT_EQ(Predicates(result.plan),
            (std::vector<std::string>{"amount LT 3", "amount GT 5", "id IS_NULL", "id IS_NOT_NULL"}));
}

TEST(SqlTest, DoesNotWarnOfWhatCanBeTrue) {
  for (const std::string_view where :
       {"amount > 5 AND amount < 7", "amount >= 5 AND amount <= 5", "amount != 1 AND amount != 2",
        "amount > 1 AND amount != 2 AND amount < 4", "s != 'a' AND s != 'b'", "s = 'a' AND s != 'b'",
        "paid AND paid != FALSE", "amount IS NULL AND s IS NOT NULL", "amount <= 9223372036854775806"}) {
    const Result result = Compile(absl::StrCat("SELECT id FROM t WHERE ", where));
    EXPECT_TRUE(result.good && result.findings.empty()) << where << "\n" << Describe(result);
  }
}

std::string Repeat(size_t n, std::string_view first, std::string_view more) {
  std::string out(first);
  for (size_t i = 1; i < n; ++i) absl::StrAppend(&out, more);
  return out;
}

TEST(SqlTest, HoldsItsLimits) {
  const auto one = [](std::string_view text) {
    const Result result = Compile(text);
    return result.findings.empty() ? std::string(result.good ? "good" : "bad") : result.findings[0].code;
  };
  const std::string padding(kMaxStatementBytes - std::string("SELECT id FROM t").size(), ' ');
  EXPECT_EQ(one("SELECT id FROM t" + padding), "good");
  EXPECT_EQ(one("SELECT id FROM t" + padding + " "), "SQL_TOO_LONG");
  EXPECT_EQ(one("SELECT id FROM t WHERE s = '" + std::string(kMaxStringBytes, 'x') + "'"), "good");
  EXPECT_EQ(one("SELECT id FROM t WHERE s = '" + std::string(kMaxStringBytes + 1, 'x') + "'"), "SQL_STRING_TOO_LONG");
  EXPECT_EQ(one("SELECT id FROM t WHERE s = '" + Repeat(kMaxStringBytes, "''", "''") + "'"), "good");
  EXPECT_EQ(one("SELECT id FROM t WHERE " + Repeat(kMaxPredicates, "paid", " AND paid")), "good");
  EXPECT_EQ(one("SELECT id FROM t WHERE " + Repeat(kMaxPredicates + 1, "paid", " AND paid")),
            "SQL_TOO_MANY_PREDICATES");
  const auto items = [](size_t n) {
    std::string list = "SELECT id AS c0";
    for (size_t i = 1; i < n; ++i) absl::StrAppend(&list, ", id AS c", i);
    return list + " FROM t";
  };
  EXPECT_EQ(one(items(kMaxItems)), "good");
  EXPECT_EQ(one(items(kMaxItems + 1)), "SQL_TOO_MANY_ITEMS");
  const std::string name64(kMaxIdentifierBytes, 'n');
  EXPECT_EQ(one("SELECT id AS " + name64 + " FROM t"), "good");
  EXPECT_EQ(one("SELECT id AS n" + name64 + " FROM t"), "SQL_IDENTIFIER_LENGTH");
}

TEST(SqlTest, ReordersToTheSameBytes) {
  std::vector<std::string> predicates = {"amount > 1", "10 >= amount", "amount != 5",     "paid",
                                         "s = 'b'",    "s != 'a'",     "count != -3",     "s IS NOT NULL",
                                         "count < 90", "amount > 1",   "anything IS NULL"};
  std::mt19937 random(7);
  std::string first;
  for (int round = 0; round < 200; ++round) {
    std::shuffle(predicates.begin(), predicates.end(), random);
    const Result result = Compile(absl::StrCat("SELECT id FROM t WHERE ", absl::StrJoin(predicates, " AND ")));
    ASSERT_TRUE(result.good) << Describe(result);
    const std::string checksum = base::Checksum(result.plan);
    if (first.empty()) first = checksum;
    EXPECT_EQ(checksum, first);
    EXPECT_EQ(result.plan.predicates_size(), 10);
  }
}

}  // namespace
}  // namespace st::sql
