#include "e2e/bench/journal.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

namespace st::e2e::bench {
namespace {

std::string Quoted(const std::string& field) {
  if (field.find_first_of("\",\r\n") == std::string::npos) return field;
  return absl::StrCat("\"", absl::StrReplaceAll(field, {{"\"", "\"\""}}), "\"");
}

std::string Count(int64_t value) { return value == 0 ? std::string() : absl::StrCat(value); }

}  // namespace

std::string Journal::Csv() const {
  std::string text = "kind,input,contender,block,records,name,value\n";
  for (const Entry& entry : entries_) {
    const std::vector<std::string> fields = {entry.kind,         Quoted(entry.input),  Quoted(entry.contender),
                                             Count(entry.block), Count(entry.records), Quoted(entry.name),
                                             Quoted(entry.value)};
    absl::StrAppend(&text, absl::StrJoin(fields, ","), "\n");
  }
  return text;
}

std::string NumberOf(double value) { return absl::StrFormat("%.6g", value); }

}  // namespace st::e2e::bench
