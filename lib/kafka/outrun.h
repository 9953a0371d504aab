// A look at a group beside an earlier look at the topic that it reads. Pure.
#ifndef ST_LIB_KAFKA_OUTRUN_H_
#define ST_LIB_KAFKA_OUTRUN_H_

#include "schemas/st/v1/observation.pb.h"

namespace st::kafka {

// Whether a group has committed behind the end that was seen of the topic: `read` is what it committed there, or in
// another topic, which is no matter. Logs grow, and a reader follows: then the ends have to be asked for again before
// anything is concluded. A log that was cut still ends there when it is.
bool IsOutrun(const v1::TopicFacts& topic, const v1::GroupOffsets& read);

}  // namespace st::kafka

#endif  // ST_LIB_KAFKA_OUTRUN_H_
