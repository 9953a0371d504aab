// What Positions holds: one entry a message, scalar and list, filled while files are read. Entries are appended, and
// sorted only when somebody asks for a place: for a project without findings nobody does.
#ifndef ST_LIB_PROJECT_PLACES_H_
#define ST_LIB_PROJECT_PLACES_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/synchronization/mutex.h"
#include "lib/diag/diag.h"
#include "lib/project/project.h"

namespace st::project {

// A place inside a file that Impl::AddFile numbered.
struct Place {
  uint32_t file = 0;
  uint32_t line = 0;
  uint32_t column = 0;
};

// Where the bytes of a statement stand.
struct SqlPlace {
  enum class Form : uint8_t {
    kLines,   // `start` is the first character of its first line; each line of it is a line of the file, indented alike
    kInline,  // one line, as it is, from `start`
    kStart,   // folded or escaped: only the start is known
  };
  Form form = Form::kStart;
  Place start;
};

struct Positions::Impl {
 public:
  Impl();
  ~Impl();

  uint32_t AddFile(std::string_view name);
  const std::string& FileName(uint32_t file) const { return files_[file]; }
  diag::Position ToPosition(const Place& place) const;

  // Field 0 is the message itself. Index -1: the field, or the whole list. A later entry for the same value wins.
  void Add(const google::protobuf::Message& message, int field, int index, const Place& place, bool from_variable);
  // Gives `to` what is known of `from`, looking from the last entry backwards.
  void Copy(const google::protobuf::Message& from, int from_field, const google::protobuf::Message& to, int to_field);
  // A value was written for the field, and refused.
  void AddRefused(const google::protobuf::Message& message, int field) { refused_.emplace(&message, field); }
  bool IsRefused(const google::protobuf::Message& message, int field) const {
    return refused_.contains(std::make_pair(static_cast<const void*>(&message), field));
  }
  void AddSql(const google::protobuf::Message& model, const SqlPlace& place) { sql_[&model] = place; }
  // For a whole file that holds a statement: keeps only that it begins at 1:1.
  void AddSqlFile(const google::protobuf::Message& model, uint32_t file);

  // Messages that are no part of the project any more, so that none of it can get the address of one of them.
  void Keep(std::unique_ptr<google::protobuf::Message> message);

  struct Found {
    Place place;
    bool from_variable = false;
  };
  std::optional<Found> Find(const google::protobuf::Message& message, int field, int index) const;
  const SqlPlace* FindSql(const google::protobuf::Message& model) const;
  size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    const void* message;
    uint32_t line;
    uint32_t column : 31;
    uint32_t from_variable : 1;
    int32_t index;
    uint32_t file;
    uint32_t field;
  };

  void Sort() const ABSL_LOCKS_EXCLUDED(mutex_);

  std::vector<std::string> files_;
  mutable std::vector<Entry> entries_;
  mutable bool sorted_ = true;
  // Only for sorting at the first question; reading is otherwise free of locks.
  mutable absl::Mutex mutex_;
  absl::flat_hash_set<std::pair<const void*, int>> refused_;
  absl::flat_hash_map<const void*, SqlPlace> sql_;
  std::vector<std::unique_ptr<google::protobuf::Message>> kept_;
};

}  // namespace st::project

#endif  // ST_LIB_PROJECT_PLACES_H_
