// What stands between header and trailer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lib/docio/docio.h"
#include "lib/docio/sample.pb.h"

namespace st::docio {
namespace {

using testing::AllOf;
using testing::HasSubstr;

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

TEST(Read, WordsThatAreNoValue) {
  EXPECT_EQ(ErrorsOf("flag: maybe\ncolor:\n  BLUE\nchildren { color: RDE } zzz: 1"),
            "f:1:7: error: field 'flag' is true or false, not 'maybe' [BAD_VALUE]\n"
            "f:3:3: error: field 'color' has no value 'BLUE' [BAD_VALUE]\n"
            "  hint: its values are COLOR_UNSPECIFIED, RED\n"
            "f:4:19: error: field 'color' has no value 'RDE' [BAD_VALUE]\n"
            "  hint: did you mean 'RED'?\n"
            "f:4:25: error: st.docio.Sample has no field 'zzz' [UNKNOWN_FIELD]\n"
            "  hint: was it written by a newer version of these tools?\n");
  for (const char* flag : {"true", "True", "t", "1", "false", "False", "f", "0"}) {
    EXPECT_EQ(ErrorsOf(std::string("flag: ") + flag), "") << flag;
  }
  // Another kind of mistake is told in the same run.
  EXPECT_THAT(ErrorsOf("count: x\nzzz: 1"), AllOf(HasSubstr("f:1:8: error: "), HasSubstr("f:2:1: error: ")));
}

TEST(Read, Syntax) {
  const struct {
    std::string text;
    int line, column;
  } kCases[] = {
      {"name", 1, 5},
      {"name: ", 1, 7},
      {"name 'x'", 1, 6},
      {"name: 'x", 1, 9},
      {"name: 'x\ny'", 1, 9},
      {"name: x", 1, 7},
      {"count: 'x'", 1, 8},
      {"count: 1.5", 1, 8},
      {"count: 9223372036854775808", 1, 8},
      {"size: -1", 1, 7},
      {"color: 9999999999", 1, 8},
      {"child { name: 'x'", 1, 18},
      {"child { name: 'x' >", 1, 19},
      {"}", 1, 1},
      {"name: 'x' }", 1, 11},
      {"tags: ['x'", 1, 11},
      {"tags: ['x' ; 'y']", 1, 12},
      {"tags: [[ 'x' ]]", 1, 8},
      {"name: ['x']", 1, 7},
      {"\tname: '\xc3\xbc\xc3\xbc' \xc3\xbc: 1", 1, 13},
      {"\n\n\t\tcount:\t'x'", 3, 10},
      {"name: '\xf0\x9f\x98\x80' count: x", 1, 18},
      {"name: '\\u12'", 1, 12},
      {"name: 'x' , , count: 1", 1, 13},
      {"name: 'x' \x01 count: 1", 1, 11},
  };
  for (const auto& c : kCases) {
    diag::Diagnostics d;
    Sample message;
    EXPECT_FALSE(Read(c.text, "f", Trailer::kOptional, &message, &d)) << c.text;
    ASSERT_FALSE(d.empty()) << c.text;
    const diag::Diagnostic first = d.Sorted()[0];
    EXPECT_EQ(first.code, "TEXT_SYNTAX") << c.text;
    EXPECT_EQ(first.position.line, c.line) << c.text << "\n" << first.text;
    EXPECT_EQ(first.position.column, c.column) << c.text << "\n" << first.text;
  }
}

TEST(Read, BytesThatAreNoText) {
  EXPECT_EQ(ErrorsOf("name: 'x'\n# \xc3\xbc \xff\n"),
            "f:2:5: error: not UTF-8: byte \\xFF [NOT_UTF8]\n  hint: save the file as UTF-8\n");
  EXPECT_THAT(ErrorsOf(std::string("name: 'x'\n\0count: 1", 19)), HasSubstr("f:2:1: error: a NUL byte [TEXT_SYNTAX]"));
  EXPECT_THAT(ErrorsOf(std::string("name: 'x' # \0\ncount: 1", 22)), HasSubstr("a NUL byte"));
  EXPECT_THAT(ErrorsOf(std::string("name: 'a\0b'", 11)), HasSubstr("a NUL byte"));
  EXPECT_THAT(ErrorsOf("\xff\xfen\0"), HasSubstr("[NOT_UTF8]"));
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
  EXPECT_THAT(ErrorsOf("name: 'x' ! " + Nested(100'000, "{", "", "")), HasSubstr("[TOO_DEEP]"));
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
