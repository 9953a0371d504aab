// The difference between two lists of rows, as lines for people.
#ifndef ST_TOOLS_ST_TEST_ROW_DIFF_H_
#define ST_TOOLS_ST_TEST_ROW_DIFF_H_

#include <string>
#include <vector>

namespace st::test {

// `  row` that both have, `- row` only expected, `+ row` only got, in order; as few as can be where the lists are
// not huge.
std::vector<std::string> RowDiff(const std::vector<std::string>& expected, const std::vector<std::string>& got);

}  // namespace st::test

#endif  // ST_TOOLS_ST_TEST_ROW_DIFF_H_
