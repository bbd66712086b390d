// Starts a server and polls its port until it responds.
#include "bench/endpoint.h"

#include <boost/system/system_error.hpp>
#include <stdexcept>
#include <thread>

#include "bench/requests.h"
#include "odata/protocol/development_account.h"
#include "server/access/authenticator.h"

namespace rocktable {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kStartDeadline{120};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

}  // namespace

Endpoint::Endpoint(std::string name, std::string command, std::filesystem::path folder, Transport transport)
    : name_(std::move(name)), command_(std::move(command)), folder_(std::move(folder)), transport_(transport) {
  std::filesystem::create_directories(folder_);
}

Endpoint::Endpoint(std::string name, const std::string& url) : name_(std::move(name)) {
  const std::string scheme = "http://127.0.0.1:", path = "/" + std::string(kDevelopmentAccount);
  std::size_t digits = 0;
  if (url.starts_with(scheme)) port_ = static_cast<std::uint16_t>(std::stoul(url.substr(scheme.size()), &digits));
  if (digits == 0 || url.substr(scheme.size() + digits) != path)
    throw std::invalid_argument("a target is " + scheme + "PORT" + path + ", not " + url);
}

bool Endpoint::answers(std::string_view request) const {
  try {
    HttpClient(port_, transport_).exchange(request);
    return true;
  } catch (const boost::system::system_error&) {
    return false;  // the server does not listen yet
  }
}

std::chrono::duration<double, std::micro> Endpoint::start() {
  if (is_started_here()) port_ = free_port();
  const std::string request = request_bytes("GET", "/Tables?$top=1");
  const auto start = Clock::now();
  if (is_started_here()) {
    const std::string command =
        replaced(replaced(command_, "{port}", std::to_string(port_)), "{location}", folder_.string());
    process_ = std::make_unique<Process>(command);
  }
  while (!answers(request)) {
    if (Clock::now() - start > kStartDeadline || !is_started_here() || !process_->is_running())
      throw std::runtime_error(name_ + " does not answer");
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return Clock::now() - start;
}

std::chrono::duration<double, std::micro> Endpoint::stop() {
  const auto start = Clock::now();
  if (process_) process_->stop();
  process_.reset();
  return Clock::now() - start;
}

}  // namespace rocktable
