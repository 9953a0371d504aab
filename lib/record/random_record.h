// Values for tests and benchmarks: well-formed records of a plan in any spelling, and broken ones.
#ifndef ST_LIB_RECORD_RANDOM_RECORD_H_
#define ST_LIB_RECORD_RANDOM_RECORD_H_

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

#include "schemas/st/v1/record_plan.pb.h"

namespace st::record {

// `columns` columns of all types, the first three of four projected in another order; a predicate on one.
v1::RecordPlan WidePlan(int columns);

class RandomRecord {
 public:
  explicit RandomRecord(uint64_t seed) : engine_(seed) {}

  // Well-formed, with every declared member once; members now and then in another order, names and strings spelt in
  // different ways, white space anywhere, extra members where the plan ignores them.
  std::string Make(const v1::RecordPlan& plan);

  // The same with a few bytes or pieces changed, lost, repeated or put in; it may still be well-formed.
  std::string Break(std::string_view value);

 private:
  size_t Below(size_t bound) { return engine_() % bound; }
  bool OneIn(size_t n) { return Below(n) == 0; }
  std::string Space();
  std::string Text();
  std::string Spell(std::string_view text);
  std::string Integer();
  std::string Number();
  std::string Any(int depth);
  std::string Value(const v1::InputColumn& column);

  std::mt19937_64 engine_;
};

}  // namespace st::record

#endif  // ST_LIB_RECORD_RANDOM_RECORD_H_
