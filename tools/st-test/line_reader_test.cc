#include "tools/st-test/line_reader.h"

#include <fcntl.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace st::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Gives `text` by a pipe, in pieces of `piece` bytes.
class Pipe {
 public:
  Pipe(std::string text, size_t piece) {
    EXPECT_EQ(pipe2(ends_, O_CLOEXEC), 0);
    writer_ = std::thread([this, text = std::move(text), piece] {
      for (size_t at = 0; at < text.size(); at += piece) {
        const std::string_view part = std::string_view(text).substr(at, piece);
        if (write(ends_[1], part.data(), part.size()) < 0) break;
      }
      close(ends_[1]);
    });
  }
  ~Pipe() {
    close(ends_[0]);
    writer_.join();
  }
  int fd() const { return ends_[0]; }

 private:
  int ends_[2] = {-1, -1};
  std::thread writer_;
};

std::vector<std::string> Lines(const std::string& text, size_t piece = 1 << 12) {
  Pipe pipe(text, piece);
  LineReader reader(pipe.fd(), size_t{4} << 20);
  std::vector<std::string> lines;
  for (std::string_view line; reader.Next(&line);) {
    lines.emplace_back(line);
    EXPECT_EQ(reader.number(), lines.size());
  }
  EXPECT_TRUE(reader.status().ok()) << reader.status();
  return lines;
}

TEST(LineReaderTest, SplitsAtLineFeeds) {
  EXPECT_THAT(Lines(""), IsEmpty());
  EXPECT_THAT(Lines("\n"), ElementsAre(""));
  EXPECT_THAT(Lines("a"), ElementsAre("a"));
  EXPECT_THAT(Lines("a\n"), ElementsAre("a"));
  EXPECT_THAT(Lines("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(Lines("a\r\nb\n", 1), ElementsAre("a\r", "b"));
  EXPECT_THAT(Lines(std::string("\0\n\xff", 3)), ElementsAre(std::string(1, '\0'), "\xff"));
}

TEST(LineReaderTest, LongAndManyLines) {
  const std::string long_line(size_t{3} << 20, 'x');
  EXPECT_THAT(Lines("a\n" + long_line + "\nb\n" + long_line), ElementsAre("a", long_line, "b", long_line));
  std::string many;
  for (int i = 0; i < 100000; ++i) many += std::to_string(i) + "\n";
  const std::vector<std::string> lines = Lines(many, 1000);
  ASSERT_EQ(lines.size(), 100000);
  for (int i = 0; i < 100000; ++i) ASSERT_EQ(lines[static_cast<size_t>(i)], std::to_string(i));
}

TEST(LineReaderTest, RefusesALineThatIsTooLong) {
  Pipe pipe("ok\n" + std::string(1001, 'x') + "\n", 100);
  LineReader reader(pipe.fd(), 1000);
  std::string_view line;
  EXPECT_TRUE(reader.Next(&line));
  EXPECT_FALSE(reader.Next(&line));
  EXPECT_EQ(reader.number(), 2);
  EXPECT_TRUE(absl::IsResourceExhausted(reader.status())) << reader.status();
}

TEST(LineReaderTest, SaysThatReadingFailed) {
  const int folder = open("/", O_RDONLY | O_CLOEXEC);
  ASSERT_GE(folder, 0);
  LineReader reader(folder, 1000);
  std::string_view line;
  EXPECT_FALSE(reader.Next(&line));
  EXPECT_TRUE(absl::IsUnavailable(reader.status())) << reader.status();
  close(folder);
}

}  // namespace
}  // namespace st::test
