#include "lib/kafka/runner_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace st::kafka {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr char kCertificate[] = "-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n";
constexpr char kKey[] = "-----BEGIN PRIVATE KEY-----\nU0VDUkVU\n-----END PRIVATE KEY-----\n";

absl::StatusOr<std::string> NoFile(const std::string& path) { return absl::NotFoundError("never asked for " + path); }

const Properties kInline = {{"bootstrap.servers", "a:1"},
                            {"ssl.ca.pem", kCertificate},
                            {"ssl.certificate.pem", kCertificate},
                            {"ssl.key.pem", kKey},
                            {"ssl.key.password", " p=w "}};

TEST(SplitForRunner, MakesFilesOfInlineTexts) {
  absl::StatusOr<RunnerFiles> got = SplitForRunner(kInline);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->client_properties, "bootstrap.servers=a:1\nssl.key.password= p=w \n");
  EXPECT_THAT(got->files, ElementsAre(FieldsAre("ssl.ca.location", "ca.pem", kCertificate),
                                      FieldsAre("ssl.certificate.location", "certificate.pem", kCertificate),
                                      FieldsAre("ssl.key.location", "key.pem", kKey)));
  EXPECT_EQ(SplitForContainer(kInline, NoFile)->files.size(), 3u);
}

TEST(SplitForRunner, LeavesLocationsAsTheyAre) {
  absl::StatusOr<RunnerFiles> got = SplitForRunner({{"bootstrap.servers", "a:1"}, {"ssl.ca.location", "/etc/ca.pem"}});
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->client_properties, "bootstrap.servers=a:1\nssl.ca.location=/etc/ca.pem\n");
  EXPECT_THAT(got->files, IsEmpty());
}

TEST(SplitForRunner, RefusesWhatIsNotAllowed) {
  for (const Properties& bad : {Properties{{"ssl.key.pem", "SECRET"}}, Properties{{"sasl.password", "SECRET\nx=y"}},
                                Properties{{"plugin.library.paths", "SECRET"}}}) {
    const absl::Status status = SplitForRunner(bad).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << bad[0].first;
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("SECRET")));
  }
}

// With line ends of another system, as files may have them; they are given on byte for byte.
TEST(SplitForContainer, ReadsWhatTheRunnerCannotSee) {
  const std::string with_cr = "-----BEGIN CERTIFICATE-----\r\nQUJD\r\n-----END CERTIFICATE-----\r\n";
  std::map<std::string, std::string> files = {{"/etc/ca.pem", with_cr}, {"/etc/both.pem", kKey + with_cr}};
  const auto read = [&](const std::string& path) -> absl::StatusOr<std::string> { return files.at(path); };
  absl::StatusOr<RunnerFiles> got = SplitForContainer({{"bootstrap.servers", "a:1"},
                                                       {"ssl.ca.location", "/etc/ca.pem"},
                                                       {"ssl.certificate.location", "/etc/both.pem"},
                                                       {"ssl.key.location", "/etc/both.pem"}},
                                                      read);
  ASSERT_TRUE(got.ok()) << got.status();
  EXPECT_EQ(got->client_properties, "bootstrap.servers=a:1\n");
  EXPECT_THAT(got->files, ElementsAre(FieldsAre("ssl.ca.location", "ca.pem", with_cr),
                                      FieldsAre("ssl.certificate.location", "certificate.pem", kKey + with_cr),
                                      FieldsAre("ssl.key.location", "key.pem", kKey + with_cr)));
}

TEST(SplitForContainer, SaysWhichFileIsWrongAndQuotesNothing) {
  absl::Status status = SplitForContainer({{"ssl.key.location", "/k"}}, NoFile).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(status.message(), "the file of the client property 'ssl.key.location': never asked for /k");
  const auto secret = [](const std::string&) -> absl::StatusOr<std::string> { return std::string("SECRET"); };
  status = SplitForContainer({{"ssl.key.location", "/k"}}, secret).status();
  EXPECT_EQ(status.message(), "the file of the client property 'ssl.key.location' holds no PEM block of a private key");
  const auto certificate = [](const std::string&) -> absl::StatusOr<std::string> { return std::string(kCertificate); };
  status = SplitForContainer({{"ssl.ca.pem", kCertificate}, {"ssl.ca.location", "/c"}}, certificate).status();
  EXPECT_EQ(status.message(), "the client property 'ssl.ca.location' stands beside the same text written inline");
}

}  // namespace
}  // namespace st::kafka
