// A YAML tree into a message of the schema: a key is a field's name.
#ifndef ST_LIB_PROJECT_YAML_MAPPER_H_
#define ST_LIB_PROJECT_YAML_MAPPER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/project/reading.h"
#include "lib/project/yaml_tree.h"

namespace google::protobuf {
class FieldDescriptor;
class Message;
}  // namespace google::protobuf

namespace st::project {

// `file` is the tree's number in reading->places. All findings of the file are reported.
void MapYaml(const YamlTree& tree, uint32_t file, Reading* reading, google::protobuf::Message* message);

// A YAML value as JSON text: quoted scalars are strings; plain ones null, true, false or a number, else strings.
// Numbers and booleans in a spelling that JSON lacks (0x1F, .5, True) are refused, as a guess would be wrong for
// somebody. nullopt after a diagnostic.
std::optional<std::string> JsonText(const YamlTree& tree, uint32_t index, Reading* reading);

// Where a scalar's text stands, if it stands there byte for byte.
class SqlPlaces {
 public:
  // Both outlive it.
  SqlPlaces(const YamlTree& tree, uint32_t file) : tree_(tree), file_(file) {}
  SqlPlace Of(const YamlNode& scalar);

 private:
  // Without its line break; empty when there is no such line. From 1.
  std::string_view Line(uint32_t number);
  bool IsBlock(const YamlNode& scalar, std::string_view text, uint32_t* indent);

  const YamlTree& tree_;
  uint32_t file_;
  std::vector<uint32_t> starts_;
};

}  // namespace st::project

#endif  // ST_LIB_PROJECT_YAML_MAPPER_H_
