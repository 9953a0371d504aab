#include "lib/record/padded_text.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace st::record {
namespace {

constexpr size_t kBlock = 64;

// Blocks of a value of `size` bytes, with the whole one of padding after it.
constexpr size_t Blocks(size_t size) { return size / kBlock + 2; }
static_assert(kBlock == PaddedText::kPadding);

void CopyPadded(const char* in, size_t size, char* out) {
  if (size != 0) std::memcpy(out, in, size);
  std::memset(out + size, 0, Blocks(size) * kBlock - size);
}

bool ScanPlain(const char* in, size_t size, char* out, uint64_t* specials) {
  CopyPadded(in, size, out);
  unsigned char all = 0;
  for (size_t block = 0; block < Blocks(size); ++block) {
    uint64_t bits = 0;
    for (size_t i = 0; i < kBlock; ++i) {
      const unsigned char byte = static_cast<unsigned char>(out[block * kBlock + i]);
      all |= byte;
      bits |= uint64_t{byte < 0x20 || byte == '"' || byte == '\\'} << i;
    }
    specials[block] = bits;
  }
  return all < 0x80;
}

#if defined(__x86_64__)

__attribute__((target("avx2"))) bool ScanAvx2(const char* in, size_t size, char* out, uint64_t* specials) {
  CopyPadded(in, size, out);
  const __m256i quote = _mm256_set1_epi8('"');
  const __m256i backslash = _mm256_set1_epi8('\\');
  const __m256i last_control = _mm256_set1_epi8(0x1f);
  __m256i all = _mm256_setzero_si256();
  for (size_t block = 0; block < Blocks(size); ++block) {
    uint64_t bits = 0;
    for (size_t half = 0; half < 2; ++half) {
      const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(out + block * kBlock + half * 32));
      all = _mm256_or_si256(all, bytes);
      const __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, last_control), bytes);
      const __m256i special = _mm256_or_si256(
          control, _mm256_or_si256(_mm256_cmpeq_epi8(bytes, quote), _mm256_cmpeq_epi8(bytes, backslash)));
      bits |= uint64_t{static_cast<uint32_t>(_mm256_movemask_epi8(special))} << (half * 32);
    }
    specials[block] = bits;
  }
  return _mm256_movemask_epi8(all) == 0;
}

// Masked loads make the odd bytes at the end as cheap as a whole block: copying, padding and the map are one pass.
__attribute__((target("avx512f,avx512bw,bmi2"))) bool ScanAvx512(const char* in, size_t size, char* out,
                                                                 uint64_t* specials) {
  const __m512i quote = _mm512_set1_epi8('"');
  const __m512i backslash = _mm512_set1_epi8('\\');
  const __m512i space = _mm512_set1_epi8(' ');
  __m512i all = _mm512_setzero_si512();
  size_t block = 0;
  const size_t whole = size / kBlock;
  for (; block <= whole; ++block) {
    const __mmask64 mask = block < whole ? ~uint64_t{0} : _bzhi_u64(~uint64_t{0}, size % kBlock);
    const __m512i bytes = _mm512_maskz_loadu_epi8(mask, in + block * kBlock);
    all = _mm512_or_si512(all, bytes);
    _mm512_storeu_si512(out + block * kBlock, bytes);
    specials[block] = _mm512_cmplt_epu8_mask(bytes, space) | _mm512_cmpeq_epi8_mask(bytes, quote) |
                      _mm512_cmpeq_epi8_mask(bytes, backslash);
  }
  _mm512_storeu_si512(out + block * kBlock, _mm512_setzero_si512());
  specials[block] = ~uint64_t{0};
  return _mm512_movepi8_mask(all) == 0;
}

#endif

}  // namespace

Scanners AvailableScanners() {
  Scanners found{{{"plain", ScanPlain}, {}, {}}, 1};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2")) found.all[found.count++] = {"avx2", ScanAvx2};
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("bmi2")) {
    found.all[found.count++] = {"avx512", ScanAvx512};
  }
#endif
  return found;
}

PaddedText::PaddedText() {
  const Scanners scanners = AvailableScanners();
  scanner_ = scanners.all[scanners.count - 1].scanner;
  Reserve(1024);
  Load({});
}

const char* PaddedText::NextSpecialFar(size_t word) const {
  while (specials_[word] == 0) ++word;
  return bytes_.get() + word * kBlock + static_cast<size_t>(std::countr_zero(specials_[word]));
}

void PaddedText::Reserve(size_t size) {
  capacity_ = size;
  bytes_ = std::make_unique_for_overwrite<char[]>(Blocks(size) * kBlock);
  specials_ = std::make_unique_for_overwrite<uint64_t[]>(Blocks(size));
}

void PaddedText::Load(std::string_view value) {
  if (value.size() > capacity_) Reserve(std::max(value.size(), capacity_ * 2));
  ascii_ = scanner_(value.data(), value.size(), bytes_.get(), specials_.get());
  end_ = bytes_.get() + value.size();
}

}  // namespace st::record
