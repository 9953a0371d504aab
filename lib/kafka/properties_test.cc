#include "lib/kafka/properties.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "absl/strings/str_cat.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::kafka {
namespace {

using ::testing::_;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

constexpr char kKey[] = "-----BEGIN PRIVATE KEY-----\nSECRET\n-----END PRIVATE KEY-----\n";

TEST(ParseProperties, TakesTheValueByteForByte) {
  absl::StatusOr<Properties> got =
      ParseProperties("bootstrap.servers=a:1,b:2\nsasl.username= x \nsasl.password=p=q#\t\\n\n");
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT(*got, ElementsAre(Pair("bootstrap.servers", "a:1,b:2"), Pair("sasl.username", " x "),
                                Pair("sasl.password", "p=q#\t\\n")));
}

TEST(ParseProperties, TheLastLineNeedsNoEnd) {
  absl::StatusOr<Properties> got = ParseProperties("bootstrap.servers=a:1");
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT(*got, ElementsAre(Pair("bootstrap.servers", "a:1")));
  EXPECT_TRUE(ParseProperties("")->empty());
}

struct Refusal {
  std::string text;
  std::string words;
};

class ParseRefuses : public testing::TestWithParam<Refusal> {};

TEST_P(ParseRefuses, WithTheLineAndWithoutTheValue) {
  absl::StatusOr<Properties> got = ParseProperties(GetParam().text);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(got.status().message()), HasSubstr(GetParam().words));
  EXPECT_THAT(std::string(got.status().message()), Not(HasSubstr("SECRET")));
}

INSTANTIATE_TEST_SUITE_P(
    All, ParseRefuses,
    testing::Values(
        Refusal{"sasl.pasword=SECRET\n",
                "line 1: the client property 'sasl.pasword' is not allowed; did you mean "
                "'sasl.password'?"},
        Refusal{"bootstrap.servers=a:1\nplugin.library.paths=SECRET\n",
                "line 2: the client property 'plugin.library.paths' is not allowed"},
        Refusal{"enable.ssl.certificate.verification=SECRET\n", "always verified"},
        Refusal{"ssl.endpoint.identification.algorithm=none\n", "always verified"},
        Refusal{"sasl.password=SECRET\nsasl.password=SECRET\n", "line 2: the client property 'sasl.password' stands"},
        Refusal{"sasl.mechanism=PLAIN\nsasl.mechanisms=PLAIN\n", "line 2: the client property 'sasl.mechanisms'"},
        Refusal{"bootstrap.servers=SECRET\r\n", "line 1: the value of the client property 'bootstrap.servers' holds"},
        Refusal{std::string("sasl.password=SECRET\0x", 22), "a line break or a NUL"},
        Refusal{"ssl.key.pem=SECRET\n", "the client property 'ssl.key.pem' holds no PEM block of a private key"},
        Refusal{"ssl.ca.pem=SECRET\n", "the client property 'ssl.ca.pem' holds no PEM block of a certificate"},
        Refusal{"sasl.password=a\nSECRET\n", "line 2: a line must be name=value"},
        Refusal{"sasl.password=a\nSECRET=x\n", "line 2: this is no name of a client property"},
        Refusal{"# SECRET\n", "line 1: a line must be name=value"}, Refusal{"\n", "line 1: a line must be name=value"},
        Refusal{"=SECRET\n", "line 1: this is no name"}, Refusal{" sasl.password=SECRET\n", "line 1: this is no name"},
        Refusal{"security.protocol=SECRET\n", "must be one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"},
        Refusal{"security.protocol=ssl\n", "must be one of"},
        Refusal{"sasl.mechanism=scram-sha-256\n", "must be one of"},
        Refusal{"sasl.mechanism=GSSAPI\n", "must be one of PLAIN, SCRAM-SHA-256, SCRAM-SHA-512"}));

TEST(FormatProperties, IsWhatParseReads) {
  Properties properties = {{"bootstrap.servers", "a:1"}, {"sasl.password", " =x"}};
  absl::StatusOr<std::string> text = FormatProperties(properties);
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(*text, "bootstrap.servers=a:1\nsasl.password= =x\n");
  EXPECT_EQ(*ParseProperties(*text), properties);
}

TEST(FormatProperties, HasNoWayToWriteALineBreak) {
  absl::StatusOr<std::string> text = FormatProperties({{"ssl.key.pem", kKey}});
  EXPECT_EQ(text.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(text.status().message()), HasSubstr("'ssl.key.location'"));
  EXPECT_THAT(std::string(text.status().message()), Not(HasSubstr("SECRET")));
  EXPECT_EQ(FormatProperties({{"sasl.password", "SECRET\n"}}).status().code(), absl::StatusCode::kInvalidArgument);
}

v1::Connection SecureConnection() {
  v1::Connection connection;
  v1::ClientProperty* servers = connection.add_properties();
  servers->set_name("bootstrap.servers");
  servers->set_value("outside:9092");
  v1::ClientProperty* password = connection.add_properties();
  password->set_name("sasl.password");
  password->set_variable("PASSWORD");
  connection.set_bootstrap_servers_internal("inside:19092");
  return connection;
}

