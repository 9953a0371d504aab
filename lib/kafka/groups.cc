#include "lib/kafka/groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "lib/kafka/admin.h"

namespace st::kafka {
namespace {

using Request = Owned<rd_kafka_ListConsumerGroupOffsets_t, rd_kafka_ListConsumerGroupOffsets_destroy>;

// Only `Empty` is empty: what the library does not know counts as on the move.
v1::GroupFacts::State StateOf(rd_kafka_consumer_group_state_t state) {
  switch (state) {
    case RD_KAFKA_CONSUMER_GROUP_STATE_DEAD:
      return v1::GroupFacts::NONE;
    case RD_KAFKA_CONSUMER_GROUP_STATE_EMPTY:
      return v1::GroupFacts::EMPTY;
    case RD_KAFKA_CONSUMER_GROUP_STATE_STABLE:
      return v1::GroupFacts::STABLE;
    default:
      return v1::GroupFacts::REBALANCING;
  }
}

void AddMember(const rd_kafka_MemberDescription_t* description, v1::GroupFacts* facts) {
  v1::GroupMember* member = facts->add_members();
  member->set_member_id(rd_kafka_MemberDescription_consumer_id(description));
  member->set_client_id(rd_kafka_MemberDescription_client_id(description));
  member->set_host(rd_kafka_MemberDescription_host(description));
  const rd_kafka_MemberAssignment_t* assignment = rd_kafka_MemberDescription_assignment(description);
  const rd_kafka_topic_partition_list_t* list =
      assignment == nullptr ? nullptr : rd_kafka_MemberAssignment_partitions(assignment);
  if (list == nullptr) return;
  std::map<std::string_view, std::vector<int32_t>> by_topic;
  for (int i = 0; i < list->cnt; ++i) by_topic[list->elems[i].topic].push_back(list->elems[i].partition);
  for (auto& [topic, partitions] : by_topic) {
    std::sort(partitions.begin(), partitions.end());
    v1::GroupAssignment* added = member->add_assignments();
    added->set_topic(std::string(topic));
    added->mutable_partitions()->Add(partitions.begin(), partitions.end());
  }
}

void Hide(std::string_view words, v1::GroupFacts* facts) {
  facts->set_state(v1::GroupFacts::INVISIBLE);
  facts->set_detail(std::string(words));
}

absl::Status TakeDescription(const AdminClient& client, const rd_kafka_ConsumerGroupDescription_t* description,
                             v1::GroupFacts* facts) {
  const rd_kafka_error_t* error = rd_kafka_ConsumerGroupDescription_error(description);
  rd_kafka_resp_err_t code = rd_kafka_error_code(error);
  if (IsHidden(code)) {
    const std::string right = absl::StrCat("Describe on group '", facts->group_id(), "'");
    Hide(absl::StrCat(rd_kafka_error_string(error), MissingRight(code, right)), facts);
    return absl::OkStatus();
  }
  if (code == RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND) {
    facts->set_state(v1::GroupFacts::NONE);
    return absl::OkStatus();
  }
  if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    absl::Status status = client.ToLook(code, "", absl::StrCat("describe group '", facts->group_id(), "'"));
    // The time of a try that is over stands here, not in the answer as a whole.
    return code == RD_KAFKA_RESP_ERR__TIMED_OUT ? absl::AbortedError(status.message()) : status;
  }
  facts->set_state(StateOf(rd_kafka_ConsumerGroupDescription_state(description)));
  for (size_t i = 0; i < rd_kafka_ConsumerGroupDescription_member_count(description); ++i) {
    AddMember(rd_kafka_ConsumerGroupDescription_member(description, i), facts);
  }
  std::sort(facts->mutable_members()->begin(), facts->mutable_members()->end(),
            [](const auto& a, const auto& b) { return a.member_id() < b.member_id(); });
  return absl::OkStatus();
}

absl::Status AskMembers(AdminClient& client, int try_ms, v1::GroupFacts* facts) {
  const char* group = facts->group_id().c_str();
  AdminClient::Request request = client.NewTry(RD_KAFKA_ADMIN_OP_DESCRIBECONSUMERGROUPS, try_ms);
  rd_kafka_DescribeConsumerGroups(client.handle(), &group, 1, request.options(), client.queue());
  absl::StatusOr<Event> event =
      client.Await(request, Effect::kNone, absl::StrCat("describe group '", facts->group_id(), "'"));
  if (!event.ok()) return event.status();
  size_t count = 0;
  const rd_kafka_ConsumerGroupDescription_t** groups =
      rd_kafka_DescribeConsumerGroups_result_groups(rd_kafka_event_DescribeConsumerGroups_result(event->get()), &count);
  if (count != 1) return absl::UnavailableError(absl::StrCat("no answer about group '", facts->group_id(), "'"));
  return TakeDescription(client, groups[0], facts);
}

// One committed offset. An error of one partition stands inside a successful answer.
absl::Status TakeOffset(const AdminClient& client, const rd_kafka_topic_partition_t& got, v1::GroupFacts* facts,
                        v1::GroupOffset* offset) {
  offset->set_partition(got.partition);
  offset->set_offset(-1);
  offset->set_leader_epoch(-1);
  if (got.err == RD_KAFKA_RESP_ERR_UNSTABLE_OFFSET_COMMIT) {
    offset->set_unstable(true);
    return absl::OkStatus();
  }
  if (IsHidden(got.err)) {
    Hide(absl::StrCat("its offsets for topic '", got.topic, "' are not visible: ", rd_kafka_err2str(got.err),
                      MissingRight(got.err, absl::StrCat("Describe on topic '", got.topic, "'"))),
         facts);
    return absl::OkStatus();
  }
  // Offsets go with their topic.
  if (got.err == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) return absl::OkStatus();
  if (got.err != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client.ToLook(got.err, "",
                         absl::StrCat("read the offset of group '", facts->group_id(), "' for partition ",
                                      got.partition, " of topic '", got.topic, "'"));
  }
  if (got.offset < 0) return absl::OkStatus();
  offset->set_offset(got.offset);
  offset->set_leader_epoch(rd_kafka_topic_partition_get_leader_epoch(&got));
  if (got.metadata != nullptr) {
    offset->set_metadata(std::string(static_cast<const char*>(got.metadata), got.metadata_size));
  }
  return absl::OkStatus();
}

// What is asked of one group: some partitions, or whatever it has committed for some topics.
struct Wish {
  PartitionList partitions;  // null: whatever
  std::set<std::string_view> topics;
};

Wish ToWish(const std::vector<std::pair<std::string, int>>& topics) {
  Wish wish;
  if (!topics.empty() && topics.front().second != ClusterReader::kWhatIsCommitted) {
    wish.partitions.reset(rd_kafka_topic_partition_list_new(0));
  }
  for (const auto& [topic, partitions] : topics) {
    wish.topics.insert(topic);
    for (int i = 0; i < partitions; ++i) rd_kafka_topic_partition_list_add(wish.partitions.get(), topic.c_str(), i);
  }
  return wish;
}

absl::Status TakeOffsets(const AdminClient& client, const rd_kafka_group_result_t* result, const Wish& wish,
                         v1::GroupFacts* facts) {
  const rd_kafka_error_t* error = rd_kafka_group_result_error(result);
  if (rd_kafka_resp_err_t code = rd_kafka_error_code(error); IsHidden(code)) {
    Hide(rd_kafka_error_string(error), facts);
    return absl::OkStatus();
  } else if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
    return client.ToLook(code, "", absl::StrCat("read the offsets of group '", facts->group_id(), "'"));
  }
  const rd_kafka_topic_partition_list_t* list = rd_kafka_group_result_partitions(result);
  if (list == nullptr || (wish.partitions != nullptr && list->cnt != wish.partitions->cnt)) {
    return absl::UnavailableError(
        absl::StrCat("the broker's answer does not mention every offset of group '", facts->group_id(), "'"));
  }
  std::map<std::string, std::map<int32_t, v1::GroupOffset>> sorted;
  for (int i = 0; i < list->cnt; ++i) {
    const rd_kafka_topic_partition_t& got = list->elems[i];
    if (!wish.topics.contains(got.topic)) continue;
    absl::Status status = TakeOffset(client, got, facts, &sorted[got.topic][got.partition]);
    if (!status.ok()) return status;
  }
  for (auto& [topic, offsets] : sorted) {
    v1::GroupOffsets* added = facts->add_topics();
    added->set_topic(topic);
    for (auto& [partition, offset] : offsets) *added->add_offsets() = std::move(offset);
  }
  return absl::OkStatus();
}

