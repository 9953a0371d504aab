// Names of declared things, and their rules in words.
#ifndef ST_LIB_PROJECT_NAMES_H_
#define ST_LIB_PROJECT_NAMES_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace st::project {

enum class NameKind {
  kPlain,   // sources, models, columns: [a-z_][a-z0-9_]*
  kDashed,  // projects, environments, exposures, tests: the same, with `-`
};

// Kafka's bound on topic names, so that any topic's name can become a source's.
inline constexpr size_t kMaxNameBytes = 249;
inline constexpr size_t kMaxColumnNameBytes = 64;
inline constexpr size_t kMaxMemberBytes = 256;

bool IsName(std::string_view text, NameKind kind);

// "a name is ...", for hints.
std::string_view NameRule(NameKind kind);

// The nearest name that keeps the rule: lower case, `_` for what may not stand there.
std::string SuggestName(std::string_view text, NameKind kind);

}  // namespace st::project

#endif  // ST_LIB_PROJECT_NAMES_H_
