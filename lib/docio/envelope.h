// The lines around a document's text: header and trailer.
#ifndef ST_LIB_DOCIO_ENVELOPE_H_
#define ST_LIB_DOCIO_ENVELOPE_H_

#include <string>
#include <string_view>

#include "lib/diag/diag.h"
#include "lib/docio/docio.h"

namespace google::protobuf {
class Descriptor;
}

namespace st::docio {

// Both header lines, with their line ends.
std::string Header(const google::protobuf::Descriptor& descriptor);

// The last line, with its line end, for all bytes above it.
std::string TrailerFor(std::string_view above);

// Header and trailer of `text`, as docio::Read promises. False after one diagnostic: what follows a wrong envelope
// would only mislead.
bool CheckEnvelope(std::string_view text, std::string_view file, Trailer trailer,
                   const google::protobuf::Descriptor& wanted, diag::Diagnostics* diagnostics);

}  // namespace st::docio

#endif  // ST_LIB_DOCIO_ENVELOPE_H_
