// Writes tar archives for tests: of one member each, to be put together.
#ifndef ST_LIB_HOST_TAR_SAMPLE_H_
#define ST_LIB_HOST_TAR_SAMPLE_H_

#include <string>
#include <string_view>

#include "absl/strings/str_format.h"

namespace st::host {

inline std::string TarPadded(std::string_view content) {
  std::string block(content);
  block.resize((content.size() + 511) / 512 * 512, '\0');
  return block;
}

inline std::string TarEnd() { return std::string(1024, '\0'); }

// `name`: at most 100 bytes. `type`: 0 regular, 5 folder, 2 symbolic link, x extended header.
inline std::string TarMember(std::string_view name, std::string_view content, int mode = 0644, char type = '0') {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  auto put = [&](size_t at, const std::string& text) { header.replace(at, text.size(), text); };
  put(100, absl::StrFormat("%07o", mode));
  put(108, "0000000");
  put(116, "0000000");
  put(124, absl::StrFormat("%011o", content.size()));
  put(136, "00000000000");
  put(148, "        ");
  header[156] = type;
  put(257, std::string("ustar\00000", 8));
  unsigned sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, absl::StrFormat("%06o", sum) + std::string("\0 ", 2));
  return header + TarPadded(content);
}

}  // namespace st::host

#endif  // ST_LIB_HOST_TAR_SAMPLE_H_
