#include "client/transfer/transfer_state.h"

#include <cerrno>
#include <cstring>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/atomic_file.h"
#include "base/input_file.h"

namespace rocktable {
namespace {

constexpr int kStateVersion = 2;

nlohmann::json to_json(const TableProgress& table) {
  nlohmann::json out{{"done", table.done},     {"entities", table.entities}, {"position", table.position},
                     {"source", table.source}, {"bytes", table.bytes},       {"columns", table.columns}};
  if (table.last) out["last"] = nlohmann::json::array({table.last->partition_key, table.last->row_key});
  return out;
}

TableProgress progress_of(const nlohmann::json& json) {
  TableProgress out{json.at("done").get<bool>(),
                    json.at("entities").get<std::uint64_t>(),
                    json.at("position").get<std::string>(),
                    json.at("source").get<std::string>(),
                    json.at("bytes").get<std::uint64_t>(),
                    json.at("columns").get<std::vector<std::string>>(),
                    {}};
  if (json.contains("last")) out.last = {json["last"].at(0).get<std::string>(), json["last"].at(1).get<std::string>()};
  return out;
}

}  // namespace

TransferState::TransferState(std::filesystem::path file, Parameters parameters)
    : file_(std::move(file)), parameters_(std::move(parameters)) {
  std::error_code unknown;
  if (file_.empty() || !std::filesystem::exists(file_, unknown)) return;
  InputFile in(file_.string());
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  if (in.bad()) throw std::runtime_error("the state " + file_.string() + " cannot be read");
  resumed_ = read(text);
  foreign_ = !resumed_;
}

bool TransferState::read(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    if (json.at("version") != kStateVersion || json.at("transfer").get<Parameters>() != parameters_) return false;
    std::map<std::string, TableProgress> tables;
    for (const auto& [name, table] : json.at("tables").items()) tables.emplace(name, progress_of(table));
    contents_ = json.at("contents").get<ContentsIds>();
    tables_ = std::move(tables);
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

void TransferState::save() const {
  if (file_.empty()) return;
  nlohmann::json json{{"version", kStateVersion},
                      {"transfer", parameters_},
                      {"contents", contents_},
                      {"tables", nlohmann::json::object()}};
  for (const auto& [name, table] : tables_) json["tables"][name] = to_json(table);
  const std::string text = json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  AtomicFile replacement(file_, FileRights::OwnerOnly);
  replacement.write(text);
  if (!replacement.replace())
    throw std::runtime_error("the state " + file_.string() + " cannot be written: " + std::strerror(errno));
}

void TransferState::restart() {
  tables_.clear();
  resumed_ = false;
}

void TransferState::remove() const {
  std::error_code ignored;
  if (!file_.empty()) std::filesystem::remove(file_, ignored);
}

}  // namespace rocktable
