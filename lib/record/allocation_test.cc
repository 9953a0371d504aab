// The steady state allocates nothing. A program of its own: it replaces operator new.
#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <vector>

#include "absl/base/config.h"
#include "gtest/gtest.h"
#include "lib/record/random_record.h"
#include "lib/record/record.h"
#include "lib/record/test_plans.h"

namespace {
std::atomic<long> allocations{0};

void* Allocate(std::size_t size) {
  ++allocations;
  void* memory = std::malloc(size != 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
}  // namespace

void* operator new(std::size_t size) { return Allocate(size); }
void* operator new[](std::size_t size) { return Allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace st::record {
namespace {

TEST(AllocationTest, NothingPerRecord) {
  v1::RecordPlan ignoring = OrdersPlan();
  ignoring.set_extra_members(v1::ignore);
  std::vector<v1::RecordPlan> plans = {OrdersPlan(), WidePlan(40)};
#ifndef ABSL_HAVE_ADDRESS_SANITIZER
  // Undeclared members are kept in a hash table, which abseil rehashes at random under this sanitizer.
  plans.push_back(ignoring);
#endif
  for (const v1::RecordPlan& plan : plans) {
    RandomRecord random(5);
    std::vector<std::string> values;
    for (int i = 0; i < 500; ++i) {
      values.push_back(random.Make(plan));
      values.push_back(random.Break(values.back()));
    }
    const auto program = Program::Compile(plan);
    ASSERT_TRUE(program.ok());
    Executor executor(*program);
    std::string arena;
    arena.reserve(size_t{1} << 20);
    Fault fault;
    const auto run_all = [&] {
      arena.clear();
      int passed = 0;
      for (const std::string& value : values) passed += executor.Run(value, &arena, &fault) == Outcome::kPass ? 1 : 0;
      return passed;
    };
    EXPECT_GT(run_all(), 10);
    const long before = allocations.load();
    EXPECT_GT(before, 0);
    EXPECT_GT(run_all(), 10);
    EXPECT_EQ(allocations.load(), before);
  }
}

}  // namespace
}  // namespace st::record
