// Any bytes as a document: no crash, a located reason for every refusal, the same meaning as to protobuf, and what is
// taken comes back the same.
//   bazel run --config=fuzz //lib/docio:docio_fuzz -- $PWD/testdata/docio/fuzz -runs=100000
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "lib/base/digest.h"
#include "lib/docio/docio.h"
#include "lib/docio/oracle.h"
#include "lib/docio/sample.pb.h"

namespace {

// A fuzzer whose inputs are never taken tests the first check only.
struct Counts {
  int runs = 0;
  int taken = 0;
  ~Counts() {
    std::fprintf(stderr, "docio_fuzz: %d of %d inputs were taken\n", taken, runs);
    if (runs >= 10'000 && taken <= runs / 1000) std::abort();
  }
};
Counts counts;

void Require(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what.c_str());
  std::abort();
}

bool Read(const std::string& text) {
  st::docio::Sample message;
  st::diag::Diagnostics diagnostics;
  const bool taken = st::docio::Read(text, "-", st::docio::Trailer::kRequired, &message, &diagnostics);
  Require(taken != diagnostics.HasErrors(), "an answer without its reason");
  return taken;
}

std::string Sealed(const std::string& body) {
  std::string text = "# proto-file: lib/docio/sample.proto\n# proto-message: st.docio.Sample\n" + body;
  if (text.back() != '\n') text += '\n';
  return text + "# end sha256:" + st::base::Sha256Hex(text) + "\n";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const st::docio::Verdict verdict = st::docio::CompareWithProtobuf(text);
  Require(verdict.disagreement.empty(), verdict.disagreement);
  ++counts.runs;
  counts.taken += verdict.taken ? 1 : 0;
  (void)Read(text);
  // A body that holds lines of an envelope is refused either way.
  const bool plain = text.find("# end sha256:") == std::string::npos && text.find("# proto-") == std::string::npos &&
                     text.rfind("\xEF\xBB\xBF", 0) != 0;
  if (plain) Require(Read(Sealed(text)) == verdict.taken, "an envelope changes the answer");
  return 0;
}
