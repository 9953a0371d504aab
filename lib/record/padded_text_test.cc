#include "lib/record/padded_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace st::record {
namespace {

bool IsSpecial(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\'; }

TEST(PaddedTextTest, FindsEachSpecialByte) {
  PaddedText text;
  std::mt19937 random(1);
  for (size_t size = 0; size < 300; ++size) {
    std::string value;
    for (size_t i = 0; i < size; ++i) value += static_cast<char>(random() % (size % 2 == 0 ? 256 : 127));
    text.Load(value);
    ASSERT_EQ(std::string_view(text.begin(), size), value);
    for (size_t i = 0; i < PaddedText::kPadding; ++i) ASSERT_EQ(text.end()[i], 0);
    size_t next = size;
    for (size_t from = size + 1; from-- > 0;) {
      if (from < size && IsSpecial(value[from])) next = from;
      ASSERT_EQ(text.NextSpecial(text.begin() + from) - text.begin(), next) << size << ' ' << from;
    }
    const bool ascii = std::all_of(value.begin(), value.end(), [](char c) { return static_cast<signed char>(c) >= 0; });
    ASSERT_EQ(text.ascii(), ascii);
  }
}

TEST(PaddedTextTest, ScannersAgree) {
  const Scanners scanners = AvailableScanners();
  std::mt19937 random(2);
  for (size_t size = 0; size < 400; ++size) {
    const auto value = std::make_unique<char[]>(size);
    for (size_t i = 0; i < size; ++i) value[i] = static_cast<char>(random() % (size % 3 == 0 ? 256 : 128));
    const size_t blocks = size / 64 + 2;
    std::vector<char> wanted(blocks * 64);
    std::vector<uint64_t> wanted_specials(blocks);
    const bool ascii = scanners.all[0].scanner(value.get(), size, wanted.data(), wanted_specials.data());
    for (size_t i = 1; i < scanners.count; ++i) {
      std::vector<char> bytes(blocks * 64, 'x');
      std::vector<uint64_t> specials(blocks);
      EXPECT_EQ(scanners.all[i].scanner(value.get(), size, bytes.data(), specials.data()), ascii);
      ASSERT_EQ(bytes, wanted) << scanners.all[i].name << ' ' << size;
      ASSERT_EQ(specials, wanted_specials) << scanners.all[i].name << ' ' << size;
    }
  }
}

}  // namespace
}  // namespace st::record
