#include "lib/host/engine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status_matchers.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "lib/host/fake_engine.h"
#include "lib/host/tar_sample.h"

namespace st::host {
namespace {

using ::absl_testing::IsOk;
using ::absl_testing::IsOkAndHolds;
using ::absl_testing::StatusIs;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Code = absl::StatusCode;
using Manner = FakeAnswer::Manner;

constexpr int64_t kTimeoutMs = 60'000;
constexpr int64_t kShortMs = 50;

std::string Id(char digit) { return std::string(64, digit); }

class EngineTest : public testing::Test {
 protected:
  FakeEngine fake_;
  Engine engine_{fake_.socket(), kTimeoutMs};
};

TEST_F(EngineTest, TheApiVersionIsNegotiatedOnce) {
  const struct {
    const char* newest;
    const char* oldest;
    const char* path;  // null: refused
    const char* words;
  } cases[] = {
      {"1.41", "1.12", "/v1.41/info", ""},
      {"1.44", "1.24", "/v1.44/info", ""},
      {"1.47", "1.24", "/v1.47/info", ""},
      {"1.52", "1.44", "/v1.47/info", ""},
      {"1.100", "1.47", "/v1.47/info", ""},
      {"2.0", "1.41", "/v1.47/info", ""},
      {"1.40", "1.12", nullptr, "these tools need 1.41"},
      {"1.9", "1.1", nullptr, "speaks API 1.9 at most"},
      {"1.60", "1.48", nullptr, "speaks API 1.48 and newer; these tools know 1.47 at most"},
  };
  for (const auto& one : cases) {
    FakeEngine fake;
    fake.Replace("GET /version", {200, absl::StrCat(R"({"Version": "x", "ApiVersion": ")", one.newest,
                                                    R"(", "MinAPIVersion": ")", one.oldest, R"("})")});
    Engine engine(fake.socket(), kTimeoutMs);
    if (one.path == nullptr) {
      EXPECT_THAT(engine.Info(), StatusIs(Code::kFailedPrecondition, HasSubstr(one.words)));
      EXPECT_THAT(fake.Requests(), ElementsAre());
      continue;
    }
    fake.Script(absl::StrCat("GET ", one.path), {404, "{}"});
    EXPECT_THAT(engine.Info(), StatusIs(Code::kNotFound)) << one.newest;
    EXPECT_THAT(engine.Info(), StatusIs(Code::kNotFound));
    EXPECT_EQ(engine.requests(), 3);
  }
}

TEST_F(EngineTest, AVersionThatCannotBeReadIsNoVersion) {
  for (const char* body : {"", "OK", "[]", R"({"Version": "1"})", R"({"Version": "1", "ApiVersion": 1.41})",
                           R"({"Version": "1", "ApiVersion": "1", "MinAPIVersion": "1.12"})",
                           R"({"Version": "1", "ApiVersion": "1.x", "MinAPIVersion": "1.12"})"}) {
    fake_.Replace("GET /version", {200, body});
    EXPECT_THAT(engine_.Info(), StatusIs(Code::kDataLoss)) << body;
  }
  fake_.Replace("GET /version", {503, R"({"message": "starting"})"});
  EXPECT_THAT(engine_.Info(), StatusIs(Code::kUnavailable, HasSubstr("starting (503)")));
}

// For this thread modes of files count, though it be root's.
class LikeAnyoneElse {
 public:
  LikeAnyoneElse() {
    EXPECT_EQ(syscall(SYS_capget, &header_, before_), 0);
    __user_cap_data_struct less[2] = {before_[0], before_[1]};
    less[0].effective &= ~(1U << CAP_DAC_OVERRIDE);
    EXPECT_EQ(syscall(SYS_capset, &header_, less), 0);
  }
  ~LikeAnyoneElse() { EXPECT_EQ(syscall(SYS_capset, &header_, before_), 0); }
  LikeAnyoneElse(const LikeAnyoneElse&) = delete;
  LikeAnyoneElse& operator=(const LikeAnyoneElse&) = delete;

