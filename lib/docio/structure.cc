#include "lib/docio/structure.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "lib/base/id.h"
#include "lib/docio/docio.h"
#include "lib/docio/lexer.h"

namespace st::docio {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// Findings after these would bury the first ones.
constexpr int kMaxFindings = 100;

// Fields by name: the descriptor's own look-up takes a lock.
using Fields = absl::flat_hash_map<std::string_view, const FieldDescriptor*>;

// An open bracket.
struct Scope {
  const Descriptor* message;     // null inside of an unknown field
  const Fields* fields;          // of `message`
  const FieldDescriptor* field;  // of a list: the field that its elements are values of
  char close;
  std::vector<bool> seen;  // singular fields, by index
};

class Walk {
 public:
  Walk(std::string_view text, std::string_view file, diag::Diagnostics* diagnostics)
      : text_(text), file_(file), diagnostics_(diagnostics), lexer_(text) {}

  Structure Run(const Descriptor& root);

 private:
  void Advance() { token_ = lexer_.Next(); }
  bool InGrammar();
  bool Field();
  void CheckOnce(std::string_view name, const FieldDescriptor& field);
  bool Value(const FieldDescriptor* field);
  void CheckWord(const FieldDescriptor& field);
  bool Element();
  void Open(const FieldDescriptor* field);
  void Strings(const FieldDescriptor* field);
  void CheckVisible(std::string_view raw, const std::string& value, const FieldDescriptor& field);
  const FieldDescriptor* Named(std::string_view name);
  const Fields* FieldsOf(const Descriptor* message);
  void Find(std::string_view where, std::string_view code, std::string text, std::string hint = {});

