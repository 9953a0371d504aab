#include "lib/base/id.h"

#include <pwd.h>
#include <unistd.h>
#include <uuid/uuid.h>

#include <algorithm>
#include <array>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace st::base {
namespace {

constexpr size_t kUuidLength = 36;

std::string UserName() {
  std::vector<char> buffer(16 << 10);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(geteuid(), &entry, buffer.data(), buffer.size(), &found) != 0 || found == nullptr) return "?";
  return found->pw_name;
}

std::string HostName() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "?";
  return name.data();
}

}  // namespace

std::string NewUuid() {
  uuid_t id;
  uuid_generate_random(id);
  std::array<char, kUuidLength + 1> text{};
  uuid_unparse_lower(id, text.data());
  return text.data();
}

bool IsUuid(std::string_view text) {
  if (text.size() != kUuidLength) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    const bool hex = absl::ascii_isdigit(text[i]) || (text[i] >= 'a' && text[i] <= 'f');
    if (dash ? text[i] != '-' : !hex) return false;
  }
  return true;
}

std::string Resource(std::string_view project, std::string_view environment, std::string_view kind,
                     std::string_view name) {
  return absl::StrCat("st://", project, "/", environment, "/", kind, "/", name);
}

std::string ApplicationId(std::string_view project, std::string_view environment, std::string_view model) {
  return absl::StrCat("st.", project, ".", environment, ".", model);
}

std::string WhoAmI() { return absl::StrCat(UserName(), "@", HostName()); }

std::string_view Version() { return "0.1.0"; }

int EditDistance(std::string_view a, std::string_view b) {
  // Optimal string alignment: three rows of the table are enough.
  std::vector<int> before(b.size() + 1);
  std::vector<int> last(b.size() + 1);
  std::vector<int> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = static_cast<int>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const int replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

int SlipDistance(std::string_view word, std::string_view candidate) {
  const size_t longer = std::max(word.size(), candidate.size());
  const size_t shorter = std::min(word.size(), candidate.size());
  const size_t limit = std::max<size_t>(longer / 3, 1);
  // Nobody mistypes a name of this length as a whole; and the table would be large.
  constexpr size_t kLongestName = 300;
  if (longer > kLongestName || longer - shorter > limit) return -1;
  const int distance = EditDistance(word, candidate);
  const bool all_replaced = distance >= static_cast<int>(longer) && longer > 0;
  return distance <= static_cast<int>(limit) && !all_replaced ? distance : -1;
}

}  // namespace st::base
