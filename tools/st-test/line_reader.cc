#include "tools/st-test/line_reader.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace st::test {
namespace {

constexpr size_t kChunk = size_t{256} << 10;

}  // namespace

bool LineReader::drained() const {
  return begin_ == end_ || std::memchr(buffer_.data() + begin_, '\n', end_ - begin_) == nullptr;
}

bool LineReader::Next(std::string_view* line) {
  ++number_;
  for (;;) {
    if (end_ > scanned_) {
      const void* found = std::memchr(buffer_.data() + scanned_, '\n', end_ - scanned_);
      const size_t stop =
          found != nullptr ? static_cast<size_t>(static_cast<const char*>(found) - buffer_.data()) : end_;
      if (stop - begin_ > longest_) {
        status_ = absl::ResourceExhaustedError(absl::StrCat("a line of more than ", longest_, " bytes"));
        return false;
      }
      if (found != nullptr || eof_) {
        *line = std::string_view(buffer_.data() + begin_, stop - begin_);
        begin_ = scanned_ = std::min(stop + 1, end_);
        return true;
      }
      scanned_ = end_;
    }
    if (eof_ && begin_ == end_) return false;
    if (!Fill()) return false;
  }
}

bool LineReader::Fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    scanned_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < kChunk) buffer_.resize(std::max(2 * buffer_.size(), end_ + kChunk));
  for (;;) {
    const ssize_t got = read(fd_, buffer_.data() + end_, buffer_.size() - end_);
    if (got > 0) {
      end_ += static_cast<size_t>(got);
      return true;
    }
    if (got == 0) {
      eof_ = true;
      // What is left is the last line: let Next look at it again.
      scanned_ = begin_;
      return true;
    }
    if (errno == EINTR) continue;
    status_ = absl::UnavailableError(absl::StrCat("reading failed: ", std::strerror(errno)));
    return false;
  }
}

}  // namespace st::test
