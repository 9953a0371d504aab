// Diagnostics as a document, for `--diagnostics=textproto`. Pure; any thread.
#ifndef ST_LIB_DOCIO_DIAGNOSTICS_H_
#define ST_LIB_DOCIO_DIAGNOSTICS_H_

#include <string>

#include "lib/diag/diag.h"

namespace st::docio {

// An st.v1.Diagnostics document with header and trailer, sorted. Texts are made visible first, so that every reader
// of ours takes it.
std::string WriteDiagnostics(const diag::Diagnostics& diagnostics);

}  // namespace st::docio

#endif  // ST_LIB_DOCIO_DIAGNOSTICS_H_
