// What stands between header and trailer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/docio/docio.h"
#include "lib/docio/oracle.h"
#include "lib/docio/sample.pb.h"

namespace st::docio {
namespace {

using testing::HasSubstr;
using testing::Not;

struct Outcome {
  bool good;
  Sample message;
  std::string errors;
};

Outcome ReadHandWritten(const std::string& text) {
  Outcome outcome;
  diag::Diagnostics d;
  outcome.good = Read(text, "f", Trailer::kOptional, &outcome.message, &d);
  outcome.errors = diag::Render(d, diag::Format::kText);
  EXPECT_EQ(outcome.good, outcome.errors.empty());
  return outcome;
}

std::string ErrorsOf(const std::string& text) { return ReadHandWritten(text).errors; }

TEST(Read, EverySpellingOfTheGrammar) {
  const struct {
    const char* text;
    const char* meaning;  // in the plainest spelling
  } kCases[] = {
      {"name: 'a' 'b'\n\"c\"", "name: \"abc\""},
      {"name:'it\\'s'", "name: \"it's\""},
      {"name: \"\\u00fc\\U0001F600\"", "name: \"\xc3\xbc\xf0\x9f\x98\x80\""},
      {"name: \"\\303\" '\\274'", "name: \"\xc3\xbc\""},
      {"count: -5 size: 0x10 flag: t color: 1", "count: -5\nsize: 16\nflag: true\ncolor: RED"},
      {"count: - 5", "count: -5"},
      {"child { name: 'x' } child_unused_is_no_field: 1", nullptr},
      {"child: { name: 'x', count: 1; size: 2 }", "child { name: \"x\" count: 1 size: 2 }"},
      {"child < name: 'x' >", "child { name: \"x\" }"},
      {"child: <>, count: 1", "child {} count: 1"},
      {"tags: ['a', 'b' 'c'] tags: 'd' tags: []", "tags: \"a\" tags: \"bc\" tags: \"d\""},
      {"numbers: [1, -2,3] numbers: 4", "numbers: 1 numbers: -2 numbers: 3 numbers: 4"},
      {"children [{count: 1}, <count: 2>] children { count: 3 }",
       "children { count: 1 } children { count: 2 } children { count: 3 }"},
      {"children: [ { children: [ {tags: ['x']} ] } ]", "children { children { tags: \"x\" } }"},
      {"# words { [ < \" \nname: \"# no comment\" # \"\n", "name: \"# no comment\""},
      {"data: \"\\xe2\\x80\\x8b\"", "data: \"\\342\\200\\213\""},
      {"data: \"\xe2\x80\x8b\"", "data: \"\\342\\200\\213\""},
      {"note: '' yes: false", "note: \"\" yes: false"},
      {"name: \"two\\nlines\\tand a tab\"", "name: \"two\\nlines\\tand a tab\""},
      {"line_2: 'x'", "line_2: \"x\""},
  };
  for (const auto& c : kCases) {
    const Outcome got = ReadHandWritten(c.text);
    if (c.meaning == nullptr) {
      EXPECT_FALSE(got.good) << c.text;
      continue;
    }
    EXPECT_TRUE(got.good) << c.text << "\n" << got.errors;
    const Outcome plain = ReadHandWritten(c.meaning);
    EXPECT_TRUE(plain.good) << plain.errors;
    EXPECT_EQ(got.message.SerializeAsString(), plain.message.SerializeAsString()) << c.text;
    EXPECT_NE(got.message.ByteSizeLong(), 0u) << c.text;
    EXPECT_EQ(CompareWithProtobuf(c.text).disagreement, "") << c.text;
  }
}

TEST(Read, UnknownFields) {
  EXPECT_EQ(ErrorsOf("nmae: 'x'\nchild {\n\tcuont: [1, 2]\n  zzz { name: 'not looked at' a { b: 1 } }\n}\n"),
            "f:1:1: error: st.docio.Sample has no field 'nmae' [UNKNOWN_FIELD]\n"
            "  hint: did you mean 'name'?\n"
            "f:3:2: error: st.docio.Sample has no field 'cuont' [UNKNOWN_FIELD]\n"
            "  hint: did you mean 'count'?\n"
            "f:4:3: error: st.docio.Sample has no field 'zzz' [UNKNOWN_FIELD]\n"
            "  hint: was it written by a newer version of these tools?\n");
}

TEST(Read, UnknownSpellings) {
  // Numbers, extensions, Any: none names a field of ours.
  for (const char* text : {"1: 'x'", "[st.docio.ext]: 1", "[type.googleapis.com/st.docio.Sample] { }", "Name: 'x'"}) {
    EXPECT_NE(ErrorsOf(text), "") << text;
  }
}

TEST(Read, RepeatedFields) {
  EXPECT_EQ(ErrorsOf("name: 'x' count: 1\n  count: 2\nname: 'y'"),
            "f:2:3: error: field 'count' is given twice [REPEATED_FIELD]\n"
            "  hint: keep one of them; were two documents run together?\n"
            "f:3:1: error: field 'name' is given twice [REPEATED_FIELD]\n"
            "  hint: keep one of them; were two documents run together?\n");
  // A first value that is the default is no value to the parser.
  for (const char* text : {"count: 0 count: 5", "count: 5 count: 0", "name: '' name: 'x'", "flag: false flag: true",
                           "color: COLOR_UNSPECIFIED color: RED", "child {} child {}", "note: '' note: ''",
                           "child { count: 0 count: 1 }", "children [{ count: 0 count: 1 }]", "word: '' word: 'x'"}) {
    EXPECT_THAT(ErrorsOf(text), HasSubstr("[REPEATED_FIELD]")) << text;
  }
  EXPECT_EQ(ErrorsOf("word: ''\n yes: true"),
            "f:2:2: error: fields 'word' and 'yes' exclude each other [REPEATED_FIELD]\n  hint: keep one of them\n");
  EXPECT_EQ(ErrorsOf("child { count: 1 } children { count: 1 } children { count: 1 } count: 1"), "");
}

TEST(Read, ValuesAllInOneRun) {
  EXPECT_EQ(ErrorsOf("flag: maybe\ncolor:\n  BLUE\nchildren { color: RDE } count: x\nzzz: 1"),
            "f:1:7: error: field 'flag' is true or false [BAD_VALUE]\n"
            "f:3:3: error: field 'color' has no value 'BLUE' [UNKNOWN_VALUE]\n"
            "  hint: its values are COLOR_UNSPECIFIED, RED\n"
            "f:4:19: error: field 'color' has no value 'RDE' [UNKNOWN_VALUE]\n"
            "  hint: did you mean 'RED'?\n"
            "f:4:32: error: field 'count' is a whole number from -9223372036854775808 to 9223372036854775807 "
            "[BAD_VALUE]\n"
            "f:5:1: error: st.docio.Sample has no field 'zzz' [UNKNOWN_FIELD]\n"
            "  hint: was it written by a newer version of these tools?\n");
  for (const char* flag : {"true", "True", "t", "1", "false", "False", "f", "0"}) {
    EXPECT_EQ(ErrorsOf(std::string("flag: ") + flag), "") << flag;
  }
}

TEST(Read, ValuesAreNeverQuoted) {
  for (const char* text : {"name: hunter2", "name: 'hunter2\\q'", "count: 'hunter2'", "flag: hunter2", "child: hunter2",
                           "name 'hunter2'", "'hunter2'", "name: 'hunter2", "name: 'hunter2\\u202e'",
                           "tags: ['a' 'b' 'hunter2' 1]", "name: 'x' name: 'hunter2'"}) {
    EXPECT_NE(ErrorsOf(text), "") << text;
    EXPECT_THAT(ErrorsOf(text), Not(HasSubstr("hunter2"))) << text;
  }
}

struct Located {
  std::string text;
  const char* code;
  int line, column;
};

void ExpectFirst(const Located& c) {
  diag::Diagnostics d;
  Sample message;
  EXPECT_FALSE(Read(c.text, "f", Trailer::kOptional, &message, &d)) << c.text;
  ASSERT_FALSE(d.empty()) << c.text;
  const diag::Diagnostic first = d.Sorted()[0];
  EXPECT_EQ(first.code, c.code) << c.text;
  EXPECT_EQ(first.position.line, c.line) << c.text << "\n" << first.text;
  EXPECT_EQ(first.position.column, c.column) << c.text << "\n" << first.text;
}

TEST(Read, ValuesOfTheWrongKind) {
  const Located kCases[] = {
      {"name: x", "BAD_VALUE", 1, 7},
      {"name: 1", "BAD_VALUE", 1, 7},
      {"name: { }", "BAD_VALUE", 1, 7},
      {"name: ['x']", "BAD_VALUE", 1, 7},
      {"count: 'x'", "BAD_VALUE", 1, 8},
      {"count: 1.5", "BAD_VALUE", 1, 8},
      {"count: 1e3", "BAD_VALUE", 1, 8},
      {"count: 08", "BAD_VALUE", 1, 8},
      {"count: 0x", "BAD_VALUE", 1, 8},
      {"count: 9223372036854775808", "BAD_VALUE", 1, 8},
      {"count: -9223372036854775809", "BAD_VALUE", 1, 8},
      {"count: 18446744073709551616", "BAD_VALUE", 1, 8},
      {"size: -1", "BAD_VALUE", 1, 7},
      {"size: 4294967296", "BAD_VALUE", 1, 7},
      {"flag: 2", "BAD_VALUE", 1, 7},
      {"flag: -1", "BAD_VALUE", 1, 7},
      {"flag: 'true'", "BAD_VALUE", 1, 7},
      {"color: 'RED'", "BAD_VALUE", 1, 8},
      {"color: 2", "UNKNOWN_VALUE", 1, 8},
      {"color: -1", "UNKNOWN_VALUE", 1, 8},
      {"color: 9999999999", "UNKNOWN_VALUE", 1, 8},
      {"child: 'x'", "BAD_VALUE", 1, 8},
      {"\n\n\t\tcount:\t'x'", "BAD_VALUE", 3, 10},
      {"name: '\xf0\x9f\x98\x80' count: x", "BAD_VALUE", 1, 18},
  };
  for (const Located& c : kCases) ExpectFirst(c);
}

TEST(Read, Grammar) {
  const Located kCases[] = {
      {"name", "TEXT_SYNTAX", 1, 5},
      {"name: ", "TEXT_SYNTAX", 1, 7},
      {"name 'x'", "TEXT_SYNTAX", 1, 6},
      {"name: 'x", "TEXT_SYNTAX", 1, 7},
      {"name: 'x\ny'", "TEXT_SYNTAX", 1, 7},
      {"name: 'x\\'", "TEXT_SYNTAX", 1, 7},
      {"child { name: 'x'", "TEXT_SYNTAX", 1, 18},
      {"child { name: 'x' >", "TEXT_SYNTAX", 1, 19},
      {"}", "TEXT_SYNTAX", 1, 1},
      {"name: 'x' }", "TEXT_SYNTAX", 1, 11},
      {"name: 'x' ]", "TEXT_SYNTAX", 1, 11},
      {"tags: ['x'", "TEXT_SYNTAX", 1, 11},
      {"tags: ['x',]", "TEXT_SYNTAX", 1, 12},
      {"tags: [,]", "TEXT_SYNTAX", 1, 8},
      {"tags: ['x' 1]", "TEXT_SYNTAX", 1, 12},
      {"tags: ['x' ; 'y']", "TEXT_SYNTAX", 1, 12},
      {"tags: [[ 'x' ]]", "TEXT_SYNTAX", 1, 8},
      {"count: -", "TEXT_SYNTAX", 1, 9},
      {"count: --1", "TEXT_SYNTAX", 1, 9},
      {"\tname: '\xc3\xbc\xc3\xbc' \xc3\xbc: 1", "TEXT_SYNTAX", 1, 13},
      {"name: '\\u12'", "TEXT_SYNTAX", 1, 8},
      {"name: 'ab\\q'", "TEXT_SYNTAX", 1, 10},
      {"name: '\\U00110000'", "TEXT_SYNTAX", 1, 8},
      {"name: '\\xg'", "TEXT_SYNTAX", 1, 8},
      {"name: 'x' , , count: 1", "TEXT_SYNTAX", 1, 13},
      {"name: 'x' \x01 count: 1", "TEXT_SYNTAX", 1, 11},
  };
  for (const Located& c : kCases) ExpectFirst(c);
  EXPECT_EQ(ErrorsOf("child { name: 'x'"),
            "f:1:18: error: here a field's name is expected, not the end of the text "
            "[TEXT_SYNTAX]\n");
  EXPECT_EQ(ErrorsOf("child { >"), "f:1:9: error: here `}` is expected, not `>` [TEXT_SYNTAX]\n");
  EXPECT_EQ(ErrorsOf("name 'x'"),
            "f:1:6: error: here `:` after 'name' is expected, not a text in quotes "
            "[TEXT_SYNTAX]\n");
}

TEST(Read, BytesThatAreNoText) {
  EXPECT_EQ(ErrorsOf("name: 'x'\n# \xc3\xbc \xff\n"),
            "f:2:5: error: not UTF-8: byte \\xFF [NOT_UTF8]\n  hint: save the file as UTF-8\n");
  EXPECT_THAT(ErrorsOf(std::string("name: 'x'\n\0count: 1", 19)), HasSubstr("f:2:1: error: a NUL byte [TEXT_SYNTAX]"));
  EXPECT_THAT(ErrorsOf(std::string("name: 'x' # \0\ncount: 1", 22)), HasSubstr("a NUL byte"));
  EXPECT_THAT(ErrorsOf(std::string("name: 'a\0b'", 11)), HasSubstr("a NUL byte"));
  EXPECT_THAT(ErrorsOf(std::string("\xff\xfen\0", 4)), HasSubstr("[NOT_UTF8]"));
  EXPECT_EQ(ErrorsOf("count: 1\nname: '\\377'"),
            "f:2:7: error: field 'name' is text, and its value is not UTF-8 [NOT_UTF8]\n"
            "  hint: write the character itself, or \\u and its number\n");
  EXPECT_EQ(ErrorsOf("data: '\\377'"), "") << "bytes hold anything";
}

TEST(Read, InvisibleCharacters) {
  EXPECT_EQ(ErrorsOf("count: 1\nname: 'a\xe2\x80\xae' "),
            "f:2:9: error: field 'name' holds a character that cannot be seen: \\u{202E} [INVISIBLE_CHARACTER]\n"
            "  hint: remove it: what is reviewed must be what counts\n");
  EXPECT_EQ(ErrorsOf("count: 1\nname: 'a\\u202e' "),
            "f:2:7: error: field 'name' holds a character that cannot be seen: \\u{202E} [INVISIBLE_CHARACTER]\n"
            "  hint: remove it: what is reviewed must be what counts\n");
  for (const char* text : {"name: '\\r'", "name: '\\000'", "name: '\\x7f'", "name: '\xc2\xad'", "name: '\xef\xbb\xbf'",
                           "tags: ['ok', '\\u200b']", "tags: 'ok' tags: '\\342\\200' '\\213'",
                           "child { word: '\\ue0001' note: '\xf3\xa0\x80\x81' }", "children [{ tags: '\\U000E0041' }]",
                           "# \xe2\x80\xae comment\nname: 'x'", "name: 'x' # \x1b[31m"}) {
    EXPECT_THAT(ErrorsOf(text), HasSubstr("[INVISIBLE_CHARACTER]")) << text;
  }
  EXPECT_EQ(ErrorsOf("name: 'x' # a\ttab\r\ndata: '\\000\xe2\x80\x8b'"), "");
  EXPECT_NE(ErrorsOf("name\xe2\x80\x8b: 'x'"), "") << "between tokens";
}

std::string Nested(int depth, const std::string& open, const std::string& close, const std::string& inside) {
  std::string text;
  for (int i = 0; i < depth; ++i) text += open;
  text += inside;
  for (int i = 0; i < depth; ++i) text += close;
  return text;
}

TEST(Read, Depth) {
  EXPECT_EQ(ErrorsOf(Nested(kMaxNesting, "child {", "}", "count: 1")), "");
  for (const char* open : {"child {", "child: <"}) {
    const char* close = open[6] == '{' ? "}" : ">";
    EXPECT_THAT(ErrorsOf(Nested(kMaxNesting + 1, open, close, "")), HasSubstr("[TOO_DEEP]"));
    // Deep enough to overflow the parser's stack, closed or not.
    EXPECT_THAT(ErrorsOf(Nested(1'000'000, open, close, "")), HasSubstr("[TOO_DEEP]"));
    EXPECT_THAT(ErrorsOf(Nested(1'000'000, open, "", "")), HasSubstr("[TOO_DEEP]"));
  }
  for (const char* open :
       {"[", "tags: [", "unknown: [", "unknown {", "unknown [{", "{", "<", "children [{", "} child {"}) {
    EXPECT_NE(ErrorsOf(Nested(100'000, open, "", "")), "") << open;
  }
  EXPECT_EQ(ErrorsOf("name: '" + Nested(1000, "{", "", "") + "' # " + Nested(1000, "<", "", "")), "");
  EXPECT_THAT(ErrorsOf(Nested(kMaxNesting + 1, "child {\n", "}", "")), HasSubstr("f:65:7: error: messages are nested"));
}

TEST(Read, FindingsAreBounded) {
  std::string text;
  for (int i = 0; i < 10'000; ++i) text += "zzz: 1\n";
  diag::Diagnostics d;
  Sample message;
  EXPECT_FALSE(Read(text, "f", Trailer::kOptional, &message, &d));
  EXPECT_EQ(d.errors(), 100);
}

}  // namespace
}  // namespace st::docio
