// Diagnostics about places in one text. For this library.
#ifndef ST_LIB_DOCIO_FINDINGS_H_
#define ST_LIB_DOCIO_FINDINGS_H_

#include <string>
#include <string_view>

#include "lib/diag/diag.h"

namespace st::docio {

class Findings {
 public:
  // All outlive it.
  Findings(std::string_view text, std::string_view file, diag::Diagnostics* diagnostics)
      : text_(text), file_(file), diagnostics_(diagnostics) {}

  // `where` is a part of the text. After 100 findings more would only bury the first ones.
  void Add(std::string_view where, std::string_view code, std::string text, std::string hint = {});

  bool empty() const { return count_ == 0; }
  std::string_view text() const { return text_; }

 private:
  const std::string_view text_;
  const std::string_view file_;
  diag::Diagnostics* const diagnostics_;
  int count_ = 0;
};

}  // namespace st::docio

#endif  // ST_LIB_DOCIO_FINDINGS_H_
