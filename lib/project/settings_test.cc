// The form of what is said once: project, runtime, deployment_state, defaults, rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "lib/project/test_folder.h"

namespace st::project {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

struct Case {
  std::string yaml;     // after `project:`
  std::string finding;  // its beginning; empty: none
};

void Check(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    const Outcome outcome = LoadYaml(absl::StrCat(kProjectLine, each.yaml, "\n"));
    if (each.finding.empty()) {
      EXPECT_THAT(outcome.findings, IsEmpty()) << each.yaml;
    } else {
      EXPECT_THAT(outcome.findings, ElementsAre(StartsWith("stream_project.yml:" + each.finding))) << each.yaml;
    }
  }
}

TEST(Settings, ProjectNames) {
  for (const std::string_view good : {"shop", "_", "a-b", "a1_2", "x"}) {
    EXPECT_THAT(LoadYaml(absl::StrCat("project: {name: ", good, "}\n")).findings, IsEmpty()) << good;
  }
  for (const std::string_view bad : {"Shop", "1a", "-a", "a.b", "a b", "größe", "a/b"}) {
    EXPECT_THAT(LoadYaml(absl::StrCat("project: {name: ", bad, "}\n")).findings,
                ElementsAre(StartsWith("stream_project.yml:1:17 BAD_NAME `")))
        << bad;
  }
  EXPECT_THAT(
      LoadYaml("project: {name: My Shop}\n").All(),
      HasSubstr("`My Shop` is no name for a project | a name is a-z, 0-9, _ and -, begins with a letter or _, and has "
                "up to 249 bytes, such as my_shop"));
  EXPECT_THAT(LoadYaml("project: {version: x}\n").All(),
              StartsWith("stream_project.yml:1:10 MISSING_FIELD `name` is missing"));
  EXPECT_THAT(LoadYaml("project: {name: ''}\n").All(),
              StartsWith("stream_project.yml:1:17 MISSING_FIELD `name` is empty"));
  EXPECT_THAT(LoadYaml("project: {name: " + std::string(250, 'a') + "}\n").All(), HasSubstr("BAD_NAME"));
}

TEST(Settings, Servers) {
  const auto kafka = [](std::string_view servers) {
    return absl::StrCat("runtime: {kafka: {bootstrap_servers: '", servers, "'}}");
  };
  std::vector<Case> cases;
  for (const std::string_view good : {"a:1", "a.b-c_d:9092", "10.0.0.1:65535", "[::1]:9092", "a:1,b:2", "a:1, b:2"}) {
    cases.push_back({kafka(good), ""});
  }
  for (const std::string_view bad :
       {"a", "a:", ":1", "a:0", "a:65536", "a:1,", ",a:1", "a b:1", "http://a:1", "a:1x", "[]:1", "a:-1"}) {
    cases.push_back({kafka(bad), "2:38 BAD_VALUE `"});
  }
  cases.push_back({kafka(""), "2:38 MISSING_FIELD `bootstrap_servers` is empty"});
  cases.push_back({"runtime: {kafka: {}}", "2:18 MISSING_FIELD `bootstrap_servers` is missing"});
  cases.push_back({"runtime: {kafka: {bootstrap_servers: 'a:1', bootstrap_servers_internal: b}}",
                   "2:73 BAD_VALUE `b` is no list of brokers"});
  Check(cases);
}

TEST(Settings, Security) {
  const auto kafka = [](std::string_view rest) {
    return absl::StrCat("runtime: {kafka: {bootstrap_servers: 'a:1', ", rest, "}}");
  };
  const std::string user = "sasl_username: u, sasl_password: '${P}'";
  Check({{kafka("security_protocol: PLAINTEXT"), ""},
         {kafka("security_protocol: SSL"), ""},
         {kafka("security_protocol: SASL_SSL, sasl_mechanism: SCRAM-SHA-512, " + user), ""},
         {kafka("security_protocol: SASL_PLAINTEXT, sasl_mechanism: PLAIN, " + user), ""},
         {kafka("security_protocol: sasl_ssl"),
          "2:64 UNKNOWN_VALUE unknown value `sasl_ssl` for `security_protocol` | did you mean `SASL_SSL`?"},
         {kafka("security_protocol: TLS"), "2:64 UNKNOWN_VALUE unknown value `TLS`"},
         {kafka("security_protocol: SASL_SSL, " + user), "2:18 MISSING_FIELD `sasl_mechanism` is missing"},
         {kafka("security_protocol: SASL_SSL, sasl_mechanism: PLAIN, sasl_password: '${P}'"),
          "2:18 MISSING_FIELD `sasl_username`"},
         {kafka("security_protocol: SASL_SSL, sasl_mechanism: PLAIN, sasl_username: u"),
          "2:18 MISSING_FIELD `sasl_password`"},
         // A wrong secret is not called missing as well.
         {kafka("security_protocol: SASL_SSL, sasl_mechanism: PLAIN, sasl_username: u, sasl_password: x"),
          "2:130 SECRET_LITERAL"},
         {kafka("sasl_mechanism: OAUTHBEARER"), "2:61 UNSUPPORTED_VALUE `sasl_mechanism: OAUTHBEARER`"},
         {kafka("sasl_mechanism: SCRAM-SHA-521"),
          "2:61 UNKNOWN_VALUE unknown value `SCRAM-SHA-521` for `sasl_mechanism` | did you mean `SCRAM-SHA-512`?"},
         {kafka("sasl_mechanism: GSSAPI"), "2:61 UNSUPPORTED_VALUE `sasl_mechanism: GSSAPI`"},
         {kafka("sasl_mechanism: AWS_MSK_IAM"), "2:61 UNSUPPORTED_VALUE `sasl_mechanism: AWS_MSK_IAM`"}});
}

