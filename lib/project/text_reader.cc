#include "lib/project/text_reader.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/docio/docio.h"

namespace st::project {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using google::protobuf::TextFormat;

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

// An unknown field is an unknown key: streamt's names are known here, not to docio. Its sentence is
// "st.v1.Model has no field 'key'".
bool TranslateUnknownField(const diag::Diagnostic& finding, const Descriptor& root, diag::Diagnostics* diagnostics) {
  if (finding.code != "UNKNOWN_FIELD") return false;
  const size_t end = finding.text.find(" has no field '");
  if (end == std::string::npos) return false;
  const Descriptor* descriptor = root.file()->pool()->FindMessageTypeByName(finding.text.substr(0, end));
  if (descriptor == nullptr) return false;
  std::string_view key = std::string_view(finding.text).substr(end + std::string_view(" has no field '").size());
  absl::ConsumeSuffix(&key, "'");
  ReportUnknownKey(descriptor, key, finding.position, diagnostics);
  return true;
}

// Places in characters, from those that the tokenizer counts: lines and columns from 0, in bytes, tabs to multiples
// of 8.
class Columns {
 public:
  explicit Columns(std::string_view text) : text_(text), starts_(1, 0) {
    for (size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1)) {
      starts_.push_back(at + 1);
    }
  }

  Place At(uint32_t file, TextFormat::ParseLocation location) const {
    if (location.line < 0 || static_cast<size_t>(location.line) >= starts_.size()) return {file, 1, 1};
    constexpr int kTab = 8;
    uint32_t column = 1;
    size_t at = starts_[location.line];
    for (int seen = 0; at < text_.size() && text_[at] != '\n' && seen < location.column; ++at) {
      seen += text_[at] == '\t' ? kTab - seen % kTab : 1;
      if ((static_cast<unsigned char>(text_[at]) & 0xC0) != 0x80) ++column;
    }
    return {file, static_cast<uint32_t>(location.line) + 1, column};
  }

 private:
  std::string_view text_;
  std::vector<size_t> starts_;
};

class Walker {
 public:
  Walker(std::string_view text, uint32_t file, Reading* reading) : columns_(text), file_(file), reading_(*reading) {}

  // Recursion is bounded by the schema.
  void Walk(Message* message, TextFormat::ParseInfoTree* tree) {
    const Reflection* reflection = message->GetReflection();
    std::vector<const FieldDescriptor*> fields;
    reflection->ListFields(*message, &fields);
    for (const FieldDescriptor* field : fields) {
      if (!field->is_repeated()) {
        Visit(message, field, -1, tree);
        continue;
      }
      const int size = reflection->FieldSize(*message, field);
      if (size > 0) reading_.places->Add(*message, field->number(), -1, PlaceOf(field, 0, *tree), false);
      for (int i = 0; i < size; ++i) Visit(message, field, i, tree);
    }
  }

 private:
  Place PlaceOf(const FieldDescriptor* field, int index, const TextFormat::ParseInfoTree& tree) const {
    return columns_.At(file_, tree.GetLocation(field, index));
  }

  void Visit(Message* message, const FieldDescriptor* field, int index, TextFormat::ParseInfoTree* tree) {
    const Reflection* reflection = message->GetReflection();
    const Place place = PlaceOf(field, index, *tree);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Message* child = index < 0 ? reflection->MutableMessage(message, field)
                                 : reflection->MutableRepeatedMessage(message, field, index);
      reading_.places->Add(*child, 0, -1, place, false);
      TextFormat::ParseInfoTree* nested = tree->GetTreeForNested(field, index);
      if (nested != nullptr) Walk(child, nested);
      return;
    }
    bool from_variable = false;
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      VisitText(message, field, index, place, &from_variable);
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_ENUM) {
      VisitEnum(*message, field, index, place);
    }
    reading_.places->Add(*message, field->number(), index, place, from_variable);
  }

  void VisitText(Message* message, const FieldDescriptor* field, int index, const Place& place, bool* from_variable) {
    const Reflection* reflection = message->GetReflection();
    const std::string raw =
        index < 0 ? reflection->GetString(*message, field) : reflection->GetRepeatedString(*message, field, index);
    // Keys and values of test rows are bytes: a test may want them wrong.
    if (!diag::IsUtf8(raw) && field->containing_type()->name() != "Row") {
      reading_.diagnostics->Error(reading_.places->ToPosition(place), "NOT_UTF8",
                                  absl::StrCat("`", field->name(), "` is not UTF-8"),
                                  "write the character itself, or \\u and its number");
      Refuse(message, field, index);
      return;
    }
    std::string text;
    if (!ApplyPolicy(&reading_, field, {raw, true, place}, &text, from_variable)) {
      Refuse(message, field, index);
      return;
    }
    if (reading_.policies.Of(field).variable == FieldPolicy::Variable::kUntouched) {
      reading_.places->AddSql(*message, {SqlPlace::Form::kStart, place});
    }
    if (text == raw) return;
    if (index < 0) {
      reflection->SetString(message, field, std::move(text));
    } else {
      reflection->SetRepeatedString(message, field, index, std::move(text));
    }
  }

  // Takes the value out again: it may be a secret.
  void Refuse(Message* message, const FieldDescriptor* field, int index) {
    if (index < 0) {
      message->GetReflection()->ClearField(message, field);
    } else {
      message->GetReflection()->SetRepeatedString(message, field, index, "");
    }
    reading_.places->AddRefused(*message, field->number());
  }

  // The text format also takes numbers for names, and proto3 keeps any number.
  void VisitEnum(const Message& message, const FieldDescriptor* field, int index, const Place& place) {
    const Reflection* reflection = message.GetReflection();
    const int number =
        index < 0 ? reflection->GetEnumValue(message, field) : reflection->GetRepeatedEnumValue(message, field, index);
    if (field->enum_type()->FindValueByNumber(number) != nullptr && number != 0) return;
    reading_.diagnostics->Error(reading_.places->ToPosition(place), "UNKNOWN_VALUE",
                                absl::StrCat("unknown value for `", field->name(), "`"), "write the value's name");
  }

  Columns columns_;
  uint32_t file_;
  Reading& reading_;
};

}  // namespace

bool ReadTextproto(std::string_view text, uint32_t file, Reading* reading, Message* message) {
  diag::Diagnostics found;
  const bool good = docio::Read(text, reading->places->FileName(file), docio::Trailer::kOptional, message, &found);
  for (const diag::Diagnostic& finding : found.Sorted()) {
    if (!TranslateUnknownField(finding, *message->GetDescriptor(), reading->diagnostics)) {
      reading->diagnostics->Add(finding);
    }
  }
  reading->places->Add(*message, 0, -1, {file, 1, 1}, false);
  if (!good) return false;
  absl::ConsumePrefix(&text, kByteOrderMark);
  // Once more, for the places only: docio's reader is the judge of what a document may hold.
  TextFormat::ParseInfoTree tree;
  TextFormat::Parser parser;
  parser.WriteLocationsTo(&tree);
  parser.SetRecursionLimit(docio::kMaxNesting);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  const std::unique_ptr<Message> again(message->New());
  if (!parser.Parse(&stream, again.get())) {
    reading->diagnostics->Error({reading->places->FileName(file), 1, 1}, "TEXT_SYNTAX", "not protobuf text");
    return false;
  }
  Walker(text, file, reading).Walk(message, &tree);
  return true;
}

}  // namespace st::project
