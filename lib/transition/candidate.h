// The one generation that an operation makes: created once, exactly as reviewed, started, watched until it runs or has
// said why not. What CREATE_RUNNER and REPLACE_RUNNER share. Internal to lib/transition.
#ifndef ST_LIB_TRANSITION_CANDIDATE_H_
#define ST_LIB_TRANSITION_CANDIDATE_H_

#include <optional>
#include <string>

#include "lib/transition/runner_facts.h"

namespace st::transition {

// Points into the action.
struct Candidate {
  const std::string& application_id;
  const std::string& plan_sha256;
  const v1::TopicBinding& input;
  const v1::TopicBinding& output;
  uint32_t partitions;
  v1::HostKind host;
  const std::string& runner_sha256;
  const std::string& network_id;
};

template <typename Runner>
Candidate CandidateOf(const Runner& runner) {
  return {runner.application_id(),   runner.plan_sha256(), runner.input(),         runner.output(),
          runner.input_partitions(), runner.host(),        runner.runner_sha256(), runner.network_id()};
}

// The host still has the reviewed binary (or image) and network to make it of, or the Step that says what it has.
std::optional<Step> CheckMeans(const Look& look, const Candidate& candidate);

// Creates it, once a run; one that is there already is ours only if all of it is, and it was never started. Then
// records GENERATION_CREATED.
Step MakeCandidate(const Look& look, const Candidate& candidate, const std::string& volume_instance);

// How its start ended.
struct Started {
  const v1::GenerationFacts* generation = nullptr;
  std::string failure;  // it said itself why it ended; empty: it runs
};

// From GENERATION_CREATED on: starts it, records GENERATION_STARTED, and waits. Nothing: `started` is filled. One that
// ended without a word is started again by an explicit resume, when its group is at rest and not behind `bound`; where
// the operation is being settled, it is `started` with that failure.
std::optional<Step> StartCandidate(const Look& look, const Candidate& candidate, const Offsets& bound,
                                   Started* started);

}  // namespace st::transition

#endif  // ST_LIB_TRANSITION_CANDIDATE_H_
