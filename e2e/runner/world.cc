#include "e2e/runner/world.h"

#include "absl/strings/str_cat.h"

namespace st::e2e {

World::World(const std::string& name, const v1::RecordPlan& plan, int in_partitions, int out_partitions,
             const Configs& out_configs)
    : cluster(Servers()),
      application_id(absl::StrCat("st.t.dev.", name)),
      input(plan.input_topic()),
      output(plan.output_topic()),
      in(in_partitions),
      out(out_partitions) {
  cluster.CreateTopic(input, in);
  cluster.CreateTopic(output, out, out_configs);
  cluster.CommitOffsets(application_id, input, std::vector<int64_t>(static_cast<size_t>(in), 0));
  model = std::make_unique<Model>(&cluster, Servers(), plan, application_id, in);
}

std::vector<std::string> Values(const std::vector<Record>& records) {
  std::vector<std::string> values;
  values.reserve(records.size());
  for (const Record& record : records) values.push_back(record.value.value_or("(null)"));
  return values;
}

std::function<bool(const v1::RunnerStatus&)> In(int64_t count) {
  return [count](const v1::RunnerStatus& status) { return status.records_in() == count; };
}

}  // namespace st::e2e
