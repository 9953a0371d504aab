// Every single measurement and setting, for the CSV file. One thread.
#ifndef ST_E2E_BENCH_JOURNAL_H_
#define ST_E2E_BENCH_JOURNAL_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace st::e2e::bench {

// One line. What does not apply is left empty.
struct Entry {
  std::string kind = {};  // setting, run, slope, latency, idle, start
  std::string input = {};
  std::string contender = {};
  int block = 0;          // from 1; 0: none
  int64_t records = 0;    // 0: none
  std::string name = {};  // with its unit, e.g. client_cpu_s
  std::string value = {};
};

class Journal {
 public:
  void Add(Entry entry) { entries_.push_back(std::move(entry)); }
  // RFC 4180, with a line of names.
  std::string Csv() const;

 private:
  std::vector<Entry> entries_ = {};
};

// A number as it stands in an entry.
std::string NumberOf(double value);

}  // namespace st::e2e::bench

#endif  // ST_E2E_BENCH_JOURNAL_H_
