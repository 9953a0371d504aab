// What is said when a broker and we do not come together: a sentence for each cause, the same from the tools and from
// the runner, without a credential in it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <future>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "e2e/command.h"
#include "e2e/pipe.h"
#include "e2e/runner/plans.h"
#include "e2e/security/secure_broker.h"
#include "e2e/security/way.h"
#include "lib/docio/docio.h"

namespace st::e2e {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kUser[] = "alice";
constexpr char kPassword[] = "canary-right-password";
constexpr char kWrong[] = "canary-wrong-password";
constexpr char kDummyId[] = "AAAAAAAAAAAAAAAAAAAAAA";

struct Case {
  std::string what;
  Way way;
  // As said, with the broker's address in place of <broker>.
  std::string sentence;
  // Whether it is known at once. Else the runner would take its 30 s: it is left out.
  bool soon = true;
};

class RefusalsTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    broker_ = new SecureBroker(std::map<std::string, std::string>{{kUser, kPassword}});
    broker_->AllowAll(kUser);
  }
  static void TearDownTestSuite() { delete broker_; }

  static Way Scram(const std::string& user, const std::string& password) {
    return Sasl(*broker_, "SCRAM", "SCRAM-SHA-512", user, password);
  }
  static Way Plain(const std::string& user, const std::string& password) {
    return Sasl(*broker_, "PLAIN", "PLAIN", user, password);
  }
  static Way At(Way way, const std::string& listener) {
    way.address = broker_->Address(listener);
    return way;
  }

  static std::vector<Case> Cases() {
    const Way tls = Tls(*broker_);
    const Way bare = tls.With("ssl.ca.location", "").With("security.protocol", "PLAINTEXT");
    const Way open = Sasl(*broker_, "OPEN", "PLAIN", kUser, kPassword);
    const std::string wrong_ca = "the certificate of <broker> is signed by CN=ca, which we do not trust: ";
    const std::string credentials = "and does not say which: look at 'sasl.username' and 'sasl.password'";
    return {
        {"wrong CA", tls.With("ssl.ca.location", broker_->File("wrong-ca.pem")),
         wrong_ca + "'ssl.ca.location' holds another CA"},
        {"wrong CA inline", tls.With("ssl.ca.location", "").With("ssl.ca.pem", broker_->Text("wrong-ca.pem")),
         wrong_ca + "'ssl.ca.pem' holds another CA"},
        {"no CA", tls.With("ssl.ca.location", ""), wrong_ca + "'ssl.ca.location' is not set"},
        {"wrong host", At(tls, "BADHOST"), "the certificate of <broker> is for other hosts (DNS:elsewhere.test): "},
        {"expired", At(tls, "EXPIRED"), "the certificate of <broker>, or of a CA above it, expired at 20"},
        {"wrong password", Scram(kUser, kWrong),
         "<broker> refused our user name or our password (SASL SCRAM-SHA-512), " + credentials},
        {"unknown user", Scram("canary-user", kPassword),
         "<broker> refused our user name or our password (SASL SCRAM-SHA-512), " + credentials},
        {"wrong password, PLAIN", Plain(kUser, kWrong),
         "<broker> refused our user name or our password (SASL PLAIN), " + credentials},
        {"unknown user, PLAIN", Plain("canary-user", kPassword),
         "<broker> refused our user name or our password (SASL PLAIN), " + credentials},
        {"another mechanism", At(Scram(kUser, kPassword), "PLAIN"),
         "<broker> does not take the SASL mechanism SCRAM-SHA-512, but PLAIN: look at 'sasl.mechanism'"},
        {"plaintext to TLS", bare,
         "<broker> speaks TLS, and refused what is not: 'security.protocol' is PLAINTEXT, and must be SSL or SASL_SSL"},
        {"SASL plaintext to TLS", At(open, "PLAIN"),
         "<broker> speaks TLS, and refused what is not: 'security.protocol' is SASL_PLAINTEXT, and must be SSL or "},
        {"TLS to plaintext", At(tls, "PLAINTEXT"), "<broker> does not speak TLS: 'security.protocol' is SSL"},
        {"SASL_SSL to plaintext", At(Scram(kUser, kPassword), "OPEN"),
         "<broker> does not speak TLS: 'security.protocol' is SASL_SSL"},
        {"SASL where there is none", At(Scram(kUser, kPassword), "TLS"),
         "<broker> takes no SASL: 'security.protocol' is SASL_SSL, and that port would take SSL"},
        {"no client certificate", At(tls, "MTLS"),
         "<broker> wants a client certificate: 'ssl.certificate.location' and"},
        {"a client of another CA",
         MutualTls(*broker_, kUser)
             .With("ssl.certificate.location", broker_->File("stranger.pem"))
             .With("ssl.key.location", broker_->File("stranger.key")),
         "<broker> does not accept our client certificate ('ssl.certificate.location' or 'ssl.certificate.pem')"},
        {"no SASL where it is wanted", At(bare, "OPEN"),
         "<broker> closed the connection without a word, as a port does that wants SASL: 'security.protocol' is "
         "PLAINTEXT",
         false},
    };
  }

  // st-runner as a host would start it, in a folder of its own.
  static CommandResult Run(const Pipe& pipe, const Way& way) {
    const v1::RecordPlan plan = Kept("in", "out");
    std::ofstream(pipe.Path("plan.textproto")) << docio::Write(plan);
    std::ofstream(pipe.Path("client.properties")) << way.Resolved();
    absl::StatusOr<CommandResult> result =
        RunCommand({"runner/st-runner", "--plan=" + pipe.Path("plan.textproto"),
                    "--client-properties=" + pipe.Path("client.properties"), "--application-id=st.app",
                    "--state-dir=" + pipe.Path("runner-state"), absl::StrCat("--expected-cluster-id=", kDummyId),
                    absl::StrCat("--expected-input-topic-id=", kDummyId),
                    absl::StrCat("--expected-output-topic-id=", kDummyId), "--initialized-partitions=1"},
                   {.input = "", .environment = {{"ST_GENERATION_ID", "g"}}});
    EXPECT_TRUE(result.ok()) << result.status();
    return *std::move(result);
  }

  static SecureBroker* broker_;
};

