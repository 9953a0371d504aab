// Looks for secrets where none may be.
#ifndef ST_E2E_SECURITY_CANARY_H_
#define ST_E2E_SECURITY_CANARY_H_

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace st::e2e {

// Not thread-safe.
class Canary {
 public:
  // Of a text of several lines, such as a key, each line that is long enough to be one's own is a secret.
  explicit Canary(const std::vector<std::string>& secrets);

  // Each returns the number of bytes that were looked at: a search through nothing finds nothing.
  size_t LookAt(const std::string& name, std::string_view text);
  // Every file below. A runner's client.properties and key.pem may hold secrets, if nobody else can read them: that is
  // looked at, too.
  size_t LookInFolder(const std::string& folder);
  // Environment and command line.
  size_t LookAtProcess(pid_t pid);
  // The command lines of all processes.
  size_t LookAtCommandLines();

  // Where a secret was seen, and files that hold one as they should.
  const std::vector<std::string>& found() const { return found_; }
  const std::vector<std::string>& kept() const { return kept_; }

 private:
  bool Holds(std::string_view text) const;

  std::vector<std::string> secrets_;
  std::vector<std::string> found_;
  std::vector<std::string> kept_;
};

}  // namespace st::e2e

#endif  // ST_E2E_SECURITY_CANARY_H_
