#include "e2e/bench/bed.h"

#include <stdlib.h>  // mkdtemp, setenv
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "absl/log/absl_check.h"
#include "absl/strings/str_cat.h"

namespace st::e2e::bench {
namespace {

// For the signal handler, which may touch nothing else.
volatile pid_t g_broker_pid = -1;
std::array<char, 512> g_folder{};

// The broker is in a session of its own, so that an interrupt of the terminal does not reach it.
extern "C" void CleanUp(int signal) {
  if (g_broker_pid > 0) kill(g_broker_pid, SIGKILL);
  const pid_t pid = fork();
  if (pid == 0) {
    execl("/bin/rm", "rm", "-rf", g_folder.data(), nullptr);
    _exit(1);
  }
  waitpid(pid, nullptr, 0);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

std::string NewFolder() {
  const char* temporary = std::getenv("TEST_TMPDIR");
  std::string folder = absl::StrCat(temporary == nullptr ? "/tmp" : temporary, "/bench.XXXXXX");
  ABSL_CHECK(mkdtemp(folder.data()) != nullptr);
  ABSL_CHECK_LT(folder.size(), g_folder.size());
  std::snprintf(g_folder.data(), g_folder.size(), "%s", folder.c_str());
  for (const int signal : {SIGINT, SIGTERM, SIGABRT, SIGHUP}) std::signal(signal, CleanUp);
  return folder;
}

std::unique_ptr<Broker> NewBroker(const std::string& folder, bool hurried) {
  // The broker's data is in our folder, and goes with it.
  setenv("TEST_TMPDIR", folder.c_str(), 1);
  if (!hurried) setenv("ST_KAFKA_JAVA", kBrokerJava, 0);
  auto broker = Broker::Start();
  ABSL_CHECK(broker.ok()) << broker.status();
  return *std::move(broker);
}

}  // namespace

Bed::Bed(bool hurried) : folder_(NewFolder()), broker_(NewBroker(folder_, hurried)) {
  std::ifstream file(broker_->folder() + "/pid");
  ABSL_CHECK(file >> broker_pid_);
  g_broker_pid = broker_pid_;
  cluster_ = std::make_unique<Cluster>(servers());
  std::filesystem::create_directory(folder_ + "/work");
  launcher_ = std::make_unique<Launcher>(cluster_.get(), servers(), folder_ + "/work", hurried);
}

Bed::~Bed() {
  cluster_.reset();
  broker_.reset();
  g_broker_pid = -1;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Place Bed::NewPlace(Workload workload, const std::string& input, const std::vector<int64_t>& starts) {
  const std::string number = absl::StrCat(++places_);
  Place place{
      .workload = workload, .group = "st.bench.dev.run" + number, .input = input, .output = "bench-out-" + number};
  cluster_->CreateTopic(place.output, kPartitions, TopicConfigs());
  cluster_->CommitOffsets(place.group, input, starts);
  return place;
}

void Bed::Drop(const Place& place) { cluster_->DeleteTopic(place.output); }

}  // namespace st::e2e::bench
