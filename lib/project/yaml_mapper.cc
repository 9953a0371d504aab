#include "lib/project/yaml_mapper.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace st::project {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

std::string_view KindName(const YamlNode& node) {
  switch (node.kind) {
    case YamlNode::Kind::kMapping:
      return "a mapping";
    case YamlNode::Kind::kSequence:
      return "a list";
    default:
      return "a single value";
  }
}

class Mapper {
 public:
  Mapper(const YamlTree& tree, uint32_t file, Reading* reading)
      : tree_(tree), file_(file), reading_(*reading), sql_places_(tree, file) {}

  void MapMessage(const YamlNode& node, Message* message);

 private:
  Place PlaceOf(const YamlNode& node) const { return {file_, node.line, node.column}; }

  void MapField(const YamlNode& key, uint32_t value, const FieldDescriptor* field, Message* message);
  void MapList(const YamlNode& key, const YamlNode& value, const FieldDescriptor* field, Message* message);
  void MapEntries(const YamlNode& value, const FieldDescriptor* field, Message* message);
  void MapJson(uint32_t value, const FieldDescriptor* field, Message* message);
  void MapScalar(const YamlNode& value, const FieldDescriptor* field, Message* message);
  void WrongKind(const YamlNode& value, std::string_view name, std::string_view wanted, std::string_view hint) {
    reading_.diagnostics->Error(tree_.PositionOf(value), "WRONG_TYPE",
                                absl::StrCat("`", name, "` wants ", wanted, ", this is ", KindName(value)),
                                std::string(hint));
  }

  const YamlTree& tree_;
  uint32_t file_;
  Reading& reading_;
  SqlPlaces sql_places_;
};

void Mapper::MapMessage(const YamlNode& node, Message* message) {
  reading_.places->Add(*message, 0, -1, PlaceOf(node), false);
  if (tree_.IsNull(node)) return;
  const auto* descriptor = message->GetDescriptor();
  if (node.kind != YamlNode::Kind::kMapping) {
    reading_.diagnostics->Error(
        tree_.PositionOf(node), "WRONG_TYPE",
        absl::StrCat(SpokenName(descriptor), " is a mapping of keys, this is ", KindName(node)));
    return;
  }
  for (uint32_t index = node.first; index != 0 && !reading_.IsFull();) {
    const YamlNode& key = tree_.At(index);
    const uint32_t value = tree_.Next(index);
    index = tree_.Next(value);
    if (key.kind != YamlNode::Kind::kScalar) continue;  // has its finding
    const std::string_view name = tree_.Text(key);
    const FieldDescriptor* field = descriptor->FindFieldByName(std::string(name));
    if (field != nullptr) {
      MapField(key, value, field, message);
    } else if (name != "<<") {
      ReportUnknownKey(descriptor, name, tree_.PositionOf(key), reading_.diagnostics);
    }
  }
}

void Mapper::MapField(const YamlNode& key, uint32_t index, const FieldDescriptor* field, Message* message) {
  const YamlNode& value = tree_.At(index);
  const auto* reflection = message->GetReflection();
  if (field->is_repeated()) {
    // A repeated key has its finding; its second value is not added to the first.
    if (reflection->FieldSize(*message, field) > 0) return;
    reading_.places->Add(*message, field->number(), -1, PlaceOf(key), false);
    if (!tree_.IsNull(value)) MapList(key, value, field, message);
  } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
    if (!tree_.IsNull(value)) MapMessage(value, reflection->MutableMessage(message, field));
  } else if (tree_.IsNull(value)) {
    return;  // absent
  } else if (reading_.policies.Of(field).is_json && value.kind != YamlNode::Kind::kScalar) {
    MapJson(index, field, message);
  } else {
    MapScalar(value, field, message);
  }
}

