// `sql_file`: statements in files of their own.
#ifndef ST_LIB_PROJECT_SQL_FILES_H_
#define ST_LIB_PROJECT_SQL_FILES_H_

#include <cstddef>
#include <string>

#include "lib/project/reading.h"

namespace st::v1 {
class Project;
}

namespace st::project {

// lib/sql has its own, smaller limit on a statement; this one bounds what is read.
inline constexpr size_t kMaxSqlFileBytes = size_t{4} << 20;

// Reads the file of each model that names one into its `sql`: relative to the declaring file, inside of `folder` (the
// project's; through links too), without a byte-order mark, CR LF as LF. Absent files and a model with both `sql` and
// `sql_file` are findings. False when a file could not be read.
bool ReadSqlFiles(const std::string& folder, Reading* reading, v1::Project* project);

}  // namespace st::project

#endif  // ST_LIB_PROJECT_SQL_FILES_H_
