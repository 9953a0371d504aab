// A generation's folder on the process host, and what is in it. Layout and meaning: docs/journal.md. For this library's
// own files.
#ifndef ST_LIB_HOST_GENERATION_FOLDER_H_
#define ST_LIB_HOST_GENERATION_FOLDER_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace google::protobuf {
class Message;
}

namespace st::host {

// Paths below `<root>/<application id>`.
class ApplicationFolder {
 public:
  // InvalidArgument for an id that is no plain file name.
  static absl::StatusOr<ApplicationFolder> Of(const std::string& root, const std::string& application_id);

  const std::string& path() const { return path_; }
  std::string generations() const;
  std::string generation(const std::string& id) const;
  std::string building() const;  // generations that are being made; a killed tool leaves them behind
  std::string removed() const;   // generations that are being taken away
  std::string volume() const;
  std::string lock() const;  // held by tools while they create, start or remove

 private:
  explicit ApplicationFolder(std::string path);
  std::string path_;
};

// Paths in one generation's folder.
class GenerationFolder {
 public:
  explicit GenerationFolder(std::string path);

  const std::string& path() const { return path_; }
  std::string labels() const;      // generation.textproto
  std::string start_mark() const;  // start.textproto
  std::string plan() const;
  std::string client_properties() const;
  std::string runner() const;  // the copied binary
  std::string log() const;
  std::string state() const;  // the runner's own folder
  std::string runner_lock() const;
  std::string identity() const;
  std::string status() const;

 private:
  std::string path_;
};

// [A-Za-z0-9._-], 1 to 200 bytes, not beginning with a dot.
absl::Status CheckId(std::string_view what, std::string_view id);

// A whole document. NotFound when it is missing; DataLoss when it is not what it should be; else as fs::ReadFile.
absl::Status ReadDocument(const std::string& path, google::protobuf::Message* message);

// The SHA-256 of the RecordPlan message that the folder's plan document holds now.
absl::StatusOr<std::string> PlanSha256(const GenerationFolder& folder);

// Removes all that is in `folder`, one tree each, and syncs it. A folder that is missing is empty.
absl::Status EmptyFolder(const std::string& folder);

}  // namespace st::host

#endif  // ST_LIB_HOST_GENERATION_FOLDER_H_
