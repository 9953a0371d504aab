// Thousands of texts, each a few steps away from a good one: our parser and protobuf's agree on all.
#include "lib/docio/oracle.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace st::docio {
namespace {

const std::vector<std::string>& Pieces() {
  static const auto* const kPieces = new std::vector<std::string>{"name: 'x'",
                                                                  "name",
                                                                  ":",
                                                                  "'a'",
                                                                  "\"b\"",
                                                                  "'\\n'",
                                                                  "'\\303\\274'",
                                                                  "'\\ud83d\\ude00'",
                                                                  "'\\ud83d'",
                                                                  "'\\x1'",
                                                                  "'\\X1'",
                                                                  "'\\x4142'",
                                                                  "'\\U0010ffff'",
                                                                  "'\\U00110000'",
                                                                  "'\\q'",
                                                                  "'\\",
                                                                  "data: '\\377'",
                                                                  "data:",
                                                                  "count: -5",
                                                                  "count: 0x1F",
                                                                  "count: 017",
                                                                  "count: 08",
                                                                  "count: 9223372036854775807",
                                                                  "count: -9223372036854775808",
                                                                  "count: 9223372036854775808",
                                                                  "count:",
                                                                  "size: 4294967295",
                                                                  "size: 4294967296",
                                                                  "size: -0",
                                                                  "-",
                                                                  "- 1",
                                                                  "1",
                                                                  "0",
                                                                  "1.5",
                                                                  "1e3",
                                                                  "1x",
                                                                  ".5",
                                                                  "flag: true",
                                                                  "flag: True",
                                                                  "flag: 1",
                                                                  "flag: 2",
                                                                  "flag: 01",
                                                                  "flag: 0x1",
                                                                  "flag: yes",
                                                                  "flag: -1",
                                                                  "color: RED",
                                                                  "color: 1",
                                                                  "color: 7",
                                                                  "color: -1",
                                                                  "color: red",
                                                                  "note: ''",
                                                                  "limit: 0",
                                                                  "tags: 'x'",
                                                                  "tags: ['a', 'b']",
                                                                  "tags: []",
                                                                  "tags ['a']",
                                                                  "tags: [",
                                                                  "numbers: [1, -2]",
                                                                  "numbers: 3",
                                                                  "child {",
                                                                  "child: {",
                                                                  "child <",
                                                                  "child: [{",
                                                                  "children {",
                                                                  "children: [{",
                                                                  "children [<",
                                                                  "children: []",
                                                                  "child",
                                                                  "children",
                                                                  "}",
                                                                  ">",
                                                                  "]",
                                                                  ",",
                                                                  ";",
                                                                  "[",
                                                                  "{",
                                                                  "<",
                                                                  "word: 'w'",
                                                                  "yes: true",
                                                                  "line_2: 'z'",
                                                                  "zzz: 1",
                                                                  "zzz { a: [1] }",
                                                                  "Name: 'x'",
                                                                  "[st.ext]: 1",
                                                                  "# words\n",
                                                                  "#",
                                                                  "\n",
                                                                  "\t",
                                                                  "\r\n",
                                                                  "\v",
                                                                  "\xc3\xbc",
                                                                  "/",
                                                                  "inf",
                                                                  "true",
                                                                  "RED"};
  return *kPieces;
}

std::vector<std::string> RandomText(std::mt19937& random) {
  const auto below = [&](size_t limit) { return static_cast<size_t>(random() % limit); };
  // From one good field a line, where most edits keep it good.
  std::vector<std::string> text = {"name: 'x'",  "count: 1",   "tags: 'a'", "tags: ['b', 'c']", "child {",
                                   "flag: true", "color: RED", "}",         "children: [{",     "size: 1",
                                   "}, <",       "yes: true",  ">]",        "note: ''",         "numbers: [1]"};
  for (size_t edits = below(4); edits > 0; --edits) {
    const auto at = text.begin() + static_cast<std::ptrdiff_t>(below(text.size()));
    switch (below(3)) {
      case 0:
        text.erase(at);
        break;
      case 1:
        *at = Pieces()[below(Pieces().size())];
        break;
      default:
        text.insert(at, Pieces()[below(Pieces().size())]);
    }
  }
  return text;
}

TEST(Oracle, AgreesOnEveryPieceAlone) {
  for (const std::string& piece : Pieces()) EXPECT_EQ(CompareWithProtobuf(piece).disagreement, "") << piece;
}

TEST(Oracle, AgreesOnPairs) {
  int pairs = 0;
  for (const std::string& first : Pieces()) {
    for (const std::string& second : Pieces()) {
      const std::string text = first + (++pairs % 2 == 0 ? " " : "") + second;
      ASSERT_EQ(CompareWithProtobuf(text).disagreement, "") << text;
    }
  }
  EXPECT_EQ(pairs % 2, 1) << "of an even number of pieces each would stand only beside one kind of gap";
}

TEST(Oracle, AgreesOnEditedTexts) {
  constexpr int kTexts = 5000;
  std::mt19937 random(20261129);
  int taken = 0;
  for (int i = 0; i < kTexts; ++i) {
    std::string text;
    for (const std::string& piece : RandomText(random)) text += piece + (random() % 8 == 0 ? "" : " ");
    const Verdict verdict = CompareWithProtobuf(text);
    ASSERT_EQ(verdict.disagreement, "") << text;
    taken += verdict.taken ? 1 : 0;
  }
  // Both sides of the border are looked at.
  EXPECT_GT(taken, kTexts / 10);
  EXPECT_LT(taken, kTexts * 9 / 10);
}

}  // namespace
}  // namespace st::docio
