// The two inputs of the benchmark and the one meaning that every contender gives them: all columns in another order,
// where `amount` is 5,000 or more. Record n is a function of n, so what must come out is known without any of them.
// Pure; any thread.
#ifndef ST_E2E_BENCH_WORKLOAD_H_
#define ST_E2E_BENCH_WORKLOAD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "schemas/st/v1/record_plan.pb.h"

namespace st::e2e::bench {

enum class Workload {
  kNarrow,  // 3 columns, 44 bytes
  kWide,    // 10 columns, 240 bytes
};

inline constexpr Workload kWorkloads[] = {Workload::kNarrow, Workload::kWide};
inline constexpr int kPartitions = 3;
// Record n has this timestamp plus n. Long ago, so that no broker takes it for one of the future.
inline constexpr int64_t kFirstTimestampMs = 1700000000000;

std::string_view NameOf(Workload workload);

// Half of all n, in no order that a processor could learn.
bool Passes(int64_t n);
// One of 5,000.
std::string KeyOf(int64_t n);
std::string ValueOf(Workload workload, int64_t n);
// What the model makes of it when it passes. As long as the value: a copy of the value is the same produce call.
std::string OutputOf(Workload workload, int64_t n);

v1::RecordPlan PlanOf(Workload workload, const std::string& input, const std::string& output);
// The same columns, and a predicate that never holds: all the checks and no output.
v1::RecordPlan CheckOnlyPlanOf(Workload workload);
// The plan in the words of java/Plan.java.
std::vector<std::string> JavaPlanOf(Workload workload);

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_WORKLOAD_H_
