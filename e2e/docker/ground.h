// The ground that journeys in containers stand on: a Docker engine with the runner's image and one network, and Kafka
// brokers in containers on it. For end-to-end tests.
#ifndef ST_E2E_DOCKER_GROUND_H_
#define ST_E2E_DOCKER_GROUND_H_

#include <sys/types.h>

#include <memory>
#include <string>
#include <vector>

#include "e2e/command.h"

namespace st::e2e {

// One for a test program. Not thread-safe. Everything that is made on the engine has `unique` in its name. A failure of
// the machinery ends the test at once; the engine then ends with the process.
class Ground {
 public:
  Ground();
  // Fails the test when anything is left behind: a container, volume or network, a file, a process.
  ~Ground();
  Ground(const Ground&) = delete;
  Ground& operator=(const Ground&) = delete;

  const std::string& unique() const { return unique_; }
  // Ordinary users pass through it, and see nothing in it.
  const std::string& folder() const { return folder_; }
  const std::string& docker_host() const { return docker_host_; }
  // Who may use the engine's socket.
  gid_t socket_group() const { return socket_group_; }
  const std::string& network() const { return network_; }
  // False where the engine is one that was there before.
  bool OwnsEngine() const;
  // The engine's machine goes down, with all containers, and comes up again. Of an engine that the ground owns.
  void RestartMachine() const;

  // The docker client.
  CommandResult Try(const std::vector<std::string>& arguments) const;
  // It must succeed; its output without the last line break.
  std::string Docker(const std::vector<std::string>& arguments) const;
  std::vector<std::string> DockerLines(const std::vector<std::string>& arguments) const;

  // All that the engine tells of its containers, volumes, networks and images: alike when nothing was changed.
  std::string State() const;
  // Ids of the containers of an application, running or not.
  std::vector<std::string> ContainersOf(const std::string& application_id) const;
  std::string Inspect(const std::string& container, const std::string& format) const;

 private:
  // Everything with our name, one a line.
  std::vector<std::string> Left() const;

  std::string unique_;
  std::string folder_;
  std::string watcher_;  // pid of who removes the folder when this process does not
  std::string docker_host_;
  gid_t socket_group_ = 0;
  std::string network_;
};

// A broker on the ground's network, gone with the object.
class BrokerContainer {
 public:
  BrokerContainer(const Ground& ground, const std::string& name);
  ~BrokerContainer();
  BrokerContainer(const BrokerContainer&) = delete;
  BrokerContainer& operator=(const BrokerContainer&) = delete;

  const std::string& bootstrap() const { return bootstrap_; }  // for this machine
  std::string inside() const { return name_ + ":19092"; }      // for containers
  // After its machine was down, with its data; it must have its address again.
  void StartAgain() const;

  // What an application of `group` has read, and all that these topics are and hold: alike when nothing was written.
  std::string State(const std::vector<std::string>& topics, const std::vector<std::string>& groups) const;
  // True as soon as the group has committed everything that the topic holds, false after a minute.
  bool AwaitAllRead(const std::string& group, const std::string& topic) const;

 private:
  const Ground& ground_;
  std::string name_;
  std::string bootstrap_;
};

// A record as a consumer sees it: what makes it the same one wherever it lies.
struct SeenRecord {
  std::string key;  // base64, or "null"
  std::string value;
  std::string headers;  // JSON
  int64_t timestamp = 0;

  auto operator<=>(const SeenRecord&) const = default;  // NOLINT(modernize-use-nullptr): sees a 0 that is not there
};
std::ostream& operator<<(std::ostream& stream, const SeenRecord& record);

// All committed records of a topic, sorted.
std::vector<SeenRecord> SeenRecords(const std::string& bootstrap, const std::string& topic);

}  // namespace st::e2e

#endif  // ST_E2E_DOCKER_GROUND_H_
