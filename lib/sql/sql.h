// The bounded SELECT of the declarations: lex, parse, check against the input's columns, to a RecordPlan.
// Pure; any thread. Grammar and limits: docs/declarations.md.
#ifndef ST_LIB_SQL_SQL_H_
#define ST_LIB_SQL_SQL_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace st::v1 {
class RecordPlan;
class InputColumn;
}  // namespace st::v1

namespace st::sql {

// A finding inside one statement; the caller knows where the statement stands.
struct Finding {
  bool warning = false;
  size_t offset = 0;  // byte in the statement
  std::string code;   // e.g. SQL_JOIN
  std::string text;
  std::string hint;
};

// FROM: {{ source("x") }}, {{ ref("x") }} or a bare name (resolved by the caller: source or model).
struct TableReference {
  enum class Kind { kSource, kRef, kName } kind = Kind::kName;
  std::string name;
  size_t offset = 0;
};

// A parsed statement; not yet checked against columns.
class Statement {
 public:
  Statement();
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) noexcept;
  ~Statement();
  const TableReference& table() const;

  struct Impl;
  Impl* impl() const { return impl_; }

 private:
  Impl* impl_;
};

// All findings of one statement where recovery is possible, else the first. nullopt when any is an error.
std::optional<Statement> Parse(std::string_view text, std::vector<Finding>* findings);

// An output column with what the checker knows of it.
struct OutputColumn {
  std::string name;
  int type = 0;           // v1::ColumnType
  bool required = false;  // never null: declared so, or proven by a predicate
};

struct Checked {
  std::vector<OutputColumn> columns;  // in SELECT order
};

// Types and names against `inputs`; fills everything of `plan` but topics and extra_members. Contradictory
// predicates are warnings. nullopt when any finding is an error; suggestions for misspelt columns.
std::optional<Checked> Check(const Statement& statement, const std::vector<v1::InputColumn>& inputs,
                             v1::RecordPlan* plan, std::vector<Finding>* findings);

}  // namespace st::sql

#endif  // ST_LIB_SQL_SQL_H_
