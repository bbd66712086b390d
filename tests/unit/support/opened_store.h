// A store that its constructor opens, with short forms of the calls that name their arguments.
#pragma once

#include <memory>
#include <utility>

#include "storage/engines/open_store.h"
#include "storage/store_wrapper.h"

namespace rocktable {

class OpenedStore final : public StoreWrapper {
 public:
  // Throws StoreError.
  explicit OpenedStore(const StoreOptions& options) : OpenedStore(open_store(options)) {}

  bool is_empty() const { return count_tables(1) == 0; }

  using StoreWrapper::commit;
  using StoreWrapper::get;
  using StoreWrapper::scan;

  Result<bool> get(const TableName& name, const EntityKey& key, const std::function<void(const EntityView&)>& visit,
                   RequestStats* stats = nullptr) const {
    RequestStats unwanted;
    return get(name, key, visit, stats != nullptr ? *stats : unwanted);
  }

  Result<std::optional<EntityKey>> scan(const TableName& name, const KeyRanges& ranges, int page_size,
                                        ScanDeadline deadline, const std::function<bool(const EntityView&)>& visit,
                                        RequestStats* stats = nullptr, const Filter* filter = nullptr,
                                        const std::function<bool()>& is_full = {}) const {
    RequestStats unwanted;
    return scan({name, ranges, page_size, deadline, visit, filter, is_full}, stats != nullptr ? *stats : unwanted);
  }

  CommitResult<DateTime> commit(const TableName& name, std::string_view partition_key, std::span<const Mutation> writes,
                                RequestStats* stats = nullptr) {
    RequestStats unwanted;
    return commit(name, partition_key, writes, stats != nullptr ? *stats : unwanted);
  }

 private:
  explicit OpenedStore(std::unique_ptr<Store> store) : StoreWrapper(*store), owned_(std::move(store)) {}

  std::unique_ptr<Store> owned_;
};

}  // namespace rocktable
