#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "client/terminal/progress.h"
#include "client/transfer/fingerprint.h"
#include "client/transfer/transfer_state.h"
#include "tests/unit/support/temporary_folder.h"

namespace rocktable::TEST_FILE {
namespace {

Fingerprint fingerprint_of(const std::vector<Entity>& entities) {
  Fingerprint out;
  for (const auto& entity : entities) out.add(entity);
  return out;
}

Entity entity(Properties properties, EntityKey key = {"p", "r"}) { return {std::move(key), {}, std::move(properties)}; }

}  // namespace

TEST_CASE("a fingerprint does not depend on the order of entities or properties") {
  const Entity one = entity({{"A", std::int32_t{1}}, {"B", std::string("x")}});
  const Entity same = entity({{"B", std::string("x")}, {"A", std::int32_t{1}}});
  const Entity other = entity({}, {"p", "s"});
  CHECK(fingerprint_of({one, other}) == fingerprint_of({other, same}));
  CHECK(fingerprint_of({one, other}).count() == 2);
  CHECK_FALSE(fingerprint_of({one}) == fingerprint_of({one, one}));
  CHECK_FALSE(fingerprint_of({}) == fingerprint_of({other}));
}

TEST_CASE("a fingerprint depends on keys, names, types and values") {
  const std::vector<Entity> all = {
      entity({}),
      entity({}, {"pr", ""}),
      entity({}, {"", "pr"}),
      entity({{"A", std::int32_t{1}}}),
      entity({{"B", std::int32_t{1}}}),
      entity({{"A", std::int64_t{1}}}),
      entity({{"A", 1.0}}),
      entity({{"A", std::nextafter(1.0, 2.0)}}),
      entity({{"A", std::string("1")}}),
      entity({{"A", std::string()}}),
      entity({{"A", Binary{""}}}),
      entity({{"A", Binary{"1"}}}),
      entity({{"A", true}}),
      entity({{"A", DateTime{1}}}),
      entity({{"A", DateTime{2}}}),
      entity({{"A", Guid{}}}),
      entity({{"A", std::nan("")}}),
      entity({{"A", HUGE_VAL}}),
  };
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      CAPTURE(i);
      CAPTURE(j);
      CHECK_FALSE(fingerprint_of({all[i]}) == fingerprint_of({all[j]}));
    }
  CHECK(fingerprint_of({entity({{"A", 0.0}})}) == fingerprint_of({entity({{"A", -0.0}})}));
}

TEST_CASE("only the same transfer resumes from a state") {
  const TemporaryFolder folder;
  const auto file = std::filesystem::path(folder.path()) / "state";
  const TransferState::Parameters parameters{{"command", "copy"}, {"from", "a"}};
  const TableProgress progress{true, 12, "[\"1!4\",\"\"]", "3 bytes", 99, {"A", "\u00e9"}, EntityKey{"p", ""}};
  {
    TransferState state(file, parameters);
    CHECK_FALSE(state.is_resumed());
    state.set_contents({{"to", "0123"}});
    state.table("mytable") = progress;
    state.save();
  }
  TransferState again(file, parameters);
  CHECK(again.is_resumed());
  CHECK(again.table("mytable") == progress);
  CHECK(again.table("other") == TableProgress{});
  CHECK(again.contents() == TransferState::ContentsIds{{"to", "0123"}});
  TransferState other(file, {{"command", "copy"}, {"from", "b"}});
  CHECK(other.is_foreign());
  CHECK(other.table("mytable") == TableProgress{});
  again.restart();
  CHECK_FALSE(again.is_resumed());
  CHECK(again.tables().empty());
  again.remove();
  CHECK_FALSE(std::filesystem::exists(file));
  CHECK(std::filesystem::is_empty(folder.path()));  // no temporary file left
}

