#include "tools/st-test/declared_tests.h"

#include <string>
#include <string_view>
#include <vector>

#include "gmock/gmock.h"
#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"
#include "schemas/st/v1/project.pb.h"
#include "schemas/st/v1/report.pb.h"
#include "schemas/st/v1/topology.pb.h"

namespace st::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

v1::Topology MakeTopology() {
  v1::Topology topology;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(
      R"pb(
        models {
          name: "large_orders"
          plan {
            version: 1
            input_topic: "in"
            output_topic: "out"
            extra_members: refuse
            columns { name: "amount" member: "amount" type: BIGINT }
            columns { name: "id" member: "id" type: STRING required: true }
            columns { name: "ship_to" member: "shipTo" type: ANY }
            projections { column: "id" name: "order_id" }
            projections { column: "amount" name: "amount" }
            projections { column: "ship_to" name: "a_place" }
            predicates { column: "amount" op: GE bigint_value: 100 }
          }
        }
        models { name: "by_hand" })pb",
      &topology));
  return topology;
}

v1::TestReport::Result RunOne(std::string_view test) {
  v1::Project project;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(test), project.add_tests()));
  project.mutable_tests(0)->set_name("t");
  project.mutable_tests(0)->set_model("large_orders");
  v1::TestReport report;
  const absl::Status status = RunDeclaredTests(project, MakeTopology(), &report);
  EXPECT_TRUE(status.ok()) << status;
  if (report.results_size() != 1) return {};
  EXPECT_EQ(report.results(0).test(), "t");
  EXPECT_EQ(report.results(0).model(), "large_orders");
  EXPECT_EQ(report.results(0).passed(), report.results(0).difference().empty());
  return report.results(0);
}

TEST(DeclaredTestsTest, PassesWhateverTheSpelling) {
  EXPECT_TRUE(RunOne(R"pb(
                given { value: '{"id":"a","amount":99,"shipTo":null}' }
                given { key: "k1" value: '{"id":"b\u00e9","amount":100,"shipTo":[1]}' }
                given { key: "k2" }
                expect { key: "k1" value: ' {"amount" : 100, "a_place": [1], "order_id": "b\303\251"}' })pb")
                  .passed());
  EXPECT_TRUE(RunOne("").passed());
}

TEST(DeclaredTestsTest, ShowsTheDifference) {
  EXPECT_THAT(RunOne(R"pb(
                given { key: "a" value: '{"id":"1","amount":100,"shipTo":null}' }
                given { value: '{"id":"2","amount":200,"shipTo":null}' }
                expect { key: "a" value: '{"order_id":"1","amount":100,"a_place":null}' }
                expect { value: '{"order_id":"2","amount":201,"a_place":null}' })pb")
                  .difference(),
              ElementsAre(R"(  "a" {"order_id":"1","amount":100,"a_place":null})",
                          R"(- null {"order_id":"2","amount":201,"a_place":null})",
                          R"(+ null {"order_id":"2","amount":200,"a_place":null})"));
}

TEST(DeclaredTestsTest, KeysCount) {
  constexpr std::string_view kValue = R"(value: '{"id":"1","amount":100,"shipTo":0}')";
  constexpr std::string_view kOut = R"(value: '{"order_id":"1","amount":100,"a_place":0}')";
  const auto passes = [&](std::string_view given_key, std::string_view expected_key) {
    return RunOne(std::string("given { ") + std::string(given_key) + " " + std::string(kValue) + " } expect { " +
                  std::string(expected_key) + " " + std::string(kOut) + " }")
        .passed();
  };
  EXPECT_TRUE(passes("key: 'a'", "key: 'a'"));
  EXPECT_FALSE(passes("key: 'a'", "key: 'b'"));
  EXPECT_TRUE(passes("", ""));
  EXPECT_FALSE(passes("key: ''", ""));
  EXPECT_FALSE(passes("key: 'null'", ""));
}

TEST(DeclaredTestsTest, APoisonRowFailsAndEndsTheTest) {
  EXPECT_THAT(RunOne(R"pb(
                given { value: '{"id":"1","amount":100,"shipTo":0}' }
                given { value: '{"id":"2","amount":1.5,"shipTo":0}' }
                given { value: '{"id":"3","amount":100,"shipTo":0}' }
                expect { value: '{"order_id":"1","amount":100,"a_place":0}' })pb")
                  .difference(),
              ElementsAre(R"(  null {"order_id":"1","amount":100,"a_place":0})",
                          R"(! given row 2: NOT_AN_INTEGER in "amount")"));
  EXPECT_THAT(RunOne(R"(given { value: '' })").difference(), ElementsAre("! given row 1: EMPTY_VALUE"));
}

TEST(DeclaredTestsTest, AnImpossibleExpectationIsShown) {
  EXPECT_THAT(
      RunOne(R"(expect { value: '{"id":"1"}' } expect { key: 'k' })").difference(),
      ElementsAre(R"(- null {"id":"1"}  (no output of this model: UNKNOWN_MEMBER in "id"))", R"(- "k" (a tombstone))"));
}

TEST(DeclaredTestsTest, InvisibleDataIsShownEscaped) {
  EXPECT_THAT(RunOne(R"pb(given { value: '{"id":"\342\200\256","amount":100,"shipTo":0}' })pb").difference(),
              ElementsAre(R"(+ null {"order_id":"\u{202E}","amount":100,"a_place":0})"));
}

TEST(DeclaredTestsTest, ByName) {
  v1::Project project;
  for (const char* name : {"c", "a", "b"}) {
    project.add_tests()->set_name(name);
    project.mutable_tests(project.tests_size() - 1)->set_model("large_orders");
  }
  v1::TestReport report;
  ASSERT_TRUE(RunDeclaredTests(project, MakeTopology(), &report).ok());
  std::vector<std::string> names;
  for (const v1::TestReport::Result& result : report.results()) names.push_back(result.test());
  EXPECT_THAT(names, ElementsAre("a", "b", "c"));
}

TEST(DeclaredTestsTest, WhatTheCompilerShouldHavePrevented) {
  v1::Project project;
  project.add_tests()->set_model("by_hand");
  v1::TestReport report;
  EXPECT_TRUE(absl::IsInvalidArgument(RunDeclaredTests(project, MakeTopology(), &report)));
  v1::Topology broken = MakeTopology();
  broken.mutable_models(0)->mutable_plan()->set_version(2);
  EXPECT_TRUE(absl::IsInvalidArgument(RunDeclaredTests({}, broken, &report)));
  EXPECT_THAT(report.results(), IsEmpty());
}

}  // namespace
}  // namespace st::test
