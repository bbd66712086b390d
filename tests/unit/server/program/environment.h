// Sets an environment variable during a test.
#pragma once

#include <cstdlib>
#include <string>

namespace rocktable {

class Environment {
 public:
  Environment(const std::string& name, const char* value) : name_(name) { setenv(name.c_str(), value, 1); }
  ~Environment() { unsetenv(name_.c_str()); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::string name_;
};

}  // namespace rocktable
