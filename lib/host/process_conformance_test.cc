#include <memory>

#include "gtest/gtest.h"
#include "lib/host/conformance.h"
#include "lib/host/process_bench.h"

namespace st::host {
namespace {

INSTANTIATE_TEST_SUITE_P(Process, HostConformance,
                         testing::Values(HostKindUnderTest{"Process", [] { return std::make_unique<ProcessBench>(); }}),
                         HostKindName);

}  // namespace
}  // namespace st::host
