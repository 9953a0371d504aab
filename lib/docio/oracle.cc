#include "lib/docio/oracle.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <set>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/docio/sample.pb.h"

namespace st::docio {
namespace {

class Silent final : public google::protobuf::io::ErrorCollector {
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

bool ParseByProtobuf(const std::string& text, Sample* message) {
  Silent silent;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silent);
  parser.SetRecursionLimit(kMaxNesting);
  // A byte-order mark is no character of the text to us, and a wrong one to protobuf.
  return parser.ParseFromString(std::string(absl::StripPrefix(text, "\xEF\xBB\xBF")), message);
}

// Why we refuse what protobuf takes.
bool IsStricter(const std::string& code) {
  static const auto* const kCodes = new std::set<std::string_view>{
      "BAD_TRAILER",    "EMPTY_INPUT", "INVISIBLE_CHARACTER", "NOT_UTF8",      "NO_TRAILER",
      "REPEATED_FIELD", "TOO_DEEP",    "TRAILING_TEXT",       "UNKNOWN_VALUE", "WRONG_DOCUMENT"};
  return kCodes->contains(code);
}

std::string CheckTaken(const std::string& text, const Sample& ours) {
  Sample theirs;
  if (!ParseByProtobuf(text, &theirs)) return "taken, but protobuf refuses it";
  if (theirs.SerializeAsString() != ours.SerializeAsString()) return "protobuf understands it otherwise";
  Sample again;
  diag::Diagnostics none;
  const std::string written = Write(ours);
  if (!Read(written, "-", Trailer::kRequired, &again, &none)) return "our own text is refused";
  if (again.SerializeAsString() != ours.SerializeAsString()) return "our own text reads otherwise";
  return Write(again) == written ? "" : "writing is not stable";
}

std::string CheckRefused(const std::string& text, const Sample& ours, const diag::Diagnostics& diagnostics) {
  if (!diagnostics.HasErrors()) return "refused without a reason";
  if (ours.ByteSizeLong() != 0) return "a refused document leaves something";
  // Protobuf takes \U up to 1fffff, and makes other text of what is no character.
  bool stricter = text.find('\0') != std::string::npos || text.find("\\U001") != std::string::npos;
  for (const diag::Diagnostic& found : diagnostics.Sorted()) {
    stricter = stricter || IsStricter(found.code);
    if (found.position.line < 1 && found.code != "EMPTY_INPUT") return "a reason without a place";
    if (diag::HasInvisible(found.text + found.hint, false)) return "a reason that cannot be seen";
  }
  Sample theirs;
  if (stricter || !ParseByProtobuf(text, &theirs)) return "";
  return absl::StrCat("protobuf takes it, but: ", diag::Render(diagnostics, diag::Format::kText));
}

}  // namespace

Verdict CompareWithProtobuf(const std::string& text) {
  Sample ours;
  diag::Diagnostics diagnostics;
  if (!Read(text, "f", Trailer::kOptional, &ours, &diagnostics)) return {false, CheckRefused(text, ours, diagnostics)};
  return {true, diagnostics.empty() ? CheckTaken(text, ours) : "taken with a reason against it"};
}

}  // namespace st::docio
