#include "client/transfer_state.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace rocktable {
namespace {

constexpr int kVersion = 1;

nlohmann::json to_json(const TableProgress& table) {
  return {{"done", table.done},     {"entities", table.entities}, {"position", table.position},
          {"source", table.source}, {"bytes", table.bytes},       {"columns", table.columns}};
}

TableProgress progress_of(const nlohmann::json& json) {
  return {json.at("done").get<bool>(),
          json.at("entities").get<std::uint64_t>(),
          json.at("position").get<std::string>(),
          json.at("source").get<std::string>(),
          json.at("bytes").get<std::uint64_t>(),
          json.at("columns").get<std::vector<std::string>>()};
}

}  // namespace

TransferState::TransferState(std::filesystem::path file, Identity identity)
    : file_(std::move(file)), identity_(std::move(identity)) {
  std::error_code unknown;
  if (file_.empty() || !std::filesystem::exists(file_, unknown)) return;
  errno = 0;
  std::ifstream in(file_, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(in)), {});
  if (!in.is_open() || in.bad())
    throw std::runtime_error("the state " + file_.string() + " cannot be read: " + std::strerror(errno));
  resumed_ = read(text);
  foreign_ = !resumed_;
}

bool TransferState::read(const std::string& text) {
  try {
    const auto json = nlohmann::json::parse(text);
    if (json.at("version") != kVersion || json.at("transfer").get<Identity>() != identity_) return false;
    std::map<std::string, TableProgress> tables;
    for (const auto& [name, table] : json.at("tables").items()) tables.emplace(name, progress_of(table));
    tables_ = std::move(tables);
    return true;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

void TransferState::save() const {
  if (file_.empty()) return;
  nlohmann::json json{{"version", kVersion}, {"transfer", identity_}, {"tables", nlohmann::json::object()}};
  for (const auto& [name, table] : tables_) json["tables"][name] = to_json(table);
  const std::string text = json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  std::string unfinished = file_.string() + ".XXXXXX";
  const int descriptor = ::mkstemp(unfinished.data());
  const bool written = descriptor >= 0 &&
                       ::write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()) &&
                       ::fsync(descriptor) == 0 && ::rename(unfinished.c_str(), file_.c_str()) == 0;
  const int why = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (written) return;
  if (descriptor >= 0) ::unlink(unfinished.c_str());
  throw std::runtime_error("the state " + file_.string() + " cannot be written: " + std::strerror(why));
}

void TransferState::remove() const {
  std::error_code ignored;
  if (!file_.empty()) std::filesystem::remove(file_, ignored);
}

}  // namespace rocktable
