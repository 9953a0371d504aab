// The one regular file of a tar archive, as an engine sends it for a path that is a file. Pure. For this library's own
// files. A reader of our own: the engine writes only a header (after extended ones, where it needs them), the bytes and
// the end, and what is not exactly that must not pass for a file.
#ifndef ST_LIB_HOST_TAR_FILE_H_
#define ST_LIB_HOST_TAR_FILE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace st::host {

// The file's content. DataLoss when the archive was cut off, is damaged, or holds anything but one regular file.
// Format: POSIX.1-2017, pax, "ustar Interchange Format" and "pax Extended Header".
absl::StatusOr<std::string> ReadTarFile(std::string_view archive);

}  // namespace st::host

#endif  // ST_LIB_HOST_TAR_FILE_H_
