#include "lib/docio/parser.h"

#include <google/protobuf/message.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/id.h"
#include "lib/docio/docio.h"
#include "lib/docio/findings.h"
#include "lib/docio/lexer.h"
#include "lib/docio/schema.h"
#include "lib/docio/value.h"

namespace st::docio {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// An open bracket, and the text itself as the outermost one.
struct Scope {
  Message* message;         // null inside of what is skipped, and for lists
  const MessageInfo* info;  // of `message`
  const FieldInfo* field;   // of a list: the field of its elements; null when they are skipped
  char close;               // '\0' for the whole text
  size_t seen;              // where its fields begin in seen_
  bool element = false;     // of a list: an element was read and no comma yet
  bool comma = false;       // of a list: a comma was read and no element yet
};

class Parser {
 public:
  Parser(std::string_view text, std::string_view file, diag::Diagnostics* diagnostics)
      : lexer_(text), findings_(text, file, diagnostics) {}

  bool Run(Message* root);

 private:
  void Advance() { token_ = lexer_.Next(); }
  void SkipSeparator() {
    if (token_.Is(',') || token_.Is(';')) Advance();
  }
  // Each reads one thing and goes on behind it; false when the grammar is left, which ends the run.
  bool Step();
  bool ListStep();
  bool Field();
  bool Value(const FieldInfo* field);
  bool ReadScalar(Scalar* scalar);

  void Push(Message* message, const FieldInfo* list, char close);
  void Pop();
  const Scope& Holder() const;
  Message* Child(const FieldInfo& field);
  const FieldInfo* Named(std::string_view name);
  void CheckOnce(std::string_view name, const FieldInfo& field);
  void CheckWholeText();
  bool Expected(std::string_view what);

