// testdata/topology: a project in, a topology and findings out. `ST_UPDATE=1 bazel run //lib/topology:golden_test`
// writes what the compiler gives today into the source tree; look at the difference before committing it.
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/project/project.h"
#include "lib/topology/topology.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::topology {
namespace {

constexpr std::string_view kCases[] = {
    "columns",      "contracts", "cycles",   "duplicates", "key_password", "no_connection", "protected", "references",
    "rule_pattern", "rules",     "settings", "shop",       "sql",          "topics",        "warnings",
};

std::string Folder() {
  const char* tree = getenv("BUILD_WORKSPACE_DIRECTORY");
  return tree == nullptr ? "testdata/topology" : absl::StrCat(tree, "/testdata/topology");
}

std::string Path(std::string_view name, std::string_view suffix) { return absl::StrCat(Folder(), "/", name, suffix); }

// Empty when there is no such file.
std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// Compares, or writes when asked to; an empty text is no file.
void Expect(const std::string& path, const std::string& text) {
  if (getenv("ST_UPDATE") == nullptr) {
    EXPECT_EQ(ReadFile(path), text) << path;
  } else if (text.empty()) {
    std::filesystem::remove(path);
  } else {
    std::ofstream(path) << text;
  }
}

project::Loaded Load(std::string_view name, diag::Diagnostics* diagnostics) {
  const std::string text = ReadFile(Path(name, ".in.textproto"));
  EXPECT_FALSE(text.empty()) << name;
  const auto none = [](std::string_view) { return std::optional<std::string>(); };
  auto loaded = project::Load("-", text, "", none, diagnostics);
  EXPECT_TRUE(loaded.has_value()) << diag::Render(*diagnostics, diag::Format::kText);
  if (loaded.has_value()) return *std::move(loaded);
  project::Loaded none_loaded;
  none_loaded.project = std::make_shared<v1::Project>();
  return none_loaded;
}

class GoldenTest : public testing::TestWithParam<std::string_view> {};

TEST_P(GoldenTest, CompilesAsBefore) {
  diag::Diagnostics diagnostics;
  const project::Loaded loaded = Load(GetParam(), &diagnostics);
  // These projects have the right form, so every finding is the compiler's.
  EXPECT_TRUE(diagnostics.empty()) << diag::Render(diagnostics, diag::Format::kText);
  v1::Topology topology;
  const bool good = Compile(loaded, &topology, &diagnostics);
  EXPECT_EQ(good, !diagnostics.HasErrors());
  EXPECT_EQ(good, topology.ByteSizeLong() > 0);
  Expect(Path(GetParam(), ".out.textproto"), good ? docio::Write(topology) : "");
  Expect(Path(GetParam(), ".diag.txt"), diagnostics.empty() ? "" : diag::Render(diagnostics, diag::Format::kText));
  if (!good) return;

  diag::Diagnostics refused;
  EXPECT_TRUE(Verify(topology, &refused)) << diag::Render(refused, diag::Format::kText);
  v1::Topology read;
  EXPECT_TRUE(docio::Read(docio::Write(topology), "-", docio::Trailer::kRequired, &read, &refused))
      << diag::Render(refused, diag::Format::kText);
  EXPECT_TRUE(Verify(read, &refused)) << diag::Render(refused, diag::Format::kText);
}

template <typename List>
void Shuffle(List* list, std::mt19937* random) {
  std::shuffle(list->pointer_begin(), list->pointer_end(), *random);
}

// No positions here, so that they cannot make a difference.
std::string CompileByHand(const v1::Project& project) {
  project::Loaded loaded;
  loaded.project = std::make_shared<v1::Project>(project);
  loaded.environment = "dev";
  diag::Diagnostics diagnostics;
  v1::Topology topology;
  Compile(loaded, &topology, &diagnostics);
  return absl::StrCat(diag::Render(diagnostics, diag::Format::kText), topology.DebugString());
}

TEST_P(GoldenTest, DoesNotDependOnTheOrderOfDeclarations) {
  // Which of two equal names comes first is a matter of their places.
  if (GetParam() == "duplicates") return;
  diag::Diagnostics diagnostics;
  v1::Project project = *Load(GetParam(), &diagnostics).project;
  const std::string wanted = CompileByHand(project);
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    Shuffle(project.mutable_sources(), &random);
    Shuffle(project.mutable_models(), &random);
    Shuffle(project.mutable_exposures(), &random);
    Shuffle(project.mutable_tests(), &random);
    for (v1::Source& source : *project.mutable_sources()) Shuffle(source.mutable_columns(), &random);
    for (v1::Model& model : *project.mutable_models()) {
      Shuffle(model.mutable_columns(), &random);
      Shuffle(model.mutable_topic()->mutable_config(), &random);
    }
    for (v1::Exposure& exposure : *project.mutable_exposures()) {
      Shuffle(exposure.mutable_columns(), &random);
      Shuffle(exposure.mutable_consumes(), &random);
      Shuffle(exposure.mutable_produces(), &random);
    }
    ASSERT_EQ(CompileByHand(project), wanted);
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, GoldenTest, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param); });

TEST(GoldenListTest, NamesEveryCase) {
  std::set<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    std::string name = entry.path().filename().string();
    const size_t suffix = name.find(".in.textproto");
    if (suffix != std::string::npos) files.insert(name.substr(0, suffix));
  }
  EXPECT_EQ(files, std::set<std::string>(std::begin(kCases), std::end(kCases)));
}

}  // namespace
}  // namespace st::topology