 private:
  __user_cap_header_struct header_ = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct before_[2] = {};
};

TEST_F(EngineTest, WhoCannotBeReachedIsSaidWithItsCause) {
  std::string folder = "/tmp/st-socket-XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string socket = folder + "/docker.sock";
  auto ask = [&](const std::string& path) {
    Engine engine(path, kTimeoutMs);
    EXPECT_THAT(engine.Start("x"), StatusIs(Code::kUnavailable));  // a write that was not sent
    return engine.Info().status();
  };
  EXPECT_THAT(ask(socket), StatusIs(Code::kUnavailable, AllOf(HasSubstr("no such socket"), HasSubstr(socket),
                                                              HasSubstr("is the Docker daemon running?"))));
  const int listener = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, socket.c_str(), socket.size() + 1);
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(close(listener), 0);
  EXPECT_THAT(ask(socket), StatusIs(Code::kUnavailable,
                                    AllOf(HasSubstr("nobody listens"), HasSubstr("is the Docker daemon running?"))));
  ASSERT_EQ(chmod(socket.c_str(), 0), 0);
  {
    const LikeAnyoneElse user;
    EXPECT_THAT(ask(socket), StatusIs(Code::kUnavailable, AllOf(HasSubstr("permission denied"), HasSubstr("group"))));
  }
  EXPECT_THAT(ask(std::string(200, 'x')), StatusIs(Code::kUnavailable, HasSubstr("at most 107 bytes")));
  std::filesystem::remove_all(folder);
}

TEST_F(EngineTest, OneReadsOutcome) {
  const std::string good = absl::StrCat(R"({"Id": ")", Id('a'), R"(", "Name": "n", "Driver": "bridge", "New": [1]})");
  const struct {
    FakeAnswer answer;
    Code code;
    const char* words;
  } cases[] = {
      {{200, good}, Code::kOk, ""},
      {{200, good, Manner::kCut}, Code::kUnavailable, ""},
      {{200, "", Manner::kNothing}, Code::kUnavailable, "without an answer"},
      {{200, "", Manner::kHalfAnswered}, Code::kUnavailable, ""},
      {{200, "SSH-2.0-x\r\n", Manner::kNoHttp}, Code::kDataLoss, ""},
      {{200, ""}, Code::kDataLoss, "about network is no JSON"},
      {{200, good.substr(0, good.size() - 1)}, Code::kDataLoss, "no JSON"},
      {{200, good + "{}"}, Code::kDataLoss, "no JSON"},
      {{200, "{\"Name\": \"\xff\"}"}, Code::kDataLoss, "no JSON"},
      {{200, "null"}, Code::kDataLoss, "`network` is no object"},
      {{200, "[]"}, Code::kDataLoss, "`network` is no object"},
      {{200, std::string(100, '[') + std::string(100, ']')}, Code::kDataLoss, "nests too deep"},
      {{200, absl::StrReplaceAll(good, {{"Name", "name"}})}, Code::kDataLoss, "`network.Name` is missing"},
      {{200, absl::StrReplaceAll(good, {{"\"n\"", "7"}})}, Code::kDataLoss, "`network.Name` is no string"},
      {{200, absl::StrReplaceAll(good, {{"aa", "a"}})}, Code::kDataLoss, "`network.Id` is no id"},
      {{200, absl::StrReplaceAll(good, {{"aaaa", "AAAA"}})}, Code::kDataLoss, "`network.Id` is no id"},
      {{404, R"({"message": "network x not found"})"}, Code::kNotFound, "network x not found (404)"},
      {{400, R"({"message": "bad"})"}, Code::kFailedPrecondition, "bad (400)"},
      {{403, R"({"message": "authz plugin"})"}, Code::kFailedPrecondition, "authz plugin (403)"},
      {{500, R"({"message": "broken"})"}, Code::kUnavailable, "broken (500)"},
      {{500, "<html>"}, Code::kUnavailable, "<html> (500)"},
      {{500, R"({"message": 7})"}, Code::kUnavailable, "(500)"},
      {{404, ""}, Code::kNotFound, "no reason given"},
      {{404, "{\"message\": \"a\\u001b[2Jb\\n\"}"}, Code::kNotFound, "a\\u{1B}[2Jb ("},
      {{302, ""}, Code::kFailedPrecondition, "(302)"},
      {{304, ""}, Code::kFailedPrecondition, "(304)"},
  };
  int made = 0;
  for (const auto& one : cases) {
    fake_.Replace("GET /networks/n", one.answer);
    const absl::StatusOr<NetworkAnswer> answer = engine_.Network("n");
    EXPECT_THAT(answer.status(), StatusIs(one.code, HasSubstr(one.words))) << one.answer.body;
    EXPECT_EQ(fake_.Requests().size(), ++made) << "it was asked again: " << one.answer.body;
  }
  Engine impatient(fake_.socket(), kShortMs);
  fake_.Replace("GET /version", {200, "", Manner::kNever});
  EXPECT_THAT(impatient.Network("n"), StatusIs(Code::kUnavailable, HasSubstr("no whole answer within 50 ms")));
}

// Every write, by the request that it must be, and its answer when all is well.
struct WriteCase {
  const char* request;
  FakeAnswer good;
  std::function<absl::Status(Engine*)> call;
};

std::vector<WriteCase> WriteCases() {
  return {
      {"POST /volumes/create",
       {201, R"({"Name": "v", "Labels": {"a": "b"}})"},
       [](Engine* engine) {
         return engine->CreateVolume("v", {{"a", "b"}}).status();
       }},
      {"POST /containers/create?name=st.g",
       {201, absl::StrCat(R"({"Id": ")", Id('c'), R"(", "Warnings": []})")},
       [](Engine* engine) { return engine->CreateContainer("st.g", R"({"Image": "i"})").status(); }},
      {"POST /containers/c/start", {204, ""}, [](Engine* engine) { return engine->Start("c"); }},
      {"POST /containers/c/kill?signal=SIGTERM", {204, ""}, [](Engine* engine) { return engine->Terminate("c"); }},
      {"DELETE /containers/c?force=false&v=false", {204, ""}, [](Engine* engine) { return engine->Remove("c"); }},
  };
}

TEST_F(EngineTest, EveryWriteGoesOutOnceWhateverBecomesOfIt) {
  const struct {
    FakeAnswer answer;
    Code code;
  } cases[] = {
      {{200, "", Manner::kNothing}, Code::kUnknown},
      {{200, "", Manner::kHalfAnswered}, Code::kUnknown},
      {{200, "", Manner::kUnread}, Code::kUnknown},
      {{201, "{\"Id\": 1}", Manner::kCut}, Code::kUnknown},
      {{200, "no http", Manner::kNoHttp}, Code::kUnknown},
      {{400, R"({"message": "bad parameter"})"}, Code::kFailedPrecondition},
      {{404, R"({"message": "no such thing"})"}, Code::kNotFound},
      {{500, R"({"message": "broken"})"}, Code::kInternal},
      {{302, ""}, Code::kFailedPrecondition},
  };
  for (const WriteCase& write : WriteCases()) {
    fake_.Forget();
    fake_.Replace(write.request, write.good);
    EXPECT_THAT(write.call(&engine_), IsOk()) << write.request;
    EXPECT_THAT(fake_.Requests(), ElementsAre(write.request));
    for (const auto& one : cases) {
      fake_.Forget();
      fake_.Replace(write.request, one.answer);
      EXPECT_THAT(write.call(&engine_), StatusIs(one.code)) << write.request << " " << one.answer.body;
      EXPECT_THAT(fake_.Requests(), ElementsAre(write.request));
    }
    // The version is known by now: only the write itself is never answered.
    fake_.Forget();
    fake_.Replace(write.request, {200, "", Manner::kNever});
    Engine impatient(fake_.socket(), kShortMs);
    EXPECT_THAT(write.call(&impatient), StatusIs(Code::kUnknown, HasSubstr("it is not known whether")));
    EXPECT_THAT(fake_.Requests(), ElementsAre(write.request));
  }
}

TEST_F(EngineTest, AWriteThatWasDoneAndIsNotUnderstoodIsUnknown) {
  for (const char* body : {"", "{}", R"({"Id": "short"})", R"({"Id": 7, "Name": 7})"}) {
    fake_.Replace("POST /volumes/create", {201, body});
    fake_.Replace("POST /containers/create?name=st.g", {201, body});
    EXPECT_THAT(engine_.CreateVolume("v", {}), StatusIs(Code::kUnknown, HasSubstr("was done"))) << body;
    EXPECT_THAT(engine_.CreateContainer("st.g", "{}"), StatusIs(Code::kUnknown, HasSubstr("was done"))) << body;
  }
}

TEST_F(EngineTest, AConflictIsANameTakenOrAState) {
  const FakeAnswer conflict = {409, R"({"message": "conflict"})"};
  for (const WriteCase& write : WriteCases()) {
    fake_.Replace(write.request, conflict);
    const bool create = absl::StrContains(write.request, "/create");
    EXPECT_THAT(write.call(&engine_), StatusIs(create ? Code::kAlreadyExists : Code::kFailedPrecondition))
        << write.request;
  }
  fake_.Replace("POST /containers/c/start", {304, ""});
  EXPECT_THAT(engine_.Start("c"), StatusIs(Code::kFailedPrecondition, HasSubstr("already running")));
}

TEST_F(EngineTest, WhatItAsksForIsEscapedAndWhole) {
  fake_.Script(R"(GET /containers/json?all=1&filters={"label":["a=b&c","d"]})", {200, "[]"});
  EXPECT_THAT(engine_.Containers({"a=b&c", "d"}), IsOkAndHolds(testing::IsEmpty()));
  fake_.Script("GET /images/sha256:../x/json", {404, ""});
  EXPECT_THAT(engine_.Image("sha256:../x"), StatusIs(Code::kNotFound));
  EXPECT_THAT(fake_.Header(), HasSubstr("GET /v1.47/images/sha256%3A..%2Fx/json HTTP/1.1\r\n"));
  fake_.Script("POST /volumes/create", {201, R"({"Name": "v", "Labels": null})"});
  EXPECT_THAT(engine_.CreateVolume("v", {{"k", "\"quoted\""}}), IsOk());
  EXPECT_EQ(fake_.Body("POST /volumes/create"), R"({"Driver":"local","Labels":{"k":"\"quoted\""},"Name":"v"})");
  EXPECT_THAT(fake_.Header(), AllOf(HasSubstr("Content-Type: application/json\r\n"), Not(HasSubstr("Expect"))));
}

