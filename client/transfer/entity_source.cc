#include "client/transfer/entity_source.h"

#include <algorithm>
#include <charconv>
#include <iostream>
#include <nlohmann/json.hpp>

namespace rocktable {
namespace {

constexpr int kMaxTop = 1000;
// Target size of a page, because two pages are held in memory: large entities come in smaller pages.
constexpr std::size_t kPageBytes = 2 << 20;
constexpr int kFirstTop = 100;  // the size of the entities is not known yet

std::string to_position(const EntityContinuation& at) {
  return nlohmann::json::array({at.partition_key, at.row_key}).dump();
}

EntityContinuation read_position(std::string_view text) {
  if (text.empty()) return {};
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_array() || json.size() != 2 || !json[0].is_string() || !json[1].is_string())
    throw std::runtime_error("the position of the earlier attempt in the table is malformed");
  return {json[0].get<std::string>(), json[1].get<std::string>()};
}

int next_top(const EntityPage& page) {
  if (page.entities.empty()) return kFirstTop;
  const std::size_t each = page.body.size() / page.entities.size() + 1;
  return static_cast<int>(std::clamp<std::size_t>(kPageBytes / each, 1, kMaxTop));
}

}  // namespace

// --- A table -----------------------------------------------------------------------------------------------

TableSource::TableSource(TableClient client, std::string table, std::string filter, RetryPolicy policy, Pause pause,
                         std::string_view position)
    : client_(std::move(client)),
      table_(std::move(table)),
      filter_(std::move(filter)),
      policy_(policy),
      pause_(std::move(pause)),
      top_(kFirstTop),
      position_(read_position(position)) {
  fetch(position_);
}

TableSource::~TableSource() {
  if (ahead_.valid()) ahead_.wait();
}

void TableSource::fetch(EntityContinuation from) {
  ahead_ = std::async(std::launch::async, [this, from = std::move(from)] { return request_page(from); });
}

TableSource::Page TableSource::request_page(const EntityContinuation& from) {
  auto answer = with_retries(policy_, pause_, [&](int) { return client_.query(table_, filter_, top_, from); });
  if (answer) return std::move(*answer);
  refuse(answer.error().sentence());
}

void TableSource::refuse(const std::string& why) const {
  throw std::runtime_error("the table " + table_ + " at " + client_.endpoint().address() + " cannot be read: " + why);
}

void TableSource::take_page() {
  page_ = ahead_.get();
  taken_ = 0;
  position_ = page_->next;
  top_ = next_top(*page_);
  if (position_.empty()) return;
  const std::string fault = guard_.fault(to_position(position_), page_->entities.size());
  if (!fault.empty()) refuse(fault);
  fetch(position_);
}

std::optional<Entity> TableSource::next() {
  while (!page_ || taken_ == page_->entities.size()) {
    if (!ahead_.valid()) return std::nullopt;
    take_page();
  }
  auto entity = read_page_entity(page_->entities[taken_++]);
  if (!entity) throw std::runtime_error("the table " + table_ + ": " + entity.error().sentence());
  return std::move(*entity);
}

std::optional<std::string> TableSource::position() const {
  if (page_ && taken_ < page_->entities.size()) return std::nullopt;
  return position_.empty() ? std::string() : to_position(position_);
}

// --- A file ------------------------------------------------------------------------------------------------

FileSource::FileSource(const std::string& file, EntityFormat format, std::string_view position)
    : name_(file == "-" ? "standard input" : file) {
  if (file != "-") file_ = std::make_unique<InputFile>(file);
  std::istream& in = file_ ? *file_ : std::cin;
  reader_ = open_entity_reader(format, in, name_);
  std::uint64_t skip = 0;
  std::from_chars(position.data(), position.data() + position.size(), skip);
  while (count_ < skip && next()) {
  }
}

std::optional<Entity> FileSource::next() {
  auto entity = reader_->next();
  if (entity) ++count_;
  return entity;
}

std::optional<double> FileSource::fraction() const {
  if (!file_ || file_->size() == 0) return std::nullopt;
  return static_cast<double>(reader_->bytes_read()) / static_cast<double>(file_->size());
}

std::string FileSource::place() const { return name_ + ":" + std::to_string(reader_->place().line); }

}  // namespace rocktable
