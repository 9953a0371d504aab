#include "runner/arena.h"

#include <algorithm>

namespace st::runner {
namespace {

constexpr size_t kPieceBytes = size_t{1} << 20;

}  // namespace

std::string* Arena::Room(size_t size) {
  for (; current_ < pieces_.size(); ++current_) {
    std::string& piece = pieces_[current_];
    if (piece.capacity() - piece.size() >= size) return &piece;
  }
  pieces_.emplace_back().reserve(std::max(size, kPieceBytes));
  return &pieces_.back();
}

size_t Arena::UsedBytes() const {
  return charged_ + current_ * kPieceBytes + (current_ < pieces_.size() ? pieces_[current_].size() : 0);
}

void Arena::Reset() {
  std::erase_if(pieces_, [](const std::string& piece) { return piece.capacity() > 2 * kPieceBytes; });
  for (std::string& piece : pieces_) piece.clear();
  current_ = 0;
  charged_ = 0;
}

}  // namespace st::runner
