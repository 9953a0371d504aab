// COMMIT without an answer, on a real server behind a proxy that loses it; and a pooler between tool and server.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "lib/state/postgres.h"
#include "lib/state/postgres_bench.h"

namespace st::state {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::HasSubstr;

constexpr char kAddress[] = "shop/dev";

// The whole statement: BEGIN says READ COMMITTED.
constexpr std::string_view kCommit("COMMIT\0", 7);

sockaddr_in Local(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

// Passes bytes on, and has one fate for the next COMMIT that a client sends.
class CommitProxy {
 public:
  enum class Fate {
    kPass,
    kLoseAnswer,         // the server gets it, and the connection ends without its answer
    kCutBefore,          // the server never gets it, and both connections end
    kSwallow,            // the server never gets it, and nobody hears of that
    kLoseAnswerForGood,  // as kLoseAnswer, and no connection is taken from then on
    kLie,                // of the start: the client is told another process's number, as poolers do
  };

  explicit CommitProxy(int target) : target_(target), listener_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address = Local(0);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listener_, 16), 0);
    socklen_t size = sizeof address;
    EXPECT_EQ(getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { Accept(); });
  }
  ~CommitProxy() {
    over_ = true;
    acceptor_.join();
    for (std::thread& connection : connections_) connection.join();
    (void)close(listener_);
  }
  int port() const { return port_; }
  void set_fate(Fate fate) { fate_ = fate; }
  int met() const { return met_; }

 private:
  bool Readable(int fd) const {
    pollfd waiting = {.fd = fd, .events = POLLIN, .revents = 0};
    return poll(&waiting, 1, 5) > 0;
  }
  void Accept() {
    while (!over_) {
      if (!Readable(listener_)) continue;
      const int client = accept(listener_, nullptr, nullptr);
      if (client >= 0) connections_.emplace_back([this, client] { Serve(client); });
    }
  }
  void Serve(int client) {
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = Local(target_);
    bool open = !gone_ && connect(server, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    bool silent = false;
    while (open && !over_) {
      open =
          Pass(client, server, /*from_client=*/true, &silent) && Pass(server, client, /*from_client=*/false, &silent);
    }
    (void)close(client);
    (void)close(server);
  }
  // False: the connection ends.
  bool Pass(int from, int to, bool from_client, bool* silent) {
    if (!Readable(from)) return true;
    std::array<char, 65536> bytes{};
    const ssize_t got = read(from, bytes.data(), bytes.size());
    if (got <= 0) return false;
    const std::string_view text(bytes.data(), static_cast<size_t>(got));
    if (from_client && absl::StrContains(text, kCommit) && fate_ != Fate::kPass && fate_ != Fate::kLie) {
      ++met_;
      const Fate fate = fate_.exchange(Fate::kPass);
      if (fate == Fate::kCutBefore) return false;
      *silent = true;
      if (fate == Fate::kSwallow) return true;
      if (fate == Fate::kLoseAnswerForGood) gone_ = true;
      (void)!write(to, text.data(), text.size());
      while (!Readable(to)) {
      }
      return false;
    }
    // BackendKeyData: K, length 12, process, key (PostgreSQL's documentation, "Message Formats").
    const size_t key = text.find(std::string_view("K\0\0\0\x0c", 5));
    if (!from_client && fate_ == Fate::kLie && key != std::string_view::npos) {
      ++met_;
      bytes[key + 8] = static_cast<char>(bytes[key + 8] ^ 1);
    }
    return *silent || write(to, text.data(), text.size()) == got;
  }

  int target_;
  int listener_;
  int port_ = 0;
  std::atomic<bool> over_ = false;
  std::atomic<Fate> fate_ = Fate::kPass;
  std::atomic<int> met_ = 0;
  std::atomic<bool> gone_ = false;
  std::thread acceptor_;
  std::vector<std::thread> connections_;
};

class PostgresCommitTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    absl::StatusOr<std::unique_ptr<TestServer>> started = TestServer::Start();
    ASSERT_THAT(started, IsOk());
    server_ = started->release();
  }
  static void TearDownTestSuite() { delete server_; }
  PostgresCommitTest() : bench_(server_), proxy_(server_->port()) {}

  absl::StatusOr<std::unique_ptr<WholeStore>> Open() {
    return OpenPostgres({server_->TcpDsn(proxy_.port()), "DSN", bench_.schema()}, Access::kReadWrite);
  }

  static TestServer* server_;
  PostgresBench bench_;
  CommitProxy proxy_;
};
TestServer* PostgresCommitTest::server_ = nullptr;

TEST_F(PostgresCommitTest, ThatHappenedAndLostItsAnswerIsFound) {
  absl::StatusOr<std::unique_ptr<WholeStore>> store = Open();
  ASSERT_THAT(store, IsOk());
  std::unique_ptr<Lease> lease = *(*store)->Acquire(kAddress);
  ASSERT_THAT((*store)->Begin(*lease, 0, "op-1", "i"), IsOkAndHolds(1));
  proxy_.set_fate(CommitProxy::Fate::kLoseAnswer);
  EXPECT_THAT((*store)->Append(*lease, 1, {Frame::Kind::kCheckpoint, "a"}), IsOkAndHolds(2));
  EXPECT_EQ(proxy_.met(), 1);
  EXPECT_EQ((*store)->Read(kAddress)->revision, 2);
  // The session is gone, and with it the lock.
  EXPECT_THAT(lease->Check(), StatusIs(absl::StatusCode::kAborted, HasSubstr("lock was lost")));
  EXPECT_THAT((*store)->Append(*lease, 2, {Frame::Kind::kCheckpoint, "b"}), StatusIs(absl::StatusCode::kAborted));
}

TEST_F(PostgresCommitTest, ThatNeverArrivedIsFoundToo) {
  for (const CommitProxy::Fate fate : {CommitProxy::Fate::kCutBefore, CommitProxy::Fate::kSwallow}) {
    absl::StatusOr<std::unique_ptr<WholeStore>> store = Open();
    ASSERT_THAT(store, IsOk());
    std::unique_ptr<Lease> lease = *(*store)->Acquire(kAddress);
    const uint64_t revision = (*store)->Read(kAddress)->revision;
    const int met = proxy_.met();
    proxy_.set_fate(fate);
    const std::string id = absl::StrCat("op-", static_cast<int>(fate));
    EXPECT_THAT((*store)->Begin(*lease, revision, id, "i"), StatusIs(absl::StatusCode::kAborted)) << id;
    EXPECT_EQ(proxy_.met(), met + 1);
    lease.reset();
    // Nothing of it can come later: its session was ended, and another takes the lock.
    EXPECT_EQ((*store)->Read(kAddress)->revision, revision);
    EXPECT_THAT((*store)->Acquire(kAddress), IsOk());
  }
}

TEST_F(PostgresCommitTest, WhereNobodyCanBeAskedItIsNotKnown) {
  absl::StatusOr<std::unique_ptr<WholeStore>> store = Open();
  ASSERT_THAT(store, IsOk());
  std::unique_ptr<Lease> lease = *(*store)->Acquire(kAddress);
  proxy_.set_fate(CommitProxy::Fate::kLoseAnswerForGood);
  EXPECT_THAT((*store)->Begin(*lease, 0, "op-1", "i"),
              StatusIs(absl::StatusCode::kUnknown, HasSubstr("not known whether a write to the state took place")));
  EXPECT_THAT(lease->Check(), StatusIs(absl::StatusCode::kUnavailable));
  lease.reset();
  EXPECT_EQ((*bench_.OpenReadOnly())->Read(kAddress)->revision, 1) << "it did";
}

TEST_F(PostgresCommitTest, APoolerIsRefused) {
  proxy_.set_fate(CommitProxy::Fate::kLie);
  EXPECT_THAT(Open(), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("connection pooler")));
  EXPECT_GT(proxy_.met(), 0);
}

}  // namespace
}  // namespace st::state
