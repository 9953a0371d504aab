#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "lib/fs/file.h"
#include "lib/fs/scratch.h"

namespace st::fs {
namespace {

using absl_testing::IsOkAndHolds;
using absl_testing::StatusIs;
using testing::AllOf;
using testing::HasSubstr;

class ReadFileTest : public Scratch {};

TEST_F(ReadFileTest, WholeFilesOfManySizes) {
  for (size_t size : {0, 1, 4095, 4096, 65535, 65536, 65537, 300000}) {
    std::string bytes(size, 'x');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31);
    Put(At("f"), bytes);
    EXPECT_THAT(ReadFile(At("f"), size), IsOkAndHolds(bytes));
    EXPECT_THAT(ReadFile(At("f"), size + 1), IsOkAndHolds(bytes));
    if (size > 0) {
      EXPECT_THAT(ReadFile(At("f"), size - 1),
                  StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr(At("f") + ": larger than the limit of")));
    }
  }
}

TEST_F(ReadFileTest, FilesThatDoNotTellTheirSize) {
  // The kernel says 0 for those of /proc.
  const absl::StatusOr<std::string> status = ReadFile("/proc/self/status", 1 << 20);
  ASSERT_TRUE(status.ok()) << status.status();
  EXPECT_THAT(*status, HasSubstr("Name:"));
  EXPECT_THAT(ReadFile("/proc/self/status", 10), StatusIs(absl::StatusCode::kResourceExhausted));
}

TEST_F(ReadFileTest, RefusesWhatIsNoFile) {
  ASSERT_EQ(mkfifo(At("pipe").c_str(), 0600), 0);
  ASSERT_EQ(symlink("nowhere", At("dangling").c_str()), 0);
  ASSERT_EQ(symlink("loop", At("loop").c_str()), 0);
  Put(At("file"), "x");
  const struct {
    std::string path;
    absl::StatusCode code;
    const char* words;
  } kCases[] = {
      {At("absent"), absl::StatusCode::kNotFound, "check the path"},
      {At("dangling"), absl::StatusCode::kNotFound, "check the path"},
      {"", absl::StatusCode::kNotFound, "check the path"},
      {folder_, absl::StatusCode::kFailedPrecondition, "name a file, not a folder"},
      {At("pipe"), absl::StatusCode::kFailedPrecondition, "not a regular file"},
      {"/dev/null", absl::StatusCode::kFailedPrecondition, "not a regular file"},
      {At("loop"), absl::StatusCode::kFailedPrecondition, "symbolic link"},
      {At("file/below"), absl::StatusCode::kFailedPrecondition, "a part of the path is a file"},
      {At(std::string(300, 'n')), absl::StatusCode::kInvalidArgument, "shorter path"},
  };
  for (const auto& c : kCases) {
    EXPECT_THAT(ReadFile(c.path, 100), StatusIs(c.code, AllOf(HasSubstr(c.path), HasSubstr(c.words)))) << c.path;
    EXPECT_THAT(FileSha256(c.path), StatusIs(c.code)) << c.path;
  }
}

TEST_F(ReadFileTest, FollowsLinksToFiles) {
  Put(At("file"), "content");
  ASSERT_EQ(symlink("file", At("link").c_str()), 0);
  EXPECT_THAT(ReadFile(At("link"), 100), IsOkAndHolds("content"));
}

TEST_F(ReadFileTest, Sha256) {
  Put(At("abc"), "abc");
  EXPECT_THAT(FileSha256(At("abc")), IsOkAndHolds("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
  // FIPS 180-4: a million times `a`; more than one piece.
  Put(At("million"), std::string(1'000'000, 'a'));
  EXPECT_THAT(FileSha256(At("million")),
              IsOkAndHolds("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
}

class ReadAllTest : public testing::Test {
 protected:
  // Reads through a pipe what a thread writes.
  static absl::StatusOr<std::string> Through(const std::string& bytes, size_t max_bytes) {
    int ends[2];
    if (pipe(ends) != 0) return absl::InternalError("pipe");
    std::thread writer([&] {
      (void)WriteAll(ends[1], bytes);
      close(ends[1]);
    });
    absl::StatusOr<std::string> got = ReadAll(ends[0], max_bytes);
    // Takes the rest, so that the writer ends.
    char rest[4096];
    while (read(ends[0], rest, sizeof rest) > 0) {
    }
    writer.join();
    close(ends[0]);
    return got;
  }
};

TEST_F(ReadAllTest, PipesAndLimits) {
  for (size_t size : {0, 1, 65536, 1'000'000}) {
    const std::string bytes(size, 'y');
    EXPECT_THAT(Through(bytes, size), IsOkAndHolds(bytes));
    if (size > 0) {
      EXPECT_THAT(Through(bytes, size - 1), StatusIs(absl::StatusCode::kResourceExhausted));
    }
  }
}

TEST_F(ReadAllTest, ErrorsNameTheDescriptor) {
  EXPECT_THAT(ReadAll(999, 10), StatusIs(absl::StatusCode::kUnavailable, HasSubstr("descriptor 999: cannot read")));
}

}  // namespace
}  // namespace st::fs
