// Someone who types the pipe: an installed package in a fresh folder of the user's own, under umask 0077, and a
// project.
#ifndef ST_E2E_DOCKER_OPERATOR_H_
#define ST_E2E_DOCKER_OPERATOR_H_

#include <map>
#include <string>
#include <vector>

#include "e2e/command.h"
#include "e2e/docker/ground.h"

namespace st::e2e {

// Not thread-safe. `project` is the project's name: with the ground's unique part in it, so that nothing it makes on
// the engine has the name of another's. The destructor removes its folder, and
// its containers and volumes from the engine.
class Operator {
 public:
  enum class Who {
    kRoot,
    kMember,  // an ordinary user, in the group that may use the engine
  };

  Operator(const Ground& ground, const std::string& bootstrap, const std::string& inside, Who who);
  ~Operator();
  Operator(const Operator&) = delete;
  Operator& operator=(const Operator&) = delete;

  std::string user() const;  // "uid:gid" as containers of this user run
  const std::string& project() const { return project_; }
  const std::string& image() const { return image_; }
  std::string application_id(const std::string& model) const;
  std::string Path(const std::string& relative) const { return folder_ + "/" + relative; }

  // Copies an example of the package to the folder `shop`, under this operator's project name.
  void TakeExample(const std::string& example);
  // A file below `shop`, as this user.
  void Write(const std::string& relative, const std::string& text);
  std::string Read(const std::string& relative) const;
  // Replaces `from`, which must be there.
  void Edit(const std::string& relative, const std::string& from, const std::string& to);

  // Given to every tool from now on, in place of what was.
  std::map<std::string, std::string>& environment() { return environment_; }
  // Any command, as this user in this user's folder, with the package's bin in its path.
  CommandResult Run(const std::vector<std::string>& command, const std::string& input = "") const;

  CommandResult TryCompile() const;
  std::string Compile() const;  // must succeed
  // st-compile | st-observe | st-plan --detailed-exitcode --out FILE; the first answer that is no success, or the last.
  CommandResult Plan(const std::string& file) const;
  // st-compile | st-apply --plan FILE
  CommandResult Apply(const std::string& file) const;
  // st-compile | st-resume --status
  CommandResult Status() const;
  // st-compile | st-resume --plan FILE --operation UUID
  CommandResult Resume(const std::string& file, const std::string& operation) const;

 private:
  // This project's containers and volumes, whatever state they are in.
  void RemoveRunners() const;
  // The files that tools/dev/install would put there, of this build.
  void Install();

  const Ground& ground_;
  Who who_;
  std::string project_;
  std::string folder_;
  std::string image_;
  std::map<std::string, std::string> environment_;
};

// A variable of the tools in another value, until the end of the scope.
class Given {
 public:
  Given(Operator& user, const std::string& variable, const std::string& value);
  ~Given();
  Given(const Given&) = delete;
  Given& operator=(const Given&) = delete;

 private:
  std::map<std::string, std::string> before_;  // the whole environment: it may not have been there
  std::map<std::string, std::string>& environment_;
};

}  // namespace st::e2e

#endif  // ST_E2E_DOCKER_OPERATOR_H_
