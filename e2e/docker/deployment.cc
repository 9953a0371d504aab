#include "e2e/docker/deployment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "e2e/pipe.h"
#include "lib/state/postgres.h"
#include "lib/state/sqlite.h"

namespace st::e2e {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kDsnVariable[] = "ST_TEST_DSN";
constexpr char kModels[] = "models/orders.yml";
constexpr int kLargest = 200;
constexpr size_t kShownBytes = 80;

// A sentence about a difference is to be read by people.
std::string Short(const std::string& value) {
  if (value.size() <= kShownBytes) return value;
  return absl::StrCat(value.substr(0, kShownBytes), "... of ", value.size(), " bytes");
}

int FilterAt(const std::vector<Era>& eras, const Record& record) {
  int at_least = 0;
  for (const Era& era : eras) {
    if (record.offset >= era.from.at(static_cast<size_t>(record.partition))) at_least = era.at_least;
  }
  return at_least;
}

std::vector<Era> FromTheBeginning(int at_least) {
  return {{std::vector<int64_t>(Deployment::kPartitions, 0), at_least}};
}

}  // namespace

bool EveryCell() { return getenv("ST_EVERY_CELL") != nullptr; }

Deployment::Deployment(const Ground& ground, Store store)
    : ground_(ground),
      broker_(ground, "broker"),
      operator_(ground, broker_.bootstrap(), broker_.inside(), Operator::Who::kRoot),
      cluster_(broker_.bootstrap()) {
  models_.push_back({operator_.application_id(name_), "orders.large.v1", FromTheBeginning(filter_)});
  operator_.TakeExample("orders");
  if (store == Store::kPostgres) KeepStateInPostgres();
  ground_.Docker({"load", "--input", operator_.Path("prefix/share/st/st-runner-image.tar")});
  CommandResult done = operator_.Plan("plan");
  ABSL_CHECK_EQ(done.exit_code, 10) << done.error_text;
  done = operator_.Apply("plan");
  ABSL_CHECK_EQ(done.exit_code, 0) << done.error_text;
  volume_instance_ = VolumeInstance();
}

void Deployment::KeepStateInPostgres() {
  auto server = state::TestServer::Start();
  ABSL_CHECK(server.ok()) << server.status();
  server_ = *std::move(server);
  operator_.environment()[kDsnVariable] = server_->TcpDsn(server_->port());
  const std::string file = "environments/docker.yml";
  operator_.Write(file, absl::StrCat(operator_.Read(file), "deployment_state: {backend: postgres, schema: ",
                                     operator_.project(), ", dsn_env: ", kDsnVariable, "}\n"));
}

std::unique_ptr<state::StateStore> Deployment::OpenStore() const {
  auto store = server_
                   ? state::OpenPostgres({server_->dsn(), kDsnVariable, operator_.project()}, state::Access::kReadOnly)
                   : state::OpenSqlite(operator_.Path("state/state.db"), state::Access::kReadOnly);
  ABSL_CHECK(store.ok()) << store.status();
  return *std::move(store);
}

// A server notices a moment later that its client was killed.
void Deployment::AwaitUnlocked() const {
  const absl::Time deadline = absl::Now() + absl::Minutes(1);
  while (server_) {
    const auto held = server_->Sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted");
    ABSL_CHECK(held.ok()) << held.status();
    if (*held == "0") return;
    ABSL_CHECK(absl::Now() < deadline) << "the lock of a tool that is gone is still held";
    absl::SleepFor(absl::Milliseconds(5));
  }
}

std::string Deployment::ContainerOf(const std::string& application_id) const {
  const std::vector<std::string> containers = ground_.ContainersOf(application_id);
  EXPECT_EQ(containers.size(), 1u) << application_id;
  return containers.empty() ? "" : containers.front();
}

std::string Deployment::Volume() const {
  return ground_.Inspect(Container(), "{{range .Mounts}}{{if eq .Type \"volume\"}}{{.Name}}{{end}}{{end}}");
}

std::string Deployment::VolumeInstance() const {
  return ground_.Docker({"volume", "inspect", "--format", "{{index .Labels \"st.instance\"}}", Volume()});
}

void Deployment::Feed(int count, size_t padding) {
  std::vector<Record> orders;
  for (int i = 0; i < count; ++i, ++fed_) {
    const int amount = count - i <= kPartitions ? kLargest : 90 + fed_ * 35 % 100;
    Record& order = orders.emplace_back();
    order.partition = i % kPartitions;
    // One key a partition: its orders come out of one partition, in order.
    order.key = absl::StrCat(order.partition);
    order.value =
        absl::StrCat(R"({"id":"o)", fed_, std::string(padding, 'x'), R"(","amount":)", amount, R"(,"paid":true})");
  }
  cluster_.Produce(kInput, orders);
}

void Deployment::AwaitAllRead() const { EXPECT_TRUE(broker_.AwaitAllRead(application(), kInput)); }

void Deployment::ChangeFilter() {
  const int next = filter_ == 100 ? 150 : 100;
  operator_.Edit(kModels, absl::StrCat("amount >= ", filter_), absl::StrCat("amount >= ", next));
  filter_ = next;
  changes_.push_back(next);
}

std::string Deployment::AddModel(const std::string& name) {
  const std::string topic = absl::StrCat("orders.", name, ".v1");
  operator_.Write(
      absl::StrCat("models/", name, ".yml"),
      absl::StrCat("models:\n  - name: ", name, "\n    owner: risk-team\n    executor: runner\n",
                   "    sql: SELECT id AS order_id, amount FROM {{ ref(\"orders\") }} WHERE amount >= 100\n",
                   "    topic: {name: ", topic, "}\n"));
  models_.push_back({operator_.application_id(name), topic, FromTheBeginning(100)});
  return models_.back().application_id;
}

