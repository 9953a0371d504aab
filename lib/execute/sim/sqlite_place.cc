#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <utility>

#include "absl/strings/str_cat.h"
#include "lib/execute/sim/store_place.h"
#include "lib/state/sqlite.h"

namespace st::sim {
namespace {

std::string MakeFolder() {
  const char* const of_test = getenv("TEST_TMPDIR");
  for (const char* parent : {"/dev/shm", of_test, "/tmp"}) {
    if (parent == nullptr) continue;
    std::string name = absl::StrCat(parent, "/st-sim-XXXXXX");
    if (mkdtemp(name.data()) != nullptr) return name;
  }
  return "";
}

class SqliteFolder : public StorePlace {
 public:
  SqliteFolder() : folder_(MakeFolder()), path_(folder_ + "/state.db"), owner_(getpid()) {}
  ~SqliteFolder() override {
    std::error_code error;
    if (owner_ == getpid()) std::filesystem::remove_all(folder_, error);
  }

  absl::StatusOr<std::unique_ptr<state::StateStore>> Open() override {
    return state::OpenSqlite(path_, state::Access::kReadWrite);
  }

  void StealLock(const std::string&) override {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(path_ + ".locks", error)) {
      std::filesystem::remove(entry.path(), error);
    }
  }

  absl::StatusOr<std::string> Keep() override {
    if (std::filesystem::exists(path_ + "-journal")) return absl::InternalError("a write is half done");
    std::ifstream file(path_, std::ios::binary | std::ios::ate);
    std::string bytes(static_cast<size_t>(file.tellg()), '\0');
    file.seekg(0);
    file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file.good() ? absl::StatusOr<std::string>(bytes) : absl::InternalError("the store cannot be kept");
  }

  absl::Status PutBack(const std::string& kept) override {
    std::error_code error;
    std::filesystem::remove(path_, error);
    std::filesystem::remove(path_ + "-journal", error);
    if (kept.empty()) return absl::OkStatus();
    std::ofstream file(path_, std::ios::binary);
    file << kept;
    file.close();
    std::filesystem::permissions(path_, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write,
                                 error);
    return file.good() && !error ? absl::OkStatus() : absl::InternalError("the store cannot be put back");
  }

 private:
  std::string folder_;
  std::string path_;
  pid_t owner_;
};

}  // namespace

std::unique_ptr<StorePlace> NewSqlitePlace() { return std::make_unique<SqliteFolder>(); }

}  // namespace st::sim
