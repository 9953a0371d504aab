// SELECT and its list.
#include <string>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "lib/sql/parser.h"
#include "lib/sql/refusals.h"
#include "lib/sql/words.h"

namespace st::sql {

bool Parser::ParseSelect() {
  if (AtEnd()) {
    if (!sink_->has_errors()) Refuse(refusal::kEmpty, token_.offset);
    return false;
  }
  if (AtWord("with")) {
    Refuse(refusal::kWith, token_.offset);
    return false;
  }
  if (AtSymbol("(")) {
    Refuse(refusal::kParentheses, token_.offset);
    return false;
  }
  if (AtSymbol("{{")) {
    Refuse(refusal::kTemplatePlace, token_.offset);
    while (!AtEnd() && !AtSymbol("}}")) Advance();
    Advance();
  }
  if (!AtWord("select")) {
    if (!AtEnd()) Refuse(refusal::kNotSelect, token_.offset, token_.text);
    return false;
  }
  Advance();
  for (const auto& [word, refusal] : {std::pair{"distinct", &refusal::kDistinct}, std::pair{"all", &refusal::kAll}}) {
    if (!AtWord(word) || NextEndsName()) continue;
    Refuse(*refusal, token_.offset);
    Advance();
    if (TakeWord("on") && AtSymbol("(")) SkipParentheses();
    break;
  }
  return true;
}

void Parser::ParseItems() {
  while (true) {
    if (statement_->items.size() == kMaxItems) {
      Refuse(refusal::kTooManyItems, token_.offset);
      while (!AtEnd() && !AtWord("from")) Advance();
      break;
    }
    ParseItem();
    if (!AtItemEnd()) SkipTo(&Parser::AtItemEnd);
    if (!AtSymbol(",")) break;
    const size_t comma = token_.offset;
    Advance();
    if (AtEnd() || AtSymbol(",") || AtSymbol(";") || (AtWord("from") && !NextEndsName())) {
      Refuse(refusal::kTrailingComma, comma, AtEnd() ? "the end" : token_.text);
      while (AtSymbol(",")) Advance();
      if (AtEnd() || AtSymbol(";") || AtWord("from")) break;
    }
  }
  CheckDuplicateOutputs();
}

void Parser::ParseItem() {
  if (AtSymbol("*")) {
    Refuse(refusal::kStar, token_.offset);
    Advance();
    // Counted all the same, so that the list is not called empty.
    return;
  }
  if (AtItemEnd() && !(AtWord("from") && NextEndsName())) {
    RefuseExpected("a column");
    return;
  }
  Operand operand;
  if (!ParseOperand(&operand)) return SkipTo(&Parser::AtItemEnd);
  if (RefuseAfterItem()) return SkipTo(&Parser::AtItemEnd);
  Item item;
  item.column = operand.column;
  item.column_offset = operand.offset;
  item.name = operand.column;
  item.name_offset = operand.offset;
  if (!operand.is_column) {
    Refuse(refusal::kLiteralItem, operand.offset);
    return SkipTo(&Parser::AtItemEnd);
  }
  if (TakeWord("as") && !ParseAlias(&item)) return SkipTo(&Parser::AtItemEnd);
  if (!AtItemEnd() && !AtEnd()) {
    if (!RefuseExpression()) RefuseExpected("a comma or FROM");
    return SkipTo(&Parser::AtItemEnd);
  }
  statement_->items.push_back(std::move(item));
}

bool Parser::ParseAlias(Item* item) {
  if (token_.kind == TokenKind::kQuoted) {
    Refuse(refusal::kDoubleQuotes, token_.offset);
    return false;
  }
  if (AtSymbol("`")) {
    Refuse(refusal::kBacktick, token_.offset);
    return false;
  }
  const bool missing = AtWord("from") && !IsWord(next_, "from") && !IsSymbol(next_, ",");
  if (token_.kind != TokenKind::kWord || missing) {
    RefuseExpected("an alias");
    return false;
  }
  item->name_offset = token_.offset;
  const bool good = CheckName(token_, &item->name);
  Advance();
  return good;
}

bool Parser::RefuseAfterItem() {
  if (AtWord("as") || AtItemEnd() || AtEnd()) return false;
  Operator op;
  if (token_.kind == TokenKind::kSymbol && FindOperator(token_.text, &op)) {
    Refuse(refusal::kExpression, token_.offset, token_.text);
    return true;
  }
  if (RefuseExpression()) return true;
  if (token_.kind != TokenKind::kWord) return false;
  const Word* word = FindWord(token_.text);
  if (word != nullptr && word->reserved) {
    Refuse(refusal::kExpression, token_.offset, token_.text);
  } else if (word != nullptr && !NextEndsName()) {
    Refuse(*word->construct, token_.offset, token_.text);
  } else {
    Refuse(refusal::kImplicitAlias, token_.offset, token_.text);
  }
  return true;
}

void Parser::CheckDuplicateOutputs() {
  absl::flat_hash_set<std::string_view> names;
  names.reserve(statement_->items.size());
  for (const Item& item : statement_->items) {
    if (!names.insert(item.name).second) Refuse(refusal::kDuplicateOutput, item.name_offset, item.name);
  }
}

}  // namespace st::sql
