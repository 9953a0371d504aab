// YAML bytes as a project. Whatever the bytes are: findings or a message, never a crash; every finding has a place in
// the file; and what was accepted says the same in the other spelling.
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/docio/docio.h"
#include "lib/project/check.h"
#include "lib/project/text_reader.h"
#include "lib/project/yaml_mapper.h"
#include "schemas/st/v1/project.pb.h"

namespace {

using st::project::Positions;

void CheckFindings(const st::diag::Diagnostics& diagnostics, std::string_view text) {
  const auto lines = std::count_if(text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; });
  for (const st::diag::Diagnostic& finding : diagnostics.Sorted()) {
    if (finding.position.file != "f.yml" || finding.position.line < 1 || finding.position.column < 1) std::abort();
    // libyaml also ends lines at U+0085, U+2028 and U+2029: at most every second byte.
    if (finding.position.line > static_cast<int>(lines + text.size() / 2 + 1)) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (!st::diag::IsUtf8(text)) return 0;
  st::diag::Diagnostics diagnostics;
  auto places = std::make_shared<Positions::Impl>();
  const uint32_t file = places->AddFile("f.yml");
  const st::project::Variables variables;
  st::project::Reading reading{&diagnostics, places.get(), &variables, {}};
  st::v1::Project project;
  st::project::YamlTree tree;
  if (tree.Parse(text, "f.yml", &diagnostics)) {
    st::project::MapYaml(tree, file, &reading, &project);
    st::project::CheckForm(project, Positions(places), "default", true, &diagnostics);
    for (const st::v1::Model& model : project.models()) {
      std::string note;
      Positions(places).InSql(model, model.sql().size(), &note);
    }
  } else if (!diagnostics.HasErrors()) {
    std::abort();
  }
  CheckFindings(diagnostics, text);
  if (diagnostics.HasErrors()) return 0;

  st::v1::Project again;
  st::diag::Diagnostics found;
  if (!st::docio::Read(st::docio::Write(project), "-", st::docio::Trailer::kRequired, &again, &found)) std::abort();
  if (!google::protobuf::util::MessageDifferencer::Equals(project, again)) std::abort();
  return 0;
}
