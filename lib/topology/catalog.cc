#include "lib/topology/catalog.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "schemas/st/v1/project.pb.h"

namespace st::topology {
namespace {

bool Fits(Wanted wanted, Kind kind) {
  switch (wanted) {
    case Wanted::kSource:
      return kind == Kind::kSource;
    case Wanted::kModel:
      return kind == Kind::kModel;
    case Wanted::kAny:
      return kind != Kind::kExposure;
  }
  return false;
}

std::string_view WantedName(Wanted wanted) {
  switch (wanted) {
    case Wanted::kSource:
      return "source";
    case Wanted::kModel:
      return "model";
    case Wanted::kAny:
      break;
  }
  return "source or model";
}

std::string_view Article(Kind kind) { return kind == Kind::kExposure ? "an" : "a"; }

}  // namespace

std::string_view KindName(Kind kind) {
  switch (kind) {
    case Kind::kSource:
      return "source";
    case Kind::kModel:
      return "model";
    case Kind::kExposure:
      break;
  }
  return "exposure";
}

const google::protobuf::Message& Declaration::message() const {
  if (source != nullptr) return *source;
  if (model != nullptr) return *model;
  return *exposure;
}

bool Declaration::has_sql() const { return model != nullptr && (model->has_sql() || model->has_sql_file()); }

Catalog::Catalog(const v1::Project& project, Report* report) {
  all_.reserve(static_cast<size_t>(project.sources_size()) + project.models_size() + project.exposures_size());
  // Who has no name has the loader's finding.
  for (const v1::Source& source : project.sources()) {
    if (source.name().empty()) continue;
    Declaration& added = all_.emplace_back();
    added.kind = Kind::kSource;
    added.name = source.name();
    added.source = &source;
  }
  for (const v1::Model& model : project.models()) {
    if (model.name().empty()) continue;
    Declaration& added = all_.emplace_back();
    added.kind = Kind::kModel;
    added.name = model.name();
    added.model = &model;
  }
  for (const v1::Exposure& exposure : project.exposures()) {
    if (exposure.name().empty()) continue;
    Declaration& added = all_.emplace_back();
    added.kind = Kind::kExposure;
    added.name = exposure.name();
    added.exposure = &exposure;
  }
  std::stable_sort(all_.begin(), all_.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  DropDuplicates(report);
  by_name_.reserve(all_.size());
  for (int i = 0; i < size(); ++i) by_name_.emplace(at(i).name, i);
}

void Catalog::DropDuplicates(Report* report) {
  const auto by_place = [&](const Declaration& a, const Declaration& b) {
    const diag::Position first = report->At(a.message(), "name");
    const diag::Position second = report->At(b.message(), "name");
    return std::tie(first.file, first.line, first.column) < std::tie(second.file, second.line, second.column);
  };
  std::vector<Declaration> kept;
  kept.reserve(all_.size());
  for (auto begin = all_.begin(); begin != all_.end();) {
    const auto end = std::find_if(begin, all_.end(), [&](const auto& other) { return other.name != begin->name; });
    if (end - begin > 1) std::stable_sort(begin, end, by_place);
    for (auto again = begin + 1; again != end; ++again) {
      report->Error(
          again->message(), "name", "DUPLICATE_NAME",
          absl::StrCat("the name ", Name(again->name), " of this ", KindName(again->kind), " is taken by the ",
                       KindName(begin->kind), " at ", report->Place(begin->message(), "name")),
          "sources, models and exposures share one set of names");
    }
    kept.push_back(std::move(*begin));
    begin = end;
  }
  all_ = std::move(kept);
}

std::string Catalog::Nearest(Wanted wanted, std::string_view name, Report* report) {
  std::vector<std::string_view> fitting;
  std::vector<std::string_view> others;
  for (const Declaration& declaration : all_) {
    if (declaration.exposure == nullptr)
      (Fits(wanted, declaration.kind) ? fitting : others).push_back(declaration.name);
  }
  const auto same = [](std::string_view text) { return text; };
  std::string near = report->Suggest(name, fitting, same);
  return near.empty() ? report->Suggest(name, others, same) : near;
}

Resolution Catalog::Resolve(Wanted wanted, std::string_view name, Report* report) {
  Resolution resolution;
  const auto found = by_name_.find(name);
  if (found != by_name_.end()) {
    const Declaration& declaration = at(found->second);
    if (Fits(wanted, declaration.kind)) {
      resolution.index = found->second;
      return resolution;
    }
    resolution.code = "WRONG_REFERENCE";
    resolution.text = absl::StrCat(Name(name), " is ", Article(declaration.kind), " ", KindName(declaration.kind),
                                   ", not a ", WantedName(wanted));
    if (declaration.kind == Kind::kSource) {
      resolution.hint = "a source is named {{ source(\"name\") }} in SQL and {source: name} in lists";
    } else if (declaration.kind == Kind::kModel) {
      resolution.hint = "a model is named {{ ref(\"name\") }} in SQL and {ref: name} in lists";
    }
    return resolution;
  }
  if (!report->complete()) return resolution;
  resolution.code = "UNKNOWN_REFERENCE";
  resolution.text = absl::StrCat("no ", WantedName(wanted), " ", Name(name), " is declared");
  if (const std::string near = Nearest(wanted, name, report); !near.empty()) {
    const Declaration& declaration = at(by_name_.at(near));
    resolution.hint = absl::StrCat("did you mean the ", KindName(declaration.kind), " ", Name(near), "?");
  }
  return resolution;
}

namespace {

using References = google::protobuf::RepeatedPtrField<v1::Reference>;

std::vector<int> ResolveList(const v1::Exposure& exposure, const References& references, std::string_view field,
                             Catalog* catalog, Report* report) {
  std::vector<int> found;
  for (int i = 0; i < references.size(); ++i) {
    const v1::Reference& reference = references[i];
    // Both or none: the loader's finding.
    if (reference.source().empty() == reference.ref().empty()) continue;
    const bool source = !reference.source().empty();
    Resolution resolution = catalog->Resolve(source ? Wanted::kSource : Wanted::kModel,
                                             source ? reference.source() : reference.ref(), report);
    if (resolution.index != kNone) {
      found.push_back(resolution.index);
    } else if (!resolution.code.empty()) {
      report->Error(exposure, field, resolution.code, std::move(resolution.text), std::move(resolution.hint), i);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

void ResolveExposures(Catalog* catalog, Report* report) {
  for (Declaration& declaration : catalog->all()) {
    if (declaration.exposure == nullptr) continue;
    const v1::Exposure& exposure = *declaration.exposure;
    declaration.consumes = ResolveList(exposure, exposure.consumes(), "consumes", catalog, report);
    declaration.produces = ResolveList(exposure, exposure.produces(), "produces", catalog, report);
    for (const int produced : declaration.produces) {
      if (!catalog->at(produced).has_sql()) continue;
      report->Warning(exposure, "produces", "TWO_WRITERS",
                      absl::StrCat("the exposure ", Name(exposure.name()), " writes to the topic of the model ",
                                   Name(catalog->at(produced).name), ", which a runner writes to as well"),
                      "its consumers see the records of both");
    }
  }
}

void CheckTests(const v1::Project& project, Catalog* catalog, Report* report) {
  std::vector<const v1::Test*> tests;
  for (const v1::Test& test : project.tests()) tests.push_back(&test);
  // By name and place: the same findings whatever the order of the files.
  const auto key = [&](const v1::Test* test) {
    const diag::Position position = report->At(*test, "name");
    return std::make_tuple(test->name(), position.file, position.line, position.column);
  };
  std::stable_sort(tests.begin(), tests.end(), [&](const auto* a, const auto* b) {
    return a->name() != b->name() ? a->name() < b->name() : key(a) < key(b);
  });
  const v1::Test* first = nullptr;
  for (const v1::Test* test : tests) {
    if (first != nullptr && first->name() == test->name() && !test->name().empty()) {
      report->Error(
          *test, "name", "DUPLICATE_NAME",
          absl::StrCat("the test ", Name(test->name()), " stands at ", report->Place(*first, "name"), " already"),
          "give each test a name of its own");
    } else {
      first = test;
    }
    if (test->model().empty()) continue;
    Resolution resolution = catalog->Resolve(Wanted::kModel, test->model(), report);
    if (!resolution.code.empty()) {
      report->Error(*test, "model", resolution.code, std::move(resolution.text), std::move(resolution.hint));
    } else if (resolution.index != kNone && !catalog->at(resolution.index).has_sql()) {
      report->Error(*test, "model", "TEST_WITHOUT_SQL",
                    absl::StrCat("the model ", Name(test->model()), " has no SQL, so there is nothing to test"),
                    "name a model with SQL");
    }
  }
}

}  // namespace st::topology
