// Reading and writing of large documents: bytes a second, and that they stay linear.
#include <benchmark/benchmark.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "lib/docio/docio.h"
#include "schemas/st/v1/project.pb.h"

namespace st::docio {
namespace {

v1::Project Project(int64_t topics) {
  v1::Project message;
  for (int64_t i = 0; i < topics; ++i) {
    v1::Source& source = *message.add_sources();
    source.set_name(absl::StrCat("orders_", i));
    source.set_topic(absl::StrCat("orders.large.", i, ".v1"));
    source.set_owner("risk-team");
    source.set_description("Paid orders of at least 100 units, \u00fcber alles");
    for (const char* name : {"amount", "id", "paid"}) {
      v1::Column& column = *source.add_columns();
      column.set_name(name);
      column.set_type(v1::BIGINT);
      column.set_required(true);
    }
  }
  return message;
}

void BM_Write(benchmark::State& state) {
  const v1::Project message = Project(state.range(0));
  size_t bytes = 0;
  for (auto _ : state) bytes += Write(message).size();
  state.SetBytesProcessed(static_cast<int64_t>(bytes));
}
BENCHMARK(BM_Write)->Arg(1000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

void BM_Read(benchmark::State& state) {
  const std::string text = Write(Project(state.range(0)));
  for (auto _ : state) {
    v1::Project message;
    diag::Diagnostics diagnostics;
    if (!Read(text, "-", Trailer::kRequired, &message, &diagnostics)) state.SkipWithError("refused");
  }
  state.SetBytesProcessed(static_cast<int64_t>(text.size()) * state.iterations());
}
BENCHMARK(BM_Read)->Arg(1000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace st::docio

BENCHMARK_MAIN();