TEST(Settings, TlsFiles) {
  const auto kafka = [](std::string_view rest) {
    return absl::StrCat("runtime: {kafka: {bootstrap_servers: 'a:1', ", rest, "}}");
  };
  const std::string block = "\"-----BEGIN CERTIFICATE-----\\nQUJD\\n-----END CERTIFICATE-----\"";
  Check({{kafka("ssl_certificate_location: /a, ssl_key_location: /b"), ""},
         {kafka("ssl_certificate_location: /a, ssl_key_pem: '${K}'"), ""},
         {kafka("ssl_ca_pem: " + block + ", ssl_certificate_pem: " + block + ", ssl_key_pem: '${K}'"), ""},
         {kafka("ssl_ca_location: /a, ssl_ca_pem: " + block),
          "2:78 CONTRADICTION `ssl_ca_pem` and `ssl_ca_location` say the same"},
         {kafka("ssl_certificate_location: /a"), "2:71 MISSING_FIELD a client certificate needs its key"},
         {kafka("ssl_certificate_pem: " + block),
          "2:66 MISSING_FIELD a client certificate needs its key | write ssl_key_pem: ${SSL_KEY_PEM}"},
         {kafka("ssl_ca_location: \"/a\\rb\""), "2:62 INVISIBLE_CHARACTER `ssl_ca_location`"},
         {kafka("ssl_ca_location: ca.pem"), "2:62 BAD_VALUE `ssl_ca_location` is relative"},
         {kafka("ssl_ca_location: probe"), "2:62 BAD_VALUE `ssl_ca_location` is relative"},
         {kafka("ssl_certificate_location: a, ssl_key_location: /b"), "2:71 BAD_VALUE `ssl_certificate_location` is"},
         {kafka("ssl_certificate_location: /a, ssl_key_location: ./b"), "2:93 BAD_VALUE `ssl_key_location` is relat"},
         {kafka("ssl_ca_location: /etc/trust.JKS"),
          "2:62 UNSUPPORTED_VALUE `ssl_ca_location` names a keystore (.jks): only PEM files are read | export it"},
         {kafka("ssl_certificate_location: /me.p12, ssl_key_location: /me.pem"), "2:71 UNSUPPORTED_VALUE `ssl_cert"}});
}

// Nothing of such a text is ever shown: it may be the wrong one.
TEST(Settings, PemTexts) {
  const auto pem = [](std::string_view value) {
    TestFolder folder;
    folder.Variable("PEM", "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n");
    folder.Variable("CR", "-----BEGIN CERTIFICATE-----\r\nQ0FOQVJZ\r\n-----END CERTIFICATE-----\r\n");
    folder.Variable("KEY", "-----BEGIN PRIVATE KEY-----\nQ0FOQVJZ\n-----END PRIVATE KEY-----\n")
        .Variable("BAD", "Q0FOQVJZ");
    folder.Write("stream_project.yml", absl::StrCat(kProjectLine,
                                                    "runtime:\n  kafka:\n    bootstrap_servers: a:1\n"
                                                    "    ssl_ca_pem: ",
                                                    value, "\n"));
    const Outcome outcome = folder.Load();
    EXPECT_THAT(outcome.All(), Not(HasSubstr("Q0FOQVJZ"))) << value;
    return outcome;
  };
  for (const std::string_view good :
       {"|\n      # ours\n      -----BEGIN CERTIFICATE-----\n      QUJD\n      -----END CERTIFICATE-----", "${PEM}"}) {
    const Outcome outcome = pem(good);
    EXPECT_THAT(outcome.findings, IsEmpty());
    EXPECT_THAT(outcome.project().runtime().kafka().ssl_ca_pem(),
                EndsWith("-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n"));
  }
  const Case bad[] = {
      {"${CR}", "VARIABLE_VALUE the value of variable `CR` holds a carriage return or a NUL | end its lines with"},
      {"${BAD}", "BAD_VALUE `ssl_ca_pem` holds no PEM block of a certificate | write the text as a block (`|`)"},
      {"${KEY}", "SECRET_LITERAL `ssl_ca_pem` holds a private key, which is a secret | take it out"},
      {"\"Q0FOQVJZ\\r\"", "INVISIBLE_CHARACTER `ssl_ca_pem` holds a character that a reader cannot see | remove it"},
      {"\"Q0FOQVJZ\\0\"", "INVISIBLE_CHARACTER `ssl_ca_pem` holds a character that a reader cannot see | remove it"},
      // Folded into one line.
      {">\n      -----BEGIN CERTIFICATE-----\n      Q0FOQVJZ\n      -----END CERTIFICATE-----", "BAD_VALUE"}};
  for (const Case& each : bad) {
    EXPECT_THAT(pem(each.yaml).findings, ElementsAre(StartsWith("stream_project.yml:5:17 " + each.finding)));
  }
}

