#include <google/protobuf/message.h>

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/docio/docio.h"
#include "lib/docio/envelope.h"
#include "lib/docio/parser.h"

namespace st::docio {
namespace {

bool CheckBytes(std::string_view text, std::string_view file, Trailer trailer, diag::Diagnostics* diagnostics) {
  if (text.size() > kMaxDocumentBytes) {
    diagnostics->Error({std::string(file)}, "TOO_LARGE",
                       absl::StrCat("larger than the limit of ", kMaxDocumentBytes, " bytes"), "is it the right file?");
    return false;
  }
  if (absl::StripAsciiWhitespace(text).empty() && (trailer == Trailer::kRequired || file == "-")) {
    diagnostics->Error({std::string(file)}, "EMPTY_INPUT",
                       file == "-" ? "standard input is empty: the tool before it failed" : "the file is empty",
                       file == "-" ? "look at what that tool says" : "was the tool that wrote it cut off?");
    return false;
  }
  return true;
}

bool CheckUtf8(std::string_view text, std::string_view file, diag::Diagnostics* diagnostics) {
  const size_t bad = diag::FindNotUtf8(text);
  if (bad == std::string_view::npos) return true;
  diagnostics->Error(diag::Locate(file, text, bad), "NOT_UTF8",
                     absl::StrCat("not UTF-8: byte ", diag::Visible(text.substr(bad, 1))), "save the file as UTF-8");
  return false;
}

}  // namespace

bool Read(std::string_view text, std::string_view file, Trailer trailer, google::protobuf::Message* message,
          diag::Diagnostics* diagnostics) {
  message->Clear();
  const google::protobuf::Descriptor& wanted = *message->GetDescriptor();
  if (!CheckBytes(text, file, trailer, diagnostics)) return false;
  // Some editors begin hand-written files with a byte-order mark; they do not count it as a column.
  if (trailer == Trailer::kOptional) absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  if (!CheckEnvelope(text, file, trailer, wanted, diagnostics)) return false;
  if (!CheckUtf8(text, file, diagnostics)) return false;
  if (ParseText(text, file, message, diagnostics)) return true;
  message->Clear();
  return false;
}

}  // namespace st::docio
