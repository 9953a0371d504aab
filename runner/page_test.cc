// docs/runner.md names every reason, state, flag and figure that there is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <re2/re2.h>
#include <yaml.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "lib/cli/cli.h"
#include "lib/fs/file.h"
#include "runner/metrics.h"
#include "runner/options.h"
#include "schemas/st/v1/runner_status.pb.h"

namespace st::runner {
namespace {

std::string Page() {
  auto text = fs::ReadFile("docs/runner.md", size_t{1} << 20);
  EXPECT_TRUE(text.ok()) << text.status();
  return text.value_or("");
}

TEST(Page, EveryReasonHasARow) {
  const std::string page = Page();
  const auto* reasons = v1::RunnerStatus::Reason_descriptor();
  ASSERT_GT(reasons->value_count(), 10);
  for (int i = 1; i < reasons->value_count(); ++i) {
    const std::string reason = absl::AsciiStrToLower(reasons->value(i)->name());
    EXPECT_TRUE(absl::StrContains(page, absl::StrCat("\n| `", reason, "` |"))) << reason;
  }
}

TEST(Page, EveryStateIsNamed) {
  const std::string page = Page();
  const auto* states = v1::RunnerStatus::State_descriptor();
  for (int i = 1; i < states->value_count(); ++i) {
    const std::string state = absl::AsciiStrToLower(states->value(i)->name());
    EXPECT_TRUE(absl::StrContains(page, absl::StrCat("`", state, "`"))) << state;
  }
}

TEST(Page, EveryFlagOfTheHelpIsInTheUsage) {
  cli::Flags flags(kRunnerInfo);
  Options options;
  AddFlags(&flags, &options);
  const std::string page = Page();
  const std::string help = flags.Help();
  int seen = 0;
  for (std::string_view line : absl::StrSplit(help, '\n')) {
    line = absl::StripLeadingAsciiWhitespace(line);
    const std::string_view flag = line.substr(0, line.find_first_of(" =,"));
    const bool is_everybodys = flag == "--help" || flag == "--version" || flag == "--quiet" || flag == "--diagnostics";
    if (!absl::StartsWith(flag, "--") || is_everybodys) continue;
    ++seen;
    EXPECT_TRUE(absl::StrContains(page, flag)) << flag;
  }
  EXPECT_GE(seen, 10);
}

TEST(Page, EveryFigureOfTheStatusIsExplained) {
  const std::string page = Page();
  int seen = 0;
  for (const auto* message : {v1::RunnerStatus::Partition::descriptor(), v1::RunnerStatus::Rates::descriptor(),
                              v1::RunnerStatus::CommitLatency::descriptor(), v1::RunnerStatus::LastError::descriptor(),
                              v1::RunnerStatus::descriptor()}) {
    for (int i = 0; i < message->field_count(); ++i) {
      const auto* field = message->field(i);
      const bool is_figure = message->containing_type() != nullptr || field->is_repeated() ||
                             field->cpp_type() == field->CPPTYPE_INT64 || field->cpp_type() == field->CPPTYPE_MESSAGE;
      // Times of the whole, which every line of the page takes for granted; and what is itself a table here.
      static const std::set<std::string> kPlain = {"started_at_ms", "updated_at_ms", "partitions", "partition"};
      if (!is_figure || kPlain.count(field->name()) != 0) continue;
      ++seen;
      EXPECT_TRUE(absl::StrContains(page, absl::StrCat("`", field->name(), "`"))) << field->full_name();
    }
  }
  EXPECT_GE(seen, 19);
}

// A status that has all there may be.
std::set<std::string> AllMetrics() {
  v1::RunnerStatus status;
  status.set_state(v1::RunnerStatus::FAILED);
  status.mutable_last_error()->set_errors(1);
  status.add_partitions();
  std::set<std::string> names;
  for (std::string_view line : absl::StrSplit(MetricsText(status, {}), '\n')) {
    const std::vector<std::string> words = absl::StrSplit(line, ' ');
    if (words[0] == "#" && words[1] == "TYPE") names.insert(absl::StrCat("| `", words[2], "` | ", words[3], " |"));
  }
  return names;
}

TEST(Page, EveryMetricHasARowAndNoOther) {
  static const re2::RE2 kRow(R"((?m)^(\| `st_runner_[a-z_]+` \| [a-z]+ \|))");
  std::set<std::string> rows;
  const std::string page = Page();
  std::string row;
  for (re2::StringPiece rest(page); re2::RE2::FindAndConsume(&rest, kRow, &row);) rows.insert(row);
  EXPECT_EQ(rows, AllMetrics());
  EXPECT_GE(rows.size(), 19u);
}

TEST(Page, TheRulesAreYamlOfMetricsThatThereAre) {
  const std::string page = Page();
  const size_t begin = page.find("```yaml\n");
  ASSERT_NE(begin, std::string::npos);
  const std::string rules = page.substr(begin + 8, page.find("```", begin + 8) - begin - 8);
  yaml_parser_t parser;
  ASSERT_NE(yaml_parser_initialize(&parser), 0);
  yaml_parser_set_input_string(&parser, reinterpret_cast<const unsigned char*>(rules.data()), rules.size());
  std::set<std::string> scalars;
  for (bool ended = false; !ended;) {
    yaml_event_t event;
    ASSERT_NE(yaml_parser_parse(&parser, &event), 0) << parser.problem << " in line " << parser.problem_mark.line;
    if (event.type == YAML_SCALAR_EVENT) scalars.insert(reinterpret_cast<const char*>(event.data.scalar.value));
    ended = event.type == YAML_STREAM_END_EVENT;
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  EXPECT_THAT(scalars, testing::IsSupersetOf({"StRunnerStopped", "StRunnerFallsBehind", "expr", "for"}));
  static const re2::RE2 kMetric("(st_runner_[a-z_]+)");
  int seen = 0;
  std::string name;
  for (re2::StringPiece rest(rules); re2::RE2::FindAndConsume(&rest, kMetric, &name); ++seen) {
    EXPECT_EQ(AllMetrics().count(absl::StrCat("| `", name, "` | gauge |")), 1u) << name;
  }
  EXPECT_GE(seen, 6);
}

}  // namespace
}  // namespace st::runner
