// Statement text to tokens, one at a time. What has no place in any statement (comments, odd blanks, stray characters,
// text without its closing quote) is reported here and passed over, so that the parser sees the rest.
#ifndef ST_LIB_SQL_LEXER_H_
#define ST_LIB_SQL_LEXER_H_

#include <cstddef>
#include <string_view>

#include "lib/sql/finding_sink.h"

namespace st::sql {

enum class TokenKind {
  kEnd,
  kWord,    // letters, digits, _, $ and what is not ASCII; not yet checked as a name
  kNumber,  // begins with a digit, or with a dot before one; not yet checked
  kString,  // '...' with its quotes
  kQuoted,  // "..." with its quotes
  kSymbol,  // the longest known operator, or one character
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  size_t offset = 0;
  std::string_view text;  // a part of the statement; empty at the end

  size_t end() const { return offset + text.size(); }
};

// `text` must be valid UTF-8 without NUL, and outlive the lexer and its tokens.
class Lexer {
 public:
  Lexer(std::string_view text, FindingSink* sink);
  // kEnd again and again at the end, or once the sink is full.
  Token Next();
  // Whether the end came early: an open quote or comment took the rest.
  bool cut_short() const { return cut_short_; }

 private:
  // Passes over blanks and what is reported as if it were blank.
  void SkipBlanks();
  // From a two-character opening to past `closing`; one refusal for a closed block, one for an open one.
  void SkipBlock(std::string_view closing, const Refusal& closed, const Refusal& open);
  // True when a character was reported and passed over.
  bool SkipOddCharacter();
  Token Take(TokenKind kind, size_t size);
  Token TakeWord();
  Token TakeNumber();
  Token TakeQuoted(char quote);
  Token TakeTypographic();
  Token TakeSymbol();
  bool At(std::string_view what) const;

  std::string_view text_;
  FindingSink* sink_;
  size_t at_ = 0;
  bool cut_short_ = false;
};

}  // namespace st::sql

#endif  // ST_LIB_SQL_LEXER_H_
