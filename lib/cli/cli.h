// What all the tools share at their edge: input and output of documents, exit codes, summaries. See flags.h for the
// command line, progress.h for a progress line. For mains only; main thread.
#ifndef ST_LIB_CLI_CLI_H_
#define ST_LIB_CLI_CLI_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "lib/cli/flags.h"
#include "lib/diag/diag.h"
#include "lib/docio/docio.h"

namespace google::protobuf {
class Message;
}

namespace st::cli {

// Standard input whole as a document. False after diagnostics; refuses a terminal with the way to use the pipe.
bool ReadStdin(google::protobuf::Message* message, diag::Diagnostics* diagnostics,
               docio::Trailer trailer = docio::Trailer::kRequired);
// The same for a file.
bool ReadDocument(const std::string& path, google::protobuf::Message* message, diag::Diagnostics* diagnostics,
                  docio::Trailer trailer = docio::Trailer::kRequired);

// Document to standard output, all of it, or an error: Unavailable when the reader went away or the disk is full.
absl::Status WriteStdout(const google::protobuf::Message& message);
absl::Status WriteStdout(std::string_view bytes);

// Diagnostics to standard error in the chosen format, and their exit code. Call it once: in the textproto form standard
// error is one document.
int Report(const Flags& flags, const diag::Diagnostics& diagnostics);

// A failed machinery: `<tool>: error: message` to standard error (in the chosen format), and its exit code.
int Fail(const Flags& flags, const ToolInfo& info, const absl::Status& status);

// kUnreachable when the system could not read something (diag::kReadFailed), kNo for any other error, else kOk.
int ExitCodeOf(const diag::Diagnostics& diagnostics);

// Unavailable and DeadlineExceeded kUnreachable, Unknown kUnknown, OK kOk, all else kNo.
int ExitCodeOf(const absl::Status& status);

// A summary for people, of one line or several, on standard error, unless --quiet or --diagnostics=textproto. What is
// invisible in it is escaped.
void Say(const Flags& flags, std::string_view summary);

}  // namespace st::cli

#endif  // ST_LIB_CLI_CLI_H_
