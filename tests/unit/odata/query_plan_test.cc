// What a query with a filter reads, and its class in the service's design guide.
#include "odata/query_plan.h"

#include <doctest/doctest.h>
#include <pthread.h>

#include <functional>
#include <string>
#include <tuple>
#include <vector>

#include "odata/filter_parser.h"

namespace rocktable::TEST_FILE {
namespace {

QueryPlan plan_of(std::string_view filter) {
  const std::optional<Filter> tree = parse_filter(filter).value();
  return plan_query(tree);
}

std::string plan(std::string_view filter) { return to_string(plan_of(filter)); }

// Returns a filter of `count` points, in one partition each or all in one.
std::string points(int count, bool one_partition) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    const std::string number = std::to_string(1000 + i);
    if (i > 0) out += " or ";
    out += "(PartitionKey eq 'p" + (one_partition ? "" : number) + "' and RowKey eq 'r" + number + "')";
  }
  return out;
}

std::string repeated(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += text;
  return out;
}

// Runs `work` on a thread with a stack of this size, independent of the process's limit.
void run_on_stack_of(std::size_t bytes, std::function<void()> work) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, bytes) == 0);
  pthread_t thread;
  const auto start = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  REQUIRE(pthread_create(&thread, &attributes, start, &work) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
}

}  // namespace

TEST_CASE("plan: each shape of filter has its class and ranges") {
  const struct {
    std::string_view filter, plan;
  } cases[] = {
      // point
      {"PartitionKey eq 'a' and RowKey eq '1'", "point [(a,1) (a,1+))"},
      {"RowKey eq '1' and PartitionKey eq 'a'", "point [(a,1) (a,1+))"},
      {"PartitionKey eq '' and RowKey eq ''", "point [(,) (,+))"},
      {"PartitionKey eq 'a' and RowKey eq '1' and Age gt 5", "point [(a,1) (a,1+))"},
      {"PartitionKey eq 'a' and RowKey ge '1' and RowKey le '1'", "point [(a,1) (a,1+))"},
      {"PartitionKey eq 'a' and (RowKey eq '2' or RowKey eq '1')", "point [(a,1) (a,1+)) [(a,2) (a,2+))"},
      {"PartitionKey eq 'a' and RowKey eq '1' or PartitionKey eq 'a' and RowKey eq '1'", "point [(a,1) (a,1+))"},
      {"(PartitionKey eq 'b' or PartitionKey eq 'a') and RowKey eq '1'", "point [(a,1) (a,1+)) [(b,1) (b,1+))"},

      // row range
      {"PartitionKey eq 'a' and RowKey ge '1'", "row-range [(a,1) (a+,))"},
      {"PartitionKey eq 'a' and RowKey gt '1'", "row-range [(a,1+) (a+,))"},
      {"PartitionKey eq 'a' and RowKey lt '5'", "row-range [(a,) (a,5))"},
      {"PartitionKey eq 'a' and RowKey le '5'", "row-range [(a,) (a,5+))"},
      {"PartitionKey eq 'a' and RowKey ge '1' and RowKey lt '5'", "row-range [(a,1) (a,5))"},
      {"PartitionKey eq 'a' and RowKey ge 'log_' and RowKey lt 'log`'", "row-range [(a,log_) (a,log`))"},
      {"PartitionKey eq 'a' and RowKey ne '1'", "row-range [(a,) (a,1)) [(a,1+) (a+,))"},
      {"PartitionKey eq 'a' and RowKey gt ''", "row-range [(a,+) (a+,))"},
      {"PartitionKey eq 'a' and (RowKey eq '1' or RowKey ge '5' and RowKey lt '7')",
       "row-range [(a,1) (a,1+)) [(a,5) (a,7))"},

      // partition scan
      {"PartitionKey eq 'a'", "partition-scan [(a,) (a+,))"},
      {"PartitionKey eq ''", "partition-scan [(,) (+,))"},
      {"PartitionKey eq 'a' and Age gt 5", "partition-scan [(a,) (a+,))"},
      {"PartitionKey eq 'a' and RowKey ge ''", "partition-scan [(a,) (a+,))"},
      {"PartitionKey eq 'a' or PartitionKey eq 'b'", "partition-scan [(a,) (a+,)) [(b,) (b+,))"},
      {"PartitionKey eq 'a' and (RowKey eq '1' or Age gt 5)", "partition-scan [(a,) (a+,))"},
      {"PartitionKey ge 'a' and PartitionKey le 'a'", "partition-scan [(a,) (a+,))"},
      {"PartitionKey eq 'a' or PartitionKey eq 'b' and RowKey eq '1'", "partition-scan [(a,) (a+,)) [(b,1) (b,1+))"},

      // partition range
      {"PartitionKey ge 'a'", "partition-range [(a,) end)"},
      {"PartitionKey gt 'a'", "partition-range [(a+,) end)"},
      {"PartitionKey lt 'b'", "partition-range [(,) (b,))"},
      {"PartitionKey le 'b'", "partition-range [(,) (b+,))"},
      {"PartitionKey ne 'a'", "partition-range [(,) (a,)) [(a+,) end)"},
      {"PartitionKey gt ''", "partition-range [(+,) end)"},
      {"PartitionKey ge 'user_' and PartitionKey lt 'user`'", "partition-range [(user_,) (user`,))"},
      {"PartitionKey ge 'a' and PartitionKey lt 'b' and RowKey eq '1'", "partition-range [(a,) (b,))"},
      {"PartitionKey ge 'a' and PartitionKey lt 'b' or PartitionKey eq 'x' and RowKey eq '1'",
       "partition-range [(a,) (b,)) [(x,1) (x,1+))"},
      {"PartitionKey ge 'a' and RowKey ge '1' or PartitionKey eq 'a'", "partition-range [(a,) end)"},

      // table scan
      {"true", "table-scan [(,) end)"},
      {"Age gt 5", "table-scan [(,) end)"},
      {"RowKey eq '1'", "table-scan [(,) end)"},
      {"Married", "table-scan [(,) end)"},
      {"Timestamp gt datetime'2020-01-01T00:00:00Z'", "table-scan [(,) end)"},
      {"PartitionKey ge ''", "table-scan [(,) end)"},
      {"PartitionKey eq 'a' or Age gt 5", "table-scan [(,) end)"},
      {"PartitionKey eq 'a' or PartitionKey ne 'a'", "table-scan [(,) end)"},
      {"PartitionKey le 'm' or PartitionKey gt 'c'", "table-scan [(,) end)"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.filter);
    CHECK(plan(c.filter) == c.plan);
  }
  CHECK(to_string(plan_query(std::nullopt)) == "table-scan [(,) end)");
}