Lookup From(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](std::string_view name) -> std::optional<std::string> {
    auto found = variables.find(std::string(name));
    return found == variables.end() ? std::nullopt : std::optional<std::string>(found->second);
  };
}

TEST(ParseWithReferences, SecretsAreNeverWrittenOut) {
  const Lookup lookup = From({{"P", "SECRET"}, {"KEY", kKey}, {"EMPTY", ""}});
  absl::StatusOr<Properties> got =
      ParseWithReferences("sasl.username=$bob\nsasl.password=${P}\nssl.key.pem=${KEY}\n", lookup);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT(*got, ElementsAre(Pair("sasl.username", "$bob"), Pair("sasl.password", "SECRET"), Pair(_, kKey)));
  const Refusal cases[] = {
      {"a=b\nsasl.password=SECRET\n", "line 1: the client property 'a' is not allowed"},
      {"sasl.password=SECRET\n", "line 1: the client property 'sasl.password' is a secret: write ${VARIABLE}"},
      {"sasl.password=x${P}\n", "is a secret"},
      {"sasl.password=${SECRET VALUE}\n", "`${` is followed by no name of a variable"},
      {"sasl.password=${EMPTY}\n", "variable EMPTY is not set in the environment, or empty"},
      {"sasl.username=a\nssl.key.password=${NONE}\n", "line 2: variable NONE is not set"},
      {"ssl.key.pem=${P}\n", "line 1: the value of the client property 'ssl.key.pem' holds no PEM block"}};
  for (const Refusal& each : cases) {
    const absl::Status status = ParseWithReferences(each.text, lookup).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), AllOf(HasSubstr(each.words), Not(HasSubstr("SECRET"))));
  }
}

TEST(Resolve, TakesSecretsFromTheLookup) {
  absl::StatusOr<Properties> got = Resolve(SecureConnection(), false, From({{"PASSWORD", "p"}}));
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_THAT(*got, ElementsAre(Pair("bootstrap.servers", "outside:9092"), Pair("sasl.password", "p")));
}

TEST(Resolve, KnowsTheInsideAddress) {
  EXPECT_THAT(*Resolve(SecureConnection(), true, From({{"PASSWORD", "p"}})),
              ElementsAre(Pair("bootstrap.servers", "inside:19092"), Pair("sasl.password", "p")));
  v1::Connection same = SecureConnection();
  same.clear_bootstrap_servers_internal();
  EXPECT_THAT(*Resolve(same, true, From({{"PASSWORD", "p"}})),
              ElementsAre(Pair("bootstrap.servers", "outside:9092"), Pair("sasl.password", "p")));
}

TEST(Resolve, NamesEveryVariableThatIsMissing) {
  v1::Connection connection = SecureConnection();
  v1::ClientProperty* key = connection.add_properties();
  key->set_name("ssl.key.password");
  key->set_variable("KEY_PASSWORD");
  absl::StatusOr<Properties> got = Resolve(connection, false, From({{"KEY_PASSWORD", ""}}));
  EXPECT_EQ(got.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(got.status().message()), HasSubstr("PASSWORD, KEY_PASSWORD"));
}

TEST(Resolve, RefusesWhatADocumentMayNotAskFor) {
  v1::Connection connection;
  v1::ClientProperty* verify = connection.add_properties();
  verify->set_name("enable.ssl.certificate.verification");
  verify->set_value("false");
  EXPECT_EQ(Resolve(connection, false, From({})).status().code(), absl::StatusCode::kInvalidArgument);
}

// Who sees the message has set a variable, and may never have heard of the property.
TEST(Resolve, NamesTheVariableWhoseValueCannotBe) {
  v1::Connection connection = SecureConnection();
  v1::ClientProperty* key = connection.add_properties();
  key->set_name("ssl.key.pem");
  key->set_variable("KEY");
  EXPECT_EQ(Resolve(connection, false, From({{"PASSWORD", "p"}, {"KEY", kKey}}))->at(2).second, kKey);
  const std::pair<std::map<std::string, std::string>, std::string> cases[] = {
      {{{"PASSWORD", "SECRET\nb"}, {"KEY", kKey}},
       "variable PASSWORD: the value of the client property 'sasl.password' holds a line break or a NUL"},
      {{{"PASSWORD", "p"}, {"KEY", "SECRET"}},
       "variable KEY: the value of the client property 'ssl.key.pem' holds no PEM block of a private key"},
      {{{"PASSWORD", "p"}, {"KEY", absl::StrCat(kKey, "\r\n")}},
       "variable KEY: the value of the client property 'ssl.key.pem' holds a carriage return"}};
  for (const auto& [variables, words] : cases) {
    const absl::Status status = Resolve(connection, false, From(variables)).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(status.message(), words);
  }
}

TEST(CheckAllowed, APrivateKeyNeverStandsAmongCertificates) {
  const absl::Status status = CheckAllowed({{"ssl.certificate.pem", kKey}});
  EXPECT_EQ(status.message(),
            "the value of the client property 'ssl.certificate.pem' holds a private key, which is a secret");
}

}  // namespace
}  // namespace st::kafka
