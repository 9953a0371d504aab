// Findings of the compiler, at the places of the values that they are about.
#ifndef ST_LIB_TOPOLOGY_REPORT_H_
#define ST_LIB_TOPOLOGY_REPORT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "lib/base/id.h"
#include "lib/diag/diag.h"
#include "lib/project/project.h"

namespace google::protobuf {
class Message;
}

namespace st::topology {

class Report {
 public:
  // Both must outlive the report.
  Report(const project::Loaded& loaded, diag::Diagnostics* diagnostics) : loaded_(loaded), diagnostics_(*diagnostics) {}

  // `message` must be a part of the loaded project; an empty field is the message itself.
  void Error(const google::protobuf::Message& message, std::string_view field, std::string_view code, std::string text,
             std::string hint = {}, int index = -1);
  void Warning(const google::protobuf::Message& message, std::string_view field, std::string_view code,
               std::string text, std::string hint = {}, int index = -1);
  // At a byte of the statement of a model.
  void InSql(const google::protobuf::Message& model, size_t offset, bool warning, std::string_view code,
             std::string text, std::string hint);

  diag::Position At(const google::protobuf::Message& message, std::string_view field, int index = -1) const;
  // The same for people, inside of a sentence: `file:line:column`, or words when no place is known.
  std::string Place(const google::protobuf::Message& message, std::string_view field) const;
  // A value in backquotes, or words in its stead when it came from a variable: no message quotes such a value.
  std::string Quote(const google::protobuf::Message& message, std::string_view field, std::string_view value,
                    int index = -1) const;
  // Whether the field was written, if with a wrong value: then the loader has said so.
  bool IsWritten(const google::protobuf::Message& message, std::string_view field) const;
  // The name among `names` that is nearest to `word`, if one is near; empty too when this run has already spent what it
  // may on suggestions, so that a thousand slips among a thousand names cost no minutes. `get` gives an element's name.
  template <typename Range, typename Get>
  std::string Suggest(std::string_view word, const Range& names, Get get);

  // False when a file could not be read to its end: then nothing is called missing.
  bool complete() const { return loaded_.complete; }

 private:
  const project::Loaded& loaded_;
  diag::Diagnostics& diagnostics_;
  size_t suggestion_work_ = 0;
};

template <typename Range, typename Get>
std::string Report::Suggest(std::string_view word, const Range& names, Get get) {
  // Edit distances in one run.
  constexpr size_t kMaxWork = 200'000;
  suggestion_work_ += static_cast<size_t>(names.size());
  if (suggestion_work_ > kMaxWork) return {};
  std::vector<std::string_view> candidates;
  for (const auto& name : names) candidates.push_back(get(name));
  return std::string(base::Nearest(word, candidates));
}

// A name for a message, whatever is in it and however long it is.
std::string Name(std::string_view name);

}  // namespace st::topology

#endif  // ST_LIB_TOPOLOGY_REPORT_H_
