// The fields of messages by name, as the parser looks them up: protobuf's own look-up takes a lock and a hash of two
// names. For this library.
#ifndef ST_LIB_DOCIO_SCHEMA_H_
#define ST_LIB_DOCIO_SCHEMA_H_

#include <google/protobuf/descriptor.h>

#include <memory>
#include <string_view>

#include "absl/container/flat_hash_map.h"

namespace google::protobuf {
class Message;
class Reflection;
}  // namespace google::protobuf

namespace st::docio {

struct FieldInfo {
  const google::protobuf::FieldDescriptor* field;
  google::protobuf::FieldDescriptor::Type type;
  google::protobuf::FieldDescriptor::CppType cpp_type;
  bool repeated;
  int index;  // in the message
};

struct MessageInfo {
  const google::protobuf::Descriptor* descriptor;
  const google::protobuf::Reflection* reflection;
  absl::flat_hash_map<std::string_view, FieldInfo> fields;
};

// Fills itself as messages are met. Not thread-safe.
class Schema {
 public:
  // Lives as long as the Schema.
  const MessageInfo& Of(const google::protobuf::Message& message);

 private:
  absl::flat_hash_map<const google::protobuf::Descriptor*, std::unique_ptr<MessageInfo>> messages_;
};

}  // namespace st::docio

#endif  // ST_LIB_DOCIO_SCHEMA_H_
