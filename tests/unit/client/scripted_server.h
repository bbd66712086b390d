// A server for tests of clients: answers each request with the next of the given texts. Uses one thread.
#pragma once

#include <boost/asio.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "client/http_url.h"

namespace rocktable {

struct ScriptedResponse {
  std::string bytes;         // sent unchanged; empty: close the connection without a response
  bool close_after = false;  // although the response did not announce it
  bool hold = false;         // send nothing, and keep the connection open until the client closes it
};

class ScriptedServer {
 public:
  explicit ScriptedServer(std::vector<ScriptedResponse> answers)
      : answers_(std::move(answers)), thread_([this] { serve(); }) {}

  ~ScriptedServer() {
    ::shutdown(acceptor_.native_handle(), SHUT_RDWR);
    thread_.join();
  }

  HttpUrl url() const { return {false, "127.0.0.1", acceptor_.local_endpoint().port(), "", ""}; }
  // The received requests. Call after all responses were received.
  const std::vector<std::string>& requests() const { return requests_; }
  int connections() const { return connections_; }

 private:
  using Socket = boost::asio::ip::tcp::socket;

  void serve() {
    for (std::size_t next = 0; next < answers_.size();) {
      boost::system::error_code error;
      Socket socket = acceptor_.accept(error);
      if (error) return;
      ++connections_;
      std::string request;
      for (bool stays = true; stays && next < answers_.size() && read_request(socket, request);) {
        requests_.push_back(std::exchange(request, {}));
        stays = answer(socket, answers_[next++]);
      }
    }
  }

  // Returns whether the connection stays open.
  static bool answer(Socket& socket, const ScriptedResponse& what) {
    boost::system::error_code error;
    char byte = 0;
    if (what.hold) socket.read_some(boost::asio::buffer(&byte, 1), error);
    boost::asio::write(socket, boost::asio::buffer(what.bytes), error);
    return !what.bytes.empty() && !what.close_after;
  }

  static bool read_request(Socket& socket, std::string& out) {
    boost::system::error_code error;
    const std::size_t head = boost::asio::read_until(socket, boost::asio::dynamic_buffer(out), "\r\n\r\n", error);
    if (error) return false;
    const std::size_t field = out.find("Content-Length: ");
    const std::size_t length = field < head ? std::stoul(out.substr(field + 16)) : 0;
    if (out.size() < head + length)
      boost::asio::read(socket, boost::asio::dynamic_buffer(out),
                        boost::asio::transfer_exactly(head + length - out.size()), error);
    return !error;
  }

  boost::asio::io_context io_;
  boost::asio::ip::tcp::acceptor acceptor_{io_, {boost::asio::ip::make_address("127.0.0.1"), 0}};
  std::vector<ScriptedResponse> answers_;
  std::vector<std::string> requests_;
  int connections_ = 0;
  std::thread thread_;
};

}  // namespace rocktable
