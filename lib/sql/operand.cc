// One column or literal, and everything that people write in its place.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/sql/parser.h"
#include "lib/sql/refusals.h"
#include "lib/sql/words.h"

namespace st::sql {
namespace {

template <typename Words>
bool Contains(const Words& words, std::string_view word) {
  return std::find(std::begin(words), std::end(words), absl::AsciiStrToLower(word)) != std::end(words);
}

constexpr std::array<std::string_view, 10> kTypes = {"date",    "time",    "timestamp", "timestamptz", "datetime",
                                                     "decimal", "numeric", "interval",  "json",        "bytes"};
constexpr std::array<std::string_view, 7> kBareFunctions = {
    "current_date", "current_time", "current_timestamp", "current_user", "localtimestamp", "localtime", "session_user"};
constexpr std::array<std::string_view, 11> kAggregates = {"count",        "sum",        "avg",         "min",
                                                          "max",          "array_agg",  "stddev",      "variance",
                                                          "group_concat", "string_agg", "collect_list"};
constexpr std::array<std::string_view, 5> kWindowFunctions = {"tumble", "hop", "session", "cumulate", "sliding"};
constexpr std::array<std::string_view, 6> kPrefixes = {"e", "n", "x", "b", "r", "u"};

bool IsDigits(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), absl::ascii_isdigit);
}

// Digits, e, an optional sign, digits.
bool IsExponential(std::string_view text) {
  const size_t e = text.find_first_of("eE");
  if (e == std::string_view::npos || !IsDigits(text.substr(0, e))) return false;
  std::string_view power = text.substr(e + 1);
  if (!power.empty() && (power[0] == '+' || power[0] == '-')) power.remove_prefix(1);
  return IsDigits(power);
}

}  // namespace

bool Parser::ParseOperand(Operand* operand) {
  operand->offset = token_.offset;
  switch (token_.kind) {
    case TokenKind::kWord:
      return ParseWordOperand(operand);
    case TokenKind::kNumber:
      return ParseNumber(false, token_.offset, operand);
    case TokenKind::kString:
      operand->literal = absl::StrReplaceAll(token_.text.substr(1, token_.text.size() - 2), {{"''", "'"}});
      Advance();
      return true;
    case TokenKind::kQuoted:
      Refuse(refusal::kDoubleQuotes, token_.offset);
      return false;
    case TokenKind::kSymbol:
      break;
    case TokenKind::kEnd:
      RefuseExpected("a column or a literal");
      return false;
  }
  if (AtSymbol("-") && next_.kind == TokenKind::kNumber) {
    const Token minus = token_;
    Advance();
    if (token_.offset == minus.end()) return ParseNumber(true, minus.offset, operand);
    Refuse(refusal::kMinusBlank, minus.offset);
    return false;
  }
  return RefuseSymbolOperand();
}

bool Parser::ParseNumber(bool negative, size_t offset, Operand* operand) {
  const std::string text = absl::StrCat(negative ? "-" : "", token_.text);
  const std::string_view digits = token_.text;
  int64_t value = 0;
  if (!IsDigits(digits)) {
    const bool fraction = digits.find('.') != std::string_view::npos;
    Refuse(fraction ? refusal::kFraction : IsExponential(digits) ? refusal::kExponent : refusal::kNumber, offset, text);
  } else if (digits.size() > 1 && digits[0] == '0') {
    Refuse(refusal::kLeadingZero, offset, text);
  } else if (!absl::SimpleAtoi(text, &value)) {
    Refuse(refusal::kIntegerRange, offset, text);
  }
  operand->literal = value;
  Advance();
  return true;
}

bool Parser::ParseWordOperand(Operand* operand) {
  const Token name = token_;
  if (AtWord("true") || AtWord("false")) {
    operand->literal = AtWord("true");
    Advance();
    return true;
  }
  const Word* word = FindWord(name.text);
  if (AtWord("null") || AtWord("not")) {
    AtWord("null") ? Refuse(refusal::kNullLiteral, name.offset) : Refuse(refusal::kExpression, name.offset, name.text);
    Advance();
    return false;
  }
  if (word != nullptr && word->reserved && !NextEndsName()) {
    RefuseExpected("a column or a literal");
    return false;
  }
  if (word != nullptr && !word->reserved && !NextEndsName()) {
    Refuse(*word->construct, name.offset, name.text);
    Advance();
    return false;
  }
  if (IsSymbol(next_, "(")) return RefuseCall(name);
  if (IsSymbol(next_, ".")) {
    Advance();
    return RefuseQualified(name);
  }
  if (next_.kind == TokenKind::kString && next_.offset == name.end() && Contains(kPrefixes, name.text)) {
    Refuse(refusal::kStringPrefix, name.offset, name.text);
    return false;
  }
  if (next_.kind == TokenKind::kString && Contains(kTypes, name.text)) {
    Refuse(refusal::kTypedLiteral, name.offset, absl::AsciiStrToUpper(name.text));
    return false;
  }
  if (Contains(kBareFunctions, name.text)) {
    Refuse(refusal::kFunction, name.offset, name.text);
    return false;
  }
  operand->is_column = true;
  // A bad name is reported and kept: what follows it is still worth reading.
  CheckName(name, &operand->column);
  Advance();
  return true;
}

