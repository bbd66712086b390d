#include "client/migration/runner_lock.h"

#include <random>
#include <stdexcept>
#include <thread>

#include "base/platform/own_process.h"
#include "client/migration/history.h"

namespace rocktable::migration {
namespace {

const EntityKey kKey{"versionDataLock", "lock"};
constexpr std::chrono::milliseconds kLockInterval{200};
constexpr std::int64_t kTicksPerMillisecond = kTicksPerSecond / 1000;

// `host, process 123, 5f0c...`: the random part distinguishes runners with the same process id.
std::string new_owner() {
  std::random_device random;
  return host_name() + ", process " + std::to_string(process_id()) + ", " + std::to_string(random()) +
         std::to_string(random());
}

// The name for messages, without the random part.
std::string name_of(const std::string& owner) { return owner.substr(0, owner.rfind(',')); }

const std::string* owner_in(const Entity& entity) {
  for (const auto& [name, value] : entity.properties)
    if (name == "Owner") return std::get_if<std::string>(&value);
  return nullptr;
}

DateTime end_in(const Entity& entity) {
  for (const auto& [name, value] : entity.properties)
    if (const auto* time = std::get_if<DateTime>(&value); name == "Until" && time != nullptr) return *time;
  return {};
}

// Whether the owner was a process of this machine that has ended.
bool is_gone(const std::string& owner) {
  const std::string prefix = host_name() + ", process ";
  if (!owner.starts_with(prefix)) return false;
  const auto number =
      parse_int32(std::string_view(owner).substr(prefix.size(), owner.find(',', prefix.size()) - prefix.size()));
  return number && *number > 0 && !is_running(*number);
}

}  // namespace

RunnerLock::RunnerLock(MigrationClient& work, std::unique_ptr<MigrationClient> own, RunnerLockOptions options)
    : work_(work), own_(std::move(own)), options_(options), owner_(new_owner()) {
  const auto give_up = std::chrono::steady_clock::now() + options_.max_wait;
  std::string holder;
  while (!try_acquire(holder)) {
    if (std::chrono::steady_clock::now() >= give_up)
      throw std::runtime_error("another runner is migrating " + work_.account() + ": " + name_of(holder));
    std::this_thread::sleep_for(kLockInterval);
  }
  renewal_ = StoppableThread([this](StopSignal& end) { renew_until(end); });
}

RunnerLock::~RunnerLock() {
  renewal_.stop();
  try {
    if (is_ours()) own_->remove(kHistoryTable, kKey);
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the lease expires anyway
  }
}

Entity RunnerLock::entry() const {
  const DateTime until{now().ticks + options_.lease.count() * kTicksPerMillisecond};
  return {kKey, timestamp_, {{"Owner", owner_}, {"Until", until}}};
}

// Whether the lock entry is ours; updates its timestamp. Reads it back, because the response to a write may
// have been lost.
bool RunnerLock::is_ours() {
  const auto found = own_->get(kHistoryTable, kKey);
  const std::string* owner = found ? owner_in(*found) : nullptr;
  if (owner == nullptr || *owner != owner_) return false;
  timestamp_ = found->timestamp;
  return true;
}

bool RunnerLock::try_acquire(std::string& holder) {
  own_->insert(kHistoryTable, entry());
  const auto found = own_->get(kHistoryTable, kKey);
  if (!found) return false;
  const std::string* owner = owner_in(*found);
  holder = owner == nullptr ? "unknown host, unknown process, 0" : *owner;
  timestamp_ = found->timestamp;
  if (holder == owner_) return true;
  if (end_in(*found) >= now() && !is_gone(holder)) return false;
  return own_->put_if_unchanged(kHistoryTable, entry()) && is_ours();
}

void RunnerLock::renew_until(StopSignal& end) {
  while (!end.wait_for(options_.lease / 3)) {
    try {
      own_->put_if_unchanged(kHistoryTable, entry());
      if (!is_ours()) {
        work_.stop("another runner took over the lock of " + work_.account() +
                   "; this one stops, and its progress is recorded");
        return;
      }
    } catch (const std::exception& error) {
      work_.stop("the lock of " + work_.account() + " cannot be renewed: " + error.what());
      return;
    }
  }
}

}  // namespace rocktable::migration
