#include "lib/record/random_record.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace st::record {
namespace {

constexpr std::string_view kPieces[] = {"{",
                                        "}",
                                        "[",
                                        "]",
                                        ":",
                                        ",",
                                        "\"",
                                        "\\",
                                        "null",
                                        "true",
                                        "false",
                                        "0",
                                        "-",
                                        "1e5",
                                        ".5",
                                        "\\u",
                                        "\\ud800",
                                        "\\udc00",
                                        "\xff",
                                        "\xc3\xa9",
                                        "\xed\xa0\x80",
                                        "\n",
                                        " ",
                                        "\x01",
                                        "\"id\":1,",
                                        "99999999999999999999"};

}  // namespace

v1::RecordPlan WidePlan(int columns) {
  v1::RecordPlan plan;
  plan.set_version(1);
  plan.set_input_topic("in");
  plan.set_output_topic("out");
  plan.set_extra_members(v1::refuse);
  constexpr v1::ColumnType kTypes[] = {v1::STRING, v1::BIGINT, v1::BOOLEAN, v1::STRING, v1::ANY};
  for (int i = 0; i < columns; ++i) {
    const std::string name = absl::StrCat("column_", absl::Dec(i, absl::kZeroPad3));
    v1::InputColumn* column = plan.add_columns();
    column->set_name(name);
    column->set_member(name);
    column->set_type(kTypes[i % 5]);
    column->set_required(i % 3 == 0);
    if (i % 4 == 3) continue;
    v1::Projection* projection = plan.add_projections();
    projection->set_column(name);
    projection->set_name(name);
  }
  std::reverse(plan.mutable_projections()->begin(), plan.mutable_projections()->end());
  v1::Predicate* predicate = plan.add_predicates();
  predicate->set_column("column_001");
  predicate->set_op(v1::Predicate::GE);
  predicate->set_bigint_value(0);
  return plan;
}

std::string RandomRecord::Space() {
  std::string space;
  while (OneIn(6)) space += " \t\r\n"[Below(4)];
  return space;
}

std::string RandomRecord::Text() {
  constexpr std::string_view kParts[] = {
      "a",      "Z", " ", "\"", "\\", "/", "\n", "\t", "\x01", "\x7f", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80",
      "skip me"};
  std::string text;
  const size_t plain = OneIn(3) ? Below(100) : Below(12);
  for (size_t i = 0; i < plain; ++i) text += static_cast<char>('a' + Below(26));
  while (OneIn(2)) text += kParts[Below(std::size(kParts))];
  return text;
}

// As it stands where it can, escaped where it must, and now and then where it need not.
std::string RandomRecord::Spell(std::string_view text) {
  std::string spelt = "\"";
  for (size_t i = 0; i < text.size(); ++i) {
    const unsigned char byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x20 || byte == '"' || byte == '\\' || (byte < 0x80 && OneIn(40))) {
      std::string digits = absl::StrCat(absl::Hex(byte, absl::kZeroPad4));
      if (OneIn(2)) absl::AsciiStrToUpper(&digits);
      const std::string escape = "\\u" + digits;
      spelt += byte == '"' && OneIn(2) ? "\\\"" : byte == '\n' && OneIn(2) ? "\\n" : escape;
    } else {
      spelt += text[i];
    }
  }
  return spelt + "\"";
}

std::string RandomRecord::Integer() {
  constexpr std::string_view kEdges[] = {
      "0", "-0", "-1", "99", "100", "9223372036854775807", "-9223372036854775808", "99999999", "100000000"};
  if (OneIn(4)) return std::string(kEdges[Below(std::size(kEdges))]);
  return std::to_string(static_cast<int64_t>(engine_()) >> Below(64));
}

std::string RandomRecord::Number() {
  std::string number = Integer();
  if (OneIn(2)) number += "." + std::to_string(Below(1000));
  if (OneIn(2)) number += OneIn(2) ? "E-" + std::to_string(Below(100)) : "e" + std::to_string(Below(1000));
  return number;
}

std::string RandomRecord::Any(int depth) {
  switch (Below(depth > 0 ? 8 : 6)) {
    case 0:
      return "null";
    case 1:
      return "true";
    case 2:
      return "false";
    case 3:
      return Number();
    case 4:
    case 5:
      return Spell(Text());
    case 6: {
      std::string array = "[" + Space();
      for (size_t i = Below(4); i > 0; --i) array += Any(depth - 1) + Space() + (i > 1 ? "," + Space() : "");
      return array + "]";
    }
    default: {
      std::string object = "{" + Space();
      for (size_t i = Below(4); i > 0; --i) {
        object += Spell(Text()) + Space() + ":" + Space() + Any(depth - 1) + Space() + (i > 1 ? "," + Space() : "");
      }
      return object + "}";
    }
  }
}

std::string RandomRecord::Value(const v1::InputColumn& column) {
  if (!column.required() && OneIn(10)) return "null";
  switch (column.type()) {
    case v1::STRING:
      return Spell(Text());
    case v1::BOOLEAN:
      return OneIn(2) ? "true" : "false";
    case v1::BIGINT:
      return Integer();
    default: {
      std::string any = Any(4);
      return any == "null" && column.required() ? "[]" : any;
    }
  }
}

std::string RandomRecord::Make(const v1::RecordPlan& plan) {
  std::vector<std::pair<std::string, std::string>> members;
  for (const v1::InputColumn& column : plan.columns()) {
    members.emplace_back(OneIn(20) ? Spell(column.member()) : "\"" + column.member() + "\"", Value(column));
  }
  if (plan.extra_members() == v1::ignore) {
    for (size_t extra = Below(4); extra > 0; --extra) {
      members.emplace_back("\"extra " + std::to_string(extra) + "\"", Any(3));
    }
  }
  if (OneIn(4)) std::shuffle(members.begin(), members.end(), engine_);
  const bool spaces = OneIn(3);
  const auto space = [&] { return spaces ? Space() : std::string(); };
  std::string value = space() + "{" + space();
  for (const auto& [name, text] : members) {
    if (&name != &members.front().first) value += "," + space();
    value += name + space() + ":" + space() + text + space();
  }
  return value + "}" + space();
}

std::string RandomRecord::Break(std::string_view value) {
  std::string broken(value);
  for (size_t changes = 1 + Below(3); changes > 0 && !broken.empty(); --changes) {
    const size_t place = Below(broken.size());
    switch (Below(5)) {
      case 0:
        broken[place] = static_cast<char>(engine_());
        break;
      case 1:
        broken.erase(place, 1 + Below(3));
        break;
      case 2:
        broken.insert(place, kPieces[Below(std::size(kPieces))]);
        break;
      case 3:
        broken.insert(place, broken.substr(Below(broken.size()), Below(30)));
        break;
      default:
        broken.resize(place);
        break;
    }
  }
  return broken;
}

}  // namespace st::record