TEST_F(EngineTest, AProxyOfTheEnvironmentIsNotAsked) {
  ASSERT_EQ(setenv("http_proxy", "http://127.0.0.1:1", 1), 0);
  ASSERT_EQ(setenv("ALL_PROXY", "http://127.0.0.1:1", 1), 0);
  fake_.Script("GET /volumes", {200, R"({"Volumes": null})"});
  EXPECT_THAT(engine_.Volumes(), IsOkAndHolds(testing::IsEmpty()));
  ASSERT_EQ(unsetenv("http_proxy"), 0);
  ASSERT_EQ(unsetenv("ALL_PROXY"), 0);
}

TEST_F(EngineTest, AnAnswerHasABound) {
  fake_.Script("GET /info", {200, std::string(size_t{5} << 20, ' ')});
  EXPECT_THAT(engine_.Info(), StatusIs(Code::kDataLoss, HasSubstr("longer than we take")));
  fake_.Script("POST /containers/c/start", {500, std::string(size_t{5} << 20, ' ')});
  EXPECT_THAT(engine_.Start("c"), StatusIs(Code::kUnknown));
}

TEST_F(EngineTest, AFileComesOutOfAnArchive) {
  const std::string request = "GET /containers/c/archive?path=/var/lib/st/status.textproto";
  const std::string good = TarMember("status.textproto", "content");
  const std::string attributes = TarMember("PaxHeaders/x", "30 mtime=1350244992.023960108\n", 0644, 'x');
  std::string broken = good + TarEnd();
  broken[0] ^= 1;
  const struct {
    std::string body;
    Code code;
  } cases[] = {
      {good + TarEnd(), Code::kOk},
      {attributes + good + TarEnd(), Code::kOk},
      {good + TarEnd() + std::string(8192, '\0'), Code::kOk},
      {TarMember("empty", "") + TarEnd(), Code::kOk},
      {"", Code::kDataLoss},
      {TarEnd(), Code::kDataLoss},
      {good, Code::kDataLoss},
      {good + std::string(512, '\0'), Code::kDataLoss},
      {good.substr(0, 600), Code::kDataLoss},
      {good.substr(0, 511), Code::kDataLoss},
      {broken, Code::kDataLoss},
      {good + good + TarEnd(), Code::kDataLoss},
      {TarMember("status.textproto", "", 0777, '2') + TarEnd(), Code::kDataLoss},
      {TarMember("folder/", "", 0755, '5') + TarEnd(), Code::kDataLoss},
      {attributes + attributes + good + TarEnd(), Code::kDataLoss},
      {TarMember("PaxHeaders/x", "20 size=99999999999\n", 0644, 'x') + good + TarEnd(), Code::kDataLoss},
      {"not a tar" + std::string(2000, 'x'), Code::kDataLoss},
  };
  for (const auto& one : cases) {
    fake_.Replace(request, {200, one.body});
    EXPECT_THAT(engine_.File("c", "/var/lib/st/status.textproto").status(), StatusIs(one.code)) << one.body.size();
  }
  fake_.Replace(request, {200, attributes + good + TarEnd()});
  EXPECT_THAT(engine_.File("c", "/var/lib/st/status.textproto"), IsOkAndHolds("content"));
  fake_.Replace(request, {404, R"({"message": "Could not find the file"})"});
  EXPECT_THAT(engine_.File("c", "/var/lib/st/status.textproto"), StatusIs(Code::kNotFound));
}

TEST_F(EngineTest, AnErrorIsShownUpToABound) {
  fake_.Script("GET /info", {404, absl::StrCat(R"({"message": ")", std::string(100'000, 'x'), R"("})")});
  EXPECT_LT(engine_.Info().status().message().size(), 1200);
}

}  // namespace
}  // namespace st::host
