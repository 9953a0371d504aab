// Any bytes: the fast executor and the plain reference take or refuse the same, with the same output. The first byte
// chooses the plan.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "lib/record/random_record.h"
#include "lib/record/test_plans.h"

namespace {

using st::record::Both;

std::vector<Both*>* MakePlans() {
  st::v1::RecordPlan ignoring = st::record::OrdersPlan();
  ignoring.set_extra_members(st::v1::ignore);
  st::v1::RecordPlan text = st::record::AnyPlan();
  text.mutable_columns(0)->set_type(st::v1::STRING);
  st::v1::RecordPlan number = st::record::AnyPlan();
  number.mutable_columns(0)->set_type(st::v1::BIGINT);
  auto* plans = new std::vector<Both*>;
  for (const st::v1::RecordPlan& plan :
       {st::record::OrdersPlan(), ignoring, st::record::AnyPlan(), text, number, st::record::WidePlan(10)}) {
    plans->push_back(new Both(plan));
  }
  return plans;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<Both*>& plans = *MakePlans();
  if (size == 0) return 0;
  const std::string_view value(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (!plans[data[0] % plans.size()]->Agree(value)) std::abort();
  return 0;
}
