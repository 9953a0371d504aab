// Any bytes as a document: no crash, a located reason for every refusal, and what is taken comes back the same.
//   bazel run --config=fuzz //lib/docio:docio_fuzz -- $PWD/testdata/docio/fuzz -runs=100000
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lib/base/digest.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"
#include "lib/docio/sample.pb.h"

namespace st::docio {
namespace {

void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

// A fuzzer whose inputs are never taken tests the first check only.
struct Counts {
  int runs = 0;
  int taken = 0;
  ~Counts() {
    std::fprintf(stderr, "docio_fuzz: %d of %d inputs were taken\n", taken, runs);
    Require(runs < 10'000 || taken > runs / 1000, "too few inputs were taken");
  }
};
Counts counts;

std::string Sealed(std::string_view body) {
  std::string text = "# proto-file: lib/docio/sample.proto\n# proto-message: st.docio.Sample\n";
  text += body;
  if (text.back() != '\n') text += '\n';
  return text + "# end sha256:" + base::Sha256Hex(text) + "\n";
}

class Silent final : public google::protobuf::io::ErrorCollector {
  void AddError(int, google::protobuf::io::ColumnNumber, const std::string&) override {}
};

void CheckTaken(const std::string& text, const Sample& message) {
  ++counts.taken;
  // The library's own parser, without our guards, understands the same.
  Sample reference;
  Silent silent;
  google::protobuf::TextFormat::Parser parser;
  parser.RecordErrorsTo(&silent);
  parser.SetRecursionLimit(kMaxNesting);
  Require(parser.ParseFromString(text, &reference), "taken, but refused by protobuf");
  Require(reference.SerializeAsString() == message.SerializeAsString(), "understood otherwise than by protobuf");

  const std::string written = Write(message);
  Sample again;
  diag::Diagnostics none;
  Require(Read(written, "-", Trailer::kRequired, &again, &none), "our own text is refused");
  Require(again.SerializeAsString() == message.SerializeAsString(), "our own text reads otherwise");
  Require(Write(again) == written, "writing is not stable");
}

void CheckRefused(const std::string& text, const Sample& message, const diag::Diagnostics& diagnostics) {
  Require(diagnostics.HasErrors(), "refused without a reason");
  Require(message.ByteSizeLong() == 0, "a refused document leaves something");
  for (const diag::Diagnostic& found : diagnostics.Sorted()) {
    Require(found.position.line >= 0 && found.position.column >= 0, "a position under 0");
    Require(static_cast<size_t>(found.position.line) <= text.size() + 1, "a line behind the text");
    Require(!diag::HasInvisible(diag::Visible(found.text), false), "a reason that cannot be seen");
  }
  Require(!diag::Render(diagnostics, diag::Format::kText).empty(), "nothing to show");
}

void Try(const std::string& text, Trailer trailer) {
  ++counts.runs;
  Sample message;
  diag::Diagnostics diagnostics;
  if (Read(text, "f", trailer, &message, &diagnostics)) {
    Require(diagnostics.empty(), "taken with a reason against it");
    CheckTaken(text, message);
  } else {
    CheckRefused(text, message, diagnostics);
  }
}

}  // namespace
}  // namespace st::docio

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  st::docio::Try(text, st::docio::Trailer::kOptional);
  st::docio::Try(text, st::docio::Trailer::kRequired);
  st::docio::Try(st::docio::Sealed(text), st::docio::Trailer::kRequired);
  return 0;
}