void Mapper::MapList(const YamlNode& key, const YamlNode& value, const FieldDescriptor* field, Message* message) {
  const bool of_messages = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  if (of_messages && field->message_type()->name() == "ConfigEntry") {
    MapEntries(value, field, message);
    return;
  }
  if (value.kind != YamlNode::Kind::kSequence) {
    reading_.places->AddRefused(*message, field->number());
    WrongKind(value, tree_.Text(key), "a list", "begin each of its items with `- `, or write [a, b]");
    return;
  }
  for (uint32_t index = value.first; index != 0 && !reading_.IsFull(); index = tree_.Next(index)) {
    const YamlNode& item = tree_.At(index);
    if (tree_.IsNull(item)) {
      // A row without key and value is a record too.
      if (of_messages && field->message_type()->name() == "Row") {
        MapMessage(item, message->GetReflection()->AddMessage(message, field));
        continue;
      }
      reading_.diagnostics->Error(tree_.PositionOf(item), "WRONG_TYPE",
                                  absl::StrCat("an item of `", field->name(), "` is empty"), "remove it");
    } else if (of_messages) {
      MapMessage(item, message->GetReflection()->AddMessage(message, field));
    } else {
      MapScalar(item, field, message);
    }
  }
}

void Mapper::MapEntries(const YamlNode& value, const FieldDescriptor* field, Message* message) {
  if (value.kind != YamlNode::Kind::kMapping) {
    WrongKind(value, field->name(), "a mapping", "write `key: value` lines");
    return;
  }
  absl::flat_hash_set<std::string_view> seen;
  for (uint32_t index = value.first; index != 0;) {
    const YamlNode& key = tree_.At(index);
    const YamlNode& text = tree_.At(tree_.Next(index));
    index = tree_.Next(tree_.Next(index));
    // Other kinds of keys and repeated ones have their finding.
    if (key.kind != YamlNode::Kind::kScalar || !seen.insert(tree_.Text(key)).second) continue;
    Message* entry = message->GetReflection()->AddMessage(message, field);
    const auto* descriptor = entry->GetDescriptor();
    reading_.places->Add(*entry, 0, -1, PlaceOf(key), false);
    entry->GetReflection()->SetString(entry, descriptor->FindFieldByName("key"), std::string(tree_.Text(key)));
    if (tree_.IsNull(text)) {
      reading_.diagnostics->Error(tree_.PositionOf(key), "MISSING_FIELD",
                                  absl::StrCat("`", diag::Visible(tree_.Text(key), 60), "` has no value"),
                                  "write one, or \"\" for the empty text, or remove the key");
    } else {
      MapScalar(text, descriptor->FindFieldByName("value"), entry);
    }
  }
}

void Mapper::MapJson(uint32_t value, const FieldDescriptor* field, Message* message) {
  reading_.places->Add(*message, field->number(), -1, PlaceOf(tree_.At(value)), false);
  if (std::optional<std::string> text = JsonText(tree_, value, &reading_)) {
    message->GetReflection()->SetString(message, field, *std::move(text));
  } else {
    reading_.places->AddRefused(*message, field->number());
  }
}

void Mapper::MapScalar(const YamlNode& value, const FieldDescriptor* field, Message* message) {
  if (value.kind != YamlNode::Kind::kScalar) {
    reading_.places->Add(*message, field->number(), -1, PlaceOf(value), false);
    reading_.places->AddRefused(*message, field->number());
    WrongKind(value, field->name(), "a single value", "");
    return;
  }
  const bool quoted = value.style != YamlNode::Style::kPlain;
  const bool set = SetScalar(&reading_, message, field, {tree_.Text(value), quoted, PlaceOf(value)});
  if (set && reading_.policies.Of(field).variable == FieldPolicy::Variable::kUntouched) {
    reading_.places->AddSql(*message, sql_places_.Of(value));
  }
}

}  // namespace

void MapYaml(const YamlTree& tree, uint32_t file, Reading* reading, Message* message) {
  reading->places->Add(*message, 0, -1, {file, 1, 1}, false);
  if (tree.root() != 0) Mapper(tree, file, reading).MapMessage(tree.At(tree.root()), message);
}

}  // namespace st::project
