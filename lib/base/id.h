// Identities: UUIDs, resource names, application ids, and who is running this.
#ifndef ST_LIB_BASE_ID_H_
#define ST_LIB_BASE_ID_H_

#include <string>
#include <string_view>

namespace st::base {

// A random UUID (version 4) in lower case, from libuuid.
std::string NewUuid();
// Lower case, as we write them: ids are compared as bytes.
bool IsUuid(std::string_view text);

// st://<project>/<environment>/<kind>/<name>
std::string Resource(std::string_view project, std::string_view environment, std::string_view kind,
                     std::string_view name);

// st.<project>.<environment>.<model>: consumer group and transactional id; never changes.
std::string ApplicationId(std::string_view project, std::string_view environment, std::string_view model);

// <user>@<host>, for the audit; never fails (`?` for what is not known).
std::string WhoAmI();

// The version of these tools, e.g. "0.1.0".
std::string_view Version();

// Optimal-string-alignment distance in bytes: insertion, removal, replacement and swap of neighbours cost 1 each.
int EditDistance(std::string_view a, std::string_view b);

// EditDistance when `word` can be a slip of the keyboard for `candidate` (up to a third of the longer one's length, at
// least 1, but not every character), else -1. Cheap for lengths that differ much and for words of over 300 bytes.
int SlipDistance(std::string_view word, std::string_view candidate);

// The candidate nearest to `word`, or empty when none can be meant. Ties: the first in `candidates`. The view is into
// the candidate, so it must not be a temporary.
template <typename Range>
std::string_view Nearest(std::string_view word, const Range& candidates) {
  std::string_view best;
  int best_distance = -1;
  for (const auto& entry : candidates) {
    const int distance = SlipDistance(word, entry);
    if (distance >= 0 && (best_distance < 0 || distance < best_distance)) {
      best = entry;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace st::base

#endif  // ST_LIB_BASE_ID_H_
