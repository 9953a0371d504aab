#include "lib/state/postgres_dsn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/str_cat.h"

namespace st::state {
namespace {

using ::absl_testing::StatusIs;
using ::testing::HasSubstr;
using ::testing::Not;

std::string Mode(const Dsn& dsn) {
  for (const auto& [keyword, value] : dsn.options) {
    if (keyword == "sslmode") return value;
  }
  return "";
}

TEST(PostgresDsn, EncryptionIsProvenUnlessItIsSwitchedOffByName) {
  struct Case {
    std::string dsn, mode;
    bool plain;
  };
  for (const Case& c : std::vector<Case>{{"postgresql://u:p@h/d", "verify-full", false},
                                         {"host=h user=u", "verify-full", false},
                                         {"host=/run/postgresql", "verify-full", false},
                                         {"postgres://h/d?sslmode=require", "require", false},
                                         {"host=h sslmode=verify-ca", "verify-ca", false},
                                         {"host=h sslmode=disable", "disable", true}}) {
    absl::StatusOr<Dsn> dsn = ReadDsn(c.dsn, "X");
    ASSERT_TRUE(dsn.ok()) << c.dsn << dsn.status();
    EXPECT_EQ(Mode(*dsn), c.mode) << c.dsn;
    EXPECT_EQ(dsn->plain_by_name, c.plain) << c.dsn;
  }
  for (const std::string mode : {"allow", "prefer"}) {
    EXPECT_THAT(ReadDsn("host=h sslmode=" + mode, "X"),
                StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr("falls back")));
  }
}

// Each would make libpq, or an error about host, port or database, repeat a part of the password.
TEST(PostgresDsn, APieceOfAPasswordIsNeverQuoted) {
  for (const std::string dsn :
       {"canary", "postgresql://u:can@ary@h/d", "postgresql://u:canary/x@h/d", "postgresql://u:12/canary@h/d",
        "host=h password='canary", "host=h canary", "canary=1 host=h", "postgresql://u:canary%zz@h/d",
        "host=h port=canary", " ", "", "host=h,can@ary", "user=u:canary@h"}) {
    absl::StatusOr<Dsn> read = ReadDsn(dsn, "ST_DSN");
    EXPECT_THAT(read, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("ST_DSN"))) << dsn;
    EXPECT_THAT(read.status().message(), Not(HasSubstr("canary"))) << dsn;
  }
}

TEST(PostgresDsn, AnyPasswordIsTakenAsItIs) {
  absl::StatusOr<Dsn> dsn = ReadDsn("host=h user=u password='a@b/c=d?e#f'", "X");
  ASSERT_TRUE(dsn.ok()) << dsn.status();
  for (const char* odd : {"postgresql://u:12?x@h/d", "postgresql://u:12#x@h/d"}) {
    EXPECT_TRUE(ReadDsn(odd, "X").ok()) << odd << ": all up to the @ is the password";
  }
  dsn = ReadDsn("postgresql://u:a%40b%2Fc@h:5432,[::1]:5433/d?application_name=x", "X");
  ASSERT_TRUE(dsn.ok()) << dsn.status();
}

}  // namespace
}  // namespace st::state
