// What a runner's test does to its broker and asks of it. A call that fails aborts the test with a sentence.
#ifndef ST_E2E_RUNNER_CLUSTER_H_
#define ST_E2E_RUNNER_CLUSTER_H_

#include <librdkafka/rdkafka.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "e2e/runner/record.h"

namespace st::e2e {

using Configs = std::map<std::string, std::string>;

class Cluster {
 public:
  explicit Cluster(const std::string& servers);
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  std::string ClusterId();
  void CreateTopic(const std::string& topic, int partitions, const Configs& configs = {});
  void DeleteTopic(const std::string& topic);
  // Of one partition, all before `offset`, as retention does it.
  void DeleteRecords(const std::string& topic, int32_t partition, int64_t offset);
  // Of a group without members, as an operator does it.
  void DeleteOffsets(const std::string& group, const std::string& topic, int partitions);
  void AddPartitions(const std::string& topic, int total);
  std::string TopicId(const std::string& topic);

  // In order; waits until all are written.
  void Produce(const std::string& topic, const std::vector<Record>& records);
  // The same in one transaction, which is then committed or aborted.
  void ProduceInTransaction(const std::string& topic, const std::vector<Record>& records, bool commit);
  // Everything committed, partition by partition, up to the end at the time of the call.
  std::vector<Record> ReadCommitted(const std::string& topic, int partitions) { return Read(topic, partitions, true); }
  // Aborted records too.
  std::vector<Record> ReadAll(const std::string& topic, int partitions) { return Read(topic, partitions, false); }

  // By partition, from 0; -1: no commit for that one.
  void CommitOffsets(const std::string& group, const std::string& topic, const std::vector<int64_t>& offsets);
  // -1 where there is none. Not waiting for what an open transaction holds.
  std::vector<int64_t> Committed(const std::string& group, const std::string& topic, int partitions);
  // With the mechanism SCRAM-SHA-256. A user that is not there is made.
  void SetPassword(const std::string& user, const std::string& password);
  // As the broker names it, e.g. "Empty".
  std::string GroupState(const std::string& group);

 private:
  // Empty when there is no such topic.
  std::string FindTopicId(const std::string& topic);
  std::vector<Record> Read(const std::string& topic, int partitions, bool committed);

  std::string servers_;
  rd_kafka_t* client_;
};

// A transaction of somebody else that stays open as long as this object.
class OpenTransaction {
 public:
  OpenTransaction(const std::string& servers, const std::string& topic, const std::vector<Record>& records);
  ~OpenTransaction();
  OpenTransaction(const OpenTransaction&) = delete;
  OpenTransaction& operator=(const OpenTransaction&) = delete;

 private:
  rd_kafka_t* client_;
};

// Another member of a group, which never reads or commits. Leaves with this object.
class Member {
 public:
  Member(const std::string& servers, const std::string& group, const std::string& topic);
  ~Member();
  Member(const Member&) = delete;
  Member& operator=(const Member&) = delete;
  void AwaitAssignment();

 private:
  rd_kafka_t* client_;
};

}  // namespace st::e2e

#endif  // ST_E2E_RUNNER_CLUSTER_H_
