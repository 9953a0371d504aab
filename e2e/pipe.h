// One operator with one project: the installed tools side by side in a folder, a project, a state folder, and the pipe
// typed as a user types it. For end-to-end tests.
#ifndef ST_E2E_PIPE_H_
#define ST_E2E_PIPE_H_

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "e2e/command.h"
#include "schemas/st/v1/operation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::e2e {

// Not thread-safe. Everything lies under a folder of its own, which the destructor removes after it has ended every
// runner that lives there. A failure of the machinery (not of a tool) ends the test at once.
class Pipe {
 public:
  // `name` is the project's; the cluster's bootstrap servers are given to the tools by the environment.
  Pipe(std::string bootstrap, std::string name);
  ~Pipe();
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  const std::string& name() const { return name_; }
  const std::string& bootstrap() const { return bootstrap_; }
  void set_bootstrap(std::string bootstrap) { bootstrap_ = std::move(bootstrap); }
  std::string application_id(const std::string& model) const { return "st." + name_ + ".default." + model; }
  // A path below this operator's folder.
  std::string Path(const std::string& relative) const;
  std::string state_folder() const { return Path("state"); }

  // Project with source `input` (columns k STRING, n BIGINT, on topic `input_topic`) and model `big` of it: n >= 10,
  // to topic `output_topic`.
  void WriteProject(const std::string& input_topic, const std::string& output_topic);
  // Replaces `from`, which must be there, in the project file.
  void Edit(const std::string& from, const std::string& to);
  // Adds `deployment_state: {settings}` to the project.
  void KeepStateIn(const std::string& settings);

  using Environment = std::map<std::string, std::string>;
  // Given to every tool from now on.
  void set_environment(Environment environment) { environment_ = std::move(environment); }
  CommandResult Tool(const std::string& tool, const std::vector<std::string>& arguments, const std::string& input = "",
                     const Environment& more = {}) const;
  // The same beside the test.
  std::unique_ptr<RunningCommand> StartTool(const std::string& tool, const std::vector<std::string>& arguments,
                                            const std::string& input, const Environment& more = {}) const;
  // The tool run by coreutils' timeout, which ends it by SIGKILL after `seconds`.
  CommandResult ToolKilledAfter(double seconds, const std::string& tool, const std::vector<std::string>& arguments,
                                const std::string& input) const;

  std::string Compile() const;  // must succeed
  // st-compile | st-observe | st-plan --detailed-exitcode --out FILE; the last one's answer.
  CommandResult Plan(const std::string& file, const std::vector<std::string>& more = {}) const;
  // st-compile | st-apply --plan FILE
  CommandResult Apply(const std::string& file, const Environment& more = {}) const;
  CommandResult Resume(const std::string& file, const std::string& operation, const Environment& more = {}) const;
  v1::OperationStatus Status() const;  // st-resume --status

  // Plans and applies; both must succeed.
  void Deploy(const std::string& file) const;

  // Live processes of this operator's runners.
  std::vector<int> RunnerPids() const;
  void KillRunners() const;
  // Folders of generations, whatever their state.
  std::vector<std::string> Generations() const;

 private:
  std::vector<std::string> Command(const std::string& tool, const std::vector<std::string>& arguments) const;
  CommandOptions Options(const std::string& input, const Environment& more) const;

  std::string bootstrap_;
  std::string name_;
  std::string folder_;
  Environment environment_;
};

// kafka-probe, which must succeed; its output.
std::string Probe(const std::string& bootstrap, const std::vector<std::string>& arguments,
                  const std::string& input = "");

// Committed values of a topic as soon as there are `wanted` (or more), or those that are there after `seconds`.
std::vector<std::string> AwaitOutput(const std::string& bootstrap, const std::string& topic, size_t wanted,
                                     int seconds);

// A document that a tool wrote.
template <typename Message>
Message ReadAnswer(const std::string& text);

}  // namespace st::e2e

#endif  // ST_E2E_PIPE_H_
