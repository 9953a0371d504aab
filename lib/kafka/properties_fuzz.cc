// Whatever is accepted is written back as it was, byte for byte (but for the last line's end).
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/kafka/properties.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  absl::StatusOr<st::kafka::Properties> properties = st::kafka::ParseProperties(text);
  if (!properties.ok()) return 0;
  absl::StatusOr<std::string> again = st::kafka::FormatProperties(*properties);
  if (!again.ok()) std::abort();
  if (*again != text && *again != std::string(text) + "\n") std::abort();
  return 0;
}
