#include "lib/docio/schema.h"

#include <google/protobuf/message.h>

namespace st::docio {

const MessageInfo& Schema::Of(const google::protobuf::Message& message) {
  const google::protobuf::Descriptor* descriptor = message.GetDescriptor();
  std::unique_ptr<MessageInfo>& info = messages_[descriptor];
  if (info != nullptr) return *info;
  info = std::make_unique<MessageInfo>();
  info->descriptor = descriptor;
  info->reflection = message.GetReflection();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const google::protobuf::FieldDescriptor* field = descriptor->field(i);
    info->fields[field->name()] = {field, field->type(), field->cpp_type(), field->is_repeated(), i};
  }
  return *info;
}

}  // namespace st::docio
