// A folder of its own for each test of this library.
#ifndef ST_LIB_FS_SCRATCH_H_
#define ST_LIB_FS_SCRATCH_H_

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace st::fs {

class Scratch : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "/fs-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string At(const std::string& name) const { return folder_ + "/" + name; }

  static void Put(const std::string& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
    ASSERT_EQ(Get(path), bytes);
  }
  static std::string Get(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  static int Mode(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? static_cast<int>(status.st_mode & 07777) : -1;
  }
  // How many names the folder holds: shows that no temporary file was left.
  int Names() const {
    return static_cast<int>(
        std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

  std::string folder_;
};

}  // namespace st::fs

#endif  // ST_LIB_FS_SCRATCH_H_
