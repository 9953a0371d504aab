#include "lib/sql/parser.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lib/diag/diag.h"
#include "lib/sql/refusals.h"
#include "lib/sql/words.h"

namespace st::sql {

Statement::Statement(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Statement::Statement(Statement&&) noexcept = default;
Statement& Statement::operator=(Statement&&) noexcept = default;
Statement::~Statement() = default;

const TableReference& Statement::table() const { return impl_->table; }

std::optional<Statement> Parse(std::string_view text, std::vector<Finding>* findings) {
  FindingSink sink(findings);
  if (text.size() > kMaxStatementBytes) {
    sink.Refuse(refusal::kTooLong, 0, absl::StrCat(text.size()));
    return std::nullopt;
  }
  if (const size_t bad = diag::FindNotUtf8(text); bad != std::string_view::npos) {
    sink.Refuse(refusal::kNotUtf8, bad, absl::StrFormat("0x%02X", static_cast<unsigned char>(text[bad])));
    return std::nullopt;
  }
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    sink.Refuse(refusal::kNul, nul);
    return std::nullopt;
  }
  auto impl = std::make_unique<Statement::Impl>();
  Parser(text, &sink, impl.get()).Run();
  if (sink.has_errors()) return std::nullopt;
  return Statement(std::move(impl));
}

Parser::Parser(std::string_view text, FindingSink* sink, Statement::Impl* statement)
    : lexer_(text, sink), sink_(sink), statement_(statement) {
  token_ = lexer_.Next();
  next_ = lexer_.Next();
}

void Parser::Advance() {
  token_ = next_;
  next_ = lexer_.Next();
}

bool Parser::IsWord(const Token& token, std::string_view word) {
  return token.kind == TokenKind::kWord && absl::EqualsIgnoreCase(token.text, word);
}

bool Parser::IsSymbol(const Token& token, std::string_view symbol) {
  return token.kind == TokenKind::kSymbol && token.text == symbol;
}

bool Parser::TakeWord(std::string_view word) {
  if (!AtWord(word)) return false;
  Advance();
  return true;
}

bool Parser::TakeSymbol(std::string_view symbol) {
  if (!AtSymbol(symbol)) return false;
  Advance();
  return true;
}

void Parser::SkipTo(bool (Parser::*stop)() const) {
  size_t depth = 0;
  while (!AtEnd()) {
    if (depth == 0 && (this->*stop)()) return;
    if (AtSymbol("(")) ++depth;
    if (AtSymbol(")") && depth > 0) --depth;
    Advance();
  }
}

void Parser::SkipParentheses() {
  size_t depth = 0;
  while (!AtEnd()) {
    if (AtSymbol("(")) ++depth;
    const bool last = AtSymbol(")") && --depth == 0;
    Advance();
    if (last) return;
  }
}

bool Parser::AtItemEnd() const { return AtSymbol(",") || AtSymbol(";") || AtWord("from"); }

bool Parser::AtClause() const {
  if (AtSymbol(";") || AtWord("where")) return true;
  if (token_.kind != TokenKind::kWord) return false;
  // Not reserved, so each counts only with the word that follows it.
  if (AtWord("fetch")) return IsWord(next_, "first") || IsWord(next_, "next");
  if (AtWord("emit")) return IsWord(next_, "changes") || IsWord(next_, "final");
  const Word* word = FindWord(token_.text);
  return word != nullptr && word->clause;
}

bool Parser::AtPredicateEnd() const { return AtWord("and") || AtWord("or") || AtClause(); }

void Parser::Refuse(const Refusal& refusal, size_t offset, std::string_view detail0, std::string_view detail1) {
  sink_->Refuse(refusal, offset, detail0, detail1);
}

void Parser::RefuseExpected(std::string_view wanted) {
  // What the open quote or comment took may well hold it.
  if (AtEnd() && lexer_.cut_short()) return;
  const std::string found = AtEnd() ? "the end of the statement" : absl::StrCat("`", token_.text, "`");
  Refuse(refusal::kExpected, token_.offset, wanted, found);
}

void Parser::Run() {
  if (!ParseSelect()) return;
  ParseItems();
  if (!ParseFrom()) return;
  ParseAfterTable();
  if (TakeWord("where")) ParseWhere();
  ParseTail();
}

}  // namespace st::sql
