#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "lib/base/digest.h"
#include "lib/docio/diagnostics.h"
#include "lib/docio/docio.h"
#include "lib/docio/sample.pb.h"
#include "schemas/st/v1/diagnostic.pb.h"

namespace st::docio {
namespace {

constexpr char kHeader[] = "# proto-file: lib/docio/sample.proto\n# proto-message: st.docio.Sample\n";

// The text between header and trailer, both checked.
std::string Body(const std::string& document) {
  const size_t trailer = document.rfind("# end sha256:");
  EXPECT_EQ(document.rfind(kHeader, 0), 0u) << document;
  EXPECT_EQ(document.substr(trailer), "# end sha256:" + base::Sha256Hex(document.substr(0, trailer)) + "\n");
  const size_t begin = sizeof kHeader - 1;
  return document.substr(begin, trailer - begin);
}

TEST(Write, TheWholeFormByteByByte) {
  v1::Diagnostics message;
  v1::Diagnostic* one = message.add_diagnostics();
  one->set_severity(v1::Diagnostic::ERROR);
  one->set_file("Z\xc3\xbcrich.yml");
  one->set_line(3);
  one->set_text("a \"b\" \\ c\nd\te");
  // The digest is sha256sum's.
  EXPECT_EQ(Write(message),
            "# proto-file: schemas/st/v1/diagnostic.proto\n"
            "# proto-message: st.v1.Diagnostics\n"
            "diagnostics {\n"
            "  severity: ERROR\n"
            "  file: \"Z\xc3\xbcrich.yml\"\n"
            "  line: 3\n"
            "  text: \"a \\\"b\\\" \\\\ c\\nd\\te\"\n"
            "}\n"
            "# end sha256:bfdb52c63840991e7426ee903792c9f19021259c73fb67709f0c92d7bd6c3060\n");
}

TEST(Write, AnEmptyMessageIsHeaderAndTrailer) { EXPECT_EQ(Body(Write(Sample())), ""); }

TEST(Write, FieldsByNumberOneALine) {
  Sample message;
  message.add_children()->set_count(2);
  message.mutable_child()->add_tags("x");
  message.add_tags("b");
  message.add_tags("a");
  message.set_count(std::numeric_limits<int64_t>::min());
  message.set_color(RED);
  message.set_note("");
  message.set_yes(false);
  EXPECT_EQ(Body(Write(message)),
            "count: -9223372036854775808\ncolor: RED\nnote: \"\"\ntags: \"b\"\ntags: \"a\"\nchild {\n  tags: \"x\"\n}\n"
            "children {\n  count: 2\n}\nyes: false\n");
}

TEST(Write, EscapesWhatCannotBeSeen) {
  const struct {
    std::string value, text, bytes;
  } kCases[] = {
      {"plain 'text'", "plain 'text'", "plain 'text'"},
      {"\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80",
       "\\303\\274\\342\\202\\254\\360\\237\\230\\200"},
      {std::string("\0a\x1f\x7f", 4), "\\000a\\037\\177", "\\000a\\037\\177"},
      {"a\xe2\x80\xaez", "a\\u202Ez", "a\\342\\200\\256z"},
      {"\xe2\x80\x8b\x31", "\\u200B1", "\\342\\200\\2131"},
      {"\xf3\xa0\x81\x81", "\\U000E0041", "\\363\\240\\201\\201"},
      {"\xc2\x85", "\\u0085", "\\302\\205"},
      {"\xff\xc3", "\\377\\303", "\\377\\303"},
      {"\n\r\t\"\\", "\\n\\r\\t\\\"\\\\", "\\n\\r\\t\\\"\\\\"},
  };
  for (const auto& c : kCases) {
    Sample message;
    message.set_name(c.value);
    EXPECT_EQ(Body(Write(message)), "name: \"" + c.text + "\"\n");
    message.clear_name();
    message.set_data(c.value);
    EXPECT_EQ(Body(Write(message)), "data: \"" + c.bytes + "\"\n");
  }
}

TEST(Write, BytesComeBackWhateverTheyAre) {
  Sample message;
  for (int i = 0; i < 256; ++i) message.mutable_data()->push_back(static_cast<char>(i));
  for (int i = 0; i < 256; ++i) *message.mutable_data() += std::string("\xe2\x80") + static_cast<char>(i);
  diag::Diagnostics d;
  Sample read;
  ASSERT_TRUE(Read(Write(message), "-", Trailer::kRequired, &read, &d)) << diag::Render(d, diag::Format::kText);
  EXPECT_EQ(read.data(), message.data());
}

TEST(WriteDiagnostics, IsADocumentThatEveryReaderTakes) {
  diag::Diagnostics d;
  d.Error({"b\x01.yml", 2, 3}, "CODE", "text \xe2\x80\xae \xff", "hint\n");
  d.Warning({"a.yml"}, "OTHER", "more");
  diag::Diagnostics none;
  v1::Diagnostics read;
  ASSERT_TRUE(Read(WriteDiagnostics(d), "-", Trailer::kRequired, &read, &none))
      << diag::Render(none, diag::Format::kText);
  ASSERT_EQ(read.diagnostics_size(), 2);
  EXPECT_EQ(read.diagnostics(0).file(), "a.yml");
  EXPECT_EQ(read.diagnostics(0).severity(), v1::Diagnostic::WARNING);
  EXPECT_EQ(read.diagnostics(0).line(), 0u);
  const v1::Diagnostic& error = read.diagnostics(1);
  EXPECT_EQ(error.severity(), v1::Diagnostic::ERROR);
  EXPECT_EQ(error.file(), "b\\u{1}.yml");
  EXPECT_EQ(error.line(), 2u);
  EXPECT_EQ(error.column(), 3u);
  EXPECT_EQ(error.code(), "CODE");
  EXPECT_EQ(error.text(), "text \\u{202E} \\xFF");
  EXPECT_EQ(error.hint(), "hint\\u{A}");
}

}  // namespace
}  // namespace st::docio
