// What the reader and the checksums take for granted of every schema.
#include <google/protobuf/descriptor.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "schemas/st/v1/diagnostic.pb.h"
#include "schemas/st/v1/generation.pb.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/report.pb.h"
#include "schemas/st/v1/runner_status.pb.h"
#include "schemas/st/v1/store.pb.h"

namespace st::docio {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::FileDescriptor;

void CheckMessage(const Descriptor& message) {
  EXPECT_EQ(message.extension_range_count(), 0) << message.full_name();
  EXPECT_EQ(message.reserved_name_count(), 0) << message.full_name() << ": a parser skips reserved names silently";
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor& field = *message.field(i);
    EXPECT_FALSE(field.is_map()) << field.full_name() << ": maps have no order";
    EXPECT_NE(field.type(), FieldDescriptor::TYPE_FLOAT) << field.full_name();
    EXPECT_NE(field.type(), FieldDescriptor::TYPE_DOUBLE) << field.full_name();
    EXPECT_NE(field.type(), FieldDescriptor::TYPE_GROUP) << field.full_name();
    if (field.message_type() == nullptr) continue;
    EXPECT_EQ(field.message_type()->file()->package(), "st.v1") << field.full_name() << ": nothing foreign, no Any";
  }
  for (int i = 0; i < message.nested_type_count(); ++i) CheckMessage(*message.nested_type(i));
}

void CheckFile(const FileDescriptor& file, std::set<std::string>* checked) {
  if (!checked->insert(file.name()).second) return;
  EXPECT_EQ(file.syntax(), FileDescriptor::SYNTAX_PROTO3) << file.name();
  EXPECT_EQ(file.extension_count(), 0) << file.name();
  for (int i = 0; i < file.message_type_count(); ++i) CheckMessage(*file.message_type(i));
  for (int i = 0; i < file.dependency_count(); ++i) CheckFile(*file.dependency(i), checked);
}

TEST(SchemaRules, HoldInEveryFile) {
  std::set<std::string> checked;
  for (const Descriptor* message :
       {v1::Diagnostics::descriptor(), v1::GenerationLabels::descriptor(), v1::ObservedTopology::descriptor(),
        v1::ImportReport::descriptor(), v1::RunnerStatus::descriptor(), v1::StoreOverview::descriptor()}) {
    CheckFile(*message->file(), &checked);
  }
  std::set<std::string> there;
  for (const auto& entry : std::filesystem::directory_iterator("schemas/st/v1")) {
    if (entry.path().extension() == ".proto") there.insert(entry.path());
  }
  EXPECT_GE(there.size(), 12u);
  EXPECT_EQ(checked, there) << "link a new schema into this test";
}

}  // namespace
}  // namespace st::docio
