#include <memory>

#include "lib/host/conformance.h"
#include "lib/host/docker_bench.h"

namespace st::host {
namespace {

INSTANTIATE_TEST_SUITE_P(Docker, HostConformance,
                         testing::Values(HostKindUnderTest{"docker", [] { return std::make_unique<DockerBench>(); }}),
                         HostKindName);

}  // namespace
}  // namespace st::host
