// WHERE and its predicates.
#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "lib/sql/parser.h"
#include "lib/sql/refusals.h"

namespace st::sql {
namespace {

struct OperatorHint {
  std::string_view symbol;
  std::string_view hint;
};

constexpr std::array<OperatorHint, 13> kForeignOperators = {{
    {"==", "write ="},
    {":=", "write ="},
    {"=>", "write >="},
    {"=<", "write <="},
    {"!<", "write >="},
    {"!>", "write <="},
    {"<=>", "write =, or IS NULL"},
    {"&&", "write AND"},
    {"!", "write !=, or NOT before a boolean column"},
    {"\xE2\x89\xA0", "write !="},
    {"\xE2\x89\xA4", "write <="},
    {"\xE2\x89\xA5", "write >="},
    {"&", "write AND"},
}};

// `literal op column` as `column op literal`.
Operator Flipped(Operator op) {
  switch (op) {
    case Operator::kLess:
      return Operator::kGreater;
    case Operator::kLessEqual:
      return Operator::kGreaterEqual;
    case Operator::kGreater:
      return Operator::kLess;
    case Operator::kGreaterEqual:
      return Operator::kLessEqual;
    case Operator::kEqual:
    case Operator::kNotEqual:
    case Operator::kIsNull:
    case Operator::kIsNotNull:
      break;
  }
  return op;
}

}  // namespace

bool FindOperator(std::string_view symbol, Operator* op) {
  constexpr std::array<std::pair<std::string_view, Operator>, 7> kOperators = {{
      {"=", Operator::kEqual},
      {"!=", Operator::kNotEqual},
      {"<>", Operator::kNotEqual},
      {"<", Operator::kLess},
      {"<=", Operator::kLessEqual},
      {">", Operator::kGreater},
      {">=", Operator::kGreaterEqual},
  }};
  for (const auto& [text, value] : kOperators) {
    if (text != symbol) continue;
    *op = value;
    return true;
  }
  return false;
}

void Parser::ParseWhere() {
  for (size_t written = 0;; ++written) {
    if (written == kMaxPredicates) {
      Refuse(refusal::kTooManyPredicates, token_.offset);
      return SkipTo(&Parser::AtClause);
    }
    if (AtEnd() || (AtPredicateEnd() && !NextEndsName()) || AtSymbol(";")) {
      RefuseExpected("a predicate");
    } else if (!ParsePredicate()) {
      SkipTo(&Parser::AtPredicateEnd);
    } else if (!AtEnd() && !AtPredicateEnd()) {
      if (!RefuseExpression()) RefuseExpected("AND or the end of the statement");
      SkipTo(&Parser::AtPredicateEnd);
    }
    if (AtWord("or")) {
      Refuse(refusal::kOr, token_.offset);
    } else if (!AtWord("and")) {
      return;
    }
    Advance();
  }
}

bool Parser::ParsePredicate() {
  Condition condition;
  if (AtWord("not")) {
    if (!ParseNot(&condition)) return false;
    statement_->conditions.push_back(std::move(condition));
    return true;
  }
  Operator op;
  if (AtWord("null") && next_.kind == TokenKind::kSymbol && FindOperator(next_.text, &op)) {
    return RefuseNull(token_.offset);
  }
  Operand left;
  if (!ParseOperand(&left)) return false;
  condition.column = left.column;
  condition.column_offset = left.offset;
  if (AtWord("is")) {
    if (!ParseIs(left, &condition)) return false;
  } else if (token_.kind == TokenKind::kSymbol && FindOperator(token_.text, &op)) {
    if (!ParseComparison(std::move(left), &condition)) return false;
  } else {
    if (RefuseAfterOperand()) return false;
    if (!left.is_column) {
      Refuse(refusal::kConstantPredicate, left.offset);
      return false;
    }
    condition.literal = true;
    condition.bare = true;
    condition.op_offset = condition.literal_offset = left.offset;
  }
  statement_->conditions.push_back(std::move(condition));
  return true;
}

bool Parser::ParseNot(Condition* condition) {
  const size_t not_offset = token_.offset;
  Advance();
  if (AtWord("not")) {
    Refuse(refusal::kDoubleNot, not_offset);
    return false;
  }
  Operand operand;
  if (!ParseOperand(&operand)) return false;
  Operator op;
  if (AtWord("is") || (token_.kind == TokenKind::kSymbol && FindOperator(token_.text, &op))) {
    Refuse(refusal::kNotComparison, not_offset);
    return false;
  }
  if (RefuseAfterOperand()) return false;
  if (!operand.is_column) {
    Refuse(refusal::kConstantPredicate, not_offset);
    return false;
  }
  condition->column = operand.column;
  condition->column_offset = operand.offset;
  condition->op_offset = condition->literal_offset = not_offset;
  condition->literal = false;
  condition->bare = true;
  return true;
}

bool Parser::ParseIs(const Operand& left, Condition* condition) {
  condition->op_offset = token_.offset;
  Advance();
  condition->op = TakeWord("not") ? Operator::kIsNotNull : Operator::kIsNull;
  if (!AtWord("null")) {
    Refuse(refusal::kIsTruth, token_.offset, AtEnd() ? "the end of the statement" : token_.text);
    return false;
  }
  Advance();
  if (left.is_column) return true;
  Refuse(refusal::kConstantPredicate, left.offset);
  return false;
}

bool Parser::ParseComparison(Operand left, Condition* condition) {
  FindOperator(token_.text, &condition->op);
  condition->op_offset = token_.offset;
  Advance();
  if (AtWord("null")) return RefuseNull(token_.offset);
  Operand right;
  if (!ParseOperand(&right)) return false;
  Operator again;
  if (token_.kind == TokenKind::kSymbol && FindOperator(token_.text, &again)) {
    Refuse(refusal::kChained, token_.offset);
    return false;
  }
  if (RefuseAfterOperand()) return false;
  if (left.is_column && right.is_column) {
    Refuse(refusal::kColumnComparison, right.offset);
    return false;
  }
  if (!left.is_column && !right.is_column) {
    Refuse(refusal::kConstantPredicate, left.offset);
    return false;
  }
  if (!left.is_column) {
    std::swap(left, right);
    condition->op = Flipped(condition->op);
  }
  condition->column = std::move(left.column);
  condition->column_offset = left.offset;
  condition->literal = std::move(right.literal);
  condition->literal_offset = right.offset;
  return true;
}

bool Parser::RefuseNull(size_t offset) {
  Refuse(refusal::kNullComparison, offset);
  return false;
}

bool Parser::RefuseAfterOperand() {
  if (RefuseExpression()) return true;
  for (const auto& [symbol, hint] : kForeignOperators) {
    if (!AtSymbol(symbol)) continue;
    Refuse(refusal::kOperator, token_.offset, symbol, hint);
    return true;
  }
  for (const std::string_view symbol : {"~", "~*", "!~", "!~*"}) {
    if (!AtSymbol(symbol)) continue;
    Refuse(refusal::kLike, token_.offset, symbol);
    return true;
  }
  const size_t offset = token_.offset;
  if (AtWord("not")) Advance();
  for (const std::string_view word : {"like", "ilike", "rlike", "regexp", "similar", "glob"}) {
    if (!AtWord(word)) continue;
    Refuse(refusal::kLike, offset, word);
    return true;
  }
  if (AtWord("in")) {
    Refuse(refusal::kIn, offset);
    return true;
  }
  if (TakeWord("between")) {
    Refuse(refusal::kBetween, offset);
    // Its own AND joins no predicates.
    SkipTo(&Parser::AtPredicateEnd);
    TakeWord("and");
    return true;
  }
  return false;
}

}  // namespace st::sql
