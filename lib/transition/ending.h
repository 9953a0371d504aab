// How a runner ended, in words that plans, blockers and the journal share. Pure.
#ifndef ST_LIB_TRANSITION_ENDING_H_
#define ST_LIB_TRANSITION_ENDING_H_

#include <string>

#include "schemas/st/v1/observation.pb.h"

namespace st::transition {

// Of a generation that does not run, by its last status: a few words that stand in a sentence after "it ended: ".
std::string HowItEnded(const v1::GenerationFacts& generation);

}  // namespace st::transition

#endif  // ST_LIB_TRANSITION_ENDING_H_
