// Brings the topics of a cluster in as external sources. It declares; it takes nothing over.
#ifndef ST_TOOLS_ST_IMPORT_IMPORT_H_
#define ST_TOOLS_ST_IMPORT_IMPORT_H_

#include <string>

#include "absl/status/status.h"
#include "lib/base/clock.h"
#include "lib/diag/diag.h"
#include "lib/kafka/admin.h"

namespace re2 {
class RE2;
}
namespace st::v1 {
class ImportReport;
}

namespace st::import {

// Every topic whose whole name `pattern` matches, but for the broker's own, as a LISTED entry by topic. NotFound when
// there is none.
absl::Status Find(kafka::ClusterReader& cluster, base::Clock& clock, const re2::RE2& pattern, v1::ImportReport* report);

// Writes a file into `folder`/sources for each entry that is not declared there, and says of each entry what became of
// it. False after diagnostics, before anything is written: when what `folder` declares cannot be read, or a name would
// be taken twice (both topics named). A file that exists is never touched, whatever it holds.
// A status: a file could not be written; those before it were.
absl::Status Write(const std::string& folder, v1::ImportReport* report, diag::Diagnostics* diagnostics);

// One line for people.
std::string Summary(const v1::ImportReport& report);

}  // namespace st::import

#endif  // ST_TOOLS_ST_IMPORT_IMPORT_H_
