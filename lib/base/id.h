// Identities: UUIDs, resource names, application ids, and who is running this.
#ifndef ST_LIB_BASE_ID_H_
#define ST_LIB_BASE_ID_H_

#include <string>
#include <string_view>

namespace st::base {

// A random UUID (version 4) in lower case, from libuuid.
std::string NewUuid();
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

// The candidate nearest to `word` by edit distance, or empty when none is near enough to be a slip of the keyboard
// (distance up to a third of the longer one's length, at least 1). Ties: the first in `begin..end`.
template <typename Range>
std::string_view Nearest(std::string_view word, const Range& candidates);

// Damerau-Levenshtein distance in bytes (adjacent transposition counts 1).
int EditDistance(std::string_view a, std::string_view b);

template <typename Range>
std::string_view Nearest(std::string_view word, const Range& candidates) {
  std::string_view best;
  int best_distance = 0;
  for (const auto& entry : candidates) {
    std::string_view candidate = entry;
    int longer = static_cast<int>(candidate.size() > word.size() ? candidate.size() : word.size());
    int limit = longer / 3 > 1 ? longer / 3 : 1;
    int distance = EditDistance(word, candidate);
    if (distance <= limit && (best.empty() || distance < best_distance)) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

}  // namespace st::base

#endif  // ST_LIB_BASE_ID_H_
