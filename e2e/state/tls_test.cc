// The tools and a PostgreSQL server that speaks TLS: who it is is proven, and nothing is sent in the clear unless that
// is switched off by name.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "e2e/model_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lib/state/postgres_bench.h"

namespace st::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class TlsTest : public ModelFixture {
 protected:
  static void SetUpTestSuite() {
    ModelFixture::SetUpTestSuite();
    auto server = state::TestServer::StartWithTls();
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = server->release();
  }
  static void TearDownTestSuite() {
    delete std::exchange(server_, nullptr);
    ModelFixture::TearDownTestSuite();
  }

  void SetUp() override {
    Declare("tls");
    pipe_->KeepStateIn(absl::StrCat("backend: postgres, schema: ", id_, ", dsn_env: ST_TEST_DSN"));
    Feed(20);
  }

  void Reach(const std::string& host, int port, const std::string& options) {
    pipe_->set_environment({{"ST_TEST_DSN", absl::StrCat("postgresql://tester:secret-of-tester@", host, ":", port,
                                                         "/postgres?", options)}});
  }
  static std::string Ca(const std::string& name) {
    return absl::StrCat("sslrootcert=", server_->folder(), "/", name, ".pem");
  }

  static state::TestServer* server_;
};

state::TestServer* TlsTest::server_ = nullptr;

TEST_F(TlsTest, AProvenServerKeepsTheState) {
  for (const char* mode : {"", "&sslmode=verify-full"}) {
    Reach("localhost", server_->port(), Ca("ca") + mode);
    pipe_->Deploy("p");
    EXPECT_EQ(pipe_->Plan("again").exit_code, 0);
  }
  EXPECT_THAT(Output(10), SizeIs(10));
  EXPECT_EQ(server_->Sql(absl::StrCat("SELECT count(*) > 5 FROM ", id_, ".history")).value(), "t");
}

TEST_F(TlsTest, WhoIsNotProvenIsNotUsed) {
  auto plain = state::TestServer::Start();
  ASSERT_TRUE(plain.ok()) << plain.status();
  const int tls = server_->port();
  const int no_tls = (*plain)->port();
  struct Case {
    const char* host;
    int port;
    std::string options;
    int exit_code;
    std::string says;
  };
  const std::vector<Case> cases = {
      {"localhost", tls, Ca("wrong-ca"), 3, "certificate verify failed; name the CA that signed"},
      {"localhost", tls, Ca("wrong-ca") + "&sslmode=verify-ca", 3,
       "certificate verify failed; name the CA that signed"},
      {"127.0.0.1", tls, Ca("ca"), 3, "does not match host name \"127.0.0.1\"; connect by a name that its certificate"},
      {"127.0.0.1", tls, Ca("ca") + "&sslmode=verify-ca", 0, ""},
      {"127.0.0.1", tls, "sslmode=require", 0, ""},
      {"localhost", tls, Ca("no-such-ca"), 1, "with sslrootcert=FILE"},
      {"localhost", tls, "sslmode=prefer", 1, "sslmode=prefer, which falls back to no encryption"},
      {"localhost", tls, "sslmode=disable", 1, "no encryption"},
      {"localhost", no_tls, Ca("ca"), 1, "does not support SSL"},
      {"localhost", no_tls, "sslmode=require", 1, "does not support SSL"},
      {"localhost", no_tls, "sslmode=disable", 0, ""},
  };
  for (const Case& tried : cases) {
    SCOPED_TRACE(absl::StrCat(tried.host, " ", tried.options));
    Reach(tried.host, tried.port, tried.options);
    const CommandResult shown = pipe_->Tool("st-state", {"show"}, pipe_->Compile());
    EXPECT_EQ(shown.exit_code, tried.exit_code) << shown.error_text;
    EXPECT_THAT(shown.error_text, HasSubstr(tried.says));
    EXPECT_THAT(shown.output + shown.error_text, Not(HasSubstr("secret-of-tester")));
  }
}

// Reviewed against the proven server; one that is not is told nothing, and nothing is begun.
TEST_F(TlsTest, NeitherLookedAtNorWritten) {
  Reach("localhost", server_->port(), Ca("ca"));
  ASSERT_EQ(pipe_->Plan("p").exit_code, 10);
  for (const char* host : {"localhost", "127.0.0.1"}) {
    Reach(host, server_->port(), Ca(std::string(host) == "localhost" ? "wrong-ca" : "ca"));
    EXPECT_EQ(pipe_->Plan("q").exit_code, 3);
    const CommandResult applied = pipe_->Apply("p");
    EXPECT_EQ(applied.exit_code, 3) << applied.error_text;
    EXPECT_THAT(pipe_->Generations(), SizeIs(0));
  }
  EXPECT_EQ(server_->Sql(absl::StrCat("SELECT count(*) FROM pg_namespace WHERE nspname = '", id_, "'")).value(), "0");
  Reach("localhost", server_->port(), Ca("ca"));
  const CommandResult applied = pipe_->Apply("p");
  EXPECT_EQ(applied.exit_code, 0) << applied.error_text;
}

}  // namespace
}  // namespace st::e2e
