#include "lib/state/faulty_vfs.h"

#include <signal.h>
#include <sqlite3.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <string>
#include <string_view>

#include "absl/log/check.h"
#include "lib/fs/file.h"

namespace st::state {
namespace {

struct State {
  sqlite3_vfs* real = nullptr;
  VfsFault fault = VfsFault::kNone;
  int nth = 0;
  int calls = 0;
  bool hit = false;
  PowerLoss loss;
  // What a disk would hold after a power loss. A file that is not named here does not exist then.
  std::map<std::string, std::string> durable;
};

State& Vfs() {
  static State* const state = new State;
  return *state;
}

// Followed by the real file.
struct File {
  sqlite3_file base;
  std::string* path;
  sqlite3_file* real() { return reinterpret_cast<sqlite3_file*>(this + 1); }
};

File* Ours(sqlite3_file* file) { return reinterpret_cast<File*>(file); }

std::string Content(const std::string& path) {
  absl::StatusOr<std::string> bytes = fs::ReadFile(path, size_t{1} << 30);
  CHECK_OK(bytes.status());
  return *std::move(bytes);
}

enum class Call { kLook, kChange };

// Counts a call; an error to answer with in its place, or SQLITE_OK to go on.
int Before(Call call) {
  State& vfs = Vfs();
  if (vfs.fault == VfsFault::kNone) return SQLITE_OK;
  const bool counts = call == Call::kChange || (vfs.fault != VfsFault::kPowerLoss && vfs.fault != VfsFault::kFull);
  if (!counts) return SQLITE_OK;
  ++vfs.calls;
  if (vfs.calls < vfs.nth) return SQLITE_OK;
  vfs.hit = true;
  switch (vfs.fault) {
    case VfsFault::kPowerLoss:
      LosePower(vfs.loss);
    case VfsFault::kFull:
      return SQLITE_FULL;
    case VfsFault::kErrorForever:
      return SQLITE_IOERR;
    case VfsFault::kErrorOnce:
      return vfs.calls == vfs.nth ? SQLITE_IOERR : SQLITE_OK;
    default:
      return SQLITE_OK;
  }
}

// After a call that worked.
int After(int result) {
  const State& vfs = Vfs();
  const bool now = vfs.fault == VfsFault::kErrorAfterOnce && vfs.calls == vfs.nth;
  return now && result == SQLITE_OK ? SQLITE_IOERR : result;
}

int Close(sqlite3_file* file) {
  File* ours = Ours(file);
  const int result = ours->real()->pMethods->xClose(ours->real());
  delete ours->path;
  return result;
}

int Read(sqlite3_file* file, void* into, int size, sqlite3_int64 offset) {
  if (const int error = Before(Call::kLook)) return error;
  File* ours = Ours(file);
  return After(ours->real()->pMethods->xRead(ours->real(), into, size, offset));
}

int Write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  if (const int error = Before(Call::kChange)) return error;
  File* ours = Ours(file);
  return After(ours->real()->pMethods->xWrite(ours->real(), bytes, size, offset));
}

int Truncate(sqlite3_file* file, sqlite3_int64 size) {
  if (const int error = Before(Call::kChange)) return error;
  File* ours = Ours(file);
  return After(ours->real()->pMethods->xTruncate(ours->real(), size));
}

int Sync(sqlite3_file* file, int flags) {
  if (const int error = Before(Call::kChange)) return error;
  File* ours = Ours(file);
  const int result = ours->real()->pMethods->xSync(ours->real(), flags);
  // Reading a database file and closing it would end the locks that this process has on it: only to be done where
  // the process is about to die.
  if (result == SQLITE_OK && Vfs().fault == VfsFault::kPowerLoss) {
    sqlite3_int64 size = 0;
    CHECK_EQ(ours->real()->pMethods->xFileSize(ours->real(), &size), SQLITE_OK);
    std::string content(static_cast<size_t>(size), '\0');
    CHECK_EQ(ours->real()->pMethods->xRead(ours->real(), content.data(), static_cast<int>(size), 0), SQLITE_OK);
    Vfs().durable[*ours->path] = std::move(content);
  }
  return After(result);
}

int Lock(sqlite3_file* file, int level) {
  if (const int error = Before(Call::kLook)) return error;
  File* ours = Ours(file);
  return ours->real()->pMethods->xLock(ours->real(), level);
}

int FileSize(sqlite3_file* file, sqlite3_int64* size) {
  return Ours(file)->real()->pMethods->xFileSize(Ours(file)->real(), size);
}
int Unlock(sqlite3_file* file, int level) { return Ours(file)->real()->pMethods->xUnlock(Ours(file)->real(), level); }
int CheckReservedLock(sqlite3_file* file, int* out) {
  return Ours(file)->real()->pMethods->xCheckReservedLock(Ours(file)->real(), out);
}
int FileControl(sqlite3_file* file, int op, void* arg) {
  return Ours(file)->real()->pMethods->xFileControl(Ours(file)->real(), op, arg);
}
int SectorSize(sqlite3_file* file) { return Ours(file)->real()->pMethods->xSectorSize(Ours(file)->real()); }
// Nothing is promised: no atomic writes, no order.
int DeviceCharacteristics(sqlite3_file*) { return 0; }

const sqlite3_io_methods* Methods() {
  static const sqlite3_io_methods* const methods = [] {
    auto* made = new sqlite3_io_methods{};
    made->iVersion = 1;
    made->xClose = Close;
    made->xRead = Read;
    made->xWrite = Write;
    made->xTruncate = Truncate;
    made->xSync = Sync;
    made->xFileSize = FileSize;
    made->xLock = Lock;
    made->xUnlock = Unlock;
    made->xCheckReservedLock = CheckReservedLock;
    made->xFileControl = FileControl;
    made->xSectorSize = SectorSize;
    made->xDeviceCharacteristics = DeviceCharacteristics;
    return made;
  }();
  return methods;
}

int Open(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  file->pMethods = nullptr;
  if ((flags & SQLITE_OPEN_CREATE) != 0) {
    if (const int error = Before(Call::kChange)) return error;
  }
  State& vfs = Vfs();
  // The database, as it stands when it is opened first. A journal is made later, and exists once it is synced.
  if (vfs.fault == VfsFault::kPowerLoss && name != nullptr && (flags & SQLITE_OPEN_MAIN_DB) != 0 &&
      vfs.durable.find(name) == vfs.durable.end()) {
    vfs.durable[name] = Content(name);
  }
  File* ours = Ours(file);
  const int result = vfs.real->xOpen(vfs.real, name, ours->real(), flags, out_flags);
  if (ours->real()->pMethods == nullptr) return result;
  ours->path = new std::string(name == nullptr ? "" : name);
  ours->base.pMethods = Methods();
  return result;
}

int Delete(sqlite3_vfs*, const char* name, int sync_folder) {
  if (const int error = Before(Call::kChange)) return error;
  const int result = Vfs().real->xDelete(Vfs().real, name, sync_folder);
  // Without the sync the name comes back when the power goes.
  if (result == SQLITE_OK && sync_folder != 0) Vfs().durable.erase(name);
  return After(result);
}

void Restore(const std::string& path, const std::optional<std::string>& content) {
  if (!content.has_value()) {
    (void)unlink(path.c_str());
    return;
  }
  CHECK_OK(fs::WriteFileAtomically(path, *content, 0600, fs::Existing::kReplace));
}

}  // namespace

