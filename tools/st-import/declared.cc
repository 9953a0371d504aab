#include "tools/st-import/declared.h"

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/fs/file.h"
#include "lib/project/project.h"
#include "schemas/st/v1/project.pb.h"

namespace st::import {
namespace {

bool IsDeclarationFile(std::string_view name) {
  if (absl::StartsWith(name, ".")) return false;
  return absl::EndsWith(name, ".yml") || absl::EndsWith(name, ".yaml") || absl::EndsWith(name, ".textproto");
}

// The names in a folder; nothing when it is not there. False after a diagnostic.
bool List(const std::string& folder, std::vector<std::string>* names, diag::Diagnostics* diagnostics) {
  absl::StatusOr<std::vector<std::string>> listed = fs::ListFolder(folder);
  if (absl::IsNotFound(listed.status())) return true;
  if (!listed.ok()) {
    diagnostics->Error({folder}, absl::IsUnavailable(listed.status()) ? diag::kReadFailed : "FILE_UNREADABLE",
                       std::string(listed.status().message()));
    return false;
  }
  for (std::string& name : *listed) {
    if (IsDeclarationFile(name)) names->push_back(std::move(name));
  }
  return true;
}

void Note(const project::Loaded& loaded, Declared* declared) {
  for (const v1::Source& source : loaded.project->sources()) {
    declared->file_of_topic.try_emplace(source.topic(), loaded.positions.Of(source).file);
    declared->topic_of_name.try_emplace(source.name(), source.topic());
  }
  for (const v1::Model& model : loaded.project->models()) {
    const std::string& topic = model.topic().has_name() ? model.topic().name() : model.name();
    declared->file_of_topic.try_emplace(topic, loaded.positions.Of(model).file);
    declared->topic_of_name.try_emplace(model.name(), topic);
  }
}

// A file that is not whole hides what it declares.
bool ReadOne(const std::string& path, std::string_view environment, Declared* declared,
             diag::Diagnostics* diagnostics) {
  diag::Diagnostics findings;
  std::optional<project::Loaded> loaded =
      project::Load(path, "", environment, project::ProcessEnvironment(), &findings);
  if (loaded.has_value() && loaded->complete) {
    Note(*loaded, declared);
    return true;
  }
  for (diag::Diagnostic& finding : findings.Sorted()) diagnostics->Add(std::move(finding));
  return false;
}

}  // namespace

std::optional<Declared> ReadDeclared(const std::string& folder, diag::Diagnostics* diagnostics) {
  Declared declared;
  std::vector<std::string> top, sources, environments;
  if (!List(folder, &top, diagnostics) || !List(fs::JoinPath(folder, "sources"), &sources, diagnostics) ||
      !List(fs::JoinPath(folder, "environments"), &environments, diagnostics)) {
    return std::nullopt;
  }
  bool whole = true;
  bool is_project = false;
  for (const std::string& name : top) is_project = is_project || absl::StartsWith(name, "stream_project.");
  if (!is_project) {
    for (const std::string& name : sources) {
      whole = ReadOne(fs::JoinPath(fs::JoinPath(folder, "sources"), name), "", &declared, diagnostics) && whole;
    }
  } else if (environments.empty()) {
    whole = ReadOne(folder, "", &declared, diagnostics);
  } else {
    for (const std::string& name : environments) {
      whole = ReadOne(folder, name.substr(0, name.rfind('.')), &declared, diagnostics) && whole;
    }
  }
  if (!whole) return std::nullopt;
  return declared;
}

}  // namespace st::import
