#include "tools/st-test/try_records.h"

#include <string_view>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "lib/fs/file.h"
#include "lib/record/record.h"
#include "schemas/st/v1/record_plan.pb.h"
#include "tools/st-test/line_reader.h"

namespace st::test {
namespace {

constexpr size_t kFlushAt = size_t{64} << 10;
constexpr std::string_view kTombstone = "~";

// Strict: absl's own takes blanks anywhere.
bool DecodeBase64(std::string_view line, std::string* value) {
  if (line.find_first_of(" \t\r\n\v\f") != std::string_view::npos || line.size() % 4 != 0) return false;
  return absl::Base64Unescape(line, value);
}

class Answers {
 public:
  Answers(record::Executor* executor, Counts* counts) : executor_(*executor), counts_(*counts) {}

  void Tombstone(uint64_t line) {
    ++counts_.tombstones;
    Begin(line, "tombstone");
    text_ += "}\n";
  }

  void Value(uint64_t line, std::string_view value) {
    record::Fault fault;
    output_.clear();
    switch (executor_.Run(value, &output_, &fault)) {
      case record::Outcome::kPass:
        ++counts_.pass;
        Begin(line, "pass");
        Member("value", output_);
        break;
      case record::Outcome::kFiltered:
        ++counts_.filtered;
        Begin(line, "filtered");
        break;
      case record::Outcome::kPoison:
        ++counts_.poison;
        Begin(line, "poison");
        Member("fault", v1::FaultKind_Name(static_cast<v1::FaultKind>(fault.kind)));
        // A member's name may be empty.
        if (!fault.column.empty() || fault.kind == v1::UNKNOWN_MEMBER || fault.kind == v1::DUPLICATE_MEMBER) {
          Member("column", fault.column);
        }
        break;
    }
    text_ += "}\n";
  }

  size_t size() const { return text_.size(); }
  absl::Status Flush(int out) {
    absl::Status status = fs::WriteAll(out, text_);
    text_.clear();
    return status;
  }

 private:
  void Begin(uint64_t line, std::string_view outcome) {
    absl::StrAppend(&text_, "{\"line\":", line, ",\"outcome\":\"", outcome, "\"");
  }
  void Member(std::string_view name, std::string_view value) {
    absl::StrAppend(&text_, ",\"", name, "\":");
    record::AppendJsonString(value, &text_);
  }

  record::Executor& executor_;
  Counts& counts_;
  std::string output_;
  std::string text_;
};

}  // namespace

absl::Status TryRecords(const v1::RecordPlan& plan, int in, const std::string& file, Encoding encoding, int out,
                        Counts* counts, diag::Diagnostics* diagnostics) {
  auto program = record::Program::Compile(plan);
  if (!program.ok()) return program.status();
  record::Executor executor(*program);
  Answers answers(&executor, counts);
  LineReader lines(in, kLongestLine);
  std::string decoded;
  for (std::string_view line; lines.Next(&line);) {
    if (line == kTombstone) {
      answers.Tombstone(lines.number());
    } else if (encoding == Encoding::kLines) {
      answers.Value(lines.number(), line);
    } else if (DecodeBase64(line, &decoded)) {
      answers.Value(lines.number(), decoded);
    } else {
      diagnostics->Error(
          {file, static_cast<int>(lines.number()), 0}, "NOT_BASE64", "this line is not base64",
          "`~` is a tombstone, an empty line an empty value; for values as they stand say --encoding lines");
      break;
    }
    if (answers.size() < kFlushAt && !lines.drained()) continue;
    if (absl::Status status = answers.Flush(out); !status.ok()) return status;
  }
  absl::Status flushed = answers.Flush(out);
  if (!flushed.ok()) return flushed;
  if (absl::IsResourceExhausted(lines.status())) {
    diagnostics->Error({file, static_cast<int>(lines.number()), 0}, "LINE_TOO_LONG",
                       absl::StrCat("this line has more than ", kLongestLine, " bytes"),
                       "no broker takes such a record; is it one value a line?");
    return absl::OkStatus();
  }
  if (absl::IsUnavailable(lines.status())) {
    diagnostics->Error({file, static_cast<int>(lines.number()), 0}, diag::kReadFailed,
                       std::string(lines.status().message()), "the lines before it were answered");
    return absl::OkStatus();
  }
  return lines.status();
}

}  // namespace st::test
