#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/message.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/docio/docio.h"
#include "lib/docio/envelope.h"
#include "lib/docio/structure.h"

namespace st::docio {
namespace {

// The byte that protobuf's tokenizer means: lines and columns from 0, columns in bytes with tabs to multiples of 8.
size_t OffsetOf(std::string_view text, int line, int column) {
  size_t at = 0;
  for (int i = 0; i < line; ++i) {
    const size_t end = text.find('\n', at);
    if (end == std::string_view::npos) return text.size();
    at = end + 1;
  }
  constexpr int kTab = 8;
  for (int seen = 0; at < text.size() && text[at] != '\n' && seen < column; ++at) {
    seen += text[at] == '\t' ? kTab - seen % kTab : 1;
  }
  return at;
}

// What the parser says, in our terms. What CheckStructure has found before is not said twice.
class Collector final : public google::protobuf::io::ErrorCollector {
 public:
  Collector(std::string_view text, std::string_view file, bool silent, diag::Diagnostics* diagnostics)
      : text_(text), file_(file), silent_(silent), diagnostics_(diagnostics) {}

  void AddError(int line, google::protobuf::io::ColumnNumber column, const std::string& message) override {
    if (++errors_ > 1 || (silent_ && IsStructure(message))) return;
    diag::Position at{std::string(file_)};
    if (line >= 0) at = diag::Locate(file_, text_, OffsetOf(text_, line, column));
    diagnostics_->Error(std::move(at), "TEXT_SYNTAX", diag::Visible(absl::StripSuffix(message, "."), 500));
  }
  // The parser warns of nothing that a document of ours can hold.
  void AddWarning(int, google::protobuf::io::ColumnNumber, const std::string&) override {}

  int errors() const { return errors_; }

 private:
  // The parser's words for what CheckStructure finds.
  static bool IsStructure(std::string_view message) {
    for (std::string_view words : {"has no field named", "is specified multiple times", "is specified along with",
                                   "Invalid value for boolean field", "Unknown enumeration value of"}) {
      if (absl::StrContains(message, words)) return true;
    }
    return false;
  }

  const std::string_view text_;
  const std::string_view file_;
  const bool silent_;
  diag::Diagnostics* const diagnostics_;
  int errors_ = 0;
};

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

bool Parse(std::string_view text, std::string_view file, bool structure_said, google::protobuf::Message* message,
           diag::Diagnostics* diagnostics) {
  Collector collector(text, file, structure_said, diagnostics);
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&collector);
  parser.SetRecursionLimit(kMaxNesting);
  google::protobuf::io::ArrayInputStream stream(text.data(), static_cast<int>(text.size()));
  const bool parsed = parser.Parse(&stream, message);
  if (!parsed && collector.errors() == 0) {
    diagnostics->Error({std::string(file)}, "TEXT_SYNTAX", "not protobuf text", "");
  }
  return parsed;
}

}  // namespace

bool Read(std::string_view text, std::string_view file, Trailer trailer, google::protobuf::Message* message,
          diag::Diagnostics* diagnostics) {
  message->Clear();
  const google::protobuf::Descriptor& wanted = *message->GetDescriptor();
  if (!CheckBytes(text, file, trailer, diagnostics)) return false;
  if (!CheckEnvelope(text, file, trailer, wanted, diagnostics)) return false;
  if (!CheckUtf8(text, file, diagnostics)) return false;
  // Some editors begin hand-written files with a byte-order mark; they do not count it as a column.
  if (trailer == Trailer::kOptional) absl::ConsumePrefix(&text, "\xEF\xBB\xBF");
  const Structure structure = CheckStructure(text, file, wanted, diagnostics);
  bool good = structure == Structure::kSound;
  if (structure != Structure::kTooDeep) {
    const bool parsed = Parse(text, file, structure == Structure::kWrong, message, diagnostics);
    if (parsed && structure == Structure::kUnclear) {
      diagnostics->Error({std::string(file)}, "TEXT_SYNTAX", "an unusual spelling of protobuf text",
                         "write fields as `name: value` and messages as `name { ... }`");
    }
    good = good && parsed;
  }
  if (!good) message->Clear();
  return good;
}

}  // namespace st::docio
