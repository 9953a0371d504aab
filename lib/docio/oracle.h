// Protobuf's own text parser as the oracle of ours. For tests and fuzzing.
#ifndef ST_LIB_DOCIO_ORACLE_H_
#define ST_LIB_DOCIO_ORACLE_H_

#include <string>

namespace st::docio {

struct Verdict {
  bool taken = false;  // by docio::Read, as a hand-written st.docio.Sample
  // Where ours and protobuf's differ without one of the reasons that docio.h gives; empty when they agree.
  std::string disagreement;
};

// Also checks what holds for every text: a refusal has findings and leaves nothing, what is taken comes back from our
// own writing.
Verdict CompareWithProtobuf(const std::string& text);

}  // namespace st::docio

#endif  // ST_LIB_DOCIO_ORACLE_H_
