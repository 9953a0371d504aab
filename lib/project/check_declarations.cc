// The form of sources, models, exposures and tests.
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/id.h"
#include "lib/project/check.h"
#include "schemas/st/v1/project.pb.h"

namespace st::project {
namespace {

using Columns = google::protobuf::RepeatedPtrField<v1::Column>;

constexpr uint32_t kMaxReplicationFactor = 32767;
constexpr uint32_t kMaxPartitions = std::numeric_limits<int32_t>::max();
// An application id names a folder too.
constexpr size_t kMaxApplicationIdBytes = 255;

enum class ColumnUse {
  kInput,   // of records that are read: types must be said, members may be
  kOutput,  // of what a model writes: types may be said
  kNeeded,  // by an exposure
};

void CheckColumn(const v1::Column& column, ColumnUse use, FormChecker* check) {
  check->Name(column, "a column", NameKind::kPlain, kMaxColumnNameBytes);
  if (use != ColumnUse::kOutput && column.type() == v1::COLUMN_TYPE_UNSPECIFIED) {
    check->Missing(column, "type", "`type` is missing", "write STRING, BOOLEAN, BIGINT or ANY");
  }
  if (!column.has_member()) return;
  if (use != ColumnUse::kInput) {
    check->Error(column, "member", "BAD_VALUE",
                 "`member` stands only on columns of a source, or of a topic without SQL",
                 "what a model writes carries its columns' own names");
  } else if (column.member().empty() || column.member().size() > kMaxMemberBytes) {
    check->Error(column, "member", "BAD_VALUE", absl::StrCat("`member` must have 1 to ", kMaxMemberBytes, " bytes"));
  }
}

void CheckColumns(const Columns& columns, ColumnUse use, FormChecker* check) {
  absl::flat_hash_map<std::string_view, int> names;
  absl::flat_hash_map<std::string_view, int> members;
  for (int i = 0; i < columns.size(); ++i) {
    const v1::Column& column = columns[i];
    CheckColumn(column, use, check);
    if (!column.has_name()) continue;
    if (!names.try_emplace(column.name(), i).second) {
      check->Error(column, "name", "DUPLICATE_NAME",
                   absl::StrCat("column ", check->Quote(column, "name", column.name()), " stands in this list already"),
                   "remove one of them");
      continue;
    }
    const std::string_view member = column.has_member() ? column.member() : column.name();
    if (!members.try_emplace(member, i).second) {
      check->Error(column, column.has_member() ? "member" : "name", "DUPLICATE_NAME",
                   absl::StrCat("member ", check->Quote(column, "member", member), " is the column `",
                                columns[members[member]].name(), "` already"),
                   "each member is one column");
    }
  }
}

void CheckSource(const v1::Source& source, FormChecker* check) {
  check->Name(source, "a source", NameKind::kPlain);
  check->Require(source, "topic", "write the topic's name on the broker");
  CheckColumns(source.columns(), ColumnUse::kInput, check);
}

bool HasBlankAround(std::string_view text) { return absl::StripAsciiWhitespace(text).size() != text.size(); }

void CheckConfig(const v1::Topic& topic, FormChecker* check) {
  absl::flat_hash_map<std::string_view, int> keys;
  for (const v1::ConfigEntry& entry : topic.config()) {
    if (entry.key().empty() || HasBlankAround(entry.key()) || diag::HasInvisible(entry.key(), false)) {
      check->Error(entry, {}, "BAD_VALUE", "a topic setting's name is empty, or holds blanks or invisible characters");
    }
    if (HasBlankAround(entry.value())) {
      check->Error(entry, "value", "BAD_VALUE",
                   absl::StrCat("the value of `", diag::Visible(entry.key(), 60), "` has blanks around it"),
                   "remove them");
    }
    if (!keys.try_emplace(entry.key(), 0).second) {
      check->Error(entry, {}, "DUPLICATE_KEY", absl::StrCat("`", diag::Visible(entry.key(), 60), "` is set twice"),
                   "keep one of the two");
    }
  }
}

void CheckTopic(const v1::Topic& topic, FormChecker* check) {
  if (topic.has_name()) check->Require(topic, "name");
  check->Range(topic, "partitions", 1, kMaxPartitions);
  check->Range(topic, "replication_factor", 1, kMaxReplicationFactor);
  CheckConfig(topic, check);
}

void CheckWithSql(const v1::Model& model, FormChecker* check) {
  check->Missing(model, "executor", "`executor` is missing: a model with SQL says what runs it",
                 "write `executor: runner`");
  if (model.extra_members() != v1::EXTRA_MEMBERS_UNSPECIFIED) {
    check->Error(model, "extra_members", "BAD_VALUE",
                 "`extra_members` stands only on sources and on topics without SQL",
                 "a model writes exactly its columns");
  }
}

void CheckWithoutSql(const v1::Model& model, FormChecker* check) {
  // Each of the three may be there with a wrong value, which has its finding.
  if (!check->IsWritten(model, "sql") && !check->IsWritten(model, "sql_file")) {
    check->Missing(model, "materialized", "a model has neither `sql` nor `materialized: topic`",
                   "write the SQL, or `materialized: topic` for a topic that someone else writes");
  }
  if (model.has_executor()) {
    check->Error(model, "executor", "BAD_VALUE", "`executor` stands only on a model with SQL", "remove it");
  }
  if (model.has_running()) {
    check->Error(model, "running", "BAD_VALUE", "`running` stands only on a model with SQL", "remove it");
  }
}

void CheckModel(const v1::Model& model, std::string_view project, std::string_view environment, FormChecker* check) {
  check->Name(model, "a model", NameKind::kPlain);
  check->Choice(model, "executor", {"runner"},
                {{"kafka_streams", "write `executor: runner`"},
                 {"flink", "write `executor: runner`, if its SQL is simple enough"}});
  check->Choice(model, "materialized", {"topic"},
                {{"virtual_topic", "write `topic`, with `executor: runner`"},
                 {"flink", "write `topic`, with `executor: runner`"},
                 {"sink", "declare what reads the topic as an exposure"},
                 {"table", "write `topic`: an append stream, not a table"},
                 {"view", "write `topic`"},
                 {"incremental", "write `topic`: every model is incremental"},
                 {"ephemeral", "write `topic`"}});
  check->Choice(model.ownership(), "mode", {"managed", "external", "adopted"});
  const bool has_sql = model.has_sql() || model.has_sql_file();
  has_sql ? CheckWithSql(model, check) : CheckWithoutSql(model, check);
  CheckColumns(model.columns(), has_sql ? ColumnUse::kOutput : ColumnUse::kInput, check);
  CheckTopic(model.topic(), check);
  if (has_sql && base::ApplicationId(project, environment, model.name()).size() > kMaxApplicationIdBytes) {
    check->Error(model, "name", "BAD_NAME",
                 absl::StrCat("the names of project, environment and model have together more than ",
                              kMaxApplicationIdBytes - base::ApplicationId("", "", "").size(), " bytes"),
                 "they make the application id; choose shorter ones");
  }
}

void CheckReferences(const v1::Exposure& exposure, std::string_view field,
                     const google::protobuf::RepeatedPtrField<v1::Reference>& references, FormChecker* check) {
  for (int i = 0; i < references.size(); ++i) {
    const v1::Reference& reference = references[i];
    const bool source = check->IsWritten(reference, "source");
    const bool ref = check->IsWritten(reference, "ref");
    if (source == ref) {
      check->Error(exposure, field, "BAD_VALUE",
                   source ? "a reference is either a `source` or a `ref`, not both" : "a reference names nothing",
                   "write {source: name} or {ref: model}", i);
    } else if ((reference.has_source() && reference.source().empty()) ||
               (reference.has_ref() && reference.ref().empty())) {
      check->Error(exposure, field, "BAD_VALUE", "a reference names nothing", "write {source: name} or {ref: model}",
                   i);
    }
  }
}

void CheckExposure(const v1::Exposure& exposure, FormChecker* check) {
  check->Name(exposure, "an exposure", NameKind::kDashed);
  check->Require(exposure, "type", "write application, dashboard, service, notebook or other");
  if (!exposure.type().empty()) {
    check->Choice(exposure, "type", {"application", "dashboard", "service", "notebook", "other"},
                  {{"api", "write service"},
                   {"analysis", "write notebook or other"},
                   {"ml", "write other"},
                   {"ml_training", "write other"},
                   {"ml_inference", "write service"}});
  }
  CheckReferences(exposure, "consumes", exposure.consumes(), check);
  CheckReferences(exposure, "produces", exposure.produces(), check);
  CheckColumns(exposure.columns(), ColumnUse::kNeeded, check);
  if (exposure.columns_size() > 0 && !check->IsWritten(exposure, "consumes")) {
    check->Error(exposure, "columns", "MISSING_FIELD",
                 "`columns` are needed from what is consumed, and `consumes` is missing",
                 "write consumes: [{ref: model}]");
  }
}

void CheckTest(const v1::Test& test, FormChecker* check) {
  check->Name(test, "a test", NameKind::kDashed);
  check->Require(test, "model", "name the model that it tests");
  if (test.given().empty())
    check->Missing(test, "given", "`given` is missing: a test needs rows", "write given: [{value: {...}}]");
}

}  // namespace

void CheckDeclarations(const v1::Project& project, std::string_view environment, FormChecker* check) {
  for (const v1::Source& source : project.sources()) CheckSource(source, check);
  for (const v1::Model& model : project.models()) CheckModel(model, project.project().name(), environment, check);
  for (const v1::Exposure& exposure : project.exposures()) CheckExposure(exposure, check);
  for (const v1::Test& test : project.tests()) CheckTest(test, check);
}

}  // namespace st::project