absl::Status AskOffsets(AdminClient& client, int try_ms, const Wish& wish, v1::GroupFacts* facts) {
  if (wish.topics.empty() || (wish.partitions != nullptr && wish.partitions->cnt == 0)) return absl::OkStatus();
  Request wanted(rd_kafka_ListConsumerGroupOffsets_new(facts->group_id().c_str(), wish.partitions.get()));
  rd_kafka_ListConsumerGroupOffsets_t* pointer = wanted.get();
  AdminClient::Request request = client.NewTry(RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, try_ms);
  Error refused(rd_kafka_AdminOptions_set_require_stable_offsets(request.mutable_options(), 1));
  if (refused != nullptr) return absl::InternalError(rd_kafka_error_string(refused.get()));
  rd_kafka_ListConsumerGroupOffsets(client.handle(), &pointer, 1, request.options(), client.queue());
  absl::StatusOr<Event> event =
      client.Await(request, Effect::kNone, absl::StrCat("read the offsets of group '", facts->group_id(), "'"));
  if (absl::IsPermissionDenied(event.status())) {
    Hide(event.status().message(), facts);
    return absl::OkStatus();
  }
  if (!event.ok()) return event.status();
  size_t count = 0;
  const rd_kafka_group_result_t** results = rd_kafka_ListConsumerGroupOffsets_result_groups(
      rd_kafka_event_ListConsumerGroupOffsets_result(event->get()), &count);
  if (count != 1) return absl::UnavailableError(absl::StrCat("no offsets of group '", facts->group_id(), "'"));
  return TakeOffsets(client, results[0], wish, facts);
}

