// A network namespace whose processes reach this machine by one wire, which can be cut and slowed in each direction.
#ifndef ST_E2E_TORTURE_WIRE_H_
#define ST_E2E_TORTURE_WIRE_H_

#include <string>
#include <vector>

namespace st::e2e {

// Made of `ip netns`, a veth pair, iptables in the namespace, and `tc tbf` (this needs no netem: a narrow bucket lets
// packets wait). As root. A failure of either program aborts the test.
class Wire {
 public:
  enum class Way {
    kOut,   // what the processes on the wire send
    kBack,  // what is sent to them
    kBoth,
  };

  // Of this machine's end; one for each process that makes wires.
  static std::string HostAddress();

  Wire();
  ~Wire();
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  // For Model::launcher.
  std::vector<std::string> Launcher() const { return {"ip", "netns", "exec", name_}; }
  // Packets vanish; nobody is told.
  void Cut(Way way) const;
  // To some kilobytes a second, with a queue of half a second.
  void Slow(Way way) const;
  // As it was.
  void Mend() const;

 private:
  const std::string name_;
};

}  // namespace st::e2e

#endif  // ST_E2E_TORTURE_WIRE_H_
