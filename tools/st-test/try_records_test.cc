#include "tools/st-test/try_records.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <thread>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "schemas/st/v1/record_plan.pb.h"

namespace st::test {
namespace {

v1::RecordPlan Plan() {
  v1::RecordPlan plan;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        version: 1
        input_topic: "in"
        output_topic: "out"
        extra_members: refuse
        columns { name: "amount" member: "amount" type: BIGINT required: true }
        columns { name: "id" member: "id" type: STRING required: true }
        projections { column: "id" name: "order_id" }
        predicates { column: "amount" op: GE bigint_value: 100 })pb",
      &plan));
  return plan;
}

// A file without a name.
class Scratch {
 public:
  Scratch() {
    std::string path = testing::TempDir() + "/try_records_XXXXXX";
    fd_ = mkostemp(path.data(), O_CLOEXEC);
    EXPECT_GE(fd_, 0);
    unlink(path.c_str());
  }
  ~Scratch() { close(fd_); }
  int fd() const { return fd_; }
  void Fill(std::string_view text) const {
    EXPECT_EQ(write(fd_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
    lseek(fd_, 0, SEEK_SET);
  }
  std::string Text() const {
    std::string text(static_cast<size_t>(lseek(fd_, 0, SEEK_END)), '\0');
    EXPECT_EQ(pread(fd_, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
    return text;
  }

 private:
  int fd_;
};

struct Tried {
  absl::Status status;
  std::string out;
  Counts counts;
  diag::Diagnostics diagnostics;
};

Tried Try(std::string_view input, Encoding encoding) {
  Scratch in;
  Scratch out;
  in.Fill(input);
  Tried tried;
  tried.status = TryRecords(Plan(), in.fd(), "captured", encoding, out.fd(), &tried.counts, &tried.diagnostics);
  tried.out = out.Text();
  return tried;
}

TEST(TryRecordsTest, OneAnswerALine) {
  const Tried tried =
      Try("{\"id\":\"a \\u00e9\\\"\",\"amount\":100}\n"
          "{\"id\":\"a\",\"amount\":99}\n"
          "~\n"
          "\n"
          "{\"id\":\"a\",\"amount\":1.5}\n"
          "{\"id\":\"a\",\"x\\ny\":1}\n"
          "{\"id\":\"a\",\"\":1}\n"
          "[]\n"
          "{\"id\":\"b\",\"amount\":100}\r\n"
          "~ ",
          Encoding::kLines);
  EXPECT_TRUE(tried.status.ok()) << tried.status;
  EXPECT_TRUE(tried.diagnostics.empty());
  EXPECT_EQ(tried.out,
            "{\"line\":1,\"outcome\":\"pass\",\"value\":\"{\\\"order_id\\\":\\\"a \xc3\xa9\\\\\\\"\\\"}\"}\n"
            "{\"line\":2,\"outcome\":\"filtered\"}\n"
            "{\"line\":3,\"outcome\":\"tombstone\"}\n"
            "{\"line\":4,\"outcome\":\"poison\",\"fault\":\"EMPTY_VALUE\"}\n"
            "{\"line\":5,\"outcome\":\"poison\",\"fault\":\"NOT_AN_INTEGER\",\"column\":\"amount\"}\n"
            "{\"line\":6,\"outcome\":\"poison\",\"fault\":\"UNKNOWN_MEMBER\",\"column\":\"x\\ny\"}\n"
            "{\"line\":7,\"outcome\":\"poison\",\"fault\":\"UNKNOWN_MEMBER\",\"column\":\"\"}\n"
            "{\"line\":8,\"outcome\":\"poison\",\"fault\":\"NOT_AN_OBJECT\"}\n"
            "{\"line\":9,\"outcome\":\"pass\",\"value\":\"{\\\"order_id\\\":\\\"b\\\"}\"}\n"
            "{\"line\":10,\"outcome\":\"poison\",\"fault\":\"SYNTAX\"}\n");
  EXPECT_EQ(tried.counts.pass, 2);
  EXPECT_EQ(tried.counts.filtered, 1);
  EXPECT_EQ(tried.counts.tombstones, 1);
  EXPECT_EQ(tried.counts.poison, 6);
}

TEST(TryRecordsTest, Base64TakesAnyBytes) {
  const Tried tried = Try(absl::StrCat(absl::Base64Escape("{\"id\":\"a\",\n\"amount\":100}"), "\n~\n\n",
                                       absl::Base64Escape("{\"id\":\"\xff\"}"), "\n"),
                          Encoding::kBase64);
  EXPECT_TRUE(tried.status.ok()) << tried.status;
  EXPECT_EQ(tried.out,
            "{\"line\":1,\"outcome\":\"pass\",\"value\":\"{\\\"order_id\\\":\\\"a\\\"}\"}\n"
            "{\"line\":2,\"outcome\":\"tombstone\"}\n"
            "{\"line\":3,\"outcome\":\"poison\",\"fault\":\"EMPTY_VALUE\"}\n"
            "{\"line\":4,\"outcome\":\"poison\",\"fault\":\"INVALID_UTF8\"}\n");
}

TEST(TryRecordsTest, StopsAtALineThatIsNotBase64) {
  for (const std::string_view bad : {"{}", "YQ", "YQ=", "Y Q==", "YQ==YQ==", "~~~~", "YQ==\r"}) {
    const Tried tried = Try(absl::StrCat("~\n", bad, "\n~\n"), Encoding::kBase64);
    EXPECT_TRUE(tried.status.ok()) << tried.status;
    EXPECT_EQ(tried.out, "{\"line\":1,\"outcome\":\"tombstone\"}\n") << bad;
    ASSERT_EQ(tried.diagnostics.errors(), 1) << bad;
    const diag::Diagnostic found = tried.diagnostics.Sorted()[0];
    EXPECT_EQ(found.code, "NOT_BASE64");
    EXPECT_EQ(found.position.file, "captured");
    EXPECT_EQ(found.position.line, 2);
  }
}

TEST(TryRecordsTest, StopsAtALineThatIsTooLong) {
  const Tried tried = Try("~\n" + std::string(kLongestLine + 1, ' '), Encoding::kLines);
  EXPECT_TRUE(tried.status.ok()) << tried.status;
  EXPECT_EQ(tried.out, "{\"line\":1,\"outcome\":\"tombstone\"}\n");
  ASSERT_EQ(tried.diagnostics.errors(), 1);
  EXPECT_EQ(tried.diagnostics.Sorted()[0].code, "LINE_TOO_LONG");
  EXPECT_EQ(tried.diagnostics.Sorted()[0].position.line, 2);
}

TEST(TryRecordsTest, SaysThatTheOutputWasNotWritten) {
  Scratch in;
  in.Fill("~\n");
  const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
  ASSERT_GE(full, 0);
  Counts counts;
  diag::Diagnostics diagnostics;
  const absl::Status status = TryRecords(Plan(), in.fd(), "f", Encoding::kLines, full, &counts, &diagnostics);
  EXPECT_TRUE(absl::IsUnavailable(status) || absl::IsResourceExhausted(status)) << status;
  close(full);
}

// An answer comes before the next line is there: somebody may type them.
TEST(TryRecordsTest, AnswersBeforeItWaits) {
  int to[2];
  int from[2];
  ASSERT_EQ(pipe2(to, O_CLOEXEC), 0);
  ASSERT_EQ(pipe2(from, O_CLOEXEC), 0);
  Counts counts;
  diag::Diagnostics diagnostics;
  absl::Status status;
  std::thread tool([&] { status = TryRecords(Plan(), to[0], "-", Encoding::kLines, from[1], &counts, &diagnostics); });
  for (int line = 1; line <= 3; ++line) {
    ASSERT_EQ(write(to[1], "~\n", 2), 2);
    const std::string wanted = absl::StrCat("{\"line\":", line, ",\"outcome\":\"tombstone\"}\n");
    std::string got(wanted.size(), '\0');
    EXPECT_EQ(read(from[0], got.data(), got.size()), static_cast<ssize_t>(got.size()));
    EXPECT_EQ(got, wanted);
  }
  close(to[1]);
  tool.join();
  EXPECT_TRUE(status.ok()) << status;
  for (const int fd : {to[0], from[0], from[1]}) close(fd);
}

}  // namespace
}  // namespace st::test