TEST_CASE("plan: a contradiction reads nothing") {
  const std::string_view filters[] = {
      "false",
      "1 gt 2",
      "not true",
      "PartitionKey eq 'a' and PartitionKey eq 'b'",
      "PartitionKey eq 'a' and RowKey eq '1' and RowKey eq '2'",
      "PartitionKey eq 'a' and PartitionKey ne 'a'",
      "PartitionKey gt 'b' and PartitionKey lt 'a'",
      "PartitionKey gt 'a' and PartitionKey lt 'a'",
      "PartitionKey eq 'a' and RowKey gt '5' and RowKey lt '1'",
      "PartitionKey lt ''",
      "RowKey lt ''",
      "RowKey eq '1' and RowKey eq '2'",
      "Age gt 5 and false",
      "not (PartitionKey ge '')",
      "(PartitionKey eq 'a' or PartitionKey eq 'b') and PartitionKey gt 'c'",
  };
  for (const std::string_view filter : filters) {
    CAPTURE(filter);
    CHECK(plan(filter) == "point nothing");
  }
}

TEST_CASE("plan: a constant on the left of its property, and filters of constants") {
  CHECK(plan("'a' eq PartitionKey and '1' eq RowKey") == "point [(a,1) (a,1+))");
  CHECK(plan("'a' eq PartitionKey and '1' le RowKey and '5' gt RowKey") == "row-range [(a,1) (a,5))");
  CHECK(plan("'a' lt PartitionKey") == "partition-range [(a+,) end)");
  CHECK(plan("'a' ne PartitionKey") == "partition-range [(,) (a,)) [(a+,) end)");
  CHECK(plan("true and PartitionKey eq 'a'") == "partition-scan [(a,) (a+,))");
  CHECK(plan("false or PartitionKey eq 'a'") == "partition-scan [(a,) (a+,))");
  CHECK(plan("1 lt 2 and PartitionKey eq 'a' and not ('x' eq 'y')") == "partition-scan [(a,) (a+,))");
  CHECK(plan("PartitionKey eq 'a' or 2 lt 1") == "partition-scan [(a,) (a+,))");
  CHECK(plan("PartitionKey eq 'a' or 1 lt 2") == "table-scan [(,) end)");
}

