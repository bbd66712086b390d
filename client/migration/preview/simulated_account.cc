#include "client/migration/preview/simulated_account.h"

#include <stdexcept>

#include "odata/filter.h"
#include "odata/filter_parser.h"

namespace rocktable::migration {
namespace {

std::size_t memory_of(const Entity& entity) {
  constexpr std::size_t kEntity = 256, kProperty = 96;  // nodes, strings and variants without their text
  std::size_t out = kEntity + 2 * (entity.key.partition_key.size() + entity.key.row_key.size());
  for (const auto& [name, value] : entity.properties) {
    out += kProperty + name.size();
    if (const auto* text = std::get_if<std::string>(&value)) out += text->size();
    if (const auto* binary = std::get_if<Binary>(&value)) out += binary->bytes.size();
  }
  return out;
}

bool is_selected(const Filter* filter, const Entity& entity) {
  if (filter == nullptr) return true;
  const auto properties = view_of(entity.properties);
  return matches(*filter, EntityView{entity.key.partition_key, entity.key.row_key, entity.timestamp, properties});
}

}  // namespace

const SimulatedAccount::Table* SimulatedAccount::find(const std::string& table) const {
  const auto found = tables_.find(to_lower_ascii(table));
  return found == tables_.end() ? nullptr : &found->second;
}

void SimulatedAccount::drop(Table& table) {
  bytes_ -= table.bytes;
  table.bytes = 0;
  table.entities.clear();
}

SimulatedAccount::Table& SimulatedAccount::changed(const std::string& table, Content content) {
  Table& out = tables_[to_lower_ascii(table)];
  drop(out);
  out.content = content;
  return out;
}

bool SimulatedAccount::exists(const std::string& table) {
  const Table* found = find(table);
  return found == nullptr ? client_.has_table(table) : found->content != Content::Missing;
}

void SimulatedAccount::create(const std::string& table) {
  if (!exists(table)) changed(table, Content::InMemory);
}

void SimulatedAccount::remove(const std::string& table) { changed(table, Content::Missing); }
void SimulatedAccount::clear(const std::string& table) { changed(table, Content::InMemory); }
void SimulatedAccount::forget(const std::string& table) { changed(table, Content::Unknown); }

bool SimulatedAccount::is_held(const std::string& table) const {
  const Table* found = find(table);
  return found != nullptr && found->content == Content::InMemory;
}

bool SimulatedAccount::is_unknown(const std::string& table) const {
  const Table* found = find(table);
  return found != nullptr && found->content == Content::Unknown;
}

bool SimulatedAccount::hold(const std::string& table) {
  if (const Table* found = find(table)) return found->content != Content::Unknown;
  if (!client_.has_table(table)) {
    remove(table);
    return true;
  }
  struct TooLarge {};
  Table& held = changed(table, Content::InMemory);
  try {
    client_.for_each(table, "", [&](Entity& entity) {
      const std::size_t bytes = memory_of(entity);
      if (bytes_ + bytes > max_bytes_) throw TooLarge();
      held.bytes += bytes;
      bytes_ += bytes;
      held.entities.emplace_hint(held.entities.end(), entity.key, std::move(entity));
    });
  } catch (const TooLarge&) {
    drop(held);
    tables_.erase(to_lower_ascii(table));
    return false;
  }
  return true;
}

void SimulatedAccount::for_each(const std::string& table, const EntitySelection& which,
                                const std::function<void(Entity&)>& visit) {
  const std::string text = which.to_filter();
  const auto found = tables_.find(to_lower_ascii(table));
  if (found == tables_.end()) {
    client_.for_each(table, text, visit, true);
    return;
  }
  if (found->second.content == Content::Unknown) throw std::logic_error("the table " + table + " is not simulated");
  const std::optional<Filter> filter = text.empty() ? std::nullopt : std::optional(parse_filter(text).value());
  for (auto& [key, entity] : found->second.entities) {
    if (!is_selected(filter ? &*filter : nullptr, entity)) continue;
    if (bytes_ > max_bytes_) {  // the changes of the others are not kept
      Entity copy = entity;
      visit(copy);
      continue;
    }
    const std::size_t before = memory_of(entity);
    visit(entity);
    const std::size_t after = memory_of(entity);
    found->second.bytes += after - before;  // modulo 2^64
    bytes_ += after - before;
  }
  if (bytes_ > max_bytes_) forget(table);
}

std::optional<Entity> SimulatedAccount::get(const std::string& table, const EntityKey& key) {
  const Table* found = find(table);
  if (found == nullptr) return client_.get(table, key);
  const auto entity = found->entities.find(key);
  return entity == found->entities.end() ? std::nullopt : std::optional(entity->second);
}

void SimulatedAccount::put(const std::string& table, Entity entity) {
  erase(table, entity.key);
  Table& held = tables_.at(to_lower_ascii(table));
  if (held.content != Content::InMemory) return;
  const std::size_t bytes = memory_of(entity);
  if (bytes_ + bytes > max_bytes_) {
    forget(table);
    return;
  }
  held.bytes += bytes;
  bytes_ += bytes;
  const EntityKey key = entity.key;
  held.entities.insert_or_assign(key, std::move(entity));
}

void SimulatedAccount::erase(const std::string& table, const EntityKey& key) {
  Table& held = tables_.at(to_lower_ascii(table));
  const auto found = held.entities.find(key);
  if (found == held.entities.end()) return;
  const std::size_t bytes = memory_of(found->second);
  held.bytes -= bytes;
  bytes_ -= bytes;
  held.entities.erase(found);
}

}  // namespace rocktable::migration
