#include "lib/project/yaml_tree.h"

#include <yaml.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/project/reading.h"

namespace st::project {
namespace {

struct ParserDeleter {
  void operator()(yaml_parser_t* parser) const {
    yaml_parser_delete(parser);
    delete parser;
  }
};

YamlNode::Style StyleOf(yaml_scalar_style_t style) {
  switch (style) {
    case YAML_SINGLE_QUOTED_SCALAR_STYLE:
      return YamlNode::Style::kSingleQuoted;
    case YAML_DOUBLE_QUOTED_SCALAR_STYLE:
      return YamlNode::Style::kDoubleQuoted;
    case YAML_LITERAL_SCALAR_STYLE:
      return YamlNode::Style::kLiteral;
    case YAML_FOLDED_SCALAR_STYLE:
      return YamlNode::Style::kFolded;
    default:
      return YamlNode::Style::kPlain;
  }
}

std::string_view View(const yaml_char_t* text) {
  return text == nullptr ? std::string_view() : std::string_view(reinterpret_cast<const char*>(text));
}

// From 1, in characters.
struct Mark {
  uint32_t line = 1;
  uint32_t column = 1;
};

// Where `text` ends, by what libyaml takes for line breaks: LF, CR, CR LF, U+0085, U+2028, U+2029.
Mark EndOf(std::string_view text) {
  Mark end;
  for (size_t i = 0; i < text.size(); ++i) {
    if (absl::ascii_isprint(static_cast<unsigned char>(text[i]))) {
      ++end.column;
      continue;
    }
    const std::string_view here = text.substr(i, 3);
    const bool next_line = absl::StartsWith(here, "\xC2\x85");
    const bool separator = here == "\xE2\x80\xA8" || here == "\xE2\x80\xA9";
    if (here[0] == '\n' || (here[0] == '\r' && here.substr(0, 2) != "\r\n") || next_line || separator) {
      ++end.line;
      end.column = 1;
      i += separator ? 2 : next_line ? 1 : 0;
    } else if ((static_cast<unsigned char>(here[0]) & 0xC0) != 0x80) {
      ++end.column;
    }
  }
  return end;
}

}  // namespace

// One pass over the events.
class YamlTreeBuilder {
 public:
  YamlTreeBuilder(YamlTree* tree, diag::Diagnostics* diagnostics)
      : tree_(*tree), diagnostics_(diagnostics), end_(EndOf(tree->source_)) {}

