// Recursive descent without recursion: the grammar has no nesting, and what would nest is refused and passed over.
#ifndef ST_LIB_SQL_PARSER_H_
#define ST_LIB_SQL_PARSER_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "lib/sql/finding_sink.h"
#include "lib/sql/lexer.h"
#include "lib/sql/statement.h"

namespace st::sql {

// A column or a literal, in SELECT or on one side of a predicate.
struct Operand {
  size_t offset = 0;
  bool is_column = false;
  std::string column;
  Literal literal;
};

// One use: construct, Run once. After Run, `statement` is whole only if the sink has no errors.
class Parser {
 public:
  Parser(std::string_view text, FindingSink* sink, Statement::Impl* statement);
  void Run();

 private:
  // Two tokens of sight.
  void Advance();
  bool AtEnd() const { return token_.kind == TokenKind::kEnd; }
  static bool IsWord(const Token& token, std::string_view word);
  static bool IsSymbol(const Token& token, std::string_view symbol);
  bool AtWord(std::string_view word) const { return IsWord(token_, word); }
  bool AtSymbol(std::string_view symbol) const { return IsSymbol(token_, symbol); }
  bool TakeWord(std::string_view word);
  bool TakeSymbol(std::string_view symbol);

  // Advances to the first token outside of parentheses for which `stop` holds, or to the end.
  void SkipTo(bool (Parser::*stop)() const);
  bool AtItemEnd() const;       // comma, FROM, semicolon
  bool AtPredicateEnd() const;  // AND, OR, semicolon, a later clause
  bool AtClause() const;        // WHERE, GROUP, LIMIT ..., semicolon
  // Past the closing parenthesis of the opening one at `token_`.
  void SkipParentheses();

  void Refuse(const Refusal& refusal, size_t offset, std::string_view detail0 = {}, std::string_view detail1 = {});
  void RefuseExpected(std::string_view wanted);

  // select.cc
  bool ParseSelect();
  void ParseItems();
  void ParseItem();
  void CheckDuplicateOutputs();
  bool ParseAlias(Item* item);
  bool RefuseAfterItem();

  // from.cc
  bool ParseFrom();
  bool ParseTemplate();
  bool ParseTableName();
  void ParseAfterTable();
  bool RefuseJoin();
  void ParseTail();

  // predicate.cc
  void ParseWhere();
  bool ParsePredicate();
  bool ParseNot(Condition* condition);
  bool ParseIs(const Operand& left, Condition* condition);
  bool ParseComparison(Operand left, Condition* condition);
  bool RefuseAfterOperand();
  bool RefuseNull(size_t offset);

  // operand.cc. False when it was refused; the caller then skips.
  bool ParseOperand(Operand* operand);
  bool ParseNumber(bool negative, size_t offset, Operand* operand);
  bool ParseWordOperand(Operand* operand);
  bool RefuseCall(const Token& name);
  bool RefuseQualified(const Token& name);
  bool RefuseSymbolOperand();
  // An operator that makes an expression of what stands before it.
  bool RefuseExpression();
  // Case, characters, length, reserved and refused words; `name` gets the lower case. False when it cannot be a name.
  bool CheckName(const Token& token, std::string* name);
  // What follows a name that stands where a column may stand; tells a word used as a name from its construct.
  bool NextEndsName() const;

  Lexer lexer_;
  FindingSink* sink_;
  Statement::Impl* statement_;
  Token token_;
  Token next_;
};

// The operator that `symbol` spells, if the subset has it.
bool FindOperator(std::string_view symbol, Operator* op);

}  // namespace st::sql

#endif  // ST_LIB_SQL_PARSER_H_
