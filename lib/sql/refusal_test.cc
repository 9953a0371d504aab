// Each construct outside the subset is refused by its own code, at its own byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/diag/diag.h"
#include "lib/sql/sql.h"

namespace st::sql {
namespace {

// `@@` marks the byte where the finding must stand; it is taken out first.
struct Case {
  std::string_view marked;
  std::string_view code;
};

std::string Describe(const std::vector<Finding>& findings) {
  return absl::StrJoin(findings, "\n", [](std::string* out, const Finding& finding) {
    absl::StrAppend(out, finding.offset, " ", finding.code, ": ", finding.text, " (", finding.hint, ")");
  });
}

class RefusalTest : public testing::TestWithParam<Case> {};

TEST_P(RefusalTest, IsTheOnlyFinding) {
  std::string text(GetParam().marked);
  const size_t offset = text.find("@@");
  ASSERT_NE(offset, std::string::npos);
  text.erase(offset, 2);
  std::vector<Finding> findings;
  EXPECT_FALSE(Parse(text, &findings).has_value());
  ASSERT_EQ(findings.size(), 1u) << text << "\n" << Describe(findings);
  EXPECT_EQ(findings[0].code, GetParam().code) << text << "\n" << Describe(findings);
  EXPECT_EQ(findings[0].offset, offset) << text << "\n" << Describe(findings);
  EXPECT_FALSE(findings[0].warning);
  EXPECT_FALSE(findings[0].text.empty());
  EXPECT_FALSE(diag::HasInvisible(findings[0].text + findings[0].hint, false));
}

constexpr Case kWhole[] = {
    {"@@", "SQL_EMPTY"},
    {" \n\t @@", "SQL_EMPTY"},
    {"@@;", "SQL_NOT_SELECT"},
    {"@@INSERT INTO t SELECT a FROM t", "SQL_NOT_SELECT"},
    {"@@(SELECT a FROM t)", "SQL_PARENTHESES"},
    {"@@WITH x AS (SELECT a FROM t) SELECT a FROM x", "SQL_WITH"},
    {"SELECT a@@", "SQL_NO_FROM"},
    {"SELECT a@@;", "SQL_NO_FROM"},
    {"SELECT a FROM t; @@SELECT b FROM t", "SQL_SECOND_STATEMENT"},
    {"SELECT a FROM t WHERE b; @@x", "SQL_SECOND_STATEMENT"},
    {"SELECT a FROM t;@@;", "SQL_SECOND_SEMICOLON"},
    {"SELECT a FROM t; @@; ;", "SQL_SECOND_SEMICOLON"},
    {"SELECT a @@-- why\nFROM t", "SQL_COMMENT"},
    {"SELECT a FROM t @@# why", "SQL_COMMENT"},
    {"SELECT a, @@/* b, */ c FROM t", "SQL_COMMENT"},
    {"SELECT a FROM t WHERE a > @@--5\n5", "SQL_COMMENT"},
    {"SELECT a FROM t @@/* b", "SQL_UNTERMINATED_COMMENT"},
    {"SELECT a FROM t WHERE @@'b", "SQL_UNTERMINATED_STRING"},
};

constexpr Case kItems[] = {
    {"SELECT @@* FROM t", "SQL_STAR"},
    {"SELECT a, @@t.* FROM t", "SQL_STAR"},
    {"SELECT @@DISTINCT a FROM t", "SQL_DISTINCT"},
    {"SELECT @@ALL a FROM t", "SQL_ALL"},
    {"SELECT @@'x' AS y FROM t", "SQL_LITERAL_ITEM"},
    {"SELECT @@1 FROM t", "SQL_LITERAL_ITEM"},
    {"SELECT @@TRUE FROM t", "SQL_LITERAL_ITEM"},
    {"SELECT @@NULL AS n FROM t", "SQL_NULL_LITERAL"},
    {"SELECT a @@b FROM t", "SQL_IMPLICIT_ALIAS"},
    {"SELECT a, b AS @@a FROM t", "SQL_DUPLICATE_OUTPUT"},
    {"SELECT a, @@a FROM t", "SQL_DUPLICATE_OUTPUT"},
    {"SELECT a@@, FROM t", "SQL_TRAILING_COMMA"},
    {"SELECT a@@, , b FROM t", "SQL_TRAILING_COMMA"},
    {"SELECT @@FROM t", "SQL_EXPECTED"},
    {"SELECT @@, a FROM t", "SQL_EXPECTED"},
    {"SELECT a AS @@FROM t", "SQL_EXPECTED"},
    {"SELECT a AS @@'b' FROM t", "SQL_EXPECTED"},
    {"SELECT a AS @@\"b\" FROM t", "SQL_DOUBLE_QUOTES"},
    {"SELECT a AS @@`b` FROM t", "SQL_BACKTICK"},
    {"SELECT a @@= 1 FROM t", "SQL_EXPRESSION"},
    {"SELECT a @@+ 1 FROM t", "SQL_EXPRESSION"},
    {"SELECT a @@|| b AS c FROM t", "SQL_EXPRESSION"},
    {"SELECT @@-a FROM t", "SQL_EXPRESSION"},
    {"SELECT @@NOT a FROM t", "SQL_EXPRESSION"},
    {"SELECT a @@IS NULL AS b FROM t", "SQL_EXPRESSION"},
    {"SELECT @@lower(a) AS b FROM t", "SQL_FUNCTION"},
    {"SELECT @@current_date AS b FROM t", "SQL_FUNCTION"},
    {"SELECT a, @@count(*) AS n FROM t", "SQL_AGGREGATE"},
    {"SELECT @@CAST(a AS BIGINT) AS b FROM t", "SQL_CAST"},
    {"SELECT @@try_cast(a AS BIGINT) AS b FROM t", "SQL_CAST"},
    {"SELECT a@@::bigint FROM t", "SQL_CAST"},
    {"SELECT @@CASE WHEN a THEN b ELSE c END AS d FROM t", "SQL_CASE"},
    {"SELECT @@(a) FROM t", "SQL_PARENTHESES"},
    {"SELECT @@(SELECT a FROM u) AS b FROM t", "SQL_SUBQUERY"},
    {"SELECT row_number() @@OVER (ORDER BY a) AS n FROM t", "SQL_WINDOW"},
    {"SELECT a@@[1] FROM t", "SQL_BRACKET"},
    {"SELECT @@{{ var('x') }} FROM t", "SQL_TEMPLATE_PLACE"},
};

constexpr Case kNames[] = {
    {"SELECT @@Amount FROM t", "SQL_UPPERCASE"},
    {"SELECT a AS @@orderId FROM t", "SQL_UPPERCASE"},
    {"SELECT a FROM t WHERE @@Paid = TRUE", "SQL_UPPERCASE"},
    {"SELECT @@gr\xC3\xB6\xC3\x9F"
     "e FROM t",
     "SQL_IDENTIFIER"},
    {"SELECT @@a$b FROM t", "SQL_IDENTIFIER"},
    {"SELECT @@aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa FROM t", "SQL_IDENTIFIER_LENGTH"},
    {"SELECT @@t.a FROM t", "SQL_QUALIFIED_NAME"},
    {"SELECT a FROM t WHERE @@a.b.c = 1", "SQL_QUALIFIED_NAME"},
    {"SELECT a FROM @@shop.t", "SQL_QUALIFIED_NAME"},
    {"SELECT @@\"a\" FROM t", "SQL_DOUBLE_QUOTES"},
    {"SELECT @@`a` FROM t", "SQL_BACKTICK"},
    {"SELECT @@from FROM t", "SQL_RESERVED_WORD"},
    {"SELECT a AS @@select FROM t", "SQL_RESERVED_WORD"},
    {"SELECT a AS @@from FROM t", "SQL_RESERVED_WORD"},
    {"SELECT a FROM t WHERE @@where = 1", "SQL_RESERVED_WORD"},
};

constexpr Case kTables[] = {
    {"SELECT a FROM @@", "SQL_EXPECTED"},
    {"SELECT a FROM @@WHERE b", "SQL_EXPECTED"},
    {"SELECT a FROM @@5", "SQL_EXPECTED"},
    {"SELECT a FROM @@Orders", "SQL_TABLE_NAME"},
    {"SELECT a FROM @@'orders'", "SQL_TABLE_NAME"},
    {"SELECT a FROM @@\"orders\"", "SQL_TABLE_NAME"},
    {"SELECT a FROM @@`orders`", "SQL_BACKTICK"},
    {"SELECT a FROM @@group WHERE b", "SQL_TABLE_NAME"},
    {"SELECT a FROM {{ source('@@Orders') }}", "SQL_TABLE_NAME"},
    {"SELECT a FROM {{ ref('@@') }}", "SQL_TABLE_NAME"},
    {"SELECT a FROM {{ source('x@@}}') }}", "SQL_BRACES"},
    {"SELECT a FROM t @@x", "SQL_TABLE_ALIAS"},
    {"SELECT a FROM t @@AS x WHERE b", "SQL_TABLE_ALIAS"},
    {"SELECT a FROM {{ source('t') }} @@x", "SQL_TABLE_ALIAS"},
    {"SELECT a FROM @@unnest(b)", "SQL_TABLE_FUNCTION"},
    {"SELECT a FROM @@TABLE(t)", "SQL_TABLE_FUNCTION"},
    {"SELECT a FROM @@(SELECT a FROM u) x WHERE b", "SQL_SUBQUERY"},
    {"SELECT a FROM @@(t)", "SQL_PARENTHESES"},
    {"SELECT a FROM t @@JOIN u ON x = y WHERE b", "SQL_JOIN"},
    {"SELECT a FROM t @@LEFT OUTER JOIN u USING (x)", "SQL_JOIN"},
    {"SELECT a FROM t @@CROSS JOIN u", "SQL_JOIN"},
    {"SELECT a FROM t@@, u WHERE b", "SQL_JOIN"},
    {"SELECT a FROM @@{{ var('x') }}", "SQL_TEMPLATE"},
    {"SELECT a FROM @@{{ Source('x') }}", "SQL_TEMPLATE"},
    {"SELECT a FROM @@{{ source('x', 'y') }} WHERE b", "SQL_TEMPLATE"},
    {"SELECT a FROM @@{{ source(x) }}", "SQL_TEMPLATE"},
    {"SELECT a FROM @@{{- source('x') -}}", "SQL_TEMPLATE"},
    {"SELECT a FROM @@{{ source('x') } WHERE b", "SQL_TEMPLATE"},
    {"SELECT a FROM @@{{ source('x')", "SQL_TEMPLATE"},
    {"@@{{ config(materialized='topic') }} SELECT a FROM t", "SQL_TEMPLATE_PLACE"},
    {"SELECT a FROM t @@{% if x %}", "SQL_TEMPLATE_BLOCK"},
    {"SELECT a FROM t @@{# it's a note #}", "SQL_TEMPLATE_BLOCK"},
};

constexpr Case kPredicates[] = {
    {"SELECT a FROM t WHERE @@", "SQL_EXPECTED"},
    {"SELECT a FROM t WHERE b AND @@", "SQL_EXPECTED"},
    {"SELECT a FROM t WHERE @@AND b", "SQL_EXPECTED"},
    {"SELECT a FROM t WHERE b @@c", "SQL_EXPECTED"},
    {"SELECT a FROM t WHERE a = @@", "SQL_EXPECTED"},
    {"SELECT a FROM t WHERE a = 1 @@OR b", "SQL_OR"},
    {"SELECT a FROM t WHERE @@(a = 1 OR b)", "SQL_PARENTHESES"},
    {"SELECT a FROM t WHERE NOT @@(a)", "SQL_PARENTHESES"},
    {"SELECT a FROM t WHERE a = @@(SELECT 1)", "SQL_SUBQUERY"},
    {"SELECT a FROM t WHERE a @@IN (1, 2) AND b", "SQL_IN"},
    {"SELECT a FROM t WHERE a @@NOT IN (1, 2)", "SQL_IN"},
    {"SELECT a FROM t WHERE a @@LIKE 'x%' AND b", "SQL_LIKE"},
    {"SELECT a FROM t WHERE a @@NOT LIKE 'x%'", "SQL_LIKE"},
    {"SELECT a FROM t WHERE a @@~ 'x'", "SQL_LIKE"},
    {"SELECT a FROM t WHERE a @@BETWEEN 1 AND 5 AND b", "SQL_BETWEEN"},
    {"SELECT a FROM t WHERE a @@NOT BETWEEN 1 AND 5", "SQL_BETWEEN"},
    {"SELECT a FROM t WHERE @@EXISTS (SELECT 1 FROM u)", "SQL_EXISTS"},
    {"SELECT a FROM t WHERE NOT @@EXISTS (SELECT 1 FROM u)", "SQL_EXISTS"},
    {"SELECT a FROM t WHERE @@CASE WHEN a THEN b END = 1", "SQL_CASE"},
    {"SELECT a FROM t WHERE @@NOT a = TRUE", "SQL_NOT_COMPARISON"},
    {"SELECT a FROM t WHERE @@NOT a IS NULL AND b", "SQL_NOT_COMPARISON"},
    {"SELECT a FROM t WHERE @@NOT NOT a", "SQL_DOUBLE_NOT"},
    {"SELECT a FROM t WHERE a = @@NULL", "SQL_NULL_COMPARISON"},
    {"SELECT a FROM t WHERE @@NULL = a", "SQL_NULL_COMPARISON"},
    {"SELECT a FROM t WHERE @@NULL", "SQL_NULL_LITERAL"},
    {"SELECT a FROM t WHERE a IS @@TRUE", "SQL_IS"},
    {"SELECT a FROM t WHERE a IS NOT @@FALSE AND b", "SQL_IS"},
    {"SELECT a FROM t WHERE a IS @@DISTINCT FROM 5", "SQL_IS"},
    {"SELECT a FROM t WHERE a = @@b", "SQL_COLUMN_COMPARISON"},
    {"SELECT a FROM t WHERE @@1 = 1", "SQL_CONSTANT_PREDICATE"},
    {"SELECT a FROM t WHERE @@TRUE", "SQL_CONSTANT_PREDICATE"},
    {"SELECT a FROM t WHERE @@NOT FALSE", "SQL_CONSTANT_PREDICATE"},
    {"SELECT a FROM t WHERE @@5 IS NULL", "SQL_CONSTANT_PREDICATE"},
    {"SELECT a FROM t WHERE 1 < a @@< 5", "SQL_CHAINED"},
    {"SELECT a FROM t WHERE a @@== 1", "SQL_OPERATOR"},
    {"SELECT a FROM t WHERE a @@<=> 1 AND b", "SQL_OPERATOR"},
    {"SELECT a FROM t WHERE @@!a", "SQL_OPERATOR"},
    {"SELECT a FROM t WHERE a @@\xE2\x89\xA5 1", "SQL_OPERATOR"},
    {"SELECT a FROM t WHERE a > 1 @@&& b", "SQL_OPERATOR"},
    {"SELECT a FROM t WHERE a @@+ 1 > 5", "SQL_EXPRESSION"},
    {"SELECT a FROM t WHERE a > 5 @@* 2 AND b", "SQL_EXPRESSION"},
    {"SELECT a FROM t WHERE a > @@-b", "SQL_EXPRESSION"},
    {"SELECT a FROM t WHERE @@lower(a) = 'x' AND b", "SQL_FUNCTION"},
    {"SELECT a FROM t WHERE a > @@current_timestamp", "SQL_FUNCTION"},
    {"SELECT a FROM t WHERE @@sum(a) > 5", "SQL_AGGREGATE"},
    {"SELECT a FROM t WHERE @@CAST(a AS BIGINT) > 5", "SQL_CAST"},
    {"SELECT a FROM t WHERE a = @@ALL (SELECT b FROM u)", "SQL_ALL"},
    {"SELECT a FROM t WHERE a = @@?", "SQL_PARAMETER"},
    {"SELECT a FROM t WHERE a = @@:x", "SQL_PARAMETER"},
    {"SELECT a FROM t WHERE a = @@$1", "SQL_PARAMETER"},
    {"SELECT a FROM t WHERE a = @@{{ var('x') }} AND b", "SQL_TEMPLATE_PLACE"},
};

constexpr Case kLiterals[] = {
    {"SELECT a FROM t WHERE a = @@\"x\"", "SQL_DOUBLE_QUOTES"},
    {"SELECT a FROM t WHERE a = 'x@@{y'", "SQL_BRACES"},
    {"SELECT a FROM t WHERE a = '@@}'", "SQL_BRACES"},
    {"SELECT a FROM t WHERE a = @@E'x'", "SQL_STRING_PREFIX"},
    {"SELECT a FROM t WHERE a = @@DATE '2020-01-01'", "SQL_TYPED_LITERAL"},
    {"SELECT a FROM t WHERE a > @@INTERVAL '5' DAY", "SQL_TYPED_LITERAL"},
    {"SELECT a FROM t WHERE a = @@\xE2\x80\x98x\xE2\x80\x99 AND b", "SQL_TYPOGRAPHIC_QUOTE"},
    {"SELECT a FROM t WHERE a = @@+1", "SQL_PLUS_SIGN"},
    {"SELECT a FROM t WHERE a = @@- 1 AND b", "SQL_MINUS_BLANK"},
    {"SELECT a FROM t WHERE a = @@01", "SQL_LEADING_ZERO"},
    {"SELECT a FROM t WHERE a = @@-00", "SQL_LEADING_ZERO"},
    {"SELECT a FROM t WHERE a = @@9223372036854775808", "SQL_INTEGER_RANGE"},
    {"SELECT a FROM t WHERE a = @@-9223372036854775809", "SQL_INTEGER_RANGE"},
    {"SELECT a FROM t WHERE @@99999999999999999999999 = a", "SQL_INTEGER_RANGE"},
    {"SELECT a FROM t WHERE a = @@1.0", "SQL_FRACTION"},
    {"SELECT a FROM t WHERE a = @@.5", "SQL_FRACTION"},
    {"SELECT a FROM t WHERE a = @@1.5e3", "SQL_FRACTION"},
    {"SELECT a FROM t WHERE a = @@1e2", "SQL_EXPONENT"},
    {"SELECT a FROM t WHERE a = @@1E-2", "SQL_EXPONENT"},
    {"SELECT a FROM t WHERE a = @@0x10", "SQL_NUMBER"},
    {"SELECT a FROM t WHERE a = @@1_000", "SQL_NUMBER"},
    {"SELECT a@@\xC2\xA0 FROM t", "SQL_BLANK"},
    {"SELECT a FROM t @@\f", "SQL_BLANK"},
    {"SELECT a @@\xEF\xBB\xBF FROM t", "SQL_BLANK"},
    {"SELECT a @@\\ FROM t", "SQL_CHARACTER"},
    {"SELECT a @@\x01 FROM t", "SQL_CHARACTER"},
    {"SELECT a @@\xE2\x80\xAE FROM t", "SQL_CHARACTER"},
    {"SELECT a FROM t WHERE a = '@@\xFF'", "SQL_NOT_UTF8"},
    {"SELECT a FROM t WHERE a = '@@\xED\xA0\x80'", "SQL_NOT_UTF8"},
    {{"SELECT a FROM t @@\0", 20}, "SQL_NUL"},
};

constexpr Case kClauses[] = {
    {"SELECT a FROM t @@GROUP BY a", "SQL_GROUP_BY"},
    {"SELECT a FROM t WHERE b @@GROUP BY a", "SQL_GROUP_BY"},
    {"SELECT a FROM t @@HAVING a > 5", "SQL_HAVING"},
    {"SELECT a FROM t WHERE b @@ORDER BY a DESC, b", "SQL_ORDER_BY"},
    {"SELECT a FROM t @@LIMIT 5", "SQL_LIMIT"},
    {"SELECT a FROM t WHERE b @@FETCH FIRST 5 ROWS ONLY", "SQL_LIMIT"},
    {"SELECT a FROM t WHERE b @@OFFSET 5;", "SQL_OFFSET"},
    {"SELECT a FROM t @@UNION ALL SELECT a FROM u WHERE c", "SQL_UNION"},
    {"SELECT a FROM t WHERE b @@INTERSECT SELECT a FROM u", "SQL_INTERSECT"},
    {"SELECT a FROM t @@EXCEPT SELECT a FROM u;", "SQL_EXCEPT"},
    {"SELECT a FROM t @@WINDOW w AS (PARTITION BY a)", "SQL_WINDOW"},
    {"SELECT a FROM t @@EMIT CHANGES", "SQL_EMIT"},
    {"SELECT a FROM t WHERE b @@EMIT FINAL;", "SQL_EMIT"},
    {"SELECT a FROM t WHERE b @@JOIN u", "SQL_JOIN"},
    {"SELECT a FROM t WHERE b @@WHERE c", "SQL_EXPECTED"},
};

INSTANTIATE_TEST_SUITE_P(Whole, RefusalTest, testing::ValuesIn(kWhole));
INSTANTIATE_TEST_SUITE_P(Items, RefusalTest, testing::ValuesIn(kItems));
INSTANTIATE_TEST_SUITE_P(Names, RefusalTest, testing::ValuesIn(kNames));
INSTANTIATE_TEST_SUITE_P(Tables, RefusalTest, testing::ValuesIn(kTables));
INSTANTIATE_TEST_SUITE_P(Predicates, RefusalTest, testing::ValuesIn(kPredicates));
INSTANTIATE_TEST_SUITE_P(Literals, RefusalTest, testing::ValuesIn(kLiterals));
INSTANTIATE_TEST_SUITE_P(Clauses, RefusalTest, testing::ValuesIn(kClauses));

std::vector<std::string> Codes(std::string_view text) {
  std::vector<Finding> findings;
  EXPECT_FALSE(Parse(text, &findings).has_value());
  std::sort(findings.begin(), findings.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::vector<std::string> codes;
  for (const Finding& finding : findings) codes.push_back(finding.code);
  return codes;
}

TEST(RecoveryTest, FindsEveryErrorOfOneStatement) {
  EXPECT_EQ(
      Codes("SELECT *, lower(a) AS b, c d, e AS Big FROM t x JOIN u ON y = z "
            "WHERE a IN (1, 2) OR b BETWEEN 1 AND 2 AND c = 01 AND NOT d = 1 GROUP BY a ORDER BY b LIMIT 5;;"),
      (std::vector<std::string>{"SQL_STAR", "SQL_FUNCTION", "SQL_IMPLICIT_ALIAS", "SQL_UPPERCASE", "SQL_TABLE_ALIAS",
                                "SQL_JOIN", "SQL_IN", "SQL_OR", "SQL_BETWEEN", "SQL_LEADING_ZERO", "SQL_NOT_COMPARISON",
                                "SQL_GROUP_BY", "SQL_ORDER_BY", "SQL_LIMIT", "SQL_SECOND_SEMICOLON"}));
}

TEST(RecoveryTest, StopsAfterTheLimitAndSaysSo) {
  std::string text = "SELECT a FROM t WHERE a = 01";
  for (size_t i = 1; i < kMaxErrors + 20; ++i) text += " AND a = 01";
  std::vector<std::string> codes = Codes(text);
  ASSERT_EQ(codes.size(), kMaxErrors + 1);
  EXPECT_EQ(std::count(codes.begin(), codes.end(), "SQL_MORE_ERRORS"), 1);
}

// As a column and as an alias; each word is refused, none breaks the rest of the statement.
TEST(WordTest, WordsOfSqlAreRefusedAsNames) {
  for (const std::string_view word :
       {"or",   "in",     "like",   "between", "case",      "when",   "then",     "else",  "end",    "cast",
        "join", "on",     "using",  "group",   "by",        "having", "order",    "limit", "offset", "union",
        "all",  "exists", "window", "over",    "intersect", "except", "distinct", "with"}) {
    EXPECT_EQ(Codes(absl::StrCat("SELECT ", word, " FROM t")), std::vector<std::string>{"SQL_REFUSED_WORD"}) << word;
    EXPECT_EQ(Codes(absl::StrCat("SELECT b, ", word, ", c FROM t")), std::vector<std::string>{"SQL_REFUSED_WORD"})
        << word;
    EXPECT_EQ(Codes(absl::StrCat("SELECT a AS ", word, " FROM t")), std::vector<std::string>{"SQL_REFUSED_WORD"})
        << word;
    EXPECT_EQ(Codes(absl::StrCat("SELECT a FROM t WHERE ", word, " = 1")), std::vector<std::string>{"SQL_REFUSED_WORD"})
        << word;
    EXPECT_EQ(Codes(absl::StrCat("SELECT a FROM t WHERE 1 = ", word)), std::vector<std::string>{"SQL_REFUSED_WORD"})
        << word;
  }
}

}  // namespace
}  // namespace st::sql
