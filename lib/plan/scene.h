// A small observed project for the planner's tests: source `raw`, model `late` from it (topic `late.v1`), model `worst`
// from `late` (topic `worst.v1`), exposure `app` on `worst`. Test-only.
#ifndef ST_LIB_PLAN_SCENE_H_
#define ST_LIB_PLAN_SCENE_H_

#include <string>

#include "lib/plan/plan.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/plan.pb.h"

namespace st::plan {

inline constexpr int64_t kNow = 1'700'000'000'000;

class Scene {
 public:
  Scene();

  // Everything is deployed and runs, nothing differs.
  void Deploy();

  // All of it, deployed or not, is on a Docker engine that has image and network.
  void UseDocker();

  v1::Plan Plan();

  static std::string Application(const std::string& model) { return "st.p.e." + model; }

  v1::TopicFacts& Facts(const std::string& topic);

  void Absent(const std::string& topic) { Facts(topic).set_presence(v1::ABSENT); }

  v1::TopicFacts& Present(const std::string& topic, const std::string& id, int partitions);

  v1::CompiledTopic& Topic(const std::string& name);

  v1::CompiledModel& Model(const std::string& name);

  v1::GroupFacts& Group(const std::string& id);

  v1::OwnedResource& Owned(const std::string& resource);

  v1::GenerationFacts& Generation(const std::string& model);

  // Its process is gone; the group is empty.
  void End(const std::string& model, v1::RunnerStatus::State last);

  v1::ObservedTopology observed;
  StartAt start_at;

 private:
  void AddTopic(const std::string& name, const std::string& declared_by, v1::OwnershipMode mode);

  void AddModel(const std::string& name, const std::string& input, const std::string& input_topic);

  void OwnTopic(const std::string& model, const std::string& name, const std::string& id);

  void OwnRunner(const std::string& name, const std::string& input, const std::string& output, uint32_t partitions);

  void Run(const std::string& model, const std::string& input_topic, int partitions);
};

}  // namespace st::plan

#endif  // ST_LIB_PLAN_SCENE_H_
