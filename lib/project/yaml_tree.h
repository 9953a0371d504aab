// One YAML file as a tree of nodes with positions, from libyaml's events: what its loader would hide (tags, repeated
// keys, aliases, styles) is seen and checked here. Knows nothing of the schema.
#ifndef ST_LIB_PROJECT_YAML_TREE_H_
#define ST_LIB_PROJECT_YAML_TREE_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/diag/diag.h"

namespace st::project {

inline constexpr int kMaxYamlNesting = 64;
inline constexpr size_t kMaxYamlNodes = 5'000'000;
// What all aliases of a file may add to it, so that a few lines cannot become gigabytes.
inline constexpr size_t kMaxAliasNodes = 100'000;
inline constexpr size_t kMaxAliasBytes = size_t{4} << 20;

struct YamlNode {
  enum class Kind : uint8_t { kScalar, kMapping, kSequence, kAlias };
  enum class Style : uint8_t { kPlain, kSingleQuoted, kDoubleQuoted, kLiteral, kFolded };

  Kind kind = Kind::kScalar;
  Style style = Style::kPlain;
  uint32_t line = 0;    // 1-based
  uint32_t column = 0;  // 1-based, in characters
  uint32_t first = 0;   // first child, or the target of an alias; a mapping's children are key, value, key, value...
  uint32_t next = 0;    // next sibling
  uint32_t text_offset = 0;
  uint32_t text_size = 0;
};

// Nodes are named by index; 0 is "none".
class YamlTree {
 public:
  // Findings go to `diagnostics`. False when the file ends early (syntax, limits): then there is no tree. Other
  // findings (tags, merge keys, repeated keys) leave a tree that is worth checking further.
  // `text` must be valid UTF-8 and outlive the tree.
  bool Parse(std::string_view text, std::string_view file, diag::Diagnostics* diagnostics);

  // 0 for an empty file.
  uint32_t root() const { return root_; }
  // The node itself, through aliases.
  const YamlNode& At(uint32_t index) const;
  // The sibling after `index`, 0 at the end.
  uint32_t Next(uint32_t index) const { return nodes_[index].next; }
  std::string_view Text(const YamlNode& node) const {
    return std::string_view(texts_).substr(node.text_offset, node.text_size);
  }
  // A plain scalar that is empty, `null` or `~`.
  bool IsNull(const YamlNode& node) const;
  std::string_view source() const { return source_; }
  const std::string& file() const { return file_; }
  diag::Position PositionOf(const YamlNode& node) const;

 private:
  friend class YamlTreeBuilder;

  std::string_view source_;
  std::string file_;
  std::vector<YamlNode> nodes_;
  std::string texts_;
  uint32_t root_ = 0;
};

}  // namespace st::project

#endif  // ST_LIB_PROJECT_YAML_TREE_H_
