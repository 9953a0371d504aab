#include "e2e/torture/wire.h"

#include <unistd.h>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "e2e/command.h"

namespace st::e2e {
namespace {

// Interface names have at most 15 characters.
std::string HostEnd() { return absl::StrCat("st-h", getpid()); }
std::string FarEnd() { return absl::StrCat("st-f", getpid()); }

// A network of four addresses, by our number.
std::string Address(int last) {
  const int number = getpid() % (1 << 16);
  return absl::StrCat("10.", 200 + number / (1 << 14), ".", number / (1 << 6) % (1 << 8), ".",
                      number % (1 << 6) * 4 + last);
}

CommandResult Do(const std::string& words) {
  // A test's PATH is without the folder of root's tools.
  std::vector<std::string> command = {"/usr/bin/env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"};
  for (absl::string_view word : absl::StrSplit(words, ' ')) command.emplace_back(word);
  auto result = RunCommand(command);
  ABSL_CHECK(result.ok()) << words << ": " << result.status();
  return *std::move(result);
}

void Must(const std::string& words) {
  const CommandResult result = Do(words);
  ABSL_CHECK_EQ(result.exit_code, 0) << words << ": " << result.error_text;
}

}  // namespace

std::string Wire::HostAddress() { return Address(1); }

Wire::Wire() : name_(absl::StrCat("st-n", getpid())) {
  Must("ip netns add " + name_);
  Must(absl::StrCat("ip link add ", HostEnd(), " type veth peer name ", FarEnd(), " netns ", name_));
  Must(absl::StrCat("ip addr add ", Address(1), "/30 dev ", HostEnd()));
  Must(absl::StrCat("ip -n ", name_, " addr add ", Address(2), "/30 dev ", FarEnd()));
  Must(absl::StrCat("ip link set ", HostEnd(), " up"));
  Must(absl::StrCat("ip -n ", name_, " link set ", FarEnd(), " up"));
  Must(absl::StrCat("ip -n ", name_, " link set lo up"));
}

// The pair goes with either end.
Wire::~Wire() {
  Must("ip link del " + HostEnd());
  Must("ip netns del " + name_);
}

void Wire::Cut(Way way) const {
  const std::string rule = absl::StrCat("ip netns exec ", name_, " iptables -A ");
  if (way != Way::kBack) Must(rule + "OUTPUT -j DROP");
  if (way != Way::kOut) Must(rule + "INPUT -j DROP");
}

void Wire::Slow(Way way) const {
  const std::string bucket = " root tbf rate 64kbit burst 4kb latency 500ms";
  if (way != Way::kBack) Must(absl::StrCat("tc -n ", name_, " qdisc replace dev ", FarEnd(), bucket));
  if (way != Way::kOut) Must(absl::StrCat("tc qdisc replace dev ", HostEnd(), bucket));
}

void Wire::Mend() const {
  Must(absl::StrCat("ip netns exec ", name_, " iptables -F"));
  // There may be none.
  Do(absl::StrCat("tc -n ", name_, " qdisc del dev ", FarEnd(), " root"));
  Do(absl::StrCat("tc qdisc del dev ", HostEnd(), " root"));
}

}  // namespace st::e2e