  bool Run() {
    parser_.reset(new yaml_parser_t);
    if (yaml_parser_initialize(parser_.get()) == 0) {
      delete parser_.release();
      diagnostics_->Error({tree_.file_}, "YAML_SYNTAX", "the YAML parser could not start: out of memory");
      return false;
    }
    yaml_parser_set_encoding(parser_.get(), YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(parser_.get(), reinterpret_cast<const unsigned char*>(tree_.source_.data()),
                                 tree_.source_.size());
    for (;;) {
      yaml_event_t event;
      if (yaml_parser_parse(parser_.get(), &event) == 0) return SyntaxError();
      const bool end = event.type == YAML_STREAM_END_EVENT;
      const bool go_on = Take(event);
      yaml_event_delete(&event);
      if (!go_on) return false;
      if (end) return true;
    }
  }

 private:
  // A collection that is still open.
  struct Frame {
    uint32_t node = 0;
    uint32_t last = 0;  // child
    size_t children = 0;
    int height = 1;
    std::string anchor;
    size_t nodes_before = 0;
    size_t bytes_before = 0;
  };

  // What an alias to it adds.
  struct Anchor {
    uint32_t node = 0;  // 0: still open
    size_t nodes = 0;
    size_t bytes = 0;
    int height = 0;
  };

  Mark MarkOf(const yaml_mark_t& mark) const {
    // libyaml ends the last line of a file that does not: what it misses at the end is missed behind that line.
    if (mark.line + 1 > end_.line) return end_;
    return {static_cast<uint32_t>(mark.line) + 1, static_cast<uint32_t>(mark.column) + 1};
  }
  diag::Position At(const yaml_mark_t& mark) const {
    const Mark at = MarkOf(mark);
    return {tree_.file_, static_cast<int>(at.line), static_cast<int>(at.column)};
  }

  bool SyntaxError();
  bool Take(const yaml_event_t& event);
  bool TakeScalar(const yaml_event_t& event);
  bool TakeAlias(const yaml_event_t& event);
  bool Open(const yaml_event_t& event, YamlNode::Kind kind, const yaml_char_t* anchor, const yaml_char_t* tag);
  void Close();
  void CheckKeys(uint32_t mapping);
  void RefuseTag(const yaml_event_t& event, const yaml_char_t* tag);
  uint32_t NewNode(const yaml_event_t& event, YamlNode::Kind kind);
  // Puts a finished or just opened node below the innermost open collection.
  void Link(uint32_t node, int height);

  YamlTree& tree_;
  diag::Diagnostics* diagnostics_;
  Mark end_;
  std::unique_ptr<yaml_parser_t, ParserDeleter> parser_;
  std::vector<Frame> open_;
  absl::flat_hash_map<std::string, Anchor> anchors_;
  // Of the whole file as it stands after aliases.
  size_t nodes_ = 0;
  size_t bytes_ = 0;
  size_t alias_nodes_ = 0;
  size_t alias_bytes_ = 0;
  int documents_ = 0;
};

bool YamlTreeBuilder::SyntaxError() {
  const yaml_parser_t& parser = *parser_;
  if (parser.error == YAML_MEMORY_ERROR) {
    diagnostics_->Error({tree_.file_}, "YAML_SYNTAX", "out of memory while reading YAML");
    return false;
  }
  if (parser.error == YAML_READER_ERROR) {
    diagnostics_->Error(diag::Locate(tree_.file_, tree_.source_, parser.problem_offset), "YAML_SYNTAX",
                        "a control character cannot stand in YAML", "remove it, or write it as an escape in quotes");
    return false;
  }
  const diag::Position position = At(parser.problem_mark);
  // libyaml keeps at least the character at the problem in its buffer.
  const bool tab = parser.buffer.pointer < parser.buffer.last && *parser.buffer.pointer == '\t';
  if (tab) {
    diagnostics_->Error(position, "YAML_TAB", "a tab cannot indent or separate YAML here", "use spaces");
    return false;
  }
  std::string text = absl::StrCat("YAML: ", parser.problem == nullptr ? "syntax error" : parser.problem);
  std::string hint;
  if (parser.context != nullptr) {
    hint = absl::StrCat(parser.context, " that began at line ", parser.context_mark.line + 1, ", column ",
                        parser.context_mark.column + 1);
  }
  diagnostics_->Error(position, "YAML_SYNTAX", std::move(text), std::move(hint));
  return false;
}

bool YamlTreeBuilder::Take(const yaml_event_t& event) {
  // What follows would bury the first findings.
  if (diagnostics_->errors() >= kMaxFindings) return false;
  if (nodes_ > kMaxYamlNodes) {
    diagnostics_->Error(At(event.start_mark), "YAML_TOO_LARGE",
                        absl::StrCat("more than ", kMaxYamlNodes, " YAML values in one file"), "split the file");
    return false;
  }
  switch (event.type) {
    case YAML_DOCUMENT_START_EVENT:
      if (++documents_ == 1) return true;
      diagnostics_->Error(At(event.start_mark), "YAML_MANY_DOCUMENTS", "a second YAML document begins here",
                          "put it into a file of its own");
      return false;
    case YAML_SCALAR_EVENT:
      return TakeScalar(event);
    case YAML_ALIAS_EVENT:
      return TakeAlias(event);
    case YAML_SEQUENCE_START_EVENT:
      return Open(event, YamlNode::Kind::kSequence, event.data.sequence_start.anchor, event.data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
      return Open(event, YamlNode::Kind::kMapping, event.data.mapping_start.anchor, event.data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
      Close();
      return true;
    default:
      return true;
  }
}

uint32_t YamlTreeBuilder::NewNode(const yaml_event_t& event, YamlNode::Kind kind) {
  YamlNode node;
  node.kind = kind;
  const Mark at = MarkOf(event.start_mark);
  node.line = at.line;
  node.column = at.column;
  tree_.nodes_.push_back(node);
  ++nodes_;
  return static_cast<uint32_t>(tree_.nodes_.size() - 1);
}

void YamlTreeBuilder::Link(uint32_t node, int height) {
  if (open_.empty()) {
    tree_.root_ = node;
    return;
  }
  Frame& parent = open_.back();
  (parent.last == 0 ? tree_.nodes_[parent.node].first : tree_.nodes_[parent.last].next) = node;
  parent.last = node;
  ++parent.children;
  parent.height = std::max(parent.height, height + 1);
}

void YamlTreeBuilder::RefuseTag(const yaml_event_t& event, const yaml_char_t* tag) {
  if (tag == nullptr) return;
  diagnostics_->Error(At(event.start_mark), "YAML_TAG",
                      absl::StrCat("the YAML tag `", diag::Visible(View(tag), 60), "` is not allowed"),
                      "remove it: the field says which type a value has");
}

bool YamlTreeBuilder::TakeScalar(const yaml_event_t& event) {
  const auto& scalar = event.data.scalar;
  RefuseTag(event, scalar.tag);
  const uint32_t index = NewNode(event, YamlNode::Kind::kScalar);
  YamlNode& node = tree_.nodes_[index];
  node.style = StyleOf(scalar.style);
  node.text_offset = static_cast<uint32_t>(tree_.texts_.size());
  node.text_size = static_cast<uint32_t>(scalar.length);
  tree_.texts_.append(reinterpret_cast<const char*>(scalar.value), scalar.length);
  bytes_ += scalar.length;
  if (scalar.anchor != nullptr) anchors_[std::string(View(scalar.anchor))] = {index, 1, scalar.length, 0};
  Link(index, 0);
  return true;
}

bool YamlTreeBuilder::TakeAlias(const yaml_event_t& event) {
  const std::string_view name = View(event.data.alias.anchor);
  const diag::Position position = At(event.start_mark);
  const auto found = anchors_.find(name);
  if (found == anchors_.end() || found->second.node == 0) {
    diagnostics_->Error(position, "YAML_ALIAS",
                        found == anchors_.end()
                            ? absl::StrCat("no anchor `&", diag::Visible(name, 60), "` stands above")
                            : absl::StrCat("`*", diag::Visible(name, 60), "` stands inside of its own anchor"));
    return false;
  }
  const Anchor& anchor = found->second;
  if (anchor.nodes > kMaxAliasNodes - alias_nodes_ || anchor.bytes > kMaxAliasBytes - alias_bytes_) {
    diagnostics_->Error(position, "YAML_ALIAS_LIMIT",
                        absl::StrCat("the aliases of this file add more than ", kMaxAliasNodes, " values or ",
                                     kMaxAliasBytes >> 20, " MiB of text to it"),
                        "write the values out");
    return false;
  }
  if (static_cast<int>(open_.size()) + anchor.height > kMaxYamlNesting) {
    diagnostics_->Error(position, "YAML_TOO_DEEP",
                        absl::StrCat("YAML nested over ", kMaxYamlNesting, " levels through this alias"));
    return false;
  }
  alias_nodes_ += anchor.nodes;
  alias_bytes_ += anchor.bytes;
  const uint32_t index = NewNode(event, YamlNode::Kind::kAlias);
  tree_.nodes_[index].first = anchor.node;
  nodes_ += anchor.nodes;
  bytes_ += anchor.bytes;
  Link(index, anchor.height);
  return true;
}

bool YamlTreeBuilder::Open(const yaml_event_t& event, YamlNode::Kind kind, const yaml_char_t* anchor,
                           const yaml_char_t* tag) {
  RefuseTag(event, tag);
  if (static_cast<int>(open_.size()) == kMaxYamlNesting) {
    diagnostics_->Error(At(event.start_mark), "YAML_TOO_DEEP",
                        absl::StrCat("YAML nested over ", kMaxYamlNesting, " levels"));
    return false;
  }
  Frame frame;
  frame.nodes_before = nodes_;
  frame.bytes_before = bytes_;
  frame.node = NewNode(event, kind);
  if (anchor != nullptr) {
    frame.anchor = std::string(View(anchor));
    anchors_[frame.anchor] = {};
  }
  open_.push_back(std::move(frame));
  return true;
}

void YamlTreeBuilder::Close() {
  const Frame frame = std::move(open_.back());
  open_.pop_back();
  if (!frame.anchor.empty()) {
    anchors_[frame.anchor] = {frame.node, nodes_ - frame.nodes_before, bytes_ - frame.bytes_before, frame.height};
  }
  if (tree_.nodes_[frame.node].kind == YamlNode::Kind::kMapping) CheckKeys(frame.node);
  Link(frame.node, frame.height);
}

void YamlTreeBuilder::CheckKeys(uint32_t mapping) {
  absl::flat_hash_map<std::string_view, uint32_t> seen;
  for (uint32_t key = tree_.nodes_[mapping].first; key != 0; key = tree_.nodes_[tree_.nodes_[key].next].next) {
    const YamlNode& node = tree_.nodes_[key];
    if (node.kind != YamlNode::Kind::kScalar) {
      diagnostics_->Error(tree_.PositionOf(node), "YAML_KEY",
                          "a key must be plain text, not a list, a mapping or an alias");
      continue;
    }
    const std::string_view text = tree_.Text(node);
    if (text == "<<" && node.style == YamlNode::Style::kPlain) {
      diagnostics_->Error(tree_.PositionOf(node), "YAML_MERGE_KEY", "the merge key `<<` is not allowed",
                          "write the keys out; an anchor may stand for a whole value");
      continue;
    }
    const auto [first, is_new] = seen.try_emplace(text, key);
    if (is_new) continue;
    const YamlNode& other = tree_.nodes_[first->second];
    diagnostics_->Error(
        tree_.PositionOf(node), "DUPLICATE_KEY",
        absl::StrCat("key `", diag::Visible(text, 60), "` stands here a second time; the first is at line ", other.line,
                     ", column ", other.column),
        "keep one of the two");
  }
}

bool YamlTree::Parse(std::string_view text, std::string_view file, diag::Diagnostics* diagnostics) {
  // libyaml would count it as a character of the first line; editors do not.
  absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  source_ = text;
  file_ = std::string(file);
  nodes_.assign(1, YamlNode());
  texts_.clear();
  root_ = 0;
  nodes_.reserve(text.size() / 12);
  texts_.reserve(text.size());
  return YamlTreeBuilder(this, diagnostics).Run();
}

const YamlNode& YamlTree::At(uint32_t index) const {
  const YamlNode& node = nodes_[index];
  return node.kind == YamlNode::Kind::kAlias ? nodes_[node.first] : node;
}

bool YamlTree::IsNull(const YamlNode& node) const {
  if (node.kind != YamlNode::Kind::kScalar || node.style != YamlNode::Style::kPlain) return false;
  const std::string_view text = Text(node);
  return text.empty() || text == "~" || text == "null";
}

diag::Position YamlTree::PositionOf(const YamlNode& node) const {
  return {file_, static_cast<int>(node.line), static_cast<int>(node.column)};
}

}  // namespace st::project