// By name, in the spelling of the streamt format and in that of Kafka's clients.
TEST(Settings, WhatProtectsAConnectionAndIsNotHere) {
  const std::pair<std::string_view, std::string_view> keys[] = {
      {"sasl_jaas_config", "use `sasl_username` and `sasl_password`"},
      {"sasl.jaas.config", "use `sasl_username` and `sasl_password`"},
      {"enable.ssl.certificate.verification", "certificates are always verified"},
      {"ssl.endpoint.identification.algorithm", "host names are always verified"},
      {"ssl_keystore_location", "not JKS or PKCS12 keystores"},
      {"ssl.keystore.location", "use `ssl_certificate_location`"},
      {"ssl.truststore.location", "`ssl_ca_location`"},
      {"ssl_truststore_password", "not JKS or PKCS12 keystores"},
      {"sasl.kerberos.service.name", "no Kerberos (GSSAPI)"},
      {"sasl.oauthbearer.config", "no OAUTHBEARER"},
      {"sasl_mechanisms", "write `sasl_mechanism`"}};
  for (const auto& [key, words] : keys) {
    const Outcome outcome =
        LoadYaml(absl::StrCat(kProjectLine, "runtime: {kafka: {bootstrap_servers: 'a:1', ", key, ": SECRET}}\n"));
    ASSERT_THAT(outcome.findings, ElementsAre(StartsWith("stream_project.yml:2:45 UNSUPPORTED_KEY `"))) << key;
    EXPECT_THAT(outcome.All(), AllOf(HasSubstr(words), HasSubstr(key), Not(HasSubstr("SECRET"))));
  }
}

TEST(Settings, Runner) {
  const std::string image = "sha256:" + std::string(64, 'a');
  const auto runner = [](std::string_view rest) { return absl::StrCat("runtime: {runner: {", rest, "}}"); };
  Check({{runner("host: process, initial_offset: latest, commit_interval_ms: 10000"), ""},
         {runner("host: docker, image: '" + image + "', network: streaming-local"), ""},
         {runner("host: podman"), "2:26 UNKNOWN_VALUE unknown value `podman` for `host`"},
         {runner("initial_offset: earlyest"),
          "2:36 UNKNOWN_VALUE unknown value `earlyest` for `initial_offset` | did you mean `earliest`?"},
         {runner("initial_offset: none"), "2:36 UNKNOWN_VALUE"},
         {runner("commit_interval_ms: 9"), "2:40 BAD_VALUE `commit_interval_ms` must be a number from 10 to 10000"},
         {runner("commit_interval_ms: 10001"), "2:40 BAD_VALUE"},
         {runner("host: docker"), "2:19 MISSING_FIELD `image` is missing"},
         {runner("image: st-runner:latest"),
          "2:27 BAD_VALUE `image` is not sha256: and 64 hex digits | name an immutable image id; a tag"},
         {runner("image: '" + image + "a'"), "2:27 BAD_VALUE"},
         {runner("image: 'sha256:" + std::string(64, 'A') + "'"), "2:27 BAD_VALUE"},
         {runner("network: '-x'"), "2:29 BAD_VALUE `network` is no name"}});
}

