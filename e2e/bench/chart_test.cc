#include "e2e/bench/chart.h"

#include <gtest/gtest.h>

#include "e2e/bench/journal.h"

namespace st::e2e::bench {
namespace {

size_t Times(const std::string& text, const std::string& part) {
  size_t times = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST(ChartTest, DrawsEveryBarToScale) {
  const std::string svg = DrawChart(
      "a < b", {{"speed", {{"fast & good", {200, 150, 250}, "200", true}, {"slow", {100, 100, 100}, "100", false}}}});
  EXPECT_EQ(Times(svg, "class=\"ours\""), 1u);
  EXPECT_EQ(Times(svg, "class=\"bar\""), 1u);
  EXPECT_EQ(Times(svg, "class=\"spread\""), 2u);
  EXPECT_EQ(Times(svg, "a &lt; b"), 2u);
  EXPECT_EQ(Times(svg, "fast &amp; good"), 1u);
  // 460 pixels are the most of all, 250.
  EXPECT_EQ(Times(svg, "width=\"368.0\""), 1u) << svg;
  EXPECT_EQ(Times(svg, "width=\"184.0\""), 1u) << svg;
  EXPECT_EQ(Times(svg, "<script"), 0u);
  EXPECT_EQ(svg.substr(svg.size() - 7), "</svg>\n");
}

TEST(ChartTest, NothingIsDrawnOfNothing) {
  EXPECT_EQ(Times(DrawChart("t", {{"p", {{"zero", {0, 0, 0}, "0", false}}}}), "width=\"0.0\""), 1u);
}

TEST(JournalTest, IsCsv) {
  Journal journal;
  journal.Add({.kind = "run",
               .input = "wide",
               .contender = "streams tuned, 1 thread",
               .block = 2,
               .records = 10,
               .name = "seconds",
               .value = NumberOf(1.5)});
  journal.Add({.kind = "setting", .name = "model", .value = "a \"b\""});
  EXPECT_EQ(journal.Csv(),
            "kind,input,contender,block,records,name,value\n"
            "run,wide,\"streams tuned, 1 thread\",2,10,seconds,1.5\n"
            "setting,,,,,model,\"a \"\"b\"\"\"\n");
}

}  // namespace
}  // namespace st::e2e::bench