  Lexer lexer_;
  Token token_;
  Findings findings_;
  Schema schema_;
  std::vector<Scope> scopes_;
  std::vector<bool> seen_;  // which singular fields of the open messages were given
};

bool Parser::Run(Message* root) {
  Push(root, nullptr, '\0');
  Advance();
  const auto too_deep = [this] { return lexer_.too_deep() != std::string_view::npos; };
  bool in_grammar = true;
  while (in_grammar && !too_deep() && !(token_.kind == Token::kEnd && scopes_.size() == 1)) in_grammar = Step();
  if (too_deep()) {
    findings_.Add(findings_.text().substr(lexer_.too_deep(), 1), "TOO_DEEP",
                  absl::StrCat("messages are nested over ", kMaxNesting, " deep"),
                  "no document of these tools is: pass on what they wrote");
  }
  CheckWholeText();
  return findings_.empty();
}

void Parser::CheckWholeText() {
  const std::string_view text = findings_.text();
  if (size_t hidden = lexer_.hidden_in_comment(); hidden != std::string_view::npos) {
    findings_.Add(text.substr(hidden, 1), "INVISIBLE_CHARACTER", "a comment holds a character that cannot be seen",
                  "remove it: it may show a reviewer another text than the one that counts");
  }
  if (size_t nul = text.find('\0'); nul != std::string_view::npos) {
    findings_.Add(text.substr(nul, 1), "TEXT_SYNTAX", "a NUL byte", "is it a binary file, or text in UTF-16?");
  }
}

bool Parser::Step() {
  const Scope& scope = scopes_.back();
  if (scope.close == ']') return ListStep();
  if (token_.Is('}') || token_.Is('>')) {
    if (!token_.Is(scope.close)) {
      return Expected(scope.close == '\0' ? "a field's name" : absl::StrCat("`", std::string(1, scope.close), "`"));
    }
    Pop();
    return true;
  }
  return Field();
}

bool Parser::ListStep() {
  Scope& list = scopes_.back();
  if (token_.Is(']') && !list.comma) {
    Pop();
    return true;
  }
  if (list.element) {
    if (!token_.Is(',')) return Expected("`,` or `]`");
    list.element = false;
    list.comma = true;
    Advance();
    return true;
  }
  list.element = true;
  list.comma = false;
  return Value(list.field);
}

bool Parser::Field() {
  if (token_.kind != Token::kName) return Expected("a field's name");
  const std::string_view name = token_.text;
  const FieldInfo* field = Named(name);
  if (field != nullptr && !field->repeated) CheckOnce(name, *field);
  Advance();
  if (token_.Is(':')) {
    Advance();
  } else if (field != nullptr && field->cpp_type != FieldDescriptor::CPPTYPE_MESSAGE) {
    return Expected(absl::StrCat("`:` after '", name, "'"));
  }
  if (token_.Is('[')) {
    if (field != nullptr && !field->repeated) {
      findings_.Add(token_.text, "BAD_VALUE", absl::StrCat("field '", name, "' takes one value, not a list"));
      field = nullptr;
    }
    Push(nullptr, field, ']');
    Advance();
    return true;
  }
  const size_t open = scopes_.size();
  if (!Value(field)) return false;
  // A message's separator comes behind its closing bracket.
  if (scopes_.size() == open) SkipSeparator();
  return true;
}

// A scalar, or a message's opening bracket.
bool Parser::Value(const FieldInfo* field) {
  const bool is_message = field != nullptr && field->cpp_type == FieldDescriptor::CPPTYPE_MESSAGE;
  if (token_.Is('{') || token_.Is('<')) {
    if (field != nullptr && !is_message) {
      findings_.Add(token_.text, "BAD_VALUE", absl::StrCat("field '", field->field->name(), "' is no message"));
    }
    Push(is_message ? Child(*field) : nullptr, nullptr, token_.Is('{') ? '}' : '>');
    Advance();
    return true;
  }
  Scalar scalar;
  if (!ReadScalar(&scalar)) return false;
  if (field == nullptr) return true;
  const Scope& holder = Holder();
  SetScalar(*field, std::move(scalar), holder.message, *holder.info->reflection, &findings_);
  return true;
}

bool Parser::ReadScalar(Scalar* scalar) {
  scalar->where = token_.text;
  if (token_.kind == Token::kString) {
    scalar->kind = Token::kString;
    // Strings that follow each other are one value.
    for (; token_.kind == Token::kString; Advance()) {
      if (!token_.closed) {
        findings_.Add(token_.text, "TEXT_SYNTAX", "a text in quotes that does not end on its line",
                      "write \\n for a line's end");
        return false;
      }
      AppendString(token_.text, scalar, &findings_);
    }
    return true;
  }
  if (token_.Is('-')) {
    scalar->negative = true;
    Advance();
  }
  if (token_.kind != Token::kName && token_.kind != Token::kNumber) return Expected("a value");
  scalar->kind = token_.kind;
  scalar->word = token_.text;
  Advance();
  return true;
}

// The message whose field is being read: lists stand between.
const Scope& Parser::Holder() const {
  return scopes_.back().close == ']' ? scopes_[scopes_.size() - 2] : scopes_.back();
}

void Parser::Push(Message* message, const FieldInfo* list, char close) {
  const MessageInfo* info = message == nullptr ? nullptr : &schema_.Of(*message);
  scopes_.push_back({message, info, list, close, seen_.size()});
  if (info != nullptr) seen_.resize(seen_.size() + info->fields.size());
}

// Closes the innermost bracket, which token_ is.
void Parser::Pop() {
  seen_.resize(scopes_.back().seen);
  scopes_.pop_back();
  Advance();
  if (scopes_.back().close != ']') SkipSeparator();
}

Message* Parser::Child(const FieldInfo& field) {
  const Scope& holder = Holder();
  if (field.repeated) return holder.info->reflection->AddMessage(holder.message, field.field);
  return holder.info->reflection->MutableMessage(holder.message, field.field);
}

const FieldInfo* Parser::Named(std::string_view name) {
  const MessageInfo* info = scopes_.back().info;
  if (info == nullptr) return nullptr;
  const auto found = info->fields.find(name);
  if (found != info->fields.end()) return &found->second;
  std::vector<std::string_view> names;
  for (int i = 0; i < info->descriptor->field_count(); ++i) names.push_back(info->descriptor->field(i)->name());
  const std::string_view nearest = base::Nearest(name, names);
  findings_.Add(name, "UNKNOWN_FIELD",
                absl::StrCat(info->descriptor->full_name(), " has no field '", diag::Visible(name, 100), "'"),
                nearest.empty() ? "was it written by a newer version of these tools?"
                                : absl::StrCat("did you mean '", nearest, "'?"));
  return nullptr;
}

void Parser::CheckOnce(std::string_view name, const FieldInfo& field) {
  const size_t first = scopes_.back().seen;
  if (seen_[first + field.index]) {
    findings_.Add(name, "REPEATED_FIELD", absl::StrCat("field '", name, "' is given twice"),
                  "keep one of them; were two documents run together?");
  }
  const google::protobuf::OneofDescriptor* group = field.field->real_containing_oneof();
  for (int i = 0; group != nullptr && i < group->field_count(); ++i) {
    const FieldDescriptor& other = *group->field(i);
    if (&other == field.field || !seen_[first + other.index()]) continue;
    findings_.Add(name, "REPEATED_FIELD",
                  absl::StrCat("fields '", other.name(), "' and '", name, "' exclude each other"), "keep one of them");
  }
  seen_[first + field.index] = true;
}

bool Parser::Expected(std::string_view what) {
  std::string got = absl::StrCat("`", diag::Visible(token_.text, 50), "`");
  if (token_.kind == Token::kEnd) got = "the end of the text";
  // Never what stands in quotes: it may be a secret in the wrong place.
  if (token_.kind == Token::kString) got = "a text in quotes";
  findings_.Add(token_.text, "TEXT_SYNTAX", absl::StrCat("here ", what, " is expected, not ", got));
  return false;
}

}  // namespace

bool ParseText(std::string_view text, std::string_view file, Message* message, diag::Diagnostics* diagnostics) {
  return Parser(text, file, diagnostics).Run(message);
}

}  // namespace st::docio