TEST_CASE("plan: 'not' inverts comparisons of keys, and does not limit other conditions") {
  CHECK(plan("not (PartitionKey ne 'a') and not (RowKey ne '1')") == "point [(a,1) (a,1+))");
  CHECK(plan("not (PartitionKey ne 'a' or RowKey ne '1')") == "point [(a,1) (a,1+))");
  CHECK(plan("PartitionKey eq 'a' and not (RowKey lt '1')") == "row-range [(a,1) (a+,))");
  CHECK(plan("PartitionKey eq 'a' and not (RowKey lt '1' or RowKey ge '5')") == "row-range [(a,1) (a,5))");
  CHECK(plan("PartitionKey eq 'a' and not (RowKey eq '1')") == "row-range [(a,) (a,1)) [(a,1+) (a+,))");
  CHECK(plan("PartitionKey eq 'a' and not (Age gt 5)") == "partition-scan [(a,) (a+,))");
  CHECK(plan("not (PartitionKey eq 'a')") == "partition-range [(,) (a,)) [(a+,) end)");
  CHECK(plan("not not (PartitionKey eq 'a')") == "partition-scan [(a,) (a+,))");
  CHECK(plan("not (PartitionKey eq 'a' and RowKey eq '1')") == "partition-range [(,) (a,1)) [(a,1+) end)");
  CHECK(plan("not (PartitionKey eq 'a' and Age gt 5)") == "table-scan [(,) end)");
}

TEST_CASE("plan: a condition on RowKey limits each of several fixed partitions") {
  CHECK(plan("(PartitionKey eq 'a' or PartitionKey eq 'c') and RowKey ge '1' and RowKey lt '5'") ==
        "row-range [(a,1) (a,5)) [(c,1) (c,5))");
  CHECK(plan("(PartitionKey eq 'a' or PartitionKey eq 'c') and (RowKey eq '1' or RowKey eq '2')") ==
        "point [(a,1) (a,1+)) [(a,2) (a,2+)) [(c,1) (c,1+)) [(c,2) (c,2+))");
  CHECK(plan("(PartitionKey eq 'a' or PartitionKey gt 'c') and RowKey eq '1'") ==
        "partition-range [(a,1) (a,1+)) [(c+,) end)");
  CHECK(plan("(PartitionKey eq 'a' and RowKey gt '5' or PartitionKey eq 'b' and RowKey lt '3') and RowKey ne "
             "'2'") == "row-range [(a,5+) (a+,)) [(b,) (b,2)) [(b,2+) (b,3))");
  CHECK(plan("RowKey eq '1' and (PartitionKey eq 'a' or Age gt 5)") == "table-scan [(,) end)");
}

TEST_CASE("plan: many points stay points, in order") {
  for (const bool one_partition : {true, false}) {
    for (const int count : {1, 2, 15, 100, 1000}) {
      CAPTURE(count);
      const QueryPlan found = plan_of(points(count, one_partition));
      CHECK(found.plan_class == PlanClass::Point);
      REQUIRE(found.ranges.size() == static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) {
        const std::string number = std::to_string(1000 + i);
        const EntityKey key{"p" + (one_partition ? "" : number), "r" + number};
        CHECK(KeyRanges{found.ranges[static_cast<std::size_t>(i)]} == range_of_key(key));
      }
    }
  }
}

TEST_CASE("plan: the class of a plan is that of its most expensive range") {
  CHECK(to_string(classify({{"a", "1"}, EntityKey{"a", std::string("1\0", 2)}})) == "point");
  CHECK(to_string(classify({{"a", "1"}, EntityKey{"a", "2"}})) == "row-range");
  CHECK(to_string(classify({{"a", "1"}, EntityKey{std::string("a\0", 2), ""}})) == "row-range");
  CHECK(to_string(classify({{"a", ""}, EntityKey{std::string("a\0", 2), ""}})) == "partition-scan");
  CHECK(to_string(classify({{"a", "1"}, EntityKey{"b", ""}})) == "partition-range");
  CHECK(to_string(classify({{"a", ""}, EntityKey{std::string("a\0", 2), "1"}})) == "partition-range");
  CHECK(to_string(classify({{"", "1"}, std::nullopt})) == "partition-range");
  CHECK(to_string(classify({{"", ""}, std::nullopt})) == "table-scan");
  CHECK(is_single_key(range_of_key({"", ""}).front()));
  CHECK_FALSE(is_single_key({{"a", "1"}, EntityKey{"a", "10"}}));
  CHECK_FALSE(is_single_key({{"a", "1"}, EntityKey{"b", std::string("1\0", 2)}}));
  CHECK_FALSE(is_single_key({{"a", "1"}, std::nullopt}));
}

