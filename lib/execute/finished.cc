#include "lib/execute/finished.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "lib/base/clock.h"
#include "lib/execute/facts.h"
#include "lib/execute/finish.h"

namespace st::execute {
namespace {

const v1::OwnedResource* Owned(const Journal& journal, const std::string& resource) {
  for (const v1::OwnedResource& owned : journal.ownership.resources()) {
    if (owned.resource() == resource) return &owned;
  }
  return nullptr;
}

// How the live generation differs from what the operation left; empty: not at all.
std::string Differs(const v1::OwnedRunner& owned, const transition::Facts& facts) {
  for (const v1::GenerationFacts& generation : facts.host.generations()) {
    if (generation.generation_id() != owned.generation_id()) {
      return absl::StrCat("another generation is there: ", generation.generation_id(), " at ", generation.location());
    }
    if (generation.plan_sha256() != owned.plan_sha256()) return "its record plan was edited";
    const bool runs = generation.state() == v1::GenerationFacts::RUNNING;
    if (runs == owned.running()) return "";
    return runs ? "it runs, and was left stopped"
                : absl::StrCat("it has ended since (last status: ",
                               v1::RunnerStatus::State_Name(generation.status().state()), ")");
  }
  return absl::StrCat("generation ", owned.generation_id(), " is not on this host");
}

std::string Settled(const v1::Receipt& receipt) {
  return absl::StrCat("st-state recover settled that operation as ",
                      absl::AsciiStrToLower(v1::Receipt::Settlement_Name(receipt.settlement())), " on ",
                      base::FormatRfc3339(receipt.at_ms()).text);
}

}  // namespace

v1::ApplyReport Finished(v1::ApplyReport report, const v1::Plan& plan, const Journal& journal, const World& world) {
  const v1::Receipt& receipt = journal.receipt;
  if (receipt.settlement() != v1::Receipt::CARRIED_OUT) return Refused(std::move(report), Settled(receipt));
  if (receipt.plan_checksum() != plan.checksum()) {
    return Refused(std::move(report), "that operation has finished, and this is not its plan");
  }
  *report.mutable_state_after() = journal.reference;
  report.set_outcome(v1::ApplyReport::NO_CHANGES);
  report.set_reason("the operation had finished: its receipt is in the state store");
  for (const v1::Action& action : plan.actions()) {
    const v1::OwnedResource* owned = Owned(journal, action.resource());
    if (owned == nullptr || !owned->has_runner()) continue;
    absl::StatusOr<transition::Facts> facts =
        world.cluster == nullptr ? absl::UnavailableError("there is no cluster to look at") : Look(action, world);
    if (!facts.ok()) {
      absl::StrAppend(report.mutable_reason(), "; whether ", action.resource(),
                      " still runs could not be looked at: ", facts.status().message());
      continue;
    }
    const std::string differs = Differs(owned->runner(), *facts);
    if (differs.empty()) {
      absl::StrAppend(report.mutable_reason(), "; ", owned->runner().generation_id(),
                      owned->runner().running() ? " runs" : " stands stopped");
      continue;
    }
    report.set_outcome(v1::ApplyReport::RUNNER_FAILED);
    report.set_next_command("st-compile PROJECT | st-observe | st-plan");
    absl::StrAppend(report.mutable_reason(), "; ", action.resource(), ": ", differs);
  }
  return report;
}

}  // namespace st::execute