absl::Status AskGroups(AdminClient& client, std::vector<std::string>* groups) {
  AdminClient::Request request = client.NewRequest(RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS);
  rd_kafka_ListConsumerGroups(client.handle(), request.options(), client.queue());
  absl::StatusOr<Event> event = client.Await(request, Effect::kNone, "list consumer groups");
  if (!event.ok()) return event.status();
  const rd_kafka_ListConsumerGroups_result_t* result = rd_kafka_event_ListConsumerGroups_result(event->get());
  size_t count = 0;
  const rd_kafka_error_t** errors = rd_kafka_ListConsumerGroups_result_errors(result, &count);
  // Only a part of the brokers answered: that list is not the list.
  if (count > 0) {
    return client.ToLook(rd_kafka_error_code(errors[0]), Text(rd_kafka_error_string(errors[0])),
                         "list consumer groups");
  }
  const rd_kafka_ConsumerGroupListing_t** listings = rd_kafka_ListConsumerGroups_result_valid(result, &count);
  groups->clear();
  for (size_t i = 0; i < count; ++i) groups->emplace_back(rd_kafka_ConsumerGroupListing_group_id(listings[i]));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ListGroups(AdminClient& client) {
  std::vector<std::string> groups;
  absl::Status status = client.Settle([&] { return AskGroups(client, &groups); });
  if (!status.ok()) return status;
  std::sort(groups.begin(), groups.end());
  return groups;
}

absl::StatusOr<v1::GroupFacts> DescribeGroup(AdminClient& client, const std::string& group,
                                             const std::vector<std::pair<std::string, int>>& topics) {
  Wish wish = ToWish(topics);
  v1::GroupFacts facts;
  absl::Status status = client.SettleGroup([&](int try_ms) {
    facts.Clear();
    facts.set_group_id(group);
    if (absl::Status members = AskMembers(client, try_ms, &facts); !members.ok()) return members;
    return facts.state() == v1::GroupFacts::INVISIBLE ? absl::OkStatus() : AskOffsets(client, try_ms, wish, &facts);
  });
  if (!status.ok()) return status;
  return facts;
}

}  // namespace st::kafka
