// A layer below SQLite that fails, dies or loses power at a chosen call. One for the process; single-threaded tests.
#ifndef ST_LIB_STATE_FAULTY_VFS_H_
#define ST_LIB_STATE_FAULTY_VFS_H_

namespace st::state {

// What happens at the chosen call. Calls that count: opening a file to make it, writing, truncating, syncing,
// deleting; for the errors also reading and locking.
enum class VfsFault {
  kNone,
  kPowerLoss,       // in place of the call; ends the process with SIGKILL
  kFull,            // SQLITE_FULL from this call on, until disarmed; reads and locks work
  kErrorOnce,       // this call fails and has done nothing
  kErrorAfterOnce,  // this call has done its work, and fails
  kErrorForever,    // this call and all later ones fail
};

// Makes itself SQLite's default. Once.
void InstallFaultyVfs();

// Which files lose what was not synced when the power goes. A file that loses nothing is as after SIGKILL.
struct PowerLoss {
  bool database = false;
  bool journal = false;
};

// `nth` counts from 1, from now on.
void ArmVfs(VfsFault fault, int nth, PowerLoss loss = {});
// Returns how many calls counted since ArmVfs.
int DisarmVfs();
// True when the chosen call was reached since ArmVfs.
bool VfsFaultHit();

// Now. Does not return.
[[noreturn]] void LosePower(PowerLoss loss);

}  // namespace st::state

#endif  // ST_LIB_STATE_FAULTY_VFS_H_
