#include "tools/st-import/import.h"

#include <re2/re2.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/strings/str_cat.h"
#include "lib/base/id.h"
#include "lib/fs/file.h"
#include "schemas/st/v1/observation.pb.h"
#include "schemas/st/v1/report.pb.h"
#include "tools/st-import/declared.h"
#include "tools/st-import/source_file.h"

namespace st::import {
namespace {

using Entry = v1::ImportReport::Entry;

constexpr std::array<std::string_view, 4> kBrokersOwn = {"__cluster_metadata", "__consumer_offsets",
                                                         "__share_group_state", "__transaction_state"};
constexpr size_t kTopicsAtOnce = 500;
constexpr char kCompleteness[] =
    "Kafka knows a topic's name, id and partitions. It does not know its owner or what its records hold, so no columns "
    "are declared: add those that you read";

bool IsBrokersOwn(std::string_view topic) {
  return std::find(kBrokersOwn.begin(), kBrokersOwn.end(), topic) != kBrokersOwn.end();
}

void AddEntry(const v1::TopicFacts& facts, const std::string& imported_at, v1::ImportReport* report) {
  Entry* entry = report->add_entries();
  entry->set_outcome(Entry::LISTED);
  entry->set_topic(facts.name());
  v1::Source* source = entry->mutable_source();
  source->set_name(SourceName(facts.name()));
  source->set_topic(facts.name());
  source->set_completeness(kCompleteness);
  v1::Provenance* provenance = source->mutable_provenance();
  provenance->set_cluster_id(report->cluster_id());
  provenance->set_topic_id(facts.topic_id());
  provenance->set_partitions(static_cast<uint32_t>(facts.partitions_size()));
  provenance->set_imported_at(imported_at);
  provenance->set_imported_by(absl::StrCat("st-import ", base::Version()));
}

// Two topics under one name: neither can be written.
void CheckNames(const v1::ImportReport& report, const Declared& declared, const std::string& folder,
                diag::Diagnostics* diagnostics) {
  std::map<std::string, std::string> topic_of_name = declared.topic_of_name;
  for (const Entry& entry : report.entries()) {
    if (declared.file_of_topic.contains(entry.topic())) continue;
    auto [taken, fresh] = topic_of_name.try_emplace(entry.source().name(), entry.topic());
    if (fresh) continue;
    diagnostics->Error({folder}, "NAME_COLLISION",
                       absl::StrCat("topics `", taken->second, "` and `", entry.topic(), "` would both be the source `",
                                    entry.source().name(), "`"),
                       absl::StrCat("leave one out, such as by --except '", re2::RE2::QuoteMeta(entry.topic()),
                                    "', and declare it by hand under a name of your choice"));
  }
}

std::string PathOf(const std::string& sources, const Entry& entry) {
  return fs::JoinPath(sources, absl::StrCat(entry.source().name(), ".yml"));
}

// A file, or a link that leads nowhere, where a declaration would be written.
void CheckFiles(const v1::ImportReport& report, const Declared& declared, const std::string& sources,
                diag::Diagnostics* diagnostics) {
  for (const Entry& entry : report.entries()) {
    const std::string path = PathOf(sources, entry);
    struct stat there {};
    if (declared.file_of_topic.contains(entry.topic()) || lstat(path.c_str(), &there) != 0) continue;
    diagnostics->Error(
        {path}, "FILE_EXISTS", absl::StrCat("this file exists, and does not declare topic `", entry.topic(), "`"),
        absl::StrCat("declare the topic there or move the file away, or leave the topic out by --except '",
                     re2::RE2::QuoteMeta(entry.topic()), "'"));
  }
}

void Keep(const std::string& file, Entry* entry) {
  entry->set_outcome(Entry::KEPT);
  entry->set_file(file);
  entry->clear_source();
}

absl::Status WriteEntry(const std::string& sources, Entry* entry) {
  const std::string path = PathOf(sources, *entry);
  absl::Status status = fs::WriteFileAtomically(path, SourceFile(entry->source()), 0644, fs::Existing::kRefuse);
  if (!status.ok()) return status;
  entry->set_outcome(Entry::WRITTEN);
  entry->set_file(path);
  return absl::OkStatus();
}

}  // namespace

Selection::Selection(const std::string& topics, const std::string& except)
    : topics_(topics, re2::RE2::Quiet), except_(except, re2::RE2::Quiet) {}

std::string Selection::Error() const {
  if (!topics_.ok()) return absl::StrCat("--topics is no regular expression: ", topics_.error());
  if (!except_.ok()) return absl::StrCat("--except is no regular expression: ", except_.error());
  return "";
}

bool Selection::Has(std::string_view topic) const {
  return re2::RE2::FullMatch(topic, topics_) && (except_.pattern().empty() || !re2::RE2::FullMatch(topic, except_));
}

absl::Status Find(kafka::ClusterReader& cluster, base::Clock& clock, const Selection& selection,
                  v1::ImportReport* report) {
  absl::StatusOr<v1::ClusterFacts> facts = cluster.DescribeCluster();
  if (!facts.ok()) return facts.status();
  report->set_cluster_id(facts->cluster_id());
  absl::StatusOr<std::vector<std::string>> names = cluster.ListTopics();
  if (!names.ok()) return names.status();
  std::string imported_at = base::FormatRfc3339(clock.NowMs()).text;
  std::vector<std::string> wanted;
  for (const std::string& name : *names) {
    if (!selection.Has(name)) continue;
    if (IsBrokersOwn(name)) report->set_internal_topics_left_out(report->internal_topics_left_out() + 1);
    if (!IsBrokersOwn(name)) wanted.push_back(name);
  }
  for (size_t begin = 0; begin < wanted.size(); begin += kTopicsAtOnce) {
    auto first = wanted.begin() + static_cast<ptrdiff_t>(begin);
    auto last = first + static_cast<ptrdiff_t>(std::min(kTopicsAtOnce, wanted.size() - begin));
    absl::StatusOr<std::vector<v1::TopicFacts>> topics = cluster.DescribeTopics({first, last});
    if (!topics.ok()) return topics.status();
    for (const v1::TopicFacts& topic : *topics) {
      if (topic.presence() == v1::PRESENT) AddEntry(topic, imported_at, report);
    }
  }
  std::sort(report->mutable_entries()->begin(), report->mutable_entries()->end(),
            [](const Entry& a, const Entry& b) { return a.topic() < b.topic(); });
  if (report->entries_size() > 0) return absl::OkStatus();
  return absl::NotFoundError(
      absl::StrCat("no topic of cluster ", report->cluster_id(),
                   " is meant by --topics and --except, which match whole names (the broker's own are left out, and "
                   "those on which our principal lacks the right Describe)"));
}

absl::Status Write(const std::string& folder, v1::ImportReport* report, diag::Diagnostics* diagnostics) {
  std::optional<Declared> declared = folder.empty() ? Declared() : ReadDeclared(folder, diagnostics);
  if (!declared.has_value()) return absl::OkStatus();
  const std::string sources = fs::JoinPath(folder, "sources");
  CheckNames(*report, *declared, folder, diagnostics);
  if (!folder.empty()) CheckFiles(*report, *declared, sources, diagnostics);
  if (diagnostics->HasErrors() || folder.empty()) return absl::OkStatus();
  if (absl::Status status = fs::MakeFolders(sources, 0755); !status.ok()) return status;
  for (Entry& entry : *report->mutable_entries()) {
    if (auto found = declared->file_of_topic.find(entry.topic()); found != declared->file_of_topic.end()) {
      Keep(found->second, &entry);
    } else if (absl::Status status = WriteEntry(sources, &entry); !status.ok()) {
      return status;
    }
  }
  return absl::OkStatus();
}

std::string Summary(const v1::ImportReport& report) {
  std::array<int, Entry::Outcome_ARRAYSIZE> counts{};
  for (const Entry& entry : report.entries()) ++counts.at(static_cast<size_t>(entry.outcome()));
  std::string text = absl::StrCat("cluster ", report.cluster_id(), ": ");
  if (counts[Entry::LISTED] > 0) {
    absl::StrAppend(&text, counts[Entry::LISTED], " topics listed, nothing written (--into DIR writes)");
  } else {
    absl::StrAppend(&text, counts[Entry::WRITTEN], " sources written, ", counts[Entry::KEPT],
                    " topics declared already and left as they are");
  }
  absl::StrAppend(&text, "; ", report.internal_topics_left_out(), " of the broker's own left out");
  return text;
}

}  // namespace st::import