void InstallFaultyVfs() {
  State& state = Vfs();
  state.real = sqlite3_vfs_find(nullptr);
  auto* vfs = new sqlite3_vfs(*state.real);
  vfs->szOsFile = static_cast<int>(sizeof(File)) + state.real->szOsFile;
  vfs->zName = "faulty";
  vfs->xOpen = Open;
  vfs->xDelete = Delete;
  CHECK_EQ(sqlite3_vfs_register(vfs, /*makeDflt=*/1), SQLITE_OK);
}

void ArmVfs(VfsFault fault, int nth, PowerLoss loss) {
  State& state = Vfs();
  state.fault = fault;
  state.nth = nth;
  state.calls = 0;
  state.hit = false;
  state.loss = loss;
}

int DisarmVfs() {
  Vfs().fault = VfsFault::kNone;
  return Vfs().calls;
}

bool VfsFaultHit() { return Vfs().hit; }

void LosePower(PowerLoss loss) {
  State& state = Vfs();
  for (const auto& [path, content] : std::map<std::string, std::string>(state.durable)) {
    if (path.size() > 8 && path.substr(path.size() - 8) == "-journal") continue;
    if (loss.database) Restore(path, content);
    const std::string journal = path + "-journal";
    const auto found = state.durable.find(journal);
    if (loss.journal) {
      Restore(journal, found == state.durable.end() ? std::nullopt : std::optional<std::string>(found->second));
    }
  }
  (void)kill(getpid(), SIGKILL);
  for (;;) (void)pause();
}

}  // namespace st::state
