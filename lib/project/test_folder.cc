#include "lib/project/test_folder.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "lib/fs/file.h"

namespace st::project {

std::string Outcome::All() const { return absl::StrJoin(findings, "\n"); }

TestFolder::TestFolder() : path_(::testing::TempDir() + "/project.XXXXXX") {
  if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "no temporary folder";
}

TestFolder::~TestFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

TestFolder& TestFolder::Write(std::string_view path, std::string_view text) {
  const std::string full = fs::JoinPath(path_, path);
  EXPECT_TRUE(fs::MakeFolders(std::string(fs::Dirname(full)), 0755).ok());
  EXPECT_TRUE(fs::WriteFileAtomically(full, text, 0644, fs::Existing::kReplace).ok()) << full;
  return *this;
}

TestFolder& TestFolder::Link(std::string_view path, const std::string& target) {
  const std::string full = fs::JoinPath(path_, path);
  EXPECT_TRUE(fs::MakeFolders(std::string(fs::Dirname(full)), 0755).ok());
  EXPECT_EQ(symlink(target.c_str(), full.c_str()), 0);
  return *this;
}

TestFolder& TestFolder::Variable(std::string name, std::string value) {
  variables_[std::move(name)] = std::move(value);
  return *this;
}

Outcome TestFolder::Load(std::string_view environment, std::string_view below) const {
  return Run(below.empty() ? path_ : fs::JoinPath(path_, below), {}, environment);
}

Outcome TestFolder::LoadText(std::string_view text, std::string_view environment) const {
  return Run("-", text, environment);
}

Outcome TestFolder::Run(const std::string& path, std::string_view text, std::string_view environment) const {
  const Environment process = [this](std::string_view name) -> std::optional<std::string> {
    const auto found = variables_.find(name);
    if (found == variables_.end()) return std::nullopt;
    return found->second;
  };
  diag::Diagnostics diagnostics;
  Outcome outcome;
  outcome.loaded = project::Load(path, text, environment, process, &diagnostics);
  for (const diag::Diagnostic& each : diagnostics.Sorted()) {
    const diag::Position& at = each.position;
    const std::string line =
        absl::StrCat(at.file, ":", at.line, ":", at.column, " ", each.code, " ", each.text, " | ", each.hint);
    outcome.findings.push_back(absl::StrReplaceAll(line, {{path_ + "/", ""}, {path_, "."}}));
  }
  return outcome;
}

Outcome LoadYaml(std::string_view text) { return TestFolder().Write("stream_project.yml", text).Load(); }

}  // namespace st::project
