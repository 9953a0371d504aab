#include "e2e/bench/settings.h"

#include <sys/utsname.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/log/absl_check.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "e2e/bench/contender.h"
#include "e2e/command.h"
#include "lib/base/clock.h"
#include "lib/kafka/consumer.h"
#include "lib/kafka/producer.h"

namespace st::e2e::bench {
namespace {

// What stands behind `key` and `separator` in a file; "?" when there is none.
std::string Looked(const std::string& path, const std::string& key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const size_t place = line.find(separator);
    if (!absl::StartsWith(line, key) || place == std::string::npos) continue;
    return std::string(absl::StripAsciiWhitespace(
        absl::StripSuffix(absl::StripPrefix(absl::StripAsciiWhitespace(line.substr(place + 1)), "\""), "\"")));
  }
  return "?";
}

class Printer {
 public:
  explicit Printer(Journal* journal) : journal_(journal) {}

  void Say(const std::string& who, const std::string& name, const std::string& value) {
    std::printf("%s%s%s: %s\n", who.c_str(), who.empty() ? "" : " ", name.c_str(), value.c_str());
    journal_->Add({.kind = "setting", .contender = who, .name = name, .value = value});
  }

  // "who: name=value name=value"
  void SayLine(const std::string& line) {
    std::printf("%s\n", line.c_str());
    const std::pair<std::string, std::string> parts = absl::StrSplit(line, absl::MaxSplits(": ", 1));
    for (std::string_view word : absl::StrSplit(parts.second, ' ', absl::SkipEmpty())) {
      const std::pair<std::string, std::string> setting = absl::StrSplit(word, absl::MaxSplits('=', 1));
      journal_->Add({.kind = "setting", .contender = parts.first, .name = setting.first, .value = setting.second});
    }
  }

 private:
  Journal* const journal_;
};

std::string SettingsOf(const std::string& who, rd_kafka_t* handle, const std::vector<const char*>& names) {
  std::string line = who + ":";
  for (const char* name : names) {
    char value[64];
    size_t size = sizeof(value);
    ABSL_CHECK(rd_kafka_conf_get(rd_kafka_conf(handle), name, value, &size) == RD_KAFKA_CONF_OK) << name;
    absl::StrAppend(&line, " ", name, "=", value);
  }
  return line;
}

void SayMachine(Printer* printer) {
  struct utsname system;
  ABSL_CHECK(uname(&system) == 0);
  printer->Say("", "date", base::FormatRfc3339(base::RealClock().NowMs()).text);
  printer->Say(
      "", "machine",
      absl::StrCat(std::thread::hardware_concurrency(), " cores of ", Looked("/proc/cpuinfo", "model name", ':'), ", ",
                   Looked("/proc/meminfo", "MemTotal", ':'), " of memory"));
  printer->Say("", "system", absl::StrCat(Looked("/etc/os-release", "PRETTY_NAME", '='), ", Linux ", system.release));
  double load[1] = {0};
  ABSL_CHECK(getloadavg(load, 1) == 1);
  printer->Say("", "load at the start", NumberOf(load[0]));
  if (load[0] > 1) std::printf("  this machine is not quiet: these figures say little\n");
  const char* java = std::getenv("ST_KAFKA_JAVA");
  printer->Say("", "broker",
               absl::StrCat("Kafka ", KafkaVersion(), " on the same cores, Java options ",
                            java == nullptr ? "of tools/dev/kafka" : java));
  printer->Say(
      "broker", "topics",
      absl::StrCat(kPartitions, " partitions, ", absl::StrJoin(TopicConfigs(), ", ", absl::PairFormatter("="))));
}

void SayVersions(Bed* bed, Printer* printer) {
  printer->Say("", "compiler", __VERSION__);
  printer->Say("", "client library", absl::StrCat("librdkafka ", rd_kafka_version_str()));
  printer->Say("", "java", absl::StrCat(JavaVersion(), "; ", absl::StrJoin(bed->launcher().java().jars(), ", ")));
  for (const Contender& contender : Contenders()) {
    if (contender.kind != Contender::Kind::kJavaLoop && contender.kind != Contender::Kind::kStreams) continue;
    const std::string options = absl::StrJoin(JavaProgram::OptionsOf(bed->launcher().MachineOf(contender)), " ");
    printer->Say(contender.name, "java options", options.empty() ? "none" : options);
  }
}

void SayClients(Bed* bed, Printer* printer) {
  printer->Say("all", "commit interval", absl::StrCat(kCommitIntervalMs, " ms"));
  printer->Say("all", "promises", "acks=all, compression none, check.crcs, read_committed");
  const kafka::Properties properties = {{"bootstrap.servers", bed->servers()}};
  auto producer = kafka::Producer::Open(properties, {.transactional_id = "settings", .topic = "settings"});
  auto consumer = kafka::Consumer::Open(properties, "settings", "settings");
  ABSL_CHECK(producer.ok() && consumer.ok());
  printer->SayLine(SettingsOf("st-runner and ladder consumer", (*consumer)->handle(),
                              {"isolation.level", "check.crcs", "queued.min.messages", "queued.max.messages.kbytes",
                               "fetch.queue.backoff.ms", "fetch.message.max.bytes"}));
  printer->SayLine(SettingsOf("st-runner and ladder producer", (*producer)->handle(),
                              {"enable.idempotence", "compression.type", "linger.ms", "batch.size",
                               "batch.num.messages", "retry.backoff.ms", "queue.buffering.max.messages"}));
  auto java = RunCommand(bed->launcher().java().Command("Settings", Machine::kHurried, {}));
  ABSL_CHECK(java.ok() && java->exit_code == 0) << java->error_text;
  for (std::string_view line : absl::StrSplit(java->output, '\n', absl::SkipEmpty())) {
    printer->SayLine(std::string(line));
  }
}

}  // namespace

void PrintSettings(Bed* bed, const Options& options, Journal* journal) {
  Printer printer(journal);
  SayMachine(&printer);
  SayVersions(bed, &printer);
  SayClients(bed, &printer);
  printer.Say("", "blocks", absl::StrCat(options.blocks));
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace st::e2e::bench
