#include "lib/project/sql_files.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "lib/fs/file.h"
#include "lib/project/folder.h"
#include "schemas/st/v1/project.pb.h"

namespace st::project {
namespace {

constexpr std::string_view kCode = "SQL_FILE";

// `real` is `real_folder` or below it.
bool IsInside(std::string_view real, std::string_view real_folder) {
  if (real_folder == "/") return true;
  return absl::ConsumePrefix(&real, real_folder) && (real.empty() || real.front() == '/');
}

class SqlFiles {
 public:
  SqlFiles(const std::string& folder, Reading* reading) : folder_(folder), reading_(*reading) {}

  bool Read(v1::Model* model) {
    const auto place = reading_.places->Find(*model, v1::Model::kSqlFileFieldNumber, -1);
    const diag::Position at = place ? reading_.places->ToPosition(place->place) : diag::Position();
    if (model->has_sql()) {
      return Refuse(at, "a model has either `sql` or `sql_file`, not both", "remove one of them");
    }
    const std::string& name = model->sql_file();
    if (folder_.empty()) {
      return Refuse(at, "a project on standard input has no files beside it", "write the statement in `sql`");
    }
    if (name.empty() || name.front() == '/' || name.find('\0') != std::string::npos) {
      return Refuse(at, "`sql_file` is a path relative to the file that declares the model", "");
    }
    const std::string path = Join(fs::Dirname(at.file), name);
    // What may not be quoted is not named either.
    const std::string shown =
        place && place->from_variable ? "the file of `sql_file`" : absl::StrCat("`", diag::Visible(path, 200), "`");
    const absl::StatusOr<std::string> real = fs::RealPath(path);
    if (!real.ok())
      return Refuse(at, absl::StrCat(shown, " does not exist"),
                    "the path is relative to the file that declares the model");
    const absl::StatusOr<std::string> real_folder = fs::RealPath(folder_);
    if (!real_folder.ok() || !IsInside(*real, *real_folder)) {
      return Refuse(at, absl::StrCat(shown, " is outside of the project's folder"), "move it into the project");
    }
    absl::StatusOr<std::string> text = fs::ReadFile(path, kMaxSqlFileBytes);
    if (!text.ok()) {
      return Refuse(
          at,
          place && place->from_variable ? absl::StrCat(shown, " cannot be read") : std::string(text.status().message()),
          "", absl::IsUnavailable(text.status()) ? diag::kReadFailed : kCode);
    }
    return Take(path, *std::move(text), model);
  }

 private:
  bool Take(const std::string& path, std::string text, v1::Model* model) {
    const size_t bad = diag::FindNotUtf8(text);
    if (bad != std::string::npos) {
      reading_.diagnostics->Error(diag::Locate(path, text, bad), "NOT_UTF8", "this byte is not UTF-8",
                                  "save the file as UTF-8");
      return false;
    }
    std::string_view rest = text;
    absl::ConsumePrefix(&rest, "\xEF\xBB\xBF");
    model->set_sql(absl::StrReplaceAll(rest, {{"\r\n", "\n"}}));
    reading_.places->AddSqlFile(*model, reading_.places->AddFile(path));
    return true;
  }

  bool Refuse(const diag::Position& at, std::string text, std::string_view hint, std::string_view code = kCode) {
    reading_.diagnostics->Error(at, code, std::move(text), std::string(hint));
    return false;
  }

  const std::string& folder_;
  Reading& reading_;
};

}  // namespace

bool ReadSqlFiles(const std::string& folder, Reading* reading, v1::Project* project) {
  SqlFiles files(folder, reading);
  bool all = true;
  for (v1::Model& model : *project->mutable_models()) {
    if (model.has_sql_file() && !files.Read(&model)) all = false;
  }
  return all;
}

}  // namespace st::project
