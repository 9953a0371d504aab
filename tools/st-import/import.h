// Brings the topics of a cluster in as external sources. It declares; it takes nothing over.
#ifndef ST_TOOLS_ST_IMPORT_IMPORT_H_
#define ST_TOOLS_ST_IMPORT_IMPORT_H_

#include <re2/re2.h>

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "lib/base/clock.h"
#include "lib/diag/diag.h"
#include "lib/kafka/admin.h"

namespace st::v1 {
class ImportReport;
}

namespace st::import {

// Which topics are meant: by their whole name, in RE2's syntax, which has no "all but".
class Selection {
 public:
  // An empty `except` leaves none out.
  explicit Selection(const std::string& topics, const std::string& except = "");
  // Empty, or which of the two is no regular expression, and why.
  std::string Error() const;
  bool Has(std::string_view topic) const;

 private:
  re2::RE2 topics_;
  re2::RE2 except_;
};

// Every topic of the selection, but for the broker's own, as a LISTED entry by topic. NotFound when there is none.
absl::Status Find(kafka::ClusterReader& cluster, base::Clock& clock, const Selection& selection,
                  v1::ImportReport* report);

// Writes a file into `folder`/sources for each entry that is not declared there, and says of each entry what became of
// it; with an empty `folder` it only looks for names that would be taken twice. A file that exists is never touched,
// whatever it holds.
// Diagnostics, all of them, before anything is written: what `folder` declares cannot be read, a name would be taken
// twice (both topics named), or a file has the place of one that would be written and does not declare its topic.
// A status: a file could not be written; those before it were.
absl::Status Write(const std::string& folder, v1::ImportReport* report, diag::Diagnostics* diagnostics);

// One line for people.
std::string Summary(const v1::ImportReport& report);

}  // namespace st::import

#endif  // ST_TOOLS_ST_IMPORT_IMPORT_H_
