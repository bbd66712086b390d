// How a use of the database fails. No exception is handled while a call waits (storage/waiter.h), so failures that
// something is done about become values.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>

namespace rocktable {

// The server refused a statement, and the transaction with it. The connection can be used on.
class PgError : public std::runtime_error {
 public:
  PgError(std::string state, const std::string& message) : std::runtime_error(message), state_(std::move(state)) {}

  const std::string& state() const { return state_; }                          // SQLSTATE, five characters
  bool is_conflict() const { return state_ == "40001" || state_ == "40P01"; }  // begin again
  bool is_duplicate() const { return state_ == "23505"; }
  // The server cannot work now, but may later, or another host of the URL can: connection exceptions, too many
  // connections, shutdown and start, a server that has become a standby.
  bool is_passing() const {
    return state_.starts_with("08") || state_ == "53300" || state_.starts_with("57P") || state_ == "25006";
  }
  // The server has no room, or was told not to wait: a full disk, no memory, a lock or a statement that took too long.
  // Nothing was done, and a later request may succeed.
  bool is_busy() const { return state_.starts_with("53") || state_ == "55P03" || state_ == "57014"; }

 private:
  std::string state_;
};

// Where the statements of a connection run: a process of a server. All zero: not known, because something stands
// between, such as PgBouncer. Times are microseconds since 1970.
struct PgBackend {
  std::int64_t process = 0;
  std::int64_t started = 0;
  std::int64_t server_started = 0;

  bool is_known() const { return process != 0; }
};

// The connection ended, or cannot be made. The message is a sentence for the user.
class PgConnectionLost : public std::runtime_error {
 public:
  // `has_no_effect`: what was sent last is known not to be committed. `backend`: of the connection. `is_late`: it was
  // given up because the time of a call was over, which need not be the fault of the database.
  PgConnectionLost(const std::string& message, bool has_no_effect, const PgBackend& backend = {}, bool is_late = false)
      : std::runtime_error(message), has_no_effect_(has_no_effect), is_late_(is_late), backend_(backend) {}

  bool has_no_effect() const { return has_no_effect_; }
  bool is_late() const { return is_late_; }
  const PgBackend& backend() const { return backend_; }

 private:
  bool has_no_effect_;
  bool is_late_;
  PgBackend backend_;
};

class PgFailure {
 public:
  explicit PgFailure(PgError error) : what_(std::move(error)) {}
  explicit PgFailure(PgConnectionLost lost) : what_(std::move(lost)) {}

  // Null: it is the other one.
  const PgError* error() const { return std::get_if<PgError>(&what_); }
  const PgConnectionLost* lost() const { return std::get_if<PgConnectionLost>(&what_); }

  bool is_late() const { return lost() != nullptr && lost()->is_late(); }

  const char* what() const {
    return std::visit([](const auto& one) { return one.what(); }, what_);
  }
  [[noreturn]] void raise() const {
    std::visit([](const auto& one) { throw one; }, what_);
    std::abort();
  }

 private:
  std::variant<PgError, PgConnectionLost> what_;
};

// Runs `work`. Returns how it failed, or nullopt.
template <class Work>
std::optional<PgFailure> attempt(const Work& work) {
  try {
    work();
    return std::nullopt;
  } catch (const PgError& error) {
    return PgFailure(error);
  } catch (const PgConnectionLost& lost) {
    return PgFailure(lost);
  }
}

}  // namespace rocktable
