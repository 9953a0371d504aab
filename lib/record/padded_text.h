// A record value copied into memory that may be read past its end, with a map of the bytes that matter inside a
// string. Not thread-safe; one an executor.
#ifndef ST_LIB_RECORD_PADDED_TEXT_H_
#define ST_LIB_RECORD_PADDED_TEXT_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace st::record {

static_assert(std::endian::native == std::endian::little, "words are read with the first byte lowest");

class PaddedText {
 public:
  // Bytes after the end that may be read; all are NUL, which stands nowhere in a well-formed value, so that a reader
  // needs no test for the end.
  static constexpr size_t kPadding = 64;

  PaddedText();

  // Copies `value`. Memory grows to the largest value seen and is kept.
  void Load(std::string_view value);

  const char* begin() const { return bytes_.get(); }
  const char* end() const { return end_; }
  bool ascii() const { return ascii_; }

  // The first byte at or after `from` that is a quote, a backslash or a control character: where the plain run of a
  // string ends. The padding counts as controls, so there is one. `from` is not after end().
  const char* NextSpecial(const char* from) const {
    // The 64 bits from there on, out of two words: nearly every string ends in them, wherever it stands. (One load from
    // an odd address would wait for both words to leave the store buffer.)
    const size_t offset = static_cast<size_t>(from - bytes_.get());
    const uint64_t* word = specials_.get() + offset / 64;
    const uint64_t bits = word[0] >> (offset % 64) | word[1] << 1 << (63 - offset % 64);
    if (bits != 0) [[likely]] {
      return from + std::countr_zero(bits);
    }
    return NextSpecialFar(offset / 64 + 1);
  }

  // Copies `size` bytes to `out`, pads them to whole blocks of 64 and one more, and sets one bit a byte in
  // `specials`. True when all are ASCII. Every version gives the same; the processor decides which one runs.
  using Scanner = bool (*)(const char* in, size_t size, char* out, uint64_t* specials);

 private:
  void Reserve(size_t size);
  const char* NextSpecialFar(size_t word) const;

  Scanner scanner_;
  std::unique_ptr<char[]> bytes_;
  std::unique_ptr<uint64_t[]> specials_;
  size_t capacity_ = 0;  // of values, without padding
  const char* end_ = nullptr;
  bool ascii_ = true;
};

// The versions that this processor can run, plainest first; the last is what PaddedText uses. For tests.
struct NamedScanner {
  const char* name;
  PaddedText::Scanner scanner;
};
struct Scanners {
  NamedScanner all[3];
  size_t count;
};
Scanners AvailableScanners();

}  // namespace st::record

#endif  // ST_LIB_RECORD_PADDED_TEXT_H_
