// Where entities come from: a table, page by page, or a file.
#pragma once

#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "client/continuation_guard.h"
#include "client/retry.h"
#include "client/table_client.h"
#include "odata/files/entity_format.h"
#include "odata/files/input_file.h"

namespace rocktable {

class EntitySource {
 public:
  virtual ~EntitySource() = default;

  // The next entity, nothing at the end. Throws std::runtime_error with a sentence.
  virtual std::optional<Entity> next() = 0;

  // From where another source goes on behind the entity returned last; nothing where it could not just there.
  virtual std::optional<std::string> position() const = 0;

  // How much of the whole was read, 0 to 1; nothing where nobody knows.
  virtual std::optional<double> fraction() const { return std::nullopt; }
};

// Reads one page ahead.
class TableSource : public EntitySource {
 public:
  // `position` is one of another TableSource of the same table and filter, or empty: from the start. Throws
  // std::runtime_error where it is none.
  TableSource(TableClient client, std::string table, std::string filter, RetryPolicy policy, Pause pause,
              std::string_view position = {});
  ~TableSource() override;

  std::optional<Entity> next() override;
  // At the end of a page, and before the first one.
  std::optional<std::string> position() const override;

 private:
  using Page = std::unique_ptr<EntityPage>;

  void fetch(EntityContinuation from);
  Page ask(const EntityContinuation& from);
  void take_page();
  [[noreturn]] void refuse(const std::string& why) const;

  TableClient client_;
  std::string table_, filter_;
  RetryPolicy policy_;
  Pause pause_;
  int top_;
  std::future<Page> ahead_;  // uses client_, so that there is one at a time
  Page page_;
  std::size_t taken_ = 0;        // of page_
  EntityContinuation position_;  // behind page_
  ContinuationGuard guard_;
};

class FileSource : public EntitySource {
 public:
  // `file` is a regular file, or `-` for standard input. `position` as above. Throws std::runtime_error.
  FileSource(const std::string& file, EntityFormat format, std::string_view position = {});

  std::optional<Entity> next() override;
  std::optional<std::string> position() const override { return std::to_string(count_); }
  std::optional<double> fraction() const override;

  // Where the entity returned last stands, for messages.
  std::string place() const;

 private:
  std::string name_;
  std::unique_ptr<InputFile> file_;  // none: standard input
  std::unique_ptr<EntityReader> reader_;
  std::uint64_t count_ = 0;
};

}  // namespace rocktable
