#include "storage/postgres/database/citus.h"

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <cstddef>
#include <utility>

namespace rocktable {
namespace {

constexpr std::size_t kIdBytes = 8;
constexpr int kGuardParameters = 3;

std::uint64_t id_in(std::string_view key) { return unsigned_in(key.substr(0, kIdBytes)); }

// Tables whose entities have the same partition keys are spread, too.
std::uint32_t part_of_table(std::uint64_t id) {
  constexpr std::uint64_t kGoldenRatio = 0x9E3779B97F4A7C15;
  return static_cast<std::uint32_t>(id * kGoldenRatio >> 32);
}

}  // namespace

std::int32_t part_of(std::string_view key) {
  std::size_t end = kIdBytes;
  while (end + 1 < key.size() && (key[end] != '\0' || key[end + 1] != '\0')) end += 2;
  boost::crc_32_type partition;
  partition.process_bytes(key.data() + kIdBytes, end - kIdBytes);
  return static_cast<std::int32_t>(partition.checksum() ^ part_of_table(id_in(key)));
}

std::int32_t change_of_part(std::string_view from, std::string_view to) {
  return static_cast<std::int32_t>(part_of_table(id_in(from)) ^ part_of_table(id_in(to)));
}

namespace {

std::vector<PgStep> with_parts_and_guards(std::span<const PgStep> steps) {
  std::vector<PgStep> out;
  for (const PgStep& step : steps) {
    const StatementText& text = text_of(step.statement, PgLayout::Distributed);
    PgParameters parameters = step.parameters;
    if (text.is_guarded) out.push_back({Statement::Guard, parameters.take_last(kGuardParameters)});
    switch (text.part) {
      case PartOf::Nothing:
        break;
      case PartOf::Key:
        parameters.add(part_of(parameters.bytes_at(0)));
        break;
      case PartOf::FirstKey:
        parameters.add(part_of(parameters.list_at(0).front()));
        break;
      case PartOf::EachKey: {
        std::vector<std::int32_t> parts;
        for (const std::string_view key : parameters.list_at(0)) parts.push_back(part_of(key));
        parameters.add(std::span<const std::int32_t>(parts));
        break;
      }
      case PartOf::Table:
        parameters.add(change_of_part(parameters.bytes_at(1), parameters.bytes_at(0)));
    }
    out.push_back({step.statement, std::move(parameters)});
  }
  return out;
}

}  // namespace

std::vector<PgRows> CitusDialect::run(std::span<const PgStep> steps, const Send& send) const {
  const auto sent = with_parts_and_guards(steps);
  auto all = send(sent);
  std::vector<PgRows> out;
  for (std::size_t i = 0; i < sent.size(); ++i)
    if (sent[i].statement != Statement::Guard) out.push_back(std::move(all[i]));
  return out;
}

namespace {

// Whether a node could not connect to another one, by the words of Citus, of libpq and of a server that accepts no
// connection. What goes wrong later has other words before those of the system: "could not receive data from server:
// Connection timed out". In another language they are not found.
bool could_not_connect(std::string_view message) {
  constexpr std::string_view kDetail = "following error: ";
  constexpr std::array<std::string_view, 6> kAtOnce{"connection to server ",  "Connection refused",
                                                    "Connection timed out",   "No route to host",
                                                    "Network is unreachable", "timeout expired"};
  constexpr std::array<std::string_view, 5> kAnywhere{"could not establish any connections", "the database system is ",
                                                      "could not translate host name", "too many clients",
                                                      "connection slots are reserved"};
  const auto at = message.find(kDetail);
  const std::string_view detail = at == message.npos ? "" : message.substr(at + kDetail.size());
  return std::ranges::any_of(kAtOnce, [&](std::string_view words) { return detail.starts_with(words); }) ||
         std::ranges::any_of(kAnywhere, [&](std::string_view words) { return message.find(words) != message.npos; });
}

}  // namespace

PgEffect CitusDialect::effect_after(const PgError& error) const {
  // Of SQLSTATEs: a connection, the operator or the system, the inside of the server.
  constexpr std::array<std::string_view, 4> kUnknown{"08", "57", "58", "XX"};
  if (error.state() == "08006" && could_not_connect(error.what())) return PgEffect::NoneOfNode;
  for (const std::string_view unknown : kUnknown)
    if (error.state().starts_with(unknown)) return PgEffect::Unknown;
  return PgEffect::None;
}

bool CitusDialect::is_doubtful(std::string_view warning) const {
  return warning.starts_with("failed to commit transaction on ");
}

const PgDialect& dialect_of(PgLayout layout) {
  static const PgDialect kPlain;
  static const CitusDialect kCitus;
  return layout == PgLayout::Plain ? kPlain : kCitus;
}

}  // namespace rocktable