  const std::string_view text_;
  const std::string_view file_;
  diag::Diagnostics* const diagnostics_;
  Lexer lexer_;
  Token token_;
  std::vector<Scope> scopes_;
  absl::flat_hash_map<const Descriptor*, std::unique_ptr<Fields>> fields_;
  int findings_ = 0;
};

Structure Walk::Run(const Descriptor& root) {
  scopes_.push_back({&root, FieldsOf(&root), nullptr, '\0', std::vector<bool>(root.field_count())});
  Advance();
  bool in_grammar = true;
  const auto too_deep = [this] { return lexer_.too_deep() != std::string_view::npos; };
  while (in_grammar && token_.kind != Token::kEnd && !too_deep()) in_grammar = InGrammar();
  if (in_grammar) in_grammar = scopes_.size() == 1;
  // Outside of the grammar depth still counts: the parser must not see it.
  while (token_.kind != Token::kEnd && !too_deep()) Advance();
  if (too_deep()) {
    Find(text_.substr(lexer_.too_deep(), 1), "TOO_DEEP",
         absl::StrCat("messages are nested over ", kMaxNesting, " deep"),
         "no document of these tools is: pass on what they wrote");
    return Structure::kTooDeep;
  }
  if (size_t hidden = lexer_.hidden_in_comment(); hidden != std::string_view::npos) {
    Find(text_.substr(hidden, 1), "INVISIBLE_CHARACTER", "a comment holds a character that cannot be seen",
         "remove it: it may show a reviewer another text than the one that counts");
  }
  if (size_t nul = text_.find('\0'); nul != std::string_view::npos) {
    Find(text_.substr(nul, 1), "TEXT_SYNTAX", "a NUL byte", "is it a binary file, or text in UTF-16?");
  }
  if (findings_ > 0) return Structure::kWrong;
  return in_grammar ? Structure::kSound : Structure::kUnclear;
}

// One step from one field, list element or closing bracket to the next. False when the text leaves the grammar.
bool Walk::InGrammar() {
  const Scope& scope = scopes_.back();
  if (scope.close != '\0' && token_.Is(scope.close)) {
    scopes_.pop_back();
    Advance();
    // After a list's element comes a comma or the list's end; after a field's value may come a separator.
    if (token_.Is(',') || (token_.Is(';') && scopes_.back().close != ']')) Advance();
    return true;
  }
  return scope.close == ']' ? Element() : Field();
}

bool Walk::Field() {
  if (token_.kind != Token::kName) return false;
  const Token name = token_;
  const FieldDescriptor* field = Named(name.text);
  if (field != nullptr && !field->is_repeated()) CheckOnce(name.text, *field);
  Advance();
  if (token_.Is(':')) Advance();
  return Value(field);
}

void Walk::CheckOnce(std::string_view name, const FieldDescriptor& field) {
  std::vector<bool>& seen = scopes_.back().seen;
  if (seen[field.index()]) {
    Find(name, "REPEATED_FIELD", absl::StrCat("field '", field.name(), "' is given twice"),
         "keep one of them; were two documents run together?");
  }
  const google::protobuf::OneofDescriptor* group = field.real_containing_oneof();
  for (int i = 0; group != nullptr && i < group->field_count(); ++i) {
    const FieldDescriptor& other = *group->field(i);
    if (&other == &field || !seen[other.index()]) continue;
    Find(name, "REPEATED_FIELD",
         absl::StrCat("fields '", other.name(), "' and '", field.name(), "' exclude each other"), "keep one of them");
  }
  seen[field.index()] = true;
}

// A field's value, or up to its opening bracket.
bool Walk::Value(const FieldDescriptor* field) {
  if (token_.Is('[') && scopes_.back().close != ']') {
    scopes_.push_back({nullptr, nullptr, field, ']', {}});
    Advance();
    return true;
  }
  if (token_.Is('{') || token_.Is('<')) {
    Open(field);
    return true;
  }
  if (token_.kind == Token::kString) {
    Strings(field);
  } else {
    if (token_.Is('-')) Advance();
    if (token_.kind != Token::kName && token_.kind != Token::kNumber) return false;
    if (token_.kind == Token::kName && field != nullptr) CheckWord(*field);
    Advance();
  }
  if (token_.Is(',') || (token_.Is(';') && scopes_.back().close != ']')) Advance();
  return true;
}

// The parser tells the position after such a value, which may be on another line.
void Walk::CheckWord(const FieldDescriptor& field) {
  const std::string_view word = token_.text;
  if (field.type() == FieldDescriptor::TYPE_BOOL) {
    for (std::string_view good : {"true", "false", "t", "f", "True", "False"}) {
      if (word == good) return;
    }
    Find(word, "BAD_VALUE",
         absl::StrCat("field '", field.name(), "' is true or false, not '", diag::Visible(word, 100), "'"));
  }
  if (field.type() != FieldDescriptor::TYPE_ENUM) return;
  const google::protobuf::EnumDescriptor& values = *field.enum_type();
  for (int i = 0; i < values.value_count(); ++i) {
    if (values.value(i)->name() == word) return;
  }
  std::vector<std::string_view> names;
  for (int i = 0; i < values.value_count(); ++i) names.push_back(values.value(i)->name());
  const std::string_view nearest = base::Nearest(word, names);
  Find(word, "BAD_VALUE", absl::StrCat("field '", field.name(), "' has no value '", diag::Visible(word, 100), "'"),
       nearest.empty() ? absl::StrCat("its values are ", absl::StrJoin(names, ", "))
                       : absl::StrCat("did you mean '", nearest, "'?"));
}

bool Walk::Element() { return Value(scopes_.back().field); }

void Walk::Open(const FieldDescriptor* field) {
  const Descriptor* message = field == nullptr ? nullptr : field->message_type();
  const size_t size = message == nullptr ? 0 : message->field_count();
  scopes_.push_back({message, FieldsOf(message), nullptr, token_.Is('{') ? '}' : '>', std::vector<bool>(size)});
  Advance();
}

// Strings that follow each other are one value.
void Walk::Strings(const FieldDescriptor* field) {
  const std::string_view first = token_.text;
  const auto plain = [](std::string_view raw) {
    return std::all_of(raw.begin(), raw.end(), [](char c) { return c >= 0x20 && c < 0x7F && c != '\\'; });
  };
  bool all_plain = true;
  std::string value;
  for (; token_.kind == Token::kString; Advance()) {
    all_plain = all_plain && plain(token_.text);
    if (!all_plain) google::protobuf::io::Tokenizer::ParseStringAppend(std::string(token_.text), &value);
  }
  if (!all_plain && field != nullptr && field->type() == FieldDescriptor::TYPE_STRING) {
    CheckVisible(first, value, *field);
  }
}

void Walk::CheckVisible(std::string_view raw, const std::string& value, const FieldDescriptor& field) {
  if (size_t bad = diag::FindNotUtf8(value); bad != std::string::npos) {
    Find(raw, "NOT_UTF8", absl::StrCat("field '", field.name(), "' is text, and its value is not UTF-8"),
         "write the character itself, or \\u and its number");
    return;
  }
  const size_t hidden = diag::FindInvisible(value, /*allow_whitespace=*/true);
  if (hidden == std::string::npos) return;
  // Where the raw text shows the character, point at it; where it was escaped, at the value.
  const size_t in_raw = diag::FindInvisible(raw, true);
  const int length = diag::DecodeUtf8(value, hidden).length;
  Find(in_raw == std::string_view::npos ? raw : raw.substr(in_raw, 1), "INVISIBLE_CHARACTER",
       absl::StrCat("field '", field.name(), "' holds a character that cannot be seen: ",
                    diag::Visible(std::string_view(value).substr(hidden, length))),
       "remove it: what is reviewed must be what counts");
}

const FieldDescriptor* Walk::Named(std::string_view name) {
  const Scope& scope = scopes_.back();
  if (scope.fields == nullptr) return nullptr;
  const auto found = scope.fields->find(name);
  if (found != scope.fields->end()) return found->second;
  std::vector<std::string_view> names;
  names.reserve(scope.message->field_count());
  for (int i = 0; i < scope.message->field_count(); ++i) names.push_back(scope.message->field(i)->name());
  const std::string_view nearest = base::Nearest(name, names);
  Find(name, "UNKNOWN_FIELD",
       absl::StrCat(scope.message->full_name(), " has no field '", diag::Visible(name, 100), "'"),
       nearest.empty() ? "was it written by a newer version of these tools?"
                       : absl::StrCat("did you mean '", nearest, "'?"));
  return nullptr;
}

const Fields* Walk::FieldsOf(const Descriptor* message) {
  if (message == nullptr) return nullptr;
  std::unique_ptr<Fields>& fields = fields_[message];
  if (fields == nullptr) {
    fields = std::make_unique<Fields>();
    for (int i = 0; i < message->field_count(); ++i) (*fields)[message->field(i)->name()] = message->field(i);
  }
  return fields.get();
}

void Walk::Find(std::string_view where, std::string_view code, std::string text, std::string hint) {
  if (++findings_ > kMaxFindings) return;
  const size_t offset = static_cast<size_t>(where.data() - text_.data());
  diagnostics_->Error(diag::Locate(file_, text_, offset), code, std::move(text), std::move(hint));
}

}  // namespace

Structure CheckStructure(std::string_view text, std::string_view file, const Descriptor& root,
                         diag::Diagnostics* diagnostics) {
  return Walk(text, file, diagnostics).Run(root);
}

}  // namespace st::docio