void Deployment::Redeclare(const std::string& name) {
  const std::string topic = absl::StrCat("orders.", name, ".v1");
  operator_.Edit(kModels, absl::StrCat("- name: ", name_, "\n"), absl::StrCat("- name: ", name, "\n"));
  operator_.Edit(kModels, output(), topic);
  operator_.Edit("exposures/applications.yml", absl::StrCat("ref: ", name_), absl::StrCat("ref: ", name));
  operator_.Run({"rm", "-rf", "shop/tests"});
  models_.front() = {operator_.application_id(name), topic, FromTheBeginning(filter_)};
  name_ = name;
  volume_instance_.clear();
  changes_.clear();
  ReadJournal();
}

void Deployment::PlanChange() {
  AwaitAllRead();
  ChangeFilter();
  const CommandResult planned = operator_.Plan("plan");
  ASSERT_EQ(planned.exit_code, 10) << planned.error_text;
  ASSERT_THAT(planned.error_text, HasSubstr("replace runner " + application()));
}

CommandResult Deployment::ApplyCutOff(const std::string& at) {
  const Given crash(operator_, "ST_CRASH_AT", at);
  return operator_.Apply("plan");
}

CommandResult Deployment::KillAfter(double seconds, const std::string& operation) const {
  // In the foreground, or it would not wait for the end of what it killed.
  std::vector<std::string> command = {"timeout", "--foreground", "--signal=KILL", absl::StrCat(seconds)};
  if (operation.empty()) {
    command.insert(command.end(), {"st-apply", "--plan", "plan"});
  } else {
    command.insert(command.end(), {"st-resume", "--plan", "plan", "--operation", operation});
  }
  CommandResult result = operator_.Run(command, operator_.Compile());
  AwaitUnlocked();
  return result;
}

v1::OperationStatus Deployment::Status() const { return ReadAnswer<v1::OperationStatus>(operator_.Status().output); }

std::string Deployment::Made(const std::string& application_id) const {
  const std::string container = ContainerOf(application_id);
  json made = json::parse(ground_.Docker({"container", "inspect", container})).at(0);
  const json labels = made.at("Config").at("Labels");
  std::sort(made.at("Mounts").begin(), made.at("Mounts").end());
  std::string text = absl::StrCat(made.at("Config").dump(1), made.at("HostConfig").dump(1), made.at("Mounts").dump(1));
  std::vector<std::pair<std::string, std::string>> names = {{container.substr(0, 12), "CONTAINER"}};
  // A generation's id holds that of its operation, so it is named first.
  for (const char* label : {"st.generation", "st.operation", "st.application", "st.plan_sha256", "st.evidence",
                            "st.volume_instance", "st.output_topic"}) {
    names.emplace_back(labels.at(label).get<std::string>(), label);
  }
  for (const auto& [name, label] : names) text = absl::StrReplaceAll(text, {{name, label}});
  return text;
}

Told Deployment::ReadJournal() {
  Told told = ReadLog(OpenStore().get(), absl::StrCat(operator_.project(), "/docker"), last_entry_);
  last_entry_ = told.last_entry;
  return told;
}

void Deployment::CheckJournal() {
  const Told told = ReadJournal();
  EXPECT_THAT(told.violations, IsEmpty());
  EXPECT_EQ(told.closes.size(), changes_.size());
  for (size_t i = 0; i < std::min(told.closes.size(), changes_.size()); ++i) {
    models_.front().eras.push_back({told.closes[i], changes_[i]});
  }
  changes_.clear();
}

void Deployment::ExpectOneGeneration(const Model& model) const {
  EXPECT_EQ(ground_.Inspect(ContainerOf(model.application_id), "{{.State.Status}}"), "running");
  int generations = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(operator_.Path("state/docker/" + model.application_id))) {
    const std::string name = entry.path().filename();
    if (!entry.is_directory()) continue;
    const auto files = std::filesystem::directory_iterator(entry.path());
    const auto count = std::distance(begin(files), end(files));
    EXPECT_EQ(count, name == "generations" ? 1 : 0) << entry.path();
    generations += name == "generations" ? 1 : 0;
  }
  EXPECT_EQ(generations, 1);
}

void Deployment::ExpectOutput(const Model& model) {
  EXPECT_TRUE(broker_.AwaitAllRead(model.application_id, kInput));
  std::vector<std::vector<std::string>> wanted(kPartitions);
  std::vector<std::vector<std::string>> got(kPartitions);
  for (const Record& record : cluster_.ReadCommitted(kInput, kPartitions)) {
    const json order = json::parse(*record.value);
    const int amount = order.at("amount");
    if (amount < FilterAt(model.eras, record)) continue;
    const std::string id = order.at("id");
    wanted.at(static_cast<size_t>(record.partition))
        .push_back(Short(absl::StrCat(R"({"order_id":")", id, R"(","amount":)", amount, "}")));
  }
  for (const Record& record : cluster_.ReadCommitted(model.topic, kPartitions)) {
    got.at(static_cast<size_t>(record.key->front() - '0')).push_back(Short(*record.value));
  }
  EXPECT_EQ(Difference(wanted, got), "") << model.topic;
}

void Deployment::ExpectWhole() {
  EXPECT_EQ(Status().operation_id(), "");
  const CommandResult again = operator_.Plan("again");
  EXPECT_EQ(again.exit_code, 0) << again.error_text;
  if (volume_instance_.empty()) volume_instance_ = VolumeInstance();
  EXPECT_EQ(VolumeInstance(), volume_instance_);
  CheckJournal();
  for (const Model& model : models_) {
    SCOPED_TRACE(model.application_id);
    ExpectOneGeneration(model);
    ExpectOutput(model);
  }
}

}  // namespace st::e2e
