// The flights journey without the tools around it: 5,000 real records in, 188 out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "e2e/command.h"
#include "e2e/runner/world.h"
#include "lib/fs/file.h"

namespace st::e2e {
namespace {

using testing::ElementsAre;
using testing::ElementsAreArray;

constexpr char kFlights[] = "testdata/flights/flights-5k.jsonl";

// The same by other means.
constexpr char kPython[] = R"(
import json, sys
for r in map(json.loads, open(sys.argv[1])):
    if r['delay'] >= 60:
        print(json.dumps({'origin': r['origin'], 'destination': r['destination'], 'departed': r['date'],
                          'delay_minutes': r['delay']}, separators=(',', ':')))
)";

TEST(Flights, FiveThousandGiveOneHundredEightyEight) {
  World world("flights", LateFlights("flights", "late-flights"), 1, 1);
  auto text = fs::ReadFile(kFlights, size_t{1} << 24);
  ASSERT_TRUE(text.ok()) << text.status();
  std::vector<Record> input;
  for (std::string_view line : absl::StrSplit(*text, '\n', absl::SkipEmpty())) {
    input.push_back({.value = std::string(line)});
  }
  ASSERT_EQ(input.size(), 5000u);
  world.cluster.Produce(world.input, input);
  RunnerProcess runner(*world.model);
  runner.Await(In(5000));
  EXPECT_EQ(runner.Stop(), 0);
  auto expected = RunCommand({"python3", "-c", kPython, kFlights});
  ASSERT_TRUE(expected.ok()) << expected.status();
  std::vector<std::string> lines = absl::StrSplit(expected->output, '\n', absl::SkipEmpty());
  ASSERT_EQ(lines.size(), 188u);
  EXPECT_THAT(Values(world.Output()), ElementsAreArray(lines));
  v1::RunnerStatus status = runner.Status();
  EXPECT_EQ(status.state(), v1::RunnerStatus::CLOSED);
  EXPECT_EQ(status.records_out(), 188);
  EXPECT_EQ(status.filtered(), 4812);
  EXPECT_THAT(world.Committed(), ElementsAre(5000));
}

}  // namespace
}  // namespace st::e2e
