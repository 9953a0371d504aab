#include "lib/docio/lexer.h"

#include <algorithm>
#include <array>

#include "lib/diag/diag.h"
#include "lib/docio/docio.h"

namespace st::docio {
namespace {

enum CharClass : unsigned char { kOther, kBlank, kWord, kDigit, kQuote, kHash, kOpen, kClose };

constexpr std::array<CharClass, 256> MakeClasses() {
  std::array<CharClass, 256> classes{};
  for (unsigned char c : {' ', '\t', '\n', '\r', '\v', '\f'}) classes[c] = kBlank;
  for (int c = 'a'; c <= 'z'; ++c) classes[c] = kWord;
  for (int c = 'A'; c <= 'Z'; ++c) classes[c] = kWord;
  classes['_'] = kWord;
  for (int c = '0'; c <= '9'; ++c) classes[c] = kDigit;
  classes['.'] = kDigit;
  for (unsigned char c : {'"', '\''}) classes[c] = kQuote;
  classes['#'] = kHash;
  for (unsigned char c : {'{', '<', '['}) classes[c] = kOpen;
  for (unsigned char c : {'}', '>', ']'}) classes[c] = kClose;
  return classes;
}

constexpr std::array<CharClass, 256> kClasses = MakeClasses();

CharClass ClassOf(char c) { return kClasses[static_cast<unsigned char>(c)]; }

}  // namespace

void Lexer::SkipComment() {
  const size_t end = std::min(text_.find('\n', at_), text_.size());
  if (hidden_in_comment_ == std::string_view::npos) {
    std::string_view comment = text_.substr(at_, end - at_);
    if (!comment.empty() && comment.back() == '\r') comment.remove_suffix(1);
    const size_t hidden = diag::FindInvisible(comment, /*allow_whitespace=*/true);
    if (hidden != std::string_view::npos) hidden_in_comment_ = at_ + hidden;
  }
  at_ = end;
}

// The end of the string that begins at at_: after its closing quote, or at its line's end.
size_t Lexer::StringEnd(bool* closed) const {
  const char quote = text_[at_];
  *closed = false;
  size_t end = at_ + 1;
  while (end < text_.size() && text_[end] != '\n') {
    if (text_[end] == quote) {
      *closed = true;
      return end + 1;
    }
    // A backslash takes the next character with it, but not a line's end.
    end += text_[end] == '\\' && end + 1 < text_.size() && text_[end + 1] != '\n' ? 2 : 1;
  }
  return end;
}

Token Lexer::Next() {
  for (; at_ < text_.size(); ++at_) {
    const CharClass c = ClassOf(text_[at_]);
    if (c == kHash) SkipComment();
    if (c != kHash && c != kBlank) break;
  }
  if (at_ >= text_.size()) return {Token::kEnd, text_.substr(text_.size()), true};
  const size_t start = at_;
  Token::Kind kind = Token::kSymbol;
  bool closed = true;
  switch (ClassOf(text_[at_])) {
    case kWord:
    case kDigit:
      kind = ClassOf(text_[at_]) == kWord ? Token::kName : Token::kNumber;
      while (at_ < text_.size() && (ClassOf(text_[at_]) == kDigit || ClassOf(text_[at_]) == kWord)) {
        // A dot ends a name: `[a.b]` is several tokens, and only numbers hold one.
        if (text_[at_] == '.' && kind == Token::kName) break;
        ++at_;
      }
      break;
    case kQuote:
      kind = Token::kString;
      at_ = StringEnd(&closed);
      break;
    case kOpen:
      if (++depth_ > kMaxNesting) too_deep_ = std::min(too_deep_, at_);
      ++at_;
      break;
    case kClose:
      depth_ = std::max(depth_ - 1, 0);
      ++at_;
      break;
    default:
      ++at_;
  }
  return {kind, text_.substr(start, at_ - start), closed};
}

}  // namespace st::docio
