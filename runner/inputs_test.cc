#include "runner/inputs.h"

#include <gtest/gtest.h>

#include <string>

#include "lib/base/digest.h"
#include "lib/docio/docio.h"
#include "lib/fs/file.h"

namespace st::runner {
namespace {

struct Files {
  Files() {
    plan.set_version(1);
    options.plan_path = testing::TempDir() + "/plan";
    options.properties_path = testing::TempDir() + "/properties";
    Write(options.plan_path, docio::Write(plan));
    Write(options.properties_path, "bootstrap.servers=127.0.0.1:1\n");
  }
  static void Write(const std::string& path, const std::string& text) {
    ASSERT_TRUE(fs::WriteFileAtomically(path, text, 0600, fs::Existing::kReplace).ok());
  }
  // The first code; empty: all is good.
  std::string Read() {
    diag::Diagnostics diagnostics;
    sha256.clear();
    const bool good = ReadInputs(options, &sha256, &diagnostics).has_value();
    EXPECT_NE(good, diagnostics.HasErrors());
    return good ? "" : diagnostics.Sorted().front().code;
  }

  v1::RecordPlan plan;
  Options options;
  std::string sha256;
};

TEST(InputsTest, TheSumOfAPlanThatWasReadIsKnownWhateverIsRefused) {
  Files files;
  // Version 1 without columns: the program is refused, the plan was read.
  EXPECT_EQ(files.Read(), "PLAN_REFUSED");
  EXPECT_EQ(files.sha256, base::Checksum(files.plan));
  Files::Write(files.options.properties_path, "isolation.level=read_uncommitted\n");
  EXPECT_NE(files.Read(), "");
  EXPECT_EQ(files.sha256, base::Checksum(files.plan));
  Files::Write(files.options.plan_path, "no plan\n");
  EXPECT_NE(files.Read(), "");
  EXPECT_EQ(files.sha256, "");
}

}  // namespace
}  // namespace st::runner
