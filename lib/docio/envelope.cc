#include "lib/docio/envelope.h"

#include <google/protobuf/descriptor.h>

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "lib/base/digest.h"

namespace st::docio {
namespace {

constexpr std::string_view kFileLine = "# proto-file: ";
constexpr std::string_view kMessageLine = "# proto-message: ";
constexpr std::string_view kTrailer = "# end sha256:";
constexpr size_t kHexDigits = 64;
constexpr std::string_view kCrlfHint =
    "pass the document on as it was written: something on its way made CR LF out of LF";

class Envelope {
 public:
  Envelope(std::string_view text, std::string_view file, const google::protobuf::Descriptor& wanted,
           diag::Diagnostics* diagnostics)
      : text_(text), file_(file), wanted_(wanted), diagnostics_(diagnostics) {}

  bool CheckRequiredHeader() const;
  bool CheckOptionalHeader() const;
  bool CheckTrailer(Trailer trailer) const;

 private:
  bool Refuse(size_t offset, std::string_view code, std::string text, std::string_view hint) const {
    diagnostics_->Error(diag::Locate(file_, text_, offset), code, std::move(text), std::string(hint));
    return false;
  }
  bool RefuseCut() const {
    return Refuse(text_.size(), "NO_TRAILER", "the document is cut off: its last line, `# end sha256:...`, is missing",
                  "did the tool before it fail? run it again and look at what it says");
  }
  bool RefuseOther(size_t offset, std::string_view got) const {
    return Refuse(offset, "WRONG_DOCUMENT",
                  absl::StrCat("this is a ", diag::Visible(got, 100), "; wanted is a ", wanted_.full_name()),
                  "check the order of the tools in the pipe");
  }

  const std::string_view text_;
  const std::string_view file_;
  const google::protobuf::Descriptor& wanted_;
  diag::Diagnostics* const diagnostics_;
};

bool Envelope::CheckRequiredHeader() const {
  const std::string header = Header(wanted_);
  if (absl::StartsWith(text_, header)) return true;
  if (absl::StartsWith(header, text_)) return RefuseCut();
  const size_t first_end = text_.find('\n');
  if (!absl::StartsWith(text_, kFileLine) || first_end == std::string_view::npos) {
    return Refuse(0, "WRONG_DOCUMENT",
                  absl::StrCat("this is no document of these tools; wanted is a ", wanted_.full_name()),
                  absl::StrCat("it would begin with `", kFileLine, wanted_.file()->name(), "`"));
  }
  if (text_[first_end - 1] == '\r') {
    return Refuse(first_end - 1, "BAD_TRAILER", "the line ends of the document were changed", kCrlfHint);
  }
  std::string_view second = text_.substr(first_end + 1);
  second = second.substr(0, second.find('\n'));
  if (!absl::ConsumePrefix(&second, kMessageLine)) {
    return Refuse(first_end + 1, "WRONG_DOCUMENT", absl::StrCat("the header has no line `", kMessageLine, "...`"),
                  "pass the document on as it was written");
  }
  if (second != wanted_.full_name()) return RefuseOther(first_end + 1, second);
  return Refuse(0, "WRONG_DOCUMENT", absl::StrCat("the header names another file than `", wanted_.file()->name(), "`"),
                "pass the document on as it was written");
}

// By hand the header is a help for editors, which may stand below other comments and need not name our file.
bool Envelope::CheckOptionalHeader() const {
  size_t at = 0;
  while (at < text_.size()) {
    const size_t end = std::min(text_.find('\n', at), text_.size());
    std::string_view line = absl::StripTrailingAsciiWhitespace(text_.substr(at, end - at));
    if (!line.empty() && line.front() != '#') return true;
    if (absl::ConsumePrefix(&line, kMessageLine) && line != wanted_.full_name()) return RefuseOther(at, line);
    at = end + 1;
  }
  return true;
}

bool Envelope::CheckTrailer(Trailer trailer) const {
  size_t at = 0;
  if (!absl::StartsWith(text_, kTrailer)) {
    at = text_.find(absl::StrCat("\n", kTrailer));
    if (at == std::string_view::npos) return trailer == Trailer::kOptional ? true : RefuseCut();
    ++at;
  }
  const size_t end = text_.find('\n', at);
  if (end == std::string_view::npos) return RefuseCut();
  std::string_view digest = text_.substr(at, end - at);
  digest.remove_prefix(kTrailer.size());
  if (absl::EndsWith(digest, "\r")) {
    return Refuse(end - 1, "BAD_TRAILER", "the line ends of the document were changed", kCrlfHint);
  }
  const std::string_view rest = text_.substr(end + 1);
  if (!rest.empty()) {
    const bool blank = absl::StripAsciiWhitespace(rest).empty();
    return Refuse(end + 1, "TRAILING_TEXT",
                  absl::StartsWith(rest, kFileLine) ? "a second document follows: two were run together"
                  : blank                           ? "blanks or empty lines follow the end of the document"
                                                    : "text follows the end of the document",
                  "pass on exactly one document, as it was written");
  }
  const bool well_formed = digest.size() == kHexDigits && std::all_of(digest.begin(), digest.end(), [](char c) {
                             return absl::ascii_isdigit(static_cast<unsigned char>(c)) || (c >= 'a' && c <= 'f');
                           });
  if (!well_formed || base::Sha256Hex(text_.substr(0, at)) != digest) {
    return Refuse(at, "BAD_TRAILER",
                  well_formed ? "the document was edited or damaged: its digest is another one"
                              : "the document's last line holds no SHA-256 digest",
                  "documents are not edited by hand: change the declarations and run the tools again");
  }
  return true;
}

}  // namespace

std::string Header(const google::protobuf::Descriptor& descriptor) {
  return absl::StrCat(kFileLine, descriptor.file()->name(), "\n", kMessageLine, descriptor.full_name(), "\n");
}

std::string TrailerFor(std::string_view above) { return absl::StrCat(kTrailer, base::Sha256Hex(above), "\n"); }

bool CheckEnvelope(std::string_view text, std::string_view file, Trailer trailer,
                   const google::protobuf::Descriptor& wanted, diag::Diagnostics* diagnostics) {
  const Envelope envelope(text, file, wanted, diagnostics);
  if (trailer == Trailer::kRequired ? !envelope.CheckRequiredHeader() : !envelope.CheckOptionalHeader()) return false;
  return envelope.CheckTrailer(trailer);
}

}  // namespace st::docio
