#include "tools/st-import/source_file.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "schemas/st/v1/project.pb.h"

namespace st::import {
namespace {

// A double-quoted scalar of YAML 1.2.
std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (c == '$') {
      quoted += "$$";
    } else if (absl::ascii_iscntrl(static_cast<unsigned char>(c))) {
      absl::StrAppend(&quoted, "\\x", absl::Hex(static_cast<unsigned char>(c), absl::kZeroPad2));
    } else {
      quoted += c;
    }
  }
  quoted += '"';
  return quoted;
}

}  // namespace

std::string SourceName(std::string_view topic) {
  std::string name;
  for (char c : topic) name += absl::ascii_isalnum(static_cast<unsigned char>(c)) ? absl::ascii_tolower(c) : '_';
  if (name.empty() || absl::ascii_isdigit(static_cast<unsigned char>(name.front()))) name.insert(name.begin(), '_');
  return name;
}

std::string SourceFile(const v1::Source& source) {
  const v1::Provenance& provenance = source.provenance();
  return absl::StrCat("# Imported once; from now on this file is yours. Importing again does not touch it.\n",  //
                      "sources:\n",                                                                             //
                      "  - name: ", source.name(), "\n",                                                        //
                      "    topic: ", Quoted(source.topic()), "\n",                                              //
                      "    provenance:\n",                                                                      //
                      "      cluster_id: ", Quoted(provenance.cluster_id()), "\n",                              //
                      "      topic_id: ", Quoted(provenance.topic_id()), "\n",                                  //
                      "      partitions: ", provenance.partitions(), "\n",                                      //
                      "      imported_at: ", Quoted(provenance.imported_at()), "\n",                            //
                      "      imported_by: ", Quoted(provenance.imported_by()), "\n",                            //
                      "    completeness: ", Quoted(source.completeness()), "\n");
}

}  // namespace st::import
