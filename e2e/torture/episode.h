// One episode of the torture: the declarations change, the change is planned, its apply is cut off or disturbed in one
// way, and it is carried on until nothing is left to do.
#ifndef ST_E2E_TORTURE_EPISODE_H_
#define ST_E2E_TORTURE_EPISODE_H_

#include <functional>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "e2e/torture/scene.h"

namespace st::e2e {

enum class Kind {
  kKilledAtRandom,    // st-apply by SIGKILL at a random moment, then st-resume some times
  kKilledAtBoundary,  // the same at random boundaries
  kPaused,            // SIGSTOP of st-apply, a second operator meanwhile, perhaps with its lock, SIGCONT
  kTwoApplies,        // one plan twice at once
  kAnswerLost,        // the broker does it and the answer is lost
  kOffsetsMoved,      // an outside tool moves an offset while nothing runs, and puts it back
  kForeignMember,     // somebody else's consumer joins the group while nothing runs, and leaves
  kCopiedGeneration,  // a copy of the generation's folder, labels and all
  kRunnerKilled,      // SIGKILL of the runner at a random moment of the apply
  kBrokerKilled,      // SIGKILL of the broker at a random moment of the apply, and its restart
};
// The quick ones first: the last two wait for sessions to end.
inline constexpr int kKinds = 10;
inline constexpr int kQuickKinds = 8;
const char* Name(Kind kind);
// Of a kPaused that also lost its lock, in Tally::hits.
inline constexpr char kPausedPastItsLock[] = "paused past its lock";

// What happened, over many episodes.
struct Tally {
  int episodes = 0;
  std::map<std::string, int> kinds;
  std::map<std::string, int> changes;
  std::map<std::string, int> kills;  // by tool and the last durable point that the kill left behind
  std::map<std::string, int> hits;   // of a kind: its fault struck something
  size_t records = 0;                // compared, each once
  double usual_seconds = 1;          // of an apply that nothing disturbs; follows what is seen
  int Kills() const;
};

// Draws all its chances from `random`.
class Episode {
 public:
  Episode(Scene* scene, std::mt19937_64* random, Tally* tally) : scene_(*scene), random_(*random), tally_(*tally) {}

  // What does not hold; empty: all does.
  std::vector<std::string> Run(Kind kind);
  // What was done, line by line.
  const std::vector<std::string>& log() const { return log_; }

 private:
  void Change(Kind kind);
  void Replace();
  void Disturb(Kind kind);
  void Kill(const std::string& tool, bool at_boundary, const std::vector<std::string>& arguments);
  void KillRunner();
  void CountKill(const std::string& tool);
  std::string DrawBoundary(const std::string& tool);
  void Pause();
  void TwoApplies();
  void LoseAnswer();
  void MoveOffsets();
  void JoinGroup();
  void CopyGeneration();
  // Runs the apply, and `act` at a random moment of it.
  void ApplyDuring(const std::function<void()>& act);
  // Until nothing is left to do.
  void CarryOn(Kind kind);
  bool CarryOnOnce(Kind kind);
  // Cut off after the old generation closed; false when it was not.
  bool ApplyUntilClosed();

  void Log(std::string line) { log_.push_back(std::move(line)); }
  void Log(const std::string& what, const CommandResult& result);
  void Hit(Kind kind) { ++tally_.hits[Name(kind)]; }
  void Violation(std::string sentence) { violations_.push_back(std::move(sentence)); }
  int Draw(int below) { return std::uniform_int_distribution<int>(0, below - 1)(random_); }
  // Seconds, over what an apply usually takes.
  double DrawMoment() { return std::uniform_real_distribution<double>(0.001, tally_.usual_seconds)(random_); }
  void Undisturbed(const CommandResult& result) { tally_.usual_seconds = (tally_.usual_seconds + result.seconds) / 2; }

  Scene& scene_;
  std::mt19937_64& random_;
  Tally& tally_;
  int kills_left_ = 0;
  bool whole_replacement_ = false;  // of a runner that runs before and after
  std::vector<std::string> log_;
  std::vector<std::string> violations_;
};

}  // namespace st::e2e

#endif  // ST_E2E_TORTURE_EPISODE_H_
