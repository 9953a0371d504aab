// Every tool that connects, and the runner, by each way in that a declaration can name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "e2e/pipe.h"
#include "e2e/security/secure_broker.h"
#include "e2e/security/way.h"

namespace st::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr char kUser[] = "alice";
constexpr char kPassword[] = "the.password-of_alice";

class WaysTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    broker_ = new SecureBroker(std::map<std::string, std::string>{{kUser, kPassword}});
    broker_->AllowAll(kUser);
    broker_->AllowAll("ANONYMOUS");
  }
  static void TearDownTestSuite() { delete broker_; }

  static Way WayBySasl(const std::string& listener, const std::string& mechanism) {
    return Sasl(*broker_, listener, mechanism, kUser, kPassword);
  }

  // Import, plan, apply, records, status, and a second plan that has nothing to do.
  static void GoesAllTheWay(const Way& way) {
    static int number = 0;
    const std::string id = absl::StrCat(number++);
    broker_->MakeInput("in" + id);
    Pipe pipe("unused", "ways" + id);
    pipe.WriteProject("in" + id, "out" + id);
    way.Declare(&pipe);

    const CommandResult imported = way.Import(pipe, {"--topics", "in" + id});
    EXPECT_EQ(imported.exit_code, 0) << imported.error_text;
    EXPECT_THAT(imported.output, HasSubstr("topic: \"in" + id + "\""));
    const CommandResult planned = pipe.Plan("p");
    EXPECT_EQ(planned.exit_code, 10) << planned.error_text;
    const CommandResult applied = pipe.Apply("p");
    ASSERT_EQ(applied.exit_code, 0) << applied.error_text;
    EXPECT_THAT(broker_->AwaitOutput("out" + id, 10), SizeIs(10));
    const CommandResult status = pipe.Tool("st-resume", {"--status"}, pipe.Compile());
    EXPECT_EQ(status.exit_code, 0) << status.error_text;
    const CommandResult again = pipe.Plan("again");
    EXPECT_EQ(again.exit_code, 0) << again.error_text;
  }

  static SecureBroker* broker_;
};

SecureBroker* WaysTest::broker_ = nullptr;

TEST_F(WaysTest, TlsWithAPrivateCa) { GoesAllTheWay(Tls(*broker_)); }
TEST_F(WaysTest, Scram256) { GoesAllTheWay(WayBySasl("SCRAM", "SCRAM-SHA-256")); }
TEST_F(WaysTest, Scram512) { GoesAllTheWay(WayBySasl("SCRAM", "SCRAM-SHA-512")); }
TEST_F(WaysTest, Plain) { GoesAllTheWay(WayBySasl("PLAIN", "PLAIN")); }
TEST_F(WaysTest, ScramWithoutTls) { GoesAllTheWay(WayBySasl("OPEN", "SCRAM-SHA-512")); }
TEST_F(WaysTest, MutualTlsByFiles) { GoesAllTheWay(MutualTls(*broker_, kUser)); }
TEST_F(WaysTest, MutualTlsByFilesWithAPassword) { GoesAllTheWay(MutualTlsWithPassword(*broker_, kUser, kPassword)); }
TEST_F(WaysTest, MutualTlsInline) { GoesAllTheWay(MutualTlsInline(*broker_, kUser, kPassword)); }

}  // namespace
}  // namespace st::e2e
