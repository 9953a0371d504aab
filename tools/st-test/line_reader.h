// Lines of a descriptor of any length, in memory that only the longest line needs.
#ifndef ST_TOOLS_ST_TEST_LINE_READER_H_
#define ST_TOOLS_ST_TEST_LINE_READER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace st::test {

// Does not close the descriptor. One thread.
class LineReader {
 public:
  // Lines of more bytes than `longest` are refused.
  LineReader(int fd, size_t longest) : fd_(fd), longest_(longest) {}

  // The next line without its line feed, valid until the next call. False at the end, and on a failure: status() is
  // Unavailable for an I/O error, ResourceExhausted for a line that is too long. A last line may lack its line feed.
  bool Next(std::string_view* line);

  // The number of the line that Next gave, or failed in, from 1.
  uint64_t number() const { return number_; }
  // The next call of Next reads from the descriptor, so it may wait.
  bool drained() const;
  const absl::Status& status() const { return status_; }

 private:
  bool Fill();

  int fd_;
  size_t longest_;
  std::vector<char> buffer_;
  size_t begin_ = 0;    // of the line
  size_t scanned_ = 0;  // no line feed before this
  size_t end_ = 0;
  bool eof_ = false;
  uint64_t number_ = 0;
  absl::Status status_;
};

}  // namespace st::test

#endif  // ST_TOOLS_ST_TEST_LINE_READER_H_
