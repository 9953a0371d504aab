// Located diagnostics: what is wrong with the user's input, all of it in one run.
//
// Two error channels: absl::Status when machinery fails, a Diagnostics when the input is wrong. A library that
// checks input takes a Diagnostics*, adds to it and goes on as far as it can.
#ifndef ST_LIB_DIAG_DIAG_H_
#define ST_LIB_DIAG_DIAG_H_

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

enum class Format { kText, kGithub, kTextproto };

// `file:line:col: error: text [CODE]` and an indented `hint: ...` line; GitHub workflow commands; or an
// st.v1.Diagnostics document (with header and trailer). What is invisible is escaped in every form.
std::string Render(const Diagnostics& diagnostics, Format format);

// Escapes control, bidirectional-control and zero-width characters (as \u{202E}) and bytes that are not UTF-8
// (as \xFF), so that a message shows what is there. `max_bytes` cuts long text with "..." (0: no limit).
std::string Visible(std::string_view text, size_t max_bytes = 0);

// True when `text` is valid UTF-8 (simdjson).
bool IsUtf8(std::string_view text);
// True when it holds a control (but \t \n when `allow_whitespace`), bidirectional-control or zero-width character.
bool HasInvisible(std::string_view text, bool allow_whitespace);

// Position of byte `offset` in `text`: line and column in code points, both from 1.
Position Locate(std::string_view file, std::string_view text, size_t offset);

}  // namespace st::diag

#endif  // ST_LIB_DIAG_DIAG_H_
