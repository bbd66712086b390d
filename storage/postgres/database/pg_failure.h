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

  // Of a server that could not reach the node that has the rows.
  static PgError of_node(const PgError& error) {
    PgError out = error;
    out.is_of_node_ = true;
    return out;
  }
  bool is_of_node() const { return is_of_node_; }

  const std::string& state() const { return state_; }                          // SQLSTATE, five characters
  bool is_conflict() const { return state_ == "40001" || state_ == "40P01"; }  // begin again
  bool is_duplicate() const { return state_ == "23505"; }
  // The table of a write has another id: Statement::Guard divides by zero.
  bool is_guard() const { return state_ == "22012"; }
  // The rows or the table of a write are not as it needs them.
  bool is_refusal() const { return is_duplicate() || is_guard(); }
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
  bool is_of_node_ = false;
};

// Where the statements of a connection run: a process of a server, and those of other servers that work for it. All
// zero: not known, because something stands between, such as PgBouncer. Times are microseconds since 1970.
struct PgBackend {
  std::int64_t work = 0;  // the number of the process; with Citus, the number that all of them have
  std::int64_t started = 0;
  std::int64_t server_started = 0;

  bool is_known() const { return work != 0; }
};

// The connection ended, or cannot be made. The message is a sentence for the user.
class PgConnectionLost : public std::runtime_error {
 public:
  enum class Cause {
    Database,
    Late,  // it was given up because the time of a call was over
    Node,  // the server lost the node that had its statement
  };

  // `has_no_effect`: what was sent last is known not to be committed. `backend`: of the connection.
  PgConnectionLost(const std::string& message, bool has_no_effect, const PgBackend& backend = {},
                   Cause cause = Cause::Database)
      : std::runtime_error(message), has_no_effect_(has_no_effect), cause_(cause), backend_(backend) {}

  bool has_no_effect() const { return has_no_effect_; }
  Cause cause() const { return cause_; }
  const PgBackend& backend() const { return backend_; }

 private:
  bool has_no_effect_;
  Cause cause_;
  PgBackend backend_;
};

class PgFailure {
 public:
  explicit PgFailure(PgError error) : what_(std::move(error)) {}
  explicit PgFailure(PgConnectionLost lost) : what_(std::move(lost)) {}

  // Null: it is the other one.
  const PgError* error() const { return std::get_if<PgError>(&what_); }
  const PgConnectionLost* lost() const { return std::get_if<PgConnectionLost>(&what_); }

  // Whether it says that the database as a whole does not work.
  bool is_of_database() const {
    return lost() != nullptr ? lost()->cause() == PgConnectionLost::Cause::Database : !error()->is_of_node();
  }

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