TEST(Settings, RunnerIsSaidWhereAModelHasSql) {
  const std::string model = "models: [{name: m, executor: runner, sql: SELECT a FROM b}]";
  EXPECT_THAT(
      LoadYaml(absl::StrCat(kProjectLine, model, "\n")).findings,
      ElementsAre(StartsWith("stream_project.yml:1:1 MISSING_FIELD `runtime.runner.host` is missing: a model has SQL"),
                  StartsWith("stream_project.yml:1:1 MISSING_FIELD `runtime.runner.initial_offset` is missing")));
  Check({{"runtime: {runner: {host: process, initial_offset: earliest}}\n" + model, ""},
         {"runtime: {runner: {host: process}}\n" + model, "2:19 MISSING_FIELD `runtime.runner.initial_offset`"},
         {"runtime: {runner: {initial_offset: latest}}\n" + model, "2:19 MISSING_FIELD `runtime.runner.host`"},
         // A wrong one is not missing.
         {"runtime: {runner: {host: process, initial_offset: [x]}}\n" + model, "2:51 WRONG_TYPE"},
         {"models: [{name: m, materialized: topic}]", ""}});
}

TEST(Settings, DeploymentState) {
  const auto state = [](std::string_view rest) { return absl::StrCat("deployment_state: {", rest, "}"); };
  Check({{state("backend: sqlite, path: /var/lib/st/state.db"), ""},
         {state("backend: postgres, schema: st_platform, dsn_env: ST_STATE_DSN"), ""},
         {state("backend: mysql"), "2:29 UNKNOWN_VALUE unknown value `mysql` for `backend`"},
         {state("path: ''"), "2:26 BAD_VALUE `path` is empty"},
         {state("backend: postgres, schema: s"), "2:19 MISSING_FIELD `dsn_env` is missing"},
         {state("backend: postgres, dsn_env: A"), "2:19 MISSING_FIELD `schema` is missing"},
         {state("backend: postgres, dsn_env: A, schema: S"), "2:59 BAD_VALUE `S` is no name for a schema"},
         {state("dsn_env: 'postgres://u:p@h/d'"), "2:29 BAD_VALUE `dsn_env` is no name of an environment variable"}});
  // Who writes the connection string itself must not read it in a log.
  EXPECT_EQ(
      LoadYaml(absl::StrCat(kProjectLine, state("dsn_env: 'postgres://u:hunter2@h/d'"), "\n")).All().find("hunter2"),
      std::string::npos);
}

TEST(Settings, NumbersAndRules) {
  Check({{"defaults: {topic: {partitions: 1, replication_factor: 3}}", ""},
         {"defaults: {topic: {partitions: 0}}", "2:32 BAD_VALUE `partitions` must be a number from 1 to 2147483647"},
         {"defaults: {topic: {replication_factor: 32768}}", "2:40 BAD_VALUE `replication_factor`"},
         {"rules: {topics: {min_partitions: 3, max_partitions: 3, min_replication_factor: 2}}", ""},
         {"rules: {topics: {min_partitions: 3, max_partitions: 2}}",
          "2:53 CONTRADICTION `max_partitions` is below `min_partitions`"},
         {"rules: {topics: {min_partitions: 0}}", "2:34 BAD_VALUE"},
         {"rules: {topics: {forbidden_prefixes: [a, '']}}", "2:42 BAD_VALUE an empty prefix forbids every topic"},
         {"rules: {topics: {required_config: ['']}}", "2:36 BAD_VALUE an empty key"}});
}

TEST(Settings, ProtectedHasTwoSpellings) {
  EXPECT_TRUE(LoadYaml(absl::StrCat(kProjectLine, "environment: {protected: true}\n")).project().safety().protected_());
  Check({{"environment: {protected: true}\nsafety: {protected: true}", ""},
         {"environment: {protected: true}\nsafety: {protected: false}",
          "2:26 CONTRADICTION `environment.protected` contradicts `safety.protected` at"}});
  EXPECT_THAT(
      LoadYaml(absl::StrCat(kProjectLine, "environment: {protected: true}\nsafety: {protected: false}\n")).All(),
      HasSubstr("at stream_project.yml:3:21"));
}

TEST(Settings, InvisibleCharacters) {
  Check({{"sources: [{name: s, topic: \"a\\u202Eb\"}]",
          "2:28 INVISIBLE_CHARACTER `topic` holds a character that a reader cannot see: a\\u{202E}b"},
         {"sources: [{name: s, topic: t, owner: \"a\\u200B\"}]", "2:38 INVISIBLE_CHARACTER `owner`"},
         {"sources: [{name: s, topic: t, owner: \"a\\nb\"}]", "2:38 INVISIBLE_CHARACTER"},
         {"sources: [{name: s, topic: t, description: \"a\\n\\tb\"}]", ""},
         {"sources: [{name: s, topic: t, description: \"a\\rb\"}]", "2:44 INVISIBLE_CHARACTER"},
         {"sources: [{name: s, topic: t, tags: [\"a\\0\"]}]", "2:38 INVISIBLE_CHARACTER `tags`"},
         {"sources: [{name: s, topic: t, columns: [{name: a, type: ANY, member: \"a\\0\\u202E\"}]}]", ""}});
}

}  // namespace
}  // namespace st::project