// No filter that the parser accepts may exhaust the stack of a thread, which is 8 MiB on most systems.
// Sanitizers make frames about ten times as large.
TEST_CASE("plan: comparisons that the ranges imply are removed from the filter") {
  const struct {
    std::string_view filter, left;
  } cases[] = {
      {"PartitionKey eq 'a'", ""},
      {"PartitionKey eq 'a' and RowKey eq 'b'", ""},
      {"PartitionKey eq 'a' and RowKey ge 'b' and RowKey lt 'c'", ""},
      {"PartitionKey eq 'a' and RowKey gt 'b' and RowKey le 'c'", ""},
      {"PartitionKey eq 'a' and RowKey gt 'b' and Age gt 5", "(gt Age 5)"},
      {"PartitionKey ge 'a' and PartitionKey le 'a' and Age gt 5", "(gt Age 5)"},
      {"PartitionKey eq 'a' and (RowKey eq 'b' or RowKey eq 'c')", "(or (eq RowKey 'b') (eq RowKey 'c'))"},
      {"PartitionKey eq 'a' and RowKey ne 'b'", "(ne RowKey 'b')"},
      {"PartitionKey eq 'a' or PartitionKey eq 'b'", "(or (eq PartitionKey 'a') (eq PartitionKey 'b'))"},
      {"PartitionKey ge 'a' and RowKey ge 'b'", "(and (ge PartitionKey 'a') (ge RowKey 'b'))"},
      {"RowKey eq 'b'", "(eq RowKey 'b')"},
      {"Age gt 5", "(gt Age 5)"},
      {"PartitionKey eq 'a' and PartitionKey eq 'b'", "(and (eq PartitionKey 'a') (eq PartitionKey 'b'))"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.filter);
    std::optional<Filter> filter = parse_filter(c.filter).value();
    remove_implied_terms(filter, key_ranges(*filter));
    CHECK((filter ? to_string(*filter) : "") == c.left);
  }
}

TEST_CASE("plan: parsing, printing, planning and matching the deepest filters needs little stack") {
  constexpr int kDepth = kMaxFilterDepth;
  std::string alternating, wide;
  for (int i = 0; i < kDepth; ++i) {
    alternating += i % 2 == 0 ? "A or (" : "PartitionKey ge 'a' and (";
    wide += repeated(i % 2 == 0 ? "A or " : "RowKey ne 'a' and ", 15) + "(";
  }
  const std::string filters[] = {
      repeated("not ", kDepth) + "A",
      repeated("(", kDepth) + "A" + repeated(")", kDepth),
      repeated("(", kDepth) + "1" + repeated(")", kDepth) + " eq 1",
      repeated("not (", kDepth / 2) + "A" + repeated(")", kDepth / 2),
      repeated("B and not (", kDepth / 2) + "A" + repeated(")", kDepth / 2),
      repeated("PartitionKey gt 'a' and not (", kDepth / 2) + "A" + repeated(")", kDepth / 2),
      alternating + "A" + repeated(")", kDepth),
      wide + "A" + repeated(")", kDepth),
      repeated("(", kDepth) + "A" + repeated(" or B) and C", kDepth - 1) + ")",
      repeated("A or B and ", 20'000) + "C",
  };
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__OPTIMIZE__)
  constexpr std::size_t kStack = 8 << 20;
#else
  constexpr std::size_t kStack = 1 << 20;
#endif
  for (const std::string& text : filters) {
    CAPTURE(text.substr(0, 60));
    std::string refusal;
    bool printed = false, planned = false;
    run_on_stack_of(kStack, [&] {
      auto parsed = parse_filter(text);
      if (!parsed) {
        refusal = parsed.error().message + "!";
        return;
      }
      const std::optional<Filter> filter = std::move(*parsed);
      printed = !to_string(*filter).empty();
      planned = !plan_query(filter).ranges.empty();
      const std::vector<PropertyView> properties = {{"A", true}, {"B", false}};
      std::ignore = matches(*filter, {"p", "r", DateTime{}, properties});
    });
    CHECK(refusal == "");
    CHECK(printed);
    CHECK(planned);
  }
}

TEST_CASE("plan: a filter that is nested deeper is refused, with any kind of nesting") {
  for (const std::string_view opening : {"(", "not ", "not (", "A and (", "A or not (", "(1 eq "}) {
    for (const int depth : {kMaxFilterDepth + 1, 200'000}) {
      CAPTURE(opening);
      CAPTURE(depth);
      std::string code;
      run_on_stack_of(8 << 20, [&] {
        const auto parsed = parse_filter(repeated(opening, depth) + "A" + repeated(")", depth));
        if (!parsed) code = to_string(parsed.error().code);
      });
      CHECK(code == "InvalidInput");
    }
  }
}

}  // namespace rocktable::TEST_FILE
