// The library's words below were said by librdkafka 2.14.2 to a Kafka 4.3.1.
#include "lib/kafka/refusal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

namespace st::kafka {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const std::pair<std::string, Refusal> kSaid[] = {
    {"ssl://h:9093/bootstrap: SSL handshake failed: error:0A000086:SSL routines::certificate verify failed: broker "
     "certificate could not be verified, verify that ssl.ca.location is correctly configured (after 4ms in state "
     "SSL_HANDSHAKE) (_SSL)",
     Refusal::kCertificate},
    {"ssl://h:9093/bootstrap: Receive failed: error:0A00045C:SSL routines::tlsv13 alert certificate required: SSL "
     "alert "
     "number 116 (after 0ms in state APIVERSION_QUERY, 1 identical error(s) suppressed)",
     Refusal::kClientCertificate},
    {"sasl_ssl://h:9093/bootstrap: SASL authentication error: Authentication failed during authentication due to "
     "invalid "
     "credentials with SASL mechanism SCRAM-SHA-512 (after 325ms in state AUTH_REQ)",
     Refusal::kCredentials},
    {"sasl_ssl://h:9093/bootstrap: SASL authentication error: Authentication failed: Invalid username or password "
     "(after "
     "301ms in state AUTH_REQ)",
     Refusal::kCredentials},
    {"sasl_ssl://h:9093/bootstrap: SASL SCRAM-SHA-256 mechanism handshake failed: Broker: Unsupported SASL mechanism: "
     "broker's supported mechanisms: PLAIN (after 301ms in state AUTH_HANDSHAKE)",
     Refusal::kMechanism},
    {"sasl_plaintext://h:9093/bootstrap: SASL PLAIN mechanism handshake failed: Broker: Request not valid in current "
     "SASL state: broker's supported mechanisms:  (after 1ms in state AUTH_HANDSHAKE)",
     Refusal::kNoSasl},
    {"ssl://h:9093/bootstrap: SSL handshake failed: Disconnected: SSL connection closed by peer: connecting to a "
     "PLAINTEXT broker listener? (after 0ms in state SSL_HANDSHAKE)",
     Refusal::kNoTls},
    {"h:9093/bootstrap: Disconnected: connection closed by peer: receive 0 after POLLIN (after 0ms in state "
     "APIVERSION_QUERY, 1 identical error(s) suppressed)",
     Refusal::kClosed},
    {"ssl://h:9093/1: Disconnected: SSL connection closed by peer (after 1ms in state UP)", Refusal::kClosed},
};

TEST(ReadComplaint, KnowsWhatTheLibrarySays) {
  for (const auto& [words, refusal] : kSaid) {
    const Complaint complaint = ReadComplaint(words);
    EXPECT_EQ(complaint.refusal, refusal) << words;
    EXPECT_EQ(complaint.host, "h") << words;
    EXPECT_EQ(complaint.port, "9093") << words;
    EXPECT_EQ(complaint.mechanisms, refusal == Refusal::kMechanism ? "PLAIN" : "") << words;
  }
}

TEST(ReadComplaint, LeavesTheRestToTheLibrary) {
  for (const std::string words :
       {"", "ssl://h:1/bootstrap: Connect to ipv4#127.0.0.1:1 failed: Connection refused (after 0ms in state CONNECT)",
        "ssl://h:9092/bootstrap: Failed to resolve 'h:9092': Name or service not known (after 0ms in state CONNECT)"}) {
    EXPECT_EQ(ReadComplaint(words).refusal, Refusal::kNone) << words;
    EXPECT_EQ(Explain(ReadComplaint(words), {}, nullptr).sentence, "");
  }
}

TEST(ReadComplaint, FindsTheBroker) {
  const std::map<std::string, std::pair<std::string, std::string>> cases = {
      {"ssl://[::1]:9093/bootstrap: Disconnected", {"::1", "9093"}},
      {"a.b-c:1/2: Disconnected", {"a.b-c", "1"}},
      {"Disconnected", {"", ""}},
      {"GroupCoordinator: a:1/x: Disconnected", {"", ""}},
      {"a/b: Disconnected", {"", ""}}};
  for (const auto& [words, broker] : cases) {
    const Complaint complaint = ReadComplaint(words);
    EXPECT_EQ(std::pair(complaint.host, complaint.port), broker) << words;
  }
}

const Properties kSecure = {{"security.protocol", "SASL_SSL"}, {"sasl.mechanism", "SCRAM-SHA-512"},
                            {"sasl.username", "canary-user"},  {"sasl.password", "canary-password"},
                            {"ssl.ca.location", "/canary-ca"}, {"ssl.certificate.location", "/canary-certificate"}};

// A sentence for each, none like another; each names the broker and quotes nothing.
TEST(Explain, SaysWhatWhoAndWhichSetting) {
  std::set<std::string> sentences;
  for (Refusal refusal : {Refusal::kClientCertificate, Refusal::kCredentials, Refusal::kMechanism, Refusal::kNoSasl,
                          Refusal::kNoTls, Refusal::kClosed, Refusal::kCertificate}) {
    for (Peer::Kind kind :
         {Peer::Kind::kUnreachable, Peer::Kind::kNotTls, Peer::Kind::kTrusted, Peer::Kind::kUnknownIssuer,
          Peer::Kind::kOtherHost, Peer::Kind::kExpired, Peer::Kind::kNotYetValid, Peer::Kind::kUnfit}) {
      const Peer peer = {kind, "detail"};
      const bool shown = refusal != Refusal::kNoTls || kind == Peer::Kind::kNotTls;
      const Explanation explanation = Explain({refusal, "h", "1", "PLAIN"}, kSecure, &peer);
      sentences.insert(explanation.sentence);
      EXPECT_EQ(explanation.sentence.empty(), !shown);
      if (!shown) continue;
      EXPECT_THAT(explanation.sentence, AllOf(HasSubstr("h:1"), Not(HasSubstr("canary"))));
    }
  }
  // An empty one; six faults of a certificate, where three kinds of look show none; one for each other refusal.
  EXPECT_EQ(sentences.size(), 1u + 6u + 6u);
}

TEST(Explain, AWrongPasswordAndAnUnknownUserAreAlike) {
  EXPECT_EQ(Explain(ReadComplaint(kSaid[2].first), kSecure, nullptr).sentence,
            "h:9093 refused our user name or our password (SASL SCRAM-SHA-512), and does not say which: look at "
            "'sasl.username' and 'sasl.password'");
}

TEST(Explain, TlsAndNoneMayMeetEitherWay) {
  const Peer tls = {Peer::Kind::kUnknownIssuer, "x"};
  const Peer none = {Peer::Kind::kNotTls, ""};
  const Properties plain = {{"security.protocol", "SASL_PLAINTEXT"}};
  EXPECT_EQ(
      Explain({Refusal::kClosed, "h", "1", ""}, plain, &tls).sentence,
      "h:1 speaks TLS, and refused what is not: 'security.protocol' is SASL_PLAINTEXT, and must be SSL or SASL_SSL");
  EXPECT_EQ(
      Explain({Refusal::kClosed, "h", "1", ""}, {}, &none).sentence,
      "h:1 closed the connection without a word, as a port does that wants SASL: 'security.protocol' is PLAINTEXT");
  // Closed in the handshake, which is not always said.
  EXPECT_EQ(Explain({Refusal::kClosed, "h", "1", ""}, kSecure, &none).sentence,
            Explain({Refusal::kNoTls, "h", "1", ""}, kSecure, &none).sentence);
  EXPECT_EQ(Explain({Refusal::kNoTls, "::1", "1", ""}, kSecure, &none).sentence,
            "[::1]:1 does not speak TLS: 'security.protocol' is SASL_SSL, and that port would take SASL_PLAINTEXT or "
            "PLAINTEXT");
}

// A broker that is starting or stopping says the same as one that will never take us.
TEST(Explain, OnlyALookMakesFinal) {
  for (Refusal refusal : {Refusal::kCertificate, Refusal::kNoTls, Refusal::kClosed}) {
    EXPECT_TRUE(NeedsLook(refusal));
    EXPECT_FALSE(Explain({refusal, "h", "1", ""}, kSecure, nullptr).is_final);
    for (Peer::Kind kind : {Peer::Kind::kUnreachable, Peer::Kind::kTrusted}) {
      const Peer peer = {kind, ""};
      EXPECT_FALSE(Explain({refusal, "h", "1", ""}, kSecure, &peer).is_final);
    }
  }
  const Peer other = {Peer::Kind::kOtherHost, "DNS:x"};
  EXPECT_TRUE(Explain({Refusal::kCertificate, "h", "1", ""}, kSecure, &other).is_final);
  EXPECT_TRUE(Explain({Refusal::kCredentials, "h", "1", ""}, kSecure, nullptr).is_final);
}

TEST(ExplainSettings, SaysWhatToLookAt) {
  const std::map<std::string, std::string> cases = {
      {"ssl.key.location failed: error:0A080009:SSL routines::PEM lib", "the private key of 'ssl.key.location' cannot"},
      {"ssl.key.pem failed: error:0A080009:SSL routines::PEM lib", "'ssl.key.password' is not its password"},
      {"ssl.key.location failed: error:05800074:x509 certificate routines::key values mismatch",
       "the private key is not that of the client certificate"},
      {"ssl.ca.location failed: error:05880002:x509 certificate routines::system lib",
       "the certificate of 'ssl.ca.location' cannot be read"},
      {"`x` must be set", "`x` must be set"}};
  for (const auto& [words, sentence] : cases) EXPECT_THAT(ExplainSettings(words), HasSubstr(sentence)) << words;
}

TEST(LookAtPeer, NobodyThereIsNoAnswer) {
  EXPECT_EQ(LookAtPeer("127.0.0.1", "1", {}, 1000).kind, Peer::Kind::kUnreachable);
  EXPECT_EQ(LookAtPeer("host.invalid", "1", {}, 1000).kind, Peer::Kind::kUnreachable);
}

}  // namespace
}  // namespace st::kafka