SecureBroker* RefusalsTest::broker_ = nullptr;

struct Said {
  CommandResult import, observe, run;
};

// All at once: most of the time is waiting.
TEST_F(RefusalsTest, EachHasItsSentence) {
  const std::vector<Case> cases = Cases();
  std::vector<std::future<Said>> all;
  for (size_t i = 0; i < cases.size(); ++i) {
    all.push_back(std::async(std::launch::async, [&, i] {
      Pipe pipe("unused", absl::StrCat("refused", i));
      pipe.WriteProject("in", "out");
      cases[i].way.Declare(&pipe);
      Said said;
      said.import = cases[i].way.Import(pipe, {});
      said.observe = pipe.Tool("st-observe", {}, pipe.Compile());
      // A text of several lines reaches a runner as a file; see the ways in for that.
      if (cases[i].what != "wrong CA inline" && cases[i].soon) said.run = Run(pipe, cases[i].way);
      return said;
    }));
  }
  std::set<std::string> sentences;
  for (size_t i = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i].what);
    const Said said = all[i].get();
    const std::string sentence = absl::StrReplaceAll(cases[i].sentence, {{"<broker>", cases[i].way.address}});
    for (const CommandResult& tool : {said.import, said.observe}) {
      EXPECT_EQ(tool.exit_code, 3) << tool.error_text;
      EXPECT_THAT(tool.error_text, HasSubstr(sentence));
      EXPECT_THAT(tool.output + tool.error_text, Not(HasSubstr("canary")));
    }
    sentences.insert(cases[i].sentence);
    if (said.run.error_text.empty() && said.run.output.empty()) continue;
    EXPECT_EQ(said.run.exit_code, 3) << said.run.output;
    EXPECT_THAT(said.run.output + said.run.error_text, HasSubstr(sentence));
    EXPECT_THAT(said.run.output + said.run.error_text, Not(HasSubstr("canary")));
  }
  // A wrong password and an unknown user are alike, by each mechanism; nothing else is.
  EXPECT_EQ(sentences.size(), cases.size() - 2);
}

// What the tools that change something say, with a plan that was made when all was well.
TEST_F(RefusalsTest, ApplyAndResumeSayTheSame) {
  broker_->MakeInput("in");
  Pipe pipe("unused", "late");
  pipe.WriteProject("in", "out");
  Scram(kUser, kPassword).Declare(&pipe);
  ASSERT_EQ(pipe.Plan("p").exit_code, 10);
  const CommandResult applied = pipe.Apply("p", {{"KAFKA_PASSWORD", kWrong}});
  EXPECT_EQ(applied.exit_code, 3) << applied.error_text;
  EXPECT_THAT(applied.error_text, HasSubstr("refused our user name or our password"));
  EXPECT_THAT(applied.error_text, Not(HasSubstr("canary")));
  const CommandResult resumed = pipe.Tool("st-resume", {"--status"}, pipe.Compile(), {{"KAFKA_PASSWORD", ""}});
  EXPECT_NE(resumed.exit_code, 0);
  EXPECT_THAT(resumed.error_text, HasSubstr("KAFKA_PASSWORD"));
}

// What no broker is needed for: the files and texts of the client itself.
TEST_F(RefusalsTest, WrongFilesAreNamedBeforeAnyConnection) {
  const Way mutual = MutualTlsWithPassword(*broker_, kUser, kPassword);
  const std::pair<Way, std::string> cases[] = {
      {mutual.Where("KEY_PASSWORD", kWrong), "the private key of 'ssl.key.location' cannot be read: it is not there"},
      {mutual.With("ssl.key.password", ""), "the private key of 'ssl.key.location' cannot be read"},
      {mutual.With("ssl.ca.location", "/nowhere/ca.pem"), "the certificate of 'ssl.ca.location' cannot be read"},
      {mutual.With("ssl.certificate.location", broker_->File("stranger.pem")),
       "the private key is not that of the client certificate"}};
  int number = 0;
  for (const auto& [way, sentence] : cases) {
    Pipe pipe("unused", absl::StrCat("files", number++));
    pipe.WriteProject("in", "out");
    way.Declare(&pipe);
    const CommandResult observed = pipe.Tool("st-observe", {}, pipe.Compile());
    EXPECT_NE(observed.exit_code, 0);
    EXPECT_THAT(observed.error_text, HasSubstr(sentence));
    EXPECT_THAT(observed.error_text, Not(HasSubstr("canary")));
    const CommandResult ran = Run(pipe, way);
    EXPECT_EQ(ran.exit_code, 2) << ran.error_text;
    EXPECT_THAT(ran.output + ran.error_text, HasSubstr(sentence));
  }
}

}  // namespace
}  // namespace st::e2e
