#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <cstdio>
#include <cstdlib>

#include "absl/strings/str_format.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/docio/envelope.h"

namespace st::docio {
namespace {

bool IsPlain(char c) { return c >= 0x20 && c < 0x7F && c != '"' && c != '\\'; }

void AppendEscapedByte(char c, std::string* out) {
  switch (c) {
    case '\n':
      *out += "\\n";
      break;
    case '\r':
      *out += "\\r";
      break;
    case '\t':
      *out += "\\t";
      break;
    case '"':
      *out += "\\\"";
      break;
    case '\\':
      *out += "\\\\";
      break;
    default:
      // Three octal digits end by themselves; hexadecimal escapes would eat the digits after them.
      absl::StrAppendFormat(out, "\\%03o", static_cast<unsigned char>(c));
  }
}

// Escapes exactly what a reviewer could not see or what could not be read back: protobuf's own UTF-8 form lets
// bidirectional and zero-width characters through.
class Printer final : public google::protobuf::TextFormat::FastFieldValuePrinter {
 public:
  using Generator = google::protobuf::TextFormat::BaseTextGenerator;

  void PrintString(const std::string& value, Generator* generator) const override {
    Print(value, /*readable=*/true, generator);
  }
  void PrintBytes(const std::string& value, Generator* generator) const override {
    Print(value, /*readable=*/false, generator);
  }

 private:
  static void Print(std::string_view value, bool readable, Generator* generator) {
    generator->PrintLiteral("\"");
    std::string escaped;
    size_t plain = 0;
    for (size_t at = 0; at < value.size();) {
      if (IsPlain(value[at])) {
        ++at;
        continue;
      }
      const diag::CodePoint point = diag::DecodeUtf8(value, at);
      if (readable && point.length > 1 && !diag::IsInvisible(point.value)) {
        at += point.length;
        continue;
      }
      generator->Print(value.data() + plain, at - plain);
      escaped.clear();
      if (readable && point.length > 1 && point.value > 0xFFFF) {
        absl::StrAppendFormat(&escaped, "\\U%08X", point.value);
      } else if (readable && point.length > 1) {
        absl::StrAppendFormat(&escaped, "\\u%04X", point.value);
      } else {
        AppendEscapedByte(value[at], &escaped);
      }
      generator->PrintString(escaped);
      at += readable && point.length > 1 ? point.length : 1;
      plain = at;
    }
    generator->Print(value.data() + plain, value.size() - plain);
    generator->PrintLiteral("\"");
  }
};

}  // namespace

std::string Write(const google::protobuf::Message& message) {
  std::string text = Header(*message.GetDescriptor());
  google::protobuf::TextFormat::Printer printer;
  printer.SetDefaultFieldValuePrinter(new Printer);  // owned by `printer`
  bool done = false;
  {
    google::protobuf::io::StringOutputStream stream(&text);
    done = printer.Print(message, &stream);
  }
  if (!done) {
    // A string as output only fails when memory does.
    std::fprintf(stderr, "fatal: a %s cannot be written as text\n", message.GetTypeName().c_str());
    std::abort();
  }
  text += TrailerFor(text);
  return text;
}

}  // namespace st::docio