TEST_CASE("a truncated state is ignored") {
  const TemporaryFolder folder;
  const auto file = std::filesystem::path(folder.path()) / "state";
  TransferState state(file, {{"command", "copy"}});
  state.table("mytable").entities = 7;
  state.save();
  std::stringstream whole;
  whole << std::ifstream(file).rdbuf();
  for (std::size_t size = 0; size + 2 < whole.str().size(); ++size) {
    std::ofstream(file, std::ios::trunc) << whole.str().substr(0, size);
    const TransferState torn(file, {{"command", "copy"}});
    CHECK(torn.is_foreign());
  }
}

TEST_CASE("without a file no state is saved") {
  TransferState state({}, {});
  state.table("mytable").entities = 7;
  state.save();
  state.remove();
  CHECK_FALSE(state.is_enabled());
}

TEST_CASE("progress is a line at intervals, and a bar on a terminal") {
  using std::chrono::seconds;
  const auto start = Progress::Clock::now();
  std::ostringstream plain, terminal;
  int columns = 80;
  Progress lines(plain, false), bar(terminal, true, [&] { return columns; });
  for (int second = 0; second <= 25; ++second) {
    lines.show("t", static_cast<std::uint64_t>(second) * 100, std::nullopt, start + seconds(second));
    bar.show("t", static_cast<std::uint64_t>(second) * 100, second / 100.0, start + seconds(second));
  }
  CHECK(plain.str() == "rocktable: t: 1,000 entities, 100/s\nrocktable: t: 2,000 entities, 100/s\n");
  CHECK(terminal.str().ends_with("] 25 %, 2,500 entities, 100/s, 2 min left"));  // 75 s
  columns = 30;
  bar.show("t", 2600, 0.26, start + seconds(26));
  CHECK(terminal.str().ends_with("\r\x1B[Kt: 26 %, 2 min left"));
  bar.print_line("done");
  CHECK(terminal.str().ends_with("\r\x1B[Krocktable: done\n"));
}

TEST_CASE("a progress line fits the terminal: first the bar shrinks, then parts are dropped") {
  using std::chrono::seconds;
  const ProgressState state{"orders", 1'234'567, 0.5, 12'345.9, seconds(42)};
  struct {
    std::size_t columns;
    const char* line;
  } cases[] = {
      {0, "orders: 50 %, 1,234,567 entities, 12,345/s, 42 s left"},
      {120, "orders: [===============               ] 50 %, 1,234,567 entities, 12,345/s, 42 s left"},
      {80, "orders: [===========            ] 50 %, 1,234,567 entities, 12,345/s, 42 s left"},
      {60, "orders: 50 %, 1,234,567 entities, 12,345/s, 42 s left"},
      {52, "orders: 50 %, 1,234,567 entities, 42 s left"},
      {40, "orders: [======       ] 50 %, 42 s left"},
      {20, "orders: 50 %"},
      {8, "orders:"},
      {2, "o"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.columns);
    CHECK(progress_line(state, c.columns) == c.line);
  }
  for (std::size_t columns = 2; columns < 130; ++columns) CHECK(progress_line(state, columns).size() < columns);
  CHECK(progress_line({"t", 1}, 0) == "t: 1 entity, 0/s");
  CHECK(progress_line({"t", 1, 7.0}, 0) == "t: 100 %, 1 entity, 0/s");
  CHECK(progress_line({"columns of orders", 1'234'567}, 30) == "columns of orders: 1,234,567 ");
  CHECK(progress_line({"\u00e4\u4e2d\u00e4\u4e2d", 1, 0.5}, 4) == "\u00e4\u4e2d\u00e4");
  CHECK(short_time(seconds(0)) == "0 s");
  CHECK(short_time(seconds(59)) == "59 s");
  CHECK(short_time(seconds(61)) == "2 min");
  CHECK(short_time(seconds(59 * 60 + 1)) == "1 h 0 min");
  CHECK(short_time(seconds(7500)) == "2 h 5 min");
}

}  // namespace rocktable::TEST_FILE