bool Parser::NextEndsName() const {
  if (next_.kind == TokenKind::kEnd) return true;
  Operator op;
  if (next_.kind == TokenKind::kSymbol) {
    return next_.text == "," || next_.text == ";" || FindOperator(next_.text, &op);
  }
  for (const std::string_view word : {"from", "as", "is", "and"}) {
    if (IsWord(next_, word)) return true;
  }
  return false;
}

bool Parser::RefuseCall(const Token& name) {
  Advance();
  SkipParentheses();
  if (AtWord("over") || Contains(kWindowFunctions, name.text)) {
    Refuse(refusal::kWindow, AtWord("over") ? token_.offset : name.offset);
  } else if (Contains(kAggregates, name.text)) {
    Refuse(refusal::kAggregate, name.offset, name.text);
  } else if (Contains(std::array<std::string_view, 3>{"try_cast", "safe_cast", "convert"}, name.text)) {
    Refuse(refusal::kCast, name.offset);
  } else {
    Refuse(refusal::kFunction, name.offset, name.text);
  }
  return false;
}

bool Parser::RefuseQualified(const Token& name) {
  std::string whole(name.text);
  while (TakeSymbol(".")) {
    if (AtSymbol("*")) {
      Refuse(refusal::kStar, name.offset);
      Advance();
      return false;
    }
    absl::StrAppend(&whole, ".", token_.text);
    if (token_.kind == TokenKind::kWord) Advance();
  }
  Refuse(refusal::kQualifiedName, name.offset, whole);
  return false;
}

bool Parser::RefuseSymbolOperand() {
  const size_t offset = token_.offset;
  if (AtSymbol("(")) {
    const bool select = IsWord(next_, "select") || IsWord(next_, "with");
    Refuse(select ? refusal::kSubquery : refusal::kParentheses, offset);
  } else if (AtSymbol("+") && next_.kind == TokenKind::kNumber) {
    Refuse(refusal::kPlusSign, offset);
  } else if (AtSymbol("*")) {
    Refuse(refusal::kStar, offset);
  } else if (AtSymbol("{{")) {
    Refuse(refusal::kTemplatePlace, offset);
  } else if (AtSymbol("`")) {
    Refuse(refusal::kBacktick, offset);
  } else if (AtSymbol("[")) {
    Refuse(refusal::kBracket, offset);
  } else if (AtSymbol("?") || AtSymbol(":") || AtSymbol("@") || AtSymbol("$")) {
    Refuse(refusal::kParameter, offset);
  } else if (AtSymbol("!")) {
    Refuse(refusal::kOperator, offset, "!", "write !=, or NOT before a boolean column");
  } else if (AtSymbol("-") || AtSymbol("+") || AtSymbol("~")) {
    Refuse(refusal::kExpression, offset, token_.text);
  } else {
    RefuseExpected("a column or a literal");
  }
  return false;
}

bool Parser::RefuseExpression() {
  if (token_.kind == TokenKind::kQuoted) {
    Refuse(refusal::kDoubleQuotes, token_.offset);
    return true;
  }
  if (token_.kind != TokenKind::kSymbol) return false;
  if (AtSymbol("::")) {
    Refuse(refusal::kCast, token_.offset);
  } else if (AtSymbol("[")) {
    Refuse(refusal::kBracket, token_.offset);
  } else if (AtSymbol("`")) {
    Refuse(refusal::kBacktick, token_.offset);
  } else if (AtSymbol("{{")) {
    Refuse(refusal::kTemplatePlace, token_.offset);
  } else if (Contains(std::array<std::string_view, 14>{"+", "-", "*", "/", "%", "||", "->", "->>", "<<", ">>", "|", "^",
                                                       "**", "\xE2\x88\x92"},
                      token_.text)) {
    Refuse(refusal::kExpression, token_.offset, token_.text);
  } else {
    return false;
  }
  return true;
}

bool Parser::CheckName(const Token& token, std::string* name) {
  *name = absl::AsciiStrToLower(token.text);
  const bool plain =
      std::all_of(token.text.begin(), token.text.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_'; });
  if (const Word* word = FindWord(token.text); word != nullptr) {
    Refuse(word->reserved ? refusal::kReservedWord : refusal::kRefusedWord, token.offset, token.text);
  } else if (!plain) {
    Refuse(refusal::kIdentifier, token.offset, token.text);
  } else if (token.text.size() > kMaxIdentifierBytes) {
    Refuse(refusal::kIdentifierLength, token.offset, token.text);
  } else if (*name != token.text) {
    Refuse(refusal::kUppercase, token.offset, token.text, *name);
  } else {
    return true;
  }
  return false;
}

}  // namespace st::sql
