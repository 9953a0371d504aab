// Located diagnostics: what is wrong with the user's input, all of it in one run.
//
// Two error channels: absl::Status when machinery fails, a Diagnostics when the input is wrong. A library that
// checks input takes a Diagnostics*, adds to it and goes on as far as it can.
#ifndef ST_LIB_DIAG_DIAG_H_
#define ST_LIB_DIAG_DIAG_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace st::diag {

// 1-based; 0 when unknown. Columns count code points.
struct Position {
  std::string file;  // as the user gave it; `-` for standard input; may be empty
  int line = 0;
  int column = 0;
};

enum class Severity { kError, kWarning };

// The code of an error that is not the input's: the system could not read a file or a stream that is there. Tools end
// with another exit code for it.
inline constexpr std::string_view kReadFailed = "READ_FAILED";

struct Diagnostic {
  Severity severity = Severity::kError;
  Position position;
  std::string code;  // UPPER_CASE, stable
  std::string text;  // one sentence without a final stop; never a secret's value
  std::string hint;  // the way out; may be empty
};

// Not thread-safe.
class Diagnostics {
 public:
  void Error(Position position, std::string_view code, std::string text, std::string hint = {});
  void Warning(Position position, std::string_view code, std::string text, std::string hint = {});
  void Add(Diagnostic diagnostic);

  bool HasErrors() const { return errors_ > 0; }
  int errors() const { return errors_; }
  bool empty() const { return all_.empty(); }

  // By file, line, column, code, text; exact repeats once.
  std::vector<Diagnostic> Sorted() const;

 private:
  std::vector<Diagnostic> all_;
  int errors_ = 0;
};

enum class Format {
  kText,    // `file:line:col: error: text [CODE]` and an indented `hint: ...` line
  kGithub,  // workflow commands, which GitHub shows as annotations
};

// In sorted order, a diagnostic a line (and its hint). What is invisible is escaped. As a document: docio::Write.
std::string Render(const Diagnostics& diagnostics, Format format);

// Invisible: controls, bidirectional controls, zero-width and other default-ignorable characters (soft hyphen, Hangul
// fillers, variation selectors, tags), line and paragraph separators. Blanks that take room, such as U+00A0, are not.
bool IsInvisible(uint32_t code_point);

// Escapes what is invisible (as \u{202E}) and bytes that are not UTF-8 (as \xFF), so that a message shows what is
// there; a backslash stands for itself. `max_bytes` cuts longer results, at a character, and adds "..." (0: no limit).
std::string Visible(std::string_view text, size_t max_bytes = 0);

// True when it holds something invisible (but \t \n when `allow_whitespace`) or is not UTF-8.
bool HasInvisible(std::string_view text, bool allow_whitespace);
// Offset of the first such byte, or npos.
size_t FindInvisible(std::string_view text, bool allow_whitespace);

// True when `text` is valid UTF-8 by RFC 3629.
bool IsUtf8(std::string_view text);
// Offset of the first byte that is not UTF-8, or npos.
size_t FindNotUtf8(std::string_view text);

// The character at byte `at` (inside of `text`); length 0 when it is not UTF-8.
struct CodePoint {
  uint32_t value;
  int length;  // in bytes
};
CodePoint DecodeUtf8(std::string_view text, size_t at);

// Position of byte `offset` in `text`: line and column in code points, both from 1. An offset past the end is the end.
// Reads `text` up to there: not for a position each token.
Position Locate(std::string_view file, std::string_view text, size_t offset);

}  // namespace st::diag

#endif  // ST_LIB_DIAG_DIAG_H_
