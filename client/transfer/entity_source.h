// Sources of entities: a table, page by page, or a file.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "base/input_file.h"
#include "client/continuation_guard.h"
#include "client/retry.h"
#include "client/table_client.h"
#include "odata/files/entity_format.h"

namespace rocktable {

class EntitySource {
 public:
  virtual ~EntitySource() = default;

  // Returns the next entity; nullopt at the end. Throws std::runtime_error with a sentence.
  virtual std::optional<Entity> next() = 0;

  // Returns a position from which another source continues after the entity that was returned last. nullopt
  // in the middle of a page, where a scan cannot resume.
  virtual std::optional<std::string> position() const = 0;

  // Fraction of the source that has been read, 0 to 1; nullopt if unknown.
  virtual std::optional<double> fraction() const { return std::nullopt; }
};

// Reads a table, one page ahead.
class TableSource : public EntitySource {
 public:
  // `position` comes from another TableSource of the same table and filter, or is empty to start at the
  // beginning. Throws std::runtime_error if it is malformed.
  TableSource(TableClient client, std::string table, std::string filter, RetryPolicy policy, Pause pause,
              std::string_view position = {});
  ~TableSource() override;

  std::optional<Entity> next() override;
  // Available before the first page and at the end of each page.
  std::optional<std::string> position() const override;

 private:
  using Page = std::unique_ptr<EntityPage>;

  void fetch(EntityContinuation from);
  Page request_page(const EntityContinuation& from);
  void take_page();
  [[noreturn]] void refuse(const std::string& why) const;

  TableClient client_;
  std::string table_, filter_;
  RetryPolicy policy_;
  Pause pause_;
  int top_;
  std::future<Page> ahead_;  // uses client_, so only one request runs at a time
  Page page_;
  std::size_t taken_ = 0;        // entities returned from page_
  EntityContinuation position_;  // continuation token after page_
  ContinuationGuard guard_;
};

class FileSource : public EntitySource {
 public:
  // `file` is a regular file, or `-` for standard input. `position` is the number of entities to skip, or
  // empty. Throws std::runtime_error.
  FileSource(const std::string& file, EntityFormat format, std::string_view position = {});

  std::optional<Entity> next() override;
  std::optional<std::string> position() const override { return std::to_string(count_); }
  std::optional<double> fraction() const override;

  // `FILE:LINE` of the entity that was returned last, for messages.
  std::string place() const;

 private:
  std::string name_;
  std::unique_ptr<InputFile> file_;  // null: standard input
  std::unique_ptr<EntityReader> reader_;
  std::uint64_t count_ = 0;
};

}  // namespace rocktable
