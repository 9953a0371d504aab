// SQLite as the oracle: random predicates on random rows with NULLs select the same rows there as the record plan,
// read in the plainest way, selects here.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <variant>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "lib/sql/sql.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::sql {
namespace {

// monostate: NULL.
using Value = std::variant<std::monostate, std::string, bool, int64_t>;
using Row = absl::flat_hash_map<std::string, Value>;

struct ColumnSpec {
  const char* name;
  v1::ColumnType type;
};
constexpr ColumnSpec kColumns[] = {{"s", v1::STRING},  {"t", v1::STRING}, {"p", v1::BOOLEAN},
                                   {"q", v1::BOOLEAN}, {"a", v1::BIGINT}, {"b", v1::BIGINT}};

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  Value RandomValue(v1::ColumnType type) {
    static const std::string kStrings[] = {"", "a", "A", "b", "a ", "it's", "\xC3\xA9", "e\xCC\x81", "0", "NULL"};
    static const int64_t kNumbers[] = {
        0, 1, -1, 5, 6, 100, std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max()};
    switch (type) {
      case v1::STRING:
        return kStrings[Below(std::size(kStrings))];
      case v1::BOOLEAN:
        return Below(2) == 0;
      default:
        return kNumbers[Below(std::size(kNumbers))];
    }
  }

  Row RandomRow() {
    Row row;
    for (const ColumnSpec& column : kColumns) {
      row[column.name] = Below(4) == 0 ? Value() : RandomValue(column.type);
    }
    return row;
  }

  std::string RandomPredicate() {
    const ColumnSpec& column = kColumns[Below(std::size(kColumns))];
    const uint32_t form = Below(10);
    if (form == 0) return absl::StrCat(column.name, " IS NULL");
    if (form == 1) return absl::StrCat(column.name, " IS NOT NULL");
    if (column.type == v1::BOOLEAN && form == 2) return column.name;
    if (column.type == v1::BOOLEAN && form == 3) return absl::StrCat("NOT ", column.name);
    static const char* const kOperators[] = {"=", "!=", "<>", "<", "<=", ">", ">="};
    const std::string op = kOperators[Below(column.type == v1::BIGINT ? 7 : 3)];
    const std::string literal = Spell(RandomValue(column.type));
    return Below(2) == 0 ? absl::StrCat(column.name, " ", op, " ", literal)
                         : absl::StrCat(literal, " ", op, " ", column.name);
  }

  uint32_t Below(size_t n) { return std::uniform_int_distribution<uint32_t>(0, static_cast<uint32_t>(n - 1))(random_); }

  static std::string Spell(const Value& value) {
    if (const auto* text = std::get_if<std::string>(&value)) {
      return absl::StrCat("'", absl::StrReplaceAll(*text, {{"'", "''"}}), "'");
    }
    if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "TRUE" : "FALSE";
    if (const auto* number = std::get_if<int64_t>(&value)) return absl::StrCat(*number);
    return "NULL";
  }

 private:
  std::mt19937 random_;
};

template <typename T>
bool Compare(const T& value, v1::Predicate::Operator op, const T& literal) {
  switch (op) {
    case v1::Predicate::EQ:
      return value == literal;
    case v1::Predicate::NE:
      return value != literal;
    case v1::Predicate::LT:
      return value < literal;
    case v1::Predicate::LE:
      return value <= literal;
    case v1::Predicate::GT:
      return value > literal;
    case v1::Predicate::GE:
      return value >= literal;
    default:
      ADD_FAILURE() << op;
      return false;
  }
}

bool Passes(const v1::Predicate& predicate, const Row& row) {
  const Value& value = row.at(predicate.column());
  const bool null = std::holds_alternative<std::monostate>(value);
  if (predicate.op() == v1::Predicate::IS_NULL) return null;
  if (predicate.op() == v1::Predicate::IS_NOT_NULL) return !null;
  if (null) return false;
  if (predicate.has_string_value()) {
    return Compare(std::get<std::string>(value), predicate.op(), predicate.string_value());
  }
  if (predicate.has_boolean_value()) return Compare(std::get<bool>(value), predicate.op(), predicate.boolean_value());
  return Compare(std::get<int64_t>(value), predicate.op(), predicate.bigint_value());
}

