// A server of the Table protocol to measure, and its process if the benchmark starts it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "bench/http_client.h"
#include "bench/process.h"

namespace rocktable {

class Endpoint {
 public:
  // `command` is a shell command. The benchmark replaces {port} with a free port and {location} with
  // `folder`.
  Endpoint(std::string name, std::string command, std::filesystem::path folder, Transport transport = Transport::Plain);
  // A server that runs already: http://127.0.0.1:PORT/devstoreaccount1. Throws std::invalid_argument.
  Endpoint(std::string name, const std::string& url);

  const std::string& name() const { return name_; }
  std::uint16_t port() const { return port_; }
  Transport transport() const { return transport_; }
  const std::string& command() const { return command_; }
  const std::filesystem::path& folder() const { return folder_; }
  // Returns whether the benchmark starts and stops it.
  bool is_started_here() const { return !command_.empty(); }
  const Process& process() const { return *process_; }
  // Returns no clocks if the benchmark did not start the server, or has stopped it.
  CpuClocks cpu_clocks() const { return process_ ? process_->cpu_clocks() : CpuClocks(); }

  // Starts the server and waits until it responds to a request. For a server that runs already, only checks
  // that it responds. Throws std::runtime_error.
  std::chrono::duration<double, std::micro> start();
  std::chrono::duration<double, std::micro> stop();

 private:
  bool answers(std::string_view request) const;

  std::string name_;
  std::string command_;
  std::filesystem::path folder_;
  Transport transport_ = Transport::Plain;
  std::uint16_t port_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace rocktable
