#include "lib/sql/lexer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/diag/diag.h"
#include "lib/sql/refusals.h"

namespace st::sql {
namespace {

// Longer ones first. Those that the grammar lacks are here so that each is refused whole.
constexpr std::array<std::string_view, 24> kSymbols = {
    "<=>", "->>", "!~*", "<>", "<=", ">=", "!=", "==", "=>", "=<", "||", "&&",
    "::",  "->",  "**",  "<<", ">>", "!<", "!>", "~*", "!~", "{{", "}}", ":=",
};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool IsAscii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// White space of Unicode that SQL does not know, with those that have no width but separate words to the eye.
bool LooksBlank(uint32_t c) {
  return c == '\v' || c == '\f' || c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200B) ||
         c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000 || c == 0xFEFF;
}

bool IsTypographicQuote(uint32_t c) { return c >= 0x2018 && c <= 0x201F; }

// Not equal, at most, at least: what a word processor makes of the operators.
bool IsTypographicOperator(uint32_t c) { return c == 0x2260 || c == 0x2264 || c == 0x2265 || c == 0x2212; }

std::string CodePointName(uint32_t c) { return absl::StrFormat("U+%04X", c); }

}  // namespace

Lexer::Lexer(std::string_view text, FindingSink* sink) : text_(text), sink_(sink) {
  if (At("\xEF\xBB\xBF")) at_ = 3;
}

bool Lexer::At(std::string_view what) const { return absl::StartsWith(text_.substr(at_), what); }

Token Lexer::Take(TokenKind kind, size_t size) {
  const Token token{kind, at_, text_.substr(at_, size)};
  at_ += size;
  return token;
}

Token Lexer::Next() {
  SkipBlanks();
  if (at_ >= text_.size() || sink_->full()) return Token{TokenKind::kEnd, text_.size(), {}};
  const char c = text_[at_];
  if (c == '\'' || c == '"') return TakeQuoted(c);
  if (absl::ascii_isdigit(c)) return TakeNumber();
  if (c == '.' && at_ + 1 < text_.size() && absl::ascii_isdigit(text_[at_ + 1])) return TakeNumber();
  if (c == '_' || absl::ascii_isalpha(c)) return TakeWord();
  if (IsAscii(c)) return TakeSymbol();
  const diag::CodePoint point = diag::DecodeUtf8(text_, at_);
  if (IsTypographicQuote(point.value)) return TakeTypographic();
  if (IsTypographicOperator(point.value)) return Take(TokenKind::kSymbol, point.length);
  return TakeWord();
}

void Lexer::SkipBlanks() {
  while (at_ < text_.size() && !sink_->full()) {
    if (IsBlank(text_[at_])) {
      ++at_;
    } else if (At("--") || At("#")) {
      sink_->Refuse(refusal::kComment, at_);
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (At("/*")) {
      SkipBlock("*/", refusal::kComment, refusal::kUnterminatedComment);
    } else if (At("{%")) {
      SkipBlock("%}", refusal::kTemplateBlock, refusal::kTemplateBlock);
    } else if (At("{#")) {
      SkipBlock("#}", refusal::kTemplateBlock, refusal::kTemplateBlock);
    } else if (!SkipOddCharacter()) {
      return;
    }
  }
}

void Lexer::SkipBlock(std::string_view closing, const Refusal& closed, const Refusal& open) {
  const size_t close = text_.find(closing, at_ + 2);
  sink_->Refuse(close == std::string_view::npos ? open : closed, at_);
  cut_short_ = close == std::string_view::npos;
  at_ = cut_short_ ? text_.size() : close + 2;
}

bool Lexer::SkipOddCharacter() {
  if (IsAscii(text_[at_]) && text_[at_] >= ' ' && text_[at_] != '\x7F' && text_[at_] != '\\') return false;
  const diag::CodePoint point = diag::DecodeUtf8(text_, at_);
  if (LooksBlank(point.value)) {
    sink_->Refuse(refusal::kBlank, at_, CodePointName(point.value));
  } else if (IsAscii(text_[at_]) || diag::IsInvisible(point.value)) {
    sink_->Refuse(refusal::kCharacter, at_, point.value == '\\' ? "\\" : CodePointName(point.value));
  } else {
    return false;
  }
  at_ += point.length;
  return true;
}

Token Lexer::TakeWord() {
  size_t end = at_;
  while (end < text_.size()) {
    const char c = text_[end];
    if (absl::ascii_isalnum(c) || c == '_' || c == '$') {
      ++end;
      continue;
    }
    if (IsAscii(c)) break;
    const diag::CodePoint point = diag::DecodeUtf8(text_, end);
    if (LooksBlank(point.value) || IsTypographicQuote(point.value) || IsTypographicOperator(point.value) ||
        diag::IsInvisible(point.value)) {
      break;
    }
    end += point.length;
  }
  return Take(TokenKind::kWord, end - at_);
}

Token Lexer::TakeNumber() {
  size_t end = at_;
  bool exponent = false;
  while (end < text_.size()) {
    const char c = text_[end];
    const bool sign_of_exponent = (c == '+' || c == '-') && exponent;
    if (!absl::ascii_isalnum(c) && c != '_' && c != '.' && !sign_of_exponent) break;
    exponent = c == 'e' || c == 'E';
    ++end;
  }
  return Take(TokenKind::kNumber, end - at_);
}

Token Lexer::TakeQuoted(char quote) {
  size_t doubled = 0;
  size_t close = text_.find(quote, at_ + 1);
  while (close != std::string_view::npos && close + 1 < text_.size() && text_[close + 1] == quote) {
    ++doubled;
    close = text_.find(quote, close + 2);
  }
  if (close == std::string_view::npos) {
    sink_->Refuse(refusal::kUnterminatedString, at_);
    cut_short_ = true;
    at_ = text_.size();
    return Token{TokenKind::kEnd, at_, {}};
  }
  const Token token = Take(quote == '"' ? TokenKind::kQuoted : TokenKind::kString, close + 1 - at_);
  if (token.kind == TokenKind::kQuoted) return token;
  const size_t value_bytes = token.text.size() - 2 - doubled;
  if (value_bytes > kMaxStringBytes) sink_->Refuse(refusal::kStringTooLong, token.offset, absl::StrCat(value_bytes));
  const size_t brace = token.text.find_first_of("{}");
  if (brace != std::string_view::npos) sink_->Refuse(refusal::kBraces, token.offset + brace);
  return token;
}

Token Lexer::TakeTypographic() {
  const size_t start = at_;
  const diag::CodePoint open = diag::DecodeUtf8(text_, at_);
  sink_->Refuse(refusal::kTypographicQuote, start, CodePointName(open.value));
  at_ += open.length;
  // To the closing one in the same line: what stands between was meant as a string.
  size_t end = at_;
  while (end < text_.size() && text_[end] != '\n') {
    const diag::CodePoint point = diag::DecodeUtf8(text_, end);
    end += point.length;
    if (IsTypographicQuote(point.value)) {
      at_ = end;
      break;
    }
  }
  return Token{TokenKind::kString, start, "''"};
}

Token Lexer::TakeSymbol() {
  for (const std::string_view symbol : kSymbols) {
    if (At(symbol)) return Take(TokenKind::kSymbol, symbol.size());
  }
  return Take(TokenKind::kSymbol, 1);
}

}  // namespace st::sql
