// The textproto spelling of declarations.
#ifndef ST_LIB_PROJECT_TEXT_READER_H_
#define ST_LIB_PROJECT_TEXT_READER_H_

#include <cstdint>
#include <string_view>

#include "lib/project/reading.h"

namespace google::protobuf {
class Message;
}

namespace st::project {

// Parses `text` into `message`, applies the fields' policies and records where each value stands (the start of its
// field). Header and trailer may be missing; what is there is checked. False when the file ends early.
bool ReadTextproto(std::string_view text, uint32_t file, Reading* reading, google::protobuf::Message* message);

}  // namespace st::project

#endif  // ST_LIB_PROJECT_TEXT_READER_H_
