// The bounded SELECT of the declarations: lex, parse, check against the input's columns, to a RecordPlan.
// Pure; any thread. Time and memory are linear in the statement, and nothing recurses. Grammar, limits and codes:
// docs/sql.md.
#ifndef ST_LIB_SQL_SQL_H_
#define ST_LIB_SQL_SQL_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace st::v1 {
class RecordPlan;
class InputColumn;
}  // namespace st::v1

namespace st::sql {

inline constexpr size_t kMaxStatementBytes = 256 * 1024;
inline constexpr size_t kMaxStringBytes = 32 * 1024;  // of the value, so '' counts 1
inline constexpr size_t kMaxItems = 1000;
inline constexpr size_t kMaxPredicates = 1000;  // as written, repeats included
inline constexpr size_t kMaxIdentifierBytes = 64;
// After so many errors in one statement the rest is not looked at, and the last finding says so.
inline constexpr size_t kMaxErrors = 50;

// A finding inside one statement; the caller knows where the statement stands.
struct Finding {
  bool warning = false;
  size_t offset = 0;  // byte in the statement, up to its length
  std::string code;   // e.g. SQL_JOIN
  std::string text;   // as in diag::Diagnostic: a sentence without a final stop, what is invisible escaped
  std::string hint;
};

// FROM: {{ source("x") }}, {{ ref("x") }} or a bare name (resolved by the caller: source or model).
struct TableReference {
  enum class Kind { kSource, kRef, kName } kind = Kind::kName;
  std::string name;
  size_t offset = 0;  // of the name
};

// A parsed statement; not yet checked against columns. It owns what it holds: the text may go away.
class Statement {
 public:
  struct Impl;
  explicit Statement(std::unique_ptr<Impl> impl);
  Statement(Statement&&) noexcept;
  Statement& operator=(Statement&&) noexcept;
  ~Statement();

  const TableReference& table() const;
  const Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// Adds all findings of one statement where recovery is possible, else the first. nullopt when any is an error. The
// text may begin with a byte-order mark and use CR LF.
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

// Types and names against `inputs` (names and members unique; any order); fills everything of `plan` but topics and
// extra_members. Contradictory predicates are warnings, and nothing is ever simplified. nullopt when any finding is an
// error, and `plan` is then as it was; suggestions for misspelt columns.
std::optional<Checked> Check(const Statement& statement, const std::vector<v1::InputColumn>& inputs,
                             v1::RecordPlan* plan, std::vector<Finding>* findings);

}  // namespace st::sql

#endif  // ST_LIB_SQL_SQL_H_
