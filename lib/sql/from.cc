// FROM, what must not follow its table, and what must not follow WHERE.
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "lib/sql/parser.h"
#include "lib/sql/refusals.h"
#include "lib/sql/words.h"

namespace st::sql {
namespace {

bool IsTableName(std::string_view name) {
  if (name.empty() || absl::ascii_isdigit(name[0])) return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return absl::ascii_islower(c) || absl::ascii_isdigit(c) || c == '_'; });
}

}  // namespace

bool Parser::ParseFrom() {
  if (!TakeWord("from")) {
    if (!AtEnd() || !lexer_.cut_short()) Refuse(refusal::kNoFrom, token_.offset);
    ParseTail();
    return false;
  }
  bool good = false;
  if (AtSymbol("{{")) {
    good = ParseTemplate();
  } else if (AtSymbol("(")) {
    const bool select = IsWord(next_, "select") || IsWord(next_, "with");
    Refuse(select ? refusal::kSubquery : refusal::kParentheses, token_.offset);
    SkipParentheses();
    // The alias of a subquery is no finding of its own.
    TakeWord("as");
    if (token_.kind == TokenKind::kWord && !AtClause()) Advance();
    return true;
  } else if (token_.kind == TokenKind::kWord) {
    good = ParseTableName();
  } else if (token_.kind == TokenKind::kQuoted || token_.kind == TokenKind::kString) {
    Refuse(refusal::kTableName, token_.offset, token_.text);
  } else if (AtSymbol("`")) {
    Refuse(refusal::kBacktick, token_.offset);
  } else {
    RefuseExpected("the name of a source or a model");
  }
  if (!good) SkipTo(&Parser::AtClause);
  return true;
}

bool Parser::ParseTemplate() {
  const size_t start = token_.offset;
  Advance();
  TableReference& table = statement_->table;
  // Case-sensitive, as in the template language.
  const bool source = token_.text == "source";
  bool good = token_.kind == TokenKind::kWord && (source || token_.text == "ref");
  if (good) {
    table.kind = source ? TableReference::Kind::kSource : TableReference::Kind::kRef;
    Advance();
    good = TakeSymbol("(") && (token_.kind == TokenKind::kString || token_.kind == TokenKind::kQuoted);
  }
  if (good) {
    const std::string_view name = token_.text.substr(1, token_.text.size() - 2);
    table.name = std::string(name);
    table.offset = token_.offset + 1;
    const bool has_braces = name.find_first_of("{}") != std::string_view::npos;  // the lexer's finding
    if (!IsTableName(name) && !has_braces) Refuse(refusal::kTableName, table.offset, name);
    Advance();
    good = TakeSymbol(")") && AtSymbol("}}");
  }
  if (!good) {
    Refuse(refusal::kTemplate, start);
    while (!AtEnd() && !AtSymbol("}}") && !AtClause()) Advance();
  }
  TakeSymbol("}}");
  return true;
}

bool Parser::ParseTableName() {
  const Token name = token_;
  const Word* word = FindWord(name.text);
  if (word != nullptr && word->reserved) {
    RefuseExpected("the name of a source or a model");
    return false;
  }
  Advance();
  if (AtSymbol(".")) return RefuseQualified(name), false;
  if (AtSymbol("(")) {
    Refuse(refusal::kTableFunction, name.offset, name.text);
    return false;
  }
  if (word != nullptr || !IsTableName(name.text)) {
    Refuse(refusal::kTableName, name.offset, name.text);
    return true;
  }
  statement_->table = {TableReference::Kind::kName, std::string(name.text), name.offset};
  return true;
}

bool Parser::RefuseJoin() {
  constexpr std::array<std::string_view, 7> kBefore = {"inner", "left", "right", "full", "cross", "natural", "outer"};
  const auto begins_join = [&](const Token& token) {
    return std::any_of(kBefore.begin(), kBefore.end(), [&](std::string_view word) { return IsWord(token, word); });
  };
  const bool comma = AtSymbol(",");
  const bool join = AtWord("join") || (begins_join(token_) && (IsWord(next_, "join") || begins_join(next_)));
  if (!comma && !join) return false;
  Refuse(refusal::kJoin, token_.offset);
  while (begins_join(token_)) Advance();
  Advance();
  SkipTo(&Parser::AtClause);
  return true;
}

void Parser::ParseAfterTable() {
  while (!AtEnd()) {
    if (RefuseJoin()) continue;
    if (AtClause()) return;
    if (AtWord("as") || token_.kind == TokenKind::kWord) {
      Refuse(refusal::kTableAlias, token_.offset);
      if (TakeWord("as") && AtClause()) return;
      Advance();
    } else {
      RefuseExpected("WHERE or the end of the statement");
      Advance();
      SkipTo(&Parser::AtClause);
    }
  }
}

void Parser::ParseTail() {
  while (!AtEnd()) {
    if (AtSymbol(";")) {
      Advance();
      if (AtSymbol(";")) Refuse(refusal::kSecondSemicolon, token_.offset);
      while (TakeSymbol(";")) continue;
      if (!AtEnd()) Refuse(refusal::kSecondStatement, token_.offset);
      return;
    }
    if (AtWord("fetch") && AtClause()) {
      Refuse(refusal::kLimit, token_.offset);
    } else if (AtWord("emit") && AtClause()) {
      Refuse(refusal::kEmit, token_.offset);
    } else if (const Word* word = FindWord(token_.text); word != nullptr && word->clause) {
      Refuse(*word->construct, token_.offset);
      const bool set = AtWord("union") || AtWord("intersect") || AtWord("except");
      // Another SELECT with clauses of its own.
      while (set && !AtEnd() && !AtSymbol(";")) Advance();
    } else {
      RefuseExpected("the end of the statement");
    }
    if (AtSymbol(";")) continue;
    Advance();
    SkipTo(&Parser::AtClause);
  }
}

}  // namespace st::sql
