// The tokens of protobuf's text format. For this library.
// https://protobuf.dev/reference/protobuf/textformat-spec/
#ifndef ST_LIB_DOCIO_LEXER_H_
#define ST_LIB_DOCIO_LEXER_H_

#include <cstddef>
#include <string_view>

namespace st::docio {

struct Token {
  enum Kind {
    kEnd,
    kName,    // letters, digits, _; not beginning with a digit
    kString,  // with its quotes; to the end of the line when the closing one is missing
    kNumber,  // begins with a digit or a dot, goes on with letters and digits: more than numbers
    kSymbol,  // one character
  };
  Kind kind = kEnd;
  std::string_view text;  // into the document
  bool closed = true;     // of a string: its closing quote is there
  bool Is(char symbol) const { return kind == kSymbol && text[0] == symbol; }
};

// Constant memory, linear time, ends on any input.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  Token Next();

  // Offset of the first comment character that cannot be seen, met so far; npos when none.
  size_t hidden_in_comment() const { return hidden_in_comment_; }
  // Offset of the first bracket `{`, `<` or `[` inside of kMaxNesting open ones; npos when none.
  size_t too_deep() const { return too_deep_; }

 private:
  void SkipComment();
  size_t StringEnd(bool* closed) const;

  std::string_view text_;
  size_t at_ = 0;
  size_t hidden_in_comment_ = std::string_view::npos;
  size_t too_deep_ = std::string_view::npos;
  int depth_ = 0;  // open brackets; never below 0
};

}  // namespace st::docio

#endif  // ST_LIB_DOCIO_LEXER_H_
