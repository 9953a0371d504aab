#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/status_matchers.h"
#include "lib/fs/file.h"
#include "lib/fs/scratch.h"

namespace st::fs {
namespace {

using absl_testing::IsOk;
using absl_testing::IsOkAndHolds;
using absl_testing::StatusIs;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class FolderTest : public Scratch {};

TEST_F(FolderTest, MakesWhatIsMissingWithItsMode) {
  ASSERT_EQ(mkdir(At("a").c_str(), 0755), 0);
  ASSERT_EQ(chmod(At("a").c_str(), 0755), 0);
  const mode_t before = umask(0777);
  EXPECT_THAT(MakeFolders(At("a/b//c/"), 0700), IsOk());
  umask(before);
  EXPECT_EQ(Mode(At("a")), 0755) << "what was there is left as it was";
  EXPECT_EQ(Mode(At("a/b")), 0700);
  EXPECT_EQ(Mode(At("a/b/c")), 0700);
  EXPECT_THAT(MakeFolders(At("a/b/c"), 0700), IsOk()) << "again";
  EXPECT_THAT(MakeFolders("/", 0700), IsOk());
}

TEST_F(FolderTest, FollowsLinksToFolders) {
  ASSERT_EQ(mkdir(At("real").c_str(), 0755), 0);
  ASSERT_EQ(symlink("real", At("link").c_str()), 0);
  EXPECT_THAT(MakeFolders(At("link/x"), 0700), IsOk());
  EXPECT_EQ(Mode(At("real/x")), 0700);
}

TEST_F(FolderTest, RefusesFilesOnTheWay) {
  Put(At("file"), "x");
  EXPECT_THAT(MakeFolders(At("file"), 0700), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(At("file"))));
  EXPECT_THAT(MakeFolders(At("file/x"), 0700), StatusIs(absl::StatusCode::kFailedPrecondition, HasSubstr(At("file"))));
  EXPECT_THAT(MakeFolders("", 0700), StatusIs(absl::StatusCode::kNotFound));
  EXPECT_EQ(Get(At("file")), "x");
}

TEST_F(FolderTest, Lists) {
  EXPECT_THAT(ListFolder(folder_), IsOkAndHolds(IsEmpty()));
  for (const char* name : {"b", "a", ".hidden", "C"}) Put(At(name), "x");
  EXPECT_THAT(ListFolder(folder_), IsOkAndHolds(ElementsAre(".hidden", "C", "a", "b")));
  EXPECT_THAT(ListFolder(At("absent")), StatusIs(absl::StatusCode::kNotFound, HasSubstr(At("absent"))));
  EXPECT_THAT(ListFolder(At("a")), StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_F(FolderTest, Syncs) {
  EXPECT_THAT(SyncFolder(folder_), IsOk());
  EXPECT_THAT(SyncFolder(At("absent")), StatusIs(absl::StatusCode::kNotFound));
}

TEST_F(FolderTest, RealPath) {
  Put(At("file"), "x");
  ASSERT_EQ(symlink("file", At("link").c_str()), 0);
  const absl::StatusOr<std::string> real = RealPath(At("file"));
  ASSERT_THAT(real, IsOk());
  EXPECT_THAT(RealPath(At("./link")), IsOkAndHolds(*real));
  EXPECT_THAT(RealPath(At("absent")), StatusIs(absl::StatusCode::kNotFound));
}

TEST(Paths, Dirname) {
  const struct {
    const char *path, *folder;
  } kCases[] = {{"", "."},     {"a", "."},     {"a/", "."},  {"a/b", "a"},   {"a//b", "a"},
                {"a/b/", "a"}, {"a/b//", "a"}, {"/", "/"},   {"//", "/"},    {"/a", "/"},
                {"//a", "/"},  {"/a/b", "/a"}, {"./a", "."}, {"../a", ".."}, {"a/b/c", "a/b"}};
  for (const auto& c : kCases) EXPECT_EQ(Dirname(c.path), c.folder) << c.path;
}

TEST(Paths, Join) {
  const struct {
    const char *a, *b, *joined;
  } kCases[] = {{"a", "b", "a/b"}, {"a/", "b", "a/b"}, {"a", "/b", "a/b"}, {"a/", "/b", "a/b"},      {"/", "b", "/b"},
                {"", "b", "b"},    {"a", "", "a"},     {"", "", ""},       {"a/b", "c/d", "a/b/c/d"}};
  for (const auto& c : kCases) EXPECT_EQ(JoinPath(c.a, c.b), c.joined) << c.a << " + " << c.b;
}

}  // namespace
}  // namespace st::fs
