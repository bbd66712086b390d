// The flags of the server, also for commands that start a server.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "client/command_line/command_line.h"
#include "server/program/options/options.h"

namespace rocktable {

// The result of the command line: a server with these options, or an immediate end. ServerFlags::read()
// resolves secrets (client/secret.h). It throws std::runtime_error if a secret or the file of --config cannot
// be read.
struct Invocation {
  Options options;
  std::optional<CommandResult> ending;
  std::optional<std::vector<std::string>> help =
      {};  // if set: show help for these words (possibly none) instead of starting a server
};

// Parses `azurite` and `azurite-table`; nullopt for other names.
std::optional<Compatibility> parse_compatibility(std::string_view name);

// The flags of the server as part of a command line. If a flag is repeated, the last one counts.
class ServerFlags {
 public:
  // Whether the variables ROCKTABLE_... count. `rocktable exec` ignores them, so that it starts the same
  // service everywhere.
  enum class Variables { Ignored, Read };

  // Adds the flags to `app`. `app` writes to this object while it parses.
  explicit ServerFlags(CLI::App& app, Options defaults = {});
  ServerFlags(const ServerFlags&) = delete;
  ServerFlags& operator=(const ServerFlags&) = delete;

  // Has the effect of --compat at the end of the command line.
  void set_compatible(const std::string& name) { compatible_.with = name; }

  // Call after `app` has parsed. Returns the options, also from variables and --config, or an error message.
  Invocation read(Variables variables = Variables::Ignored);

 private:
  // HTTPS and the options that need it, as written. check() validates their combination.
  struct Tls {
    std::optional<std::string> mode, certificate, key, password, oauth;
    std::vector<std::string> names;

    // Returns an error message, or sets `options`.
    std::optional<std::string> check(Options& options) const;
  };

  // --identity, as written.
  struct Identities {
    std::vector<std::string> texts;

    // Like Tls::check(); call it after that.
    std::optional<std::string> check(Options& options) const;
  };

  // --compat, who serves blobs and queues, and the ports of these services, which are ignored if nobody does.
  struct Compatible {
    std::optional<std::string> with;
    std::optional<std::string> companion, blob_upstream, queue_upstream;
    std::optional<std::string> blob_host, blob_port, queue_host, queue_port;

    // Like Tls::check().
    std::optional<std::string> check(Options& options) const;
    std::optional<std::string> check_services(Options& options) const;
  };

  // Values of options that are accepted for command lines of other emulators, and have no effect.
  struct UnusedOptions {
    std::string text;
    bool flag = false;
  };

  void read_settings(Variables variables);
  std::optional<std::string> check();
  std::optional<std::string> check_store();

  void add_options();
  void add_limits();
  void add_identities();
  void add_compatible();
  void add_unused();

  CLI::App& app_;
  Options options_;
  Tls tls_;
  Identities identities_;
  Compatible compatible_;
  UnusedOptions unused_;
  std::string config_file_;
};

}  // namespace rocktable
