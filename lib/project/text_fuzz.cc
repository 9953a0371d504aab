// Textproto bytes as a project: findings or a message, never a crash, and every finding has a place.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lib/project/check.h"
#include "lib/project/text_reader.h"
#include "schemas/st/v1/project.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using st::project::Positions;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  st::diag::Diagnostics diagnostics;
  auto places = std::make_shared<Positions::Impl>();
  const uint32_t file = places->AddFile("f.textproto");
  const st::project::Variables variables;
  st::project::Reading reading{&diagnostics, places.get(), &variables, {}};
  st::v1::Project project;
  const bool read = st::project::ReadTextproto(text, file, &reading, &project);
  if (!read && !diagnostics.HasErrors()) std::abort();
  if (read) st::project::CheckForm(project, Positions(places), "default", true, &diagnostics);
  for (const st::diag::Diagnostic& finding : diagnostics.Sorted()) {
    if (finding.position.file != "f.textproto") std::abort();
  }
  return 0;
}