class Database {
 public:
  Database() {
    EXPECT_EQ(sqlite3_open(":memory:", &database_), SQLITE_OK);
    Execute("CREATE TABLE input (n INTEGER, s TEXT, t TEXT, p INTEGER, q INTEGER, a INTEGER, b INTEGER)");
  }
  ~Database() { sqlite3_close(database_); }

  void Execute(const std::string& text) {
    char* error = nullptr;
    ASSERT_EQ(sqlite3_exec(database_, text.c_str(), nullptr, nullptr, &error), SQLITE_OK)
        << text << ": " << (error == nullptr ? "" : error);
  }

  std::vector<int> Select(const std::string& text) {
    std::vector<int> rows;
    sqlite3_stmt* statement = nullptr;
    EXPECT_EQ(sqlite3_prepare_v2(database_, text.c_str(), -1, &statement, nullptr), SQLITE_OK)
        << text << ": " << sqlite3_errmsg(database_);
    while (sqlite3_step(statement) == SQLITE_ROW) rows.push_back(sqlite3_column_int(statement, 0));
    sqlite3_finalize(statement);
    return rows;
  }

 private:
  sqlite3* database_ = nullptr;
};

TEST(SqliteTest, SelectsTheSameRows) {
  constexpr int kRows = 60;
  constexpr int kStatements = 2000;
  Generator generator(20240229);
  Database database;
  std::vector<Row> rows;
  for (int i = 0; i < kRows; ++i) {
    Row row = generator.RandomRow();
    std::vector<std::string> values = {absl::StrCat(i)};
    for (const ColumnSpec& column : kColumns) values.push_back(Generator::Spell(row[column.name]));
    database.Execute(absl::StrCat("INSERT INTO input VALUES (", absl::StrJoin(values, ", "), ")"));
    rows.push_back(std::move(row));
  }
  std::vector<v1::InputColumn> inputs;
  for (const ColumnSpec& spec : kColumns) {
    v1::InputColumn& column = inputs.emplace_back();
    column.set_name(spec.name);
    column.set_member(spec.name);
    column.set_type(spec.type);
  }

  int64_t selected = 0;
  for (int i = 0; i < kStatements; ++i) {
    std::vector<std::string> predicates(1 + generator.Below(3));
    for (std::string& predicate : predicates) predicate = generator.RandomPredicate();
    const std::string where = absl::StrJoin(predicates, " AND ");
    std::vector<Finding> findings;
    const auto statement = Parse(absl::StrCat("SELECT s FROM input WHERE ", where), &findings);
    ASSERT_TRUE(statement.has_value()) << where << ": " << findings[0].text;
    v1::RecordPlan plan;
    const auto checked = Check(*statement, inputs, &plan, &findings);
    ASSERT_TRUE(checked.has_value()) << where << ": " << findings[0].text;

    std::vector<int> ours;
    bool warned_of_nothing = false;
    for (const Finding& finding : findings)
      warned_of_nothing |= finding.code.find("CONTRADICTION") != std::string::npos;
    for (int n = 0; n < kRows; ++n) {
      bool passes = true;
      for (const v1::Predicate& predicate : plan.predicates()) passes = passes && Passes(predicate, rows[n]);
      if (!passes) continue;
      ours.push_back(n);
      // What the checker calls never null is never null in what passes.
      if (checked->columns[0].required) {
        ASSERT_FALSE(std::holds_alternative<std::monostate>(rows[n].at("s"))) << where;
      }
    }
    ASSERT_EQ(ours, database.Select(absl::StrCat("SELECT n FROM input WHERE ", where, " ORDER BY n"))) << where;
    if (warned_of_nothing) {
      ASSERT_TRUE(ours.empty()) << where;
    }
    selected += static_cast<int64_t>(ours.size());
  }
  // Neither nothing nor everything: the comparison above had something to compare.
  EXPECT_GT(selected, kStatements * 2);
  EXPECT_LT(selected, static_cast<int64_t>(kStatements) * kRows / 2);
}

}  // namespace
}  // namespace st::sql
