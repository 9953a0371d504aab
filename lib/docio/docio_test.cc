#include "lib/docio/docio.h"

#include <gtest/gtest.h>

#include <string>

#include "lib/docio/diagnostics.h"
#include "schemas/st/v1/diagnostic.pb.h"

namespace st::docio {
namespace {

v1::Diagnostics Sample() {
  v1::Diagnostics message;
  v1::Diagnostic* one = message.add_diagnostics();
  one->set_severity(v1::Diagnostic::ERROR);
  one->set_file("Z\xc3\xbcrich.yml");
  one->set_line(3);
  one->set_text("a \"b\" \\ c\nd\te");
  return message;
}

TEST(Write, Form) {
  const std::string above =
      "# proto-file: schemas/st/v1/diagnostic.proto\n"
      "# proto-message: st.v1.Diagnostics\n"
      "diagnostics {\n"
      "  severity: ERROR\n"
      "  file: \"Z\xc3\xbcrich.yml\"\n"
      "  line: 3\n"
      "  text: \"a \\\"b\\\" \\\\ c\\nd\\te\"\n"
      "}\n";
  EXPECT_EQ(Write(Sample()), above + "# end sha256:bfdb52c63840991e7426ee903792c9f19021259c73fb67709f0c92d7bd6c3060\n");
}

TEST(Read, TakesWhatWriteWrote) {
  diag::Diagnostics d;
  v1::Diagnostics read;
  EXPECT_TRUE(Read(Write(Sample()), "-", Trailer::kRequired, &read, &d)) << diag::Render(d, diag::Format::kText);
  EXPECT_EQ(read.SerializeAsString(), Sample().SerializeAsString());
}

}  // namespace
}  // namespace st::docio
