// Reads members out of the JSON objects of an engine's answer. For this library's own files.
#ifndef ST_LIB_HOST_ANSWER_FIELDS_H_
#define ST_LIB_HOST_ANSWER_FIELDS_H_

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace st::host {

// One JSON text. DataLoss when it is none, or nests deeper than any answer does. `what`: names it in errors.
absl::StatusOr<nlohmann::json> ParseJson(std::string_view text, std::string_view what);

// Members by name; those that nobody asks for are ignored. A member that is missing or of another type is a fault; the
// first one is kept in the status that all parts of one answer share, and what is read after it means nothing.
class Fields {
 public:
  // `value`, `status` and the pointed-to JSON must outlive this. `path`: names the object in errors, e.g.
  // `container.State`.
  Fields(const nlohmann::json& value, std::string path, absl::Status* status);

  std::string String(const char* name);
  bool Bool(const char* name);
  int64_t Int(const char* name);
  Fields Object(const char* name);
  std::vector<Fields> Objects(const char* name);
  std::vector<std::string> Strings(const char* name);
  std::map<std::string, std::string> Map(const char* name);
  // The members of an object of objects, by name.
  std::map<std::string, Fields> ObjectsByName(const char* name);

  // The engine writes null, or nothing, where there is nothing: empty.
  std::vector<std::string> StringsOrNone(const char* name);
  std::map<std::string, std::string> MapOrNone(const char* name);
  std::vector<Fields> ObjectsOrNone(const char* name);
  bool Has(const char* name) const;

 private:
  // Null and a fault when it is missing.
  const nlohmann::json& Member(const char* name, const char* type, bool (nlohmann::json::*is)() const noexcept);
  void Fault(std::string_view name, std::string_view what);

  const nlohmann::json* value_;
  std::string path_;
  absl::Status* status_;
};

}  // namespace st::host

#endif  // ST_LIB_HOST_ANSWER_FIELDS_H_
