#include "e2e/bench/chart.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"

namespace st::e2e::bench {
namespace {

constexpr int kWidth = 860;
constexpr int kLabelWidth = 210;
constexpr int kTextWidth = 190;
constexpr int kBarsWidth = kWidth - kLabelWidth - kTextWidth;
constexpr int kMargin = 16;
constexpr int kRow = 24;
constexpr int kBar = 14;
constexpr int kTitle = 34;

std::string Escaped(const std::string& text) {
  return absl::StrReplaceAll(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

std::string TextAt(double x, double y, const char* classes, const std::string& text) {
  return absl::StrFormat("<text x=\"%.1f\" y=\"%.1f\" class=\"%s\">%s</text>\n", x, y, classes, Escaped(text));
}

// The bar ends at the median; a line goes from the least to the most.
std::string Draw(const Bar& bar, double y, double scale) {
  const double middle = y + kRow / 2.0;
  const double left = kLabelWidth;
  std::string svg = TextAt(left - 8, middle + 4, "label", bar.label);
  absl::StrAppendFormat(&svg, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" class=\"%s\"/>\n", left,
                        middle - kBar / 2.0, bar.value.median * scale, kBar, bar.is_ours ? "ours" : "bar");
  absl::StrAppendFormat(&svg, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" class=\"spread\"/>\n",
                        left + bar.value.least * scale, left + bar.value.most * scale, middle, middle);
  return svg + TextAt(left + bar.value.most * scale + 8, middle + 4, "value", bar.text);
}

}  // namespace

std::string DrawChart(const std::string& title, const std::vector<Panel>& panels) {
  int height = kTitle + kMargin;
  for (const Panel& panel : panels) height += kTitle + kRow * static_cast<int>(panel.bars.size());
  std::string svg = absl::StrFormat(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n",
      kWidth, height, kWidth, height);
  absl::StrAppend(&svg, "<title>", Escaped(title), "</title>\n<style>\n",
                  "text { font: 13px sans-serif; fill: #24292f }\n.head { font-size: 16px; font-weight: bold }\n"
                  ".panel { font-weight: bold }\n.label { text-anchor: end }\n.value { fill: #57606a }\n"
                  ".bar { fill: #9aa7b4 }\n.ours { fill: #0b6bcb }\n.spread { stroke: #24292f; stroke-width: 1.5 }\n"
                  "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
  absl::StrAppend(&svg, TextAt(kMargin, kTitle - 10, "head", title));
  double y = kTitle;
  for (const Panel& panel : panels) {
    double most = 0;
    for (const Bar& bar : panel.bars) most = std::max(most, bar.value.most);
    absl::StrAppend(&svg, TextAt(kMargin, y + kTitle - 10, "panel", panel.title));
    y += kTitle;
    for (const Bar& bar : panel.bars) {
      absl::StrAppend(&svg, Draw(bar, y, most > 0 ? kBarsWidth / most : 0));
      y += kRow;
    }
  }
  return svg + "</svg>\n";
}

}  // namespace st::e2e::bench
