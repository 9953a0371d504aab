// Header and trailer: every way in which a document comes damaged through a pipe.
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_replace.h"
#include "lib/base/digest.h"
#include "lib/docio/docio.h"
#include "lib/docio/sample.pb.h"
#include "schemas/st/v1/diagnostic.pb.h"

namespace st::docio {
namespace {

std::string Good() {
  Sample message;
  message.set_name("orders");
  message.set_count(7);
  return Write(message);
}

std::string Sealed(const std::string& above) { return above + "# end sha256:" + base::Sha256Hex(above) + "\n"; }

std::string Errors(const std::string& text, Trailer trailer = Trailer::kRequired, const char* file = "-") {
  Sample message;
  message.set_name("left over");
  diag::Diagnostics d;
  const bool good = Read(text, file, trailer, &message, &d);
  EXPECT_EQ(good, !d.HasErrors());
  EXPECT_TRUE(good || message.ByteSizeLong() == 0) << "a refused document leaves nothing";
  return diag::Render(d, diag::Format::kText);
}

TEST(Envelope, GoodOnes) {
  EXPECT_EQ(Errors(Good()), "");
  EXPECT_EQ(Errors(Good(), Trailer::kOptional), "");
  EXPECT_EQ(Errors(Write(Sample())), "");
}

TEST(Envelope, EveryCutIsSeen) {
  const std::string good = Good();
  for (size_t length = 1; length < good.size(); ++length) {
    EXPECT_NE(Errors(good.substr(0, length)).find("[NO_TRAILER]"), std::string::npos) << length;
  }
  EXPECT_EQ(Errors(good.substr(0, good.size() - 1)),
            "-:5:78: error: the document is cut off: its last line, `# end sha256:...`, is missing [NO_TRAILER]\n"
            "  hint: did the tool before it fail? run it again and look at what it says\n");
}

TEST(Envelope, EveryChangedByteIsSeen) {
  const std::string good = Good();
  for (size_t at = 0; at < good.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string edited = good;
      edited[at] = static_cast<char>(edited[at] ^ (1 << bit));
      EXPECT_NE(Errors(edited), "") << at << " " << bit;
    }
  }
}

TEST(Envelope, EveryMissingByteIsSeen) {
  const std::string good = Good();
  for (size_t at = 0; at < good.size(); ++at) {
    std::string edited = good;
    edited.erase(at, 1);
    EXPECT_NE(Errors(edited), "") << at;
  }
}

TEST(Envelope, EditedText) {
  EXPECT_EQ(
      Errors(absl::StrReplaceAll(Good(), {{"7", "8"}}).replace(Good().size() - 65, 64, Good(), Good().size() - 65, 64)),
      "-:5:1: error: the document was edited or damaged: its digest is another one [BAD_TRAILER]\n"
      "  hint: documents are not edited by hand: change the declarations and run the tools again\n");
}

TEST(Envelope, Empty) {
  for (const char* text : {"", "\n", " \t\r\n\n"}) {
    EXPECT_EQ(Errors(text),
              "-: error: standard input is empty: the tool before it failed [EMPTY_INPUT]\n"
              "  hint: look at what that tool says\n");
    EXPECT_EQ(Errors(text, Trailer::kRequired, "plan.textproto"),
              "plan.textproto: error: the file is empty [EMPTY_INPUT]\n"
              "  hint: was the tool that wrote it cut off?\n");
    EXPECT_NE(Errors(text, Trailer::kOptional), "") << "a pipe is not written by hand";
    EXPECT_EQ(Errors(text, Trailer::kOptional, "empty.textproto"), "") << "a hand-written file may say nothing";
  }
}

TEST(Envelope, Foreign) {
  EXPECT_EQ(Errors(Write(v1::Diagnostics())),
            "-:2:1: error: this is a st.v1.Diagnostics; wanted is a st.docio.Sample [WRONG_DOCUMENT]\n"
            "  hint: check the order of the tools in the pipe\n");
  EXPECT_EQ(Errors("{\"json\": true}\n"),
            "-:1:1: error: this is no document of these tools; wanted is a st.docio.Sample [WRONG_DOCUMENT]\n"
            "  hint: it would begin with `# proto-file: lib/docio/sample.proto`\n");
  EXPECT_NE(Errors(std::string("\x7f"
                               "ELF\0\0\xff",
                               7))
                .find("[WRONG_DOCUMENT]"),
            std::string::npos);
  // A message of the same name from another place, and headers that were cut or changed and sealed again.
  const std::string body = "name: \"x\"\n";
  EXPECT_EQ(Errors(Sealed("# proto-file: lib/other.proto\n# proto-message: st.docio.Sample\n" + body)),
            "-:1:1: error: the header names another file than `lib/docio/sample.proto` [WRONG_DOCUMENT]\n"
            "  hint: pass the document on as it was written\n");
  EXPECT_NE(Errors(Sealed("# proto-file: lib/docio/sample.proto\n" + body)).find("[WRONG_DOCUMENT]"),
            std::string::npos);
  EXPECT_NE(Errors(Sealed(body)).find("[WRONG_DOCUMENT]"), std::string::npos);
  EXPECT_NE(Errors("\n" + Good()).find("[WRONG_DOCUMENT]"), std::string::npos);
  EXPECT_NE(Errors("\xEF\xBB\xBF" + Good()).find("[WRONG_DOCUMENT]"), std::string::npos);
}

TEST(Envelope, RunTogether) {
  EXPECT_EQ(Errors(Good() + Good()),
            "-:6:1: error: a second document follows: two were run together [TRAILING_TEXT]\n"
            "  hint: pass on exactly one document, as it was written\n");
  EXPECT_NE(Errors(Good() + Write(v1::Diagnostics())).find("[TRAILING_TEXT]"), std::string::npos);
  EXPECT_NE(Errors(Good() + Good(), Trailer::kOptional).find("[TRAILING_TEXT]"), std::string::npos);
  // Sealed as one, it is still two: a document ends at its first trailer.
  EXPECT_NE(Errors(Sealed(Good() + Good())).find("[TRAILING_TEXT]"), std::string::npos);
}

TEST(Envelope, NothingAfterTheTrailer) {
  for (const char* tail : {"\n", " ", "\t", "\r\n", "\n\n"}) {
    EXPECT_NE(Errors(Good() + tail).find("-:6:1: error: blanks or empty lines follow"), std::string::npos) << tail;
  }
  EXPECT_NE(Errors(Good() + "x").find("-:6:1: error: text follows the end"), std::string::npos);
  EXPECT_NE(Errors(Good() + "name: \"y\"\n", Trailer::kOptional).find("[TRAILING_TEXT]"), std::string::npos);
  const std::string no_line_end = Good().substr(0, Good().size() - 1);
  EXPECT_NE(Errors(no_line_end).find("[NO_TRAILER]"), std::string::npos);
  EXPECT_NE(Errors(no_line_end, Trailer::kOptional).find("[NO_TRAILER]"), std::string::npos);
  EXPECT_NE(Errors(no_line_end + " \n").find("holds no SHA-256 digest [BAD_TRAILER]"), std::string::npos);
  EXPECT_NE(Errors(no_line_end + "0\n").find("[BAD_TRAILER]"), std::string::npos);
}

TEST(Envelope, ChangedLineEnds) {
  const std::string crlf = absl::StrReplaceAll(Good(), {{"\n", "\r\n"}});
  EXPECT_EQ(Errors(crlf),
            "-:1:37: error: the line ends of the document were changed [BAD_TRAILER]\n"
            "  hint: pass the document on as it was written: something on its way made CR LF out of LF\n");
  EXPECT_NE(Errors(crlf, Trailer::kOptional).find("line ends of the document were changed"), std::string::npos);
}

TEST(Envelope, UpperCaseDigest) {
  std::string good = Good();
  for (size_t at = good.size() - 65; at < good.size(); ++at) {
    good[at] = static_cast<char>(good[at] >= 'a' ? good[at] - 'a' + 'A' : good[at]);
  }
  EXPECT_NE(Errors(good).find("[BAD_TRAILER]"), std::string::npos);
}

TEST(Envelope, HandWritten) {
  for (const char* text : {
           "name: \"x\"",
           "name: \"x\"\r\ncount: 1\r\n",
           "\xEF\xBB\xBFname: \"x\"\n",
           "# a word first\n\n# proto-file: ../../sample.proto\n# proto-message: st.docio.Sample\nname: \"x\"\n",
           "# proto-message: st.docio.Sample\r\nname: \"x\"\r\n",
           "name: \"x\"  # proto-message: st.v1.Plan\n",
           "name: \"x\"\n# proto-message: st.v1.Plan\n",
       }) {
    EXPECT_EQ(Errors(text, Trailer::kOptional, "f.textproto"), "") << text;
  }
  EXPECT_EQ(Errors("# mine\n# proto-message: st.v1.Plan\nname: \"x\"\n", Trailer::kOptional, "f.textproto"),
            "f.textproto:2:1: error: this is a st.v1.Plan; wanted is a st.docio.Sample [WRONG_DOCUMENT]\n"
            "  hint: check the order of the tools in the pipe\n");
  EXPECT_NE(
      Errors("\xEF\xBB\xBF# proto-message: st.v1.Plan\n", Trailer::kOptional, "f").find("f:1:1: error: this is a"),
      std::string::npos)
      << "behind a byte-order mark too";
  EXPECT_NE(Errors("name: \"x\"\n# end sha256:abc\n", Trailer::kOptional).find("-:2:1: error"), std::string::npos)
      << "what is there is checked";
  EXPECT_NE(Errors("# end sha256:\n", Trailer::kOptional).find("[BAD_TRAILER]"), std::string::npos);
  EXPECT_EQ(Errors(Sealed("name: \"x\"\n"), Trailer::kOptional), "");
}

}  // namespace
}  // namespace st::docio
