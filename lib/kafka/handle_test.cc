#include "lib/kafka/handle.h"

#include <gtest/gtest.h>
#include <librdkafka/rdkafka_mock.h>

#include <chrono>
#include <memory>

namespace st::kafka {
namespace {

TEST(Events, AFailureIsNewsUntilABrokerWasThere) {
  Events events;
  EXPECT_TRUE(events.NoteFailure("a:1: Connection refused (after 0ms in state CONNECT)"));
  EXPECT_FALSE(events.NoteFailure("a:1: Connection refused (after 3ms in state CONNECT, 4 identical error(s) ...)"));
  EXPECT_TRUE(events.NoteFailure("b:1: Connection refused (after 0ms in state CONNECT)"));
  EXPECT_TRUE(events.NoteFailure("a:1: Disconnected (after 0ms in state CONNECT)"));
  EXPECT_EQ(events.Trouble(), "a:1: Disconnected (after 0ms in state CONNECT)");
  events.NoteConnection(true);
  EXPECT_TRUE(events.NoteFailure("a:1: Connection refused (after 0ms in state CONNECT)"));
  events.NoteConnection(false);
  EXPECT_FALSE(events.NoteFailure("a:1: Connection refused (after 0ms in state CONNECT)"));
}

TEST(Events, IsConnectedWhileOneConnectionStands) {
  Events events;
  EXPECT_FALSE(events.IsConnected());
  events.NoteConnection(true);
  events.NoteConnection(true);
  events.NoteConnection(false);
  EXPECT_TRUE(events.IsConnected());
  events.NoteConnection(false);
  EXPECT_FALSE(events.IsConnected());
}

// The client library's own mock of a broker, in this process.
class Mock {
 public:
  Mock()
      : owner_(rd_kafka_new(RD_KAFKA_PRODUCER, rd_kafka_conf_new(), nullptr, 0)),
        cluster_(rd_kafka_mock_cluster_new(owner_, 1)) {}
  ~Mock() {
    rd_kafka_mock_cluster_destroy(cluster_);
    rd_kafka_destroy(owner_);
  }
  Mock(const Mock&) = delete;
  Mock& operator=(const Mock&) = delete;

  std::string servers() const { return rd_kafka_mock_cluster_bootstraps(cluster_); }
  void GoAway() { rd_kafka_mock_broker_set_down(cluster_, 1); }
  void ComeBack() { rd_kafka_mock_broker_set_up(cluster_, 1); }

 private:
  rd_kafka_t* owner_;
  rd_kafka_mock_cluster_t* cluster_;
};

// Whether it becomes so; serves the handle meanwhile.
bool Becomes(bool connected, const Events& events, rd_kafka_t* handle) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (events.IsConnected() != connected && std::chrono::steady_clock::now() < until) rd_kafka_poll(handle, 10);
  return events.IsConnected() == connected;
}

TEST(Handle, KnowsWhetherABrokerIsThere) {
  Mock mock;
  Events events;
  Settings settings;
  auto handle = settings.Set("bootstrap.servers", mock.servers()).Open(RD_KAFKA_PRODUCER, &events);
  ASSERT_TRUE(handle.ok());
  EXPECT_TRUE(Becomes(true, events, handle->get()));
  mock.GoAway();
  EXPECT_TRUE(Becomes(false, events, handle->get()));
  mock.ComeBack();
  EXPECT_TRUE(Becomes(true, events, handle->get()));
  handle->reset();
  EXPECT_FALSE(events.IsConnected());
}

}  // namespace
}  // namespace st::kafka
