#include "lib/diag/diag.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace st::diag {
namespace {

TEST(Render, Text) {
  Diagnostics d;
  EXPECT_TRUE(d.empty());
  d.Error({"b.yml", 2, 7}, "UNKNOWN_KEY", "no key 'colums' here", "did you mean 'columns'?");
  d.Warning({"a.yml", 3, 0}, "COMPACTED", "compacted output");
  d.Error({"c.yml"}, "IS_FOLDER", "a folder");
  d.Error({}, "NO_INPUT", "nothing given");
  EXPECT_EQ(Render(d, Format::kText),
            "error: nothing given [NO_INPUT]\n"
            "a.yml:3: warning: compacted output [COMPACTED]\n"
            "b.yml:2:7: error: no key 'colums' here [UNKNOWN_KEY]\n"
            "  hint: did you mean 'columns'?\n"
            "c.yml: error: a folder [IS_FOLDER]\n");
  EXPECT_EQ(d.errors(), 3);
  EXPECT_TRUE(d.HasErrors());
}

TEST(Render, NothingCanForgeALine) {
  Diagnostics d;
  d.Error({"a\nb.yml", 1, 1}, "X", "text\nother.yml:1:1: error: \x1b[31m\xff", "\xe2\x80\xaehint\r");
  EXPECT_EQ(Render(d, Format::kText),
            "a\\u{A}b.yml:1:1: error: text\\u{A}other.yml:1:1: error: \\u{1B}[31m\\xFF [X]\n"
            "  hint: \\u{202E}hint\\u{D}\n");
  EXPECT_EQ(Render(d, Format::kGithub),
            "::error file=a\\u{A}b.yml,line=1,col=1,title=X::text\\u{A}other.yml:1:1: error: \\u{1B}[31m\\xFF"
            "%0Ahint: \\u{202E}hint\\u{D}\n");
}

TEST(Render, Github) {
  Diagnostics d;
  d.Error({"a,b:c%.yml", 2, 7}, "CODE", "100% of it, see: here", "do");
  d.Warning({"-", 4, 5}, "CODE", "in the pipe");
  d.Warning({}, "CODE", "nowhere");
  EXPECT_EQ(Render(d, Format::kGithub),
            "::warning title=CODE::nowhere\n"
            "::warning title=CODE::standard input, 4:5: in the pipe\n"
            "::error file=a%2Cb%3Ac%25.yml,line=2,col=7,title=CODE::100%25 of it, see: here%0Ahint: do\n");
}

TEST(Diagnostics, SortedAndRepeatsOnce) {
  Diagnostics d;
  d.Error({"f", 10, 1}, "B", "x");
  d.Error({"f", 9, 2}, "A", "x");
  d.Error({"f", 9, 2}, "A", "x");
  d.Error({"f", 9, 1}, "Z", "x");
  d.Error({"f", 9, 2}, "A", "w");
  d.Error({"e", 99, 1}, "B", "x");
  std::vector<std::string> order;
  for (const Diagnostic& one : d.Sorted()) {
    order.push_back(one.position.file + std::to_string(one.position.line) + one.code + one.text);
  }
  EXPECT_EQ(order, (std::vector<std::string>{"e99Bx", "f9Zx", "f9Aw", "f9Ax", "f10Bx"}));
}

TEST(Diagnostics, WarningsAreNoErrors) {
  Diagnostics d;
  d.Warning({}, "W", "x");
  EXPECT_FALSE(d.HasErrors());
  EXPECT_FALSE(d.empty());
}

TEST(Visible, EveryClassIsEscaped) {
  const uint32_t kHidden[] = {0x0,     0x9,     0xA,     0x1F,    0x7F,   0x80,   0x9F,   0xAD,    0x34F,
                              0x61C,   0x115F,  0x180E,  0x200B,  0x200C, 0x200D, 0x200E, 0x200F,  0x2028,
                              0x2029,  0x202A,  0x202E,  0x2060,  0x2064, 0x2066, 0x2069, 0x206F,  0x3164,
                              0xFE00,  0xFE0F,  0xFEFF,  0xFFA0,  0xFFFB, 0xFFFF, 0xFDD0, 0xE0000, 0xE0001,
                              0xE007F, 0xE0100, 0xE01EF, 0x1D173, 0x1BCA0};
  for (uint32_t c : kHidden) EXPECT_TRUE(IsInvisible(c)) << std::hex << c;
  const uint32_t kSeen[] = {0x20,   0x7E,   0xA0,   0xAC,    0xAE,    0x34E,   0x350,  0x61B,
                            0x200A, 0x2010, 0x2027, 0x202F,  0x205F,  0x2070,  0x3000, 0xFDF0,
                            0xFE10, 0xFFFC, 0xFFFD, 0x10000, 0x1F600, 0xDFFFF, 0xE1000};
  for (uint32_t c : kSeen) EXPECT_FALSE(IsInvisible(c)) << std::hex << c;
}

TEST(Visible, Texts) {
  const struct {
    std::string in, out;
  } kCases[] = {
      {"", ""},
      {"plain \\ text", "plain \\ text"},
      {"Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80", "Z\xc3\xbcrich \xe2\x82\xac \xf0\x9f\x98\x80"},
      {std::string("a\0b", 3), "a\\u{0}b"},
      {"\xe2\x80\x8b", "\\u{200B}"},
      {"\xf3\xa0\x81\x81", "\\u{E0041}"},
      {"\xff\xc3", "\\xFF\\xC3"},
      {"\xc0\x80", "\\xC0\\x80"},
      {"\xed\xa0\x80", "\\xED\\xA0\\x80"},
      {"\xf4\x90\x80\x80", "\\xF4\\x90\\x80\\x80"},
      {"\xe2\x82", "\\xE2\\x82"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Visible(c.in), c.out);
    EXPECT_EQ(HasInvisible(c.in, false), c.in != c.out) << c.out;
    EXPECT_EQ(FindInvisible(c.in, false) == std::string_view::npos, c.in == c.out) << c.out;
  }
  EXPECT_FALSE(HasInvisible("a\tb\nc", true));
  EXPECT_TRUE(HasInvisible("a\tb\nc", false));
  EXPECT_TRUE(HasInvisible("a\rb", true));
  EXPECT_EQ(FindInvisible("ab\xe2\x80\x8b", true), 2u);
}

TEST(Visible, CutsAtACharacter) {
  EXPECT_EQ(Visible("abcdef", 6), "abcdef");
  EXPECT_EQ(Visible("abcdefg", 6), "abcdef...");
  EXPECT_EQ(Visible("a\xe2\x82\xac\xe2\x82\xac", 6), "a\xe2\x82\xac...");
  EXPECT_EQ(Visible("a\x01z", 4), "a...");
}

TEST(Utf8, AgreesWithItselfAroundBlockBorders) {
  // simdjson looks at 16, 32 or 64 bytes at once.
  for (size_t length = 0; length < 130; ++length) {
    for (std::string_view bad : {"\x80", "\xc3", "\xe2\x82", "\xed\xbf\xbf", "\xf8"}) {
      const std::string text = std::string(length, 'a') + std::string(bad);
      EXPECT_FALSE(IsUtf8(text));
      EXPECT_EQ(FindNotUtf8(text), length);
    }
    const std::string good = std::string(length, 'a') + "\xf0\x9f\x98\x80";
    EXPECT_TRUE(IsUtf8(good));
    EXPECT_EQ(FindNotUtf8(good), std::string_view::npos);
  }
}

TEST(Locate, CountsCodePoints) {
  const std::string text = "ab\n\xc3\xbc\xe2\x82\xacx\n\nz";
  const struct {
    size_t offset;
    int line, column;
  } kCases[] = {{0, 1, 1}, {1, 1, 2}, {2, 1, 3}, {3, 2, 1},  {4, 2, 1},  {5, 2, 2},  {6, 2, 2},
                {7, 2, 2}, {8, 2, 3}, {9, 2, 4}, {10, 3, 1}, {11, 4, 1}, {12, 4, 2}, {99, 4, 2}};
  for (const auto& c : kCases) {
    const Position at = Locate("f", text, c.offset);
    EXPECT_EQ(at.line, c.line) << c.offset;
    EXPECT_EQ(at.column, c.column) << c.offset;
    EXPECT_EQ(at.file, "f");
  }
  EXPECT_EQ(Locate("f", "", 0).line, 1);
  EXPECT_EQ(Locate("f", "", 0).column, 1);
}

}  // namespace
}  // namespace st::diag
