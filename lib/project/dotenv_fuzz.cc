// `.env` bytes: each line is a variable, nothing, or one finding that quotes no value.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "lib/project/variables.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  st::diag::Diagnostics diagnostics;
  const auto values = st::project::ParseDotenv(text, ".env", &diagnostics);
  const auto lines = static_cast<size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  if (values.size() + static_cast<size_t>(diagnostics.errors()) > lines) std::abort();
  for (const auto& [key, value] : values) {
    if (!st::project::IsVariableName(key)) std::abort();
    if (value.find('\n') != value.npos || value.find('\0') != value.npos) std::abort();
    if (value.size() > text.size()) std::abort();
  }
  return 0;
}
