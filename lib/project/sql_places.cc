// Finds where a statement in a YAML scalar stands. Believes nothing: the text is compared with the file.
#include <cstring>

#include "lib/project/yaml_mapper.h"

namespace st::project {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes before character `column` (from 1) of `line`; its size when it is shorter.
size_t BytesBefore(std::string_view line, uint32_t column) {
  size_t at = 0;
  for (uint32_t passed = 1; at < line.size() && passed < column; ++passed) {
    ++at;
    while (at < line.size() && IsContinuation(line[at])) ++at;
  }
  return at;
}

}  // namespace

std::string_view SqlPlaces::Line(uint32_t number) {
  const std::string_view source = tree_.source();
  if (starts_.empty()) {
    starts_.push_back(0);
    for (size_t at = source.find('\n'); at != std::string_view::npos; at = source.find('\n', at + 1)) {
      starts_.push_back(static_cast<uint32_t>(at + 1));
    }
  }
  if (number == 0 || number > starts_.size()) return {};
  const size_t begin = starts_[number - 1];
  const size_t end = number < starts_.size() ? starts_[number] - 1 : source.size();
  std::string_view line = source.substr(begin, end - begin);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

bool SqlPlaces::IsBlock(const YamlNode& scalar, std::string_view text, uint32_t* indent) {
  bool known = false;
  for (uint32_t number = scalar.line + 1; !text.empty(); ++number) {
    const size_t end = text.find('\n');
    const std::string_view wanted = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (wanted.empty()) continue;
    const std::string_view line = Line(number);
    if (line.size() <= wanted.size() || line.substr(line.size() - wanted.size()) != wanted) return false;
    const auto here = static_cast<uint32_t>(line.size() - wanted.size());
    if (line.find_first_not_of(' ') < here || (known && here != *indent)) return false;
    *indent = here;
    known = true;
  }
  return known;
}

SqlPlace SqlPlaces::Of(const YamlNode& scalar) {
  const std::string_view text = tree_.Text(scalar);
  const SqlPlace start{SqlPlace::Form::kStart, {file_, scalar.line, scalar.column}};
  if (scalar.style == YamlNode::Style::kFolded) return start;
  if (scalar.style == YamlNode::Style::kLiteral) {
    uint32_t indent = 0;
    if (!IsBlock(scalar, text, &indent)) return start;
    return {SqlPlace::Form::kLines, {file_, scalar.line + 1, indent + 1}};
  }
  const uint32_t column = scalar.column + (scalar.style == YamlNode::Style::kPlain ? 0 : 1);
  const std::string_view line = Line(scalar.line);
  if (line.substr(BytesBefore(line, column), text.size()) != text) return start;
  return {SqlPlace::Form::kInline, {file_, scalar.line, column}};
}

}  // namespace st::project
