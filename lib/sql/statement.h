// The parsed statement, as the checker reads it.
#ifndef ST_LIB_SQL_STATEMENT_H_
#define ST_LIB_SQL_STATEMENT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "lib/sql/sql.h"

namespace st::sql {

// monostate: none.
using Literal = std::variant<std::monostate, std::string, bool, int64_t>;

enum class Operator { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual, kIsNull, kIsNotNull };

struct Item {
  std::string column;
  size_t column_offset = 0;
  std::string name;  // in the output
  size_t name_offset = 0;
};

// Column left, whichever side it was written on.
struct Condition {
  std::string column;
  size_t column_offset = 0;
  Operator op = Operator::kEqual;
  size_t op_offset = 0;
  Literal literal;
  size_t literal_offset = 0;
  bool bare = false;  // written `x` or `NOT x`
};

struct Statement::Impl {
  TableReference table;
  std::vector<Item> items;
  std::vector<Condition> conditions;
};

}  // namespace st::sql

#endif  // ST_LIB_SQL_STATEMENT_H_
