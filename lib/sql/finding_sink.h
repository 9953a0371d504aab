// Where the lexer, the parser and the checker put what they find, with the bound on errors.
#ifndef ST_LIB_SQL_FINDING_SINK_H_
#define ST_LIB_SQL_FINDING_SINK_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "lib/sql/sql.h"

namespace st::sql {

// One construct that is refused, or warned of: `$0` and `$1` in text and hint stand for what was found.
struct Refusal {
  const char* code;
  const char* text;
  const char* hint;
};

class FindingSink {
 public:
  explicit FindingSink(std::vector<Finding>* findings) : findings_(findings) {}

  // The details come from the statement; what is invisible in them is escaped and what is long is cut.
  void Refuse(const Refusal& refusal, size_t offset, std::string_view detail0 = {}, std::string_view detail1 = {});
  void Warn(const Refusal& refusal, size_t offset, std::string_view detail0 = {}, std::string_view detail1 = {});

  bool has_errors() const { return errors_ > 0; }
  // kMaxErrors were found: what comes now is dropped, and the caller should stop.
  bool full() const { return errors_ >= kMaxErrors; }

 private:
  void Add(bool warning, const Refusal& refusal, size_t offset, std::string_view detail0, std::string_view detail1);

  std::vector<Finding>* findings_;
  size_t errors_ = 0;
};

}  // namespace st::sql

#endif  // ST_LIB_SQL_FINDING_SINK_H_
