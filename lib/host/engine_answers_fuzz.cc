// Whatever an engine sends is read, or refused with a sentence; nothing else. What is accepted has the form that the
// rest of the library relies on.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "absl/status/status.h"
#include "lib/host/container_shape.h"
#include "lib/host/engine_answers.h"
#include "lib/host/tar_file.h"

namespace {

// True: it was accepted.
bool Look(const absl::Status& status) {
  if (!status.ok() && (!absl::IsDataLoss(status) || status.message().empty())) std::abort();
  return status.ok();
}

void Require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)Look(st::host::ReadVersion(text).status());
  (void)Look(st::host::ReadImage(text).status());
  (void)Look(st::host::ReadVolume(text).status());
  (void)Look(st::host::ReadVolumes(text).status());
  if (const auto info = st::host::ReadInfo(text); Look(info.status())) Require(!info->id.empty());
  if (const auto network = st::host::ReadNetwork(text); Look(network.status())) Require(network->id.size() == 64);
  if (const auto created = st::host::ReadCreated(text); Look(created.status())) Require(created->size() == 64);
  if (const auto listed = st::host::ReadContainers(text); Look(listed.status())) {
    for (const st::host::ListedContainer& one : *listed) Require(one.id.size() == 64);
  }
  if (const auto container = st::host::ReadContainer(text); Look(container.status())) {
    Require(container->started_at_ms >= 0 && container->finished_at_ms >= 0);
    Require(st::host::EvidenceOf(container->shape).size() == 64);
    Require(!st::host::CreateRequest(container->shape).empty());
  }
  Require(!st::host::ReadMessage(text).empty());
  if (const auto file = st::host::ReadTarFile(text); Look(file.status())) Require(file->size() + 1536 <= size);
  return 0;
}
