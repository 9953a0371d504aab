// The output of one transaction, in pieces that do not move: the producer reads values where they are until the
// transaction's end is confirmed. One thread.
#ifndef ST_RUNNER_ARENA_H_
#define ST_RUNNER_ARENA_H_

#include <cstddef>
#include <string>
#include <vector>

namespace st::runner {

class Arena {
 public:
  // A string to append up to `size` bytes to, without a move of what it holds. Allocates only when the arena has never
  // been this full.
  std::string* Room(size_t size);

  // Memory elsewhere that lives as long as what is here, for UsedBytes.
  void Charge(size_t bytes) { charged_ += bytes; }
  // What the transaction holds, about.
  size_t UsedBytes() const;

  // Nobody reads the values any more. Keeps its memory, but pieces for records of unusual size.
  void Reset();

 private:
  std::vector<std::string> pieces_;
  size_t current_ = 0;
  size_t charged_ = 0;
};

}  // namespace st::runner

#endif  // ST_RUNNER_ARENA_H_
