// The words of SQL that the subset knows: ten are reserved, the others are refused as names so that a reader never
// stumbles.
#ifndef ST_LIB_SQL_WORDS_H_
#define ST_LIB_SQL_WORDS_H_

#include <string_view>

#include "lib/sql/finding_sink.h"

namespace st::sql {

struct Word {
  std::string_view text;  // lower case
  bool reserved;
  // Refused words: what it is called when it is used as what it is.
  const Refusal* construct;
  // It begins a clause that could follow a WHERE.
  bool clause;
};

// In any case; nullptr for every other word.
const Word* FindWord(std::string_view word);

}  // namespace st::sql

#endif  // ST_LIB_SQL_WORDS_H_
