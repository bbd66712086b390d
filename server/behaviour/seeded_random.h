// Random numbers that are the same for the same seed, on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace rocktable {

// SplitMix64. Source: prng.di.unimi.it/splitmix64.c
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Of the standard normal distribution (Box-Muller).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(1 - uniform()));
    return radius * std::cos(2 * std::numbers::pi * uniform());
  }

 private:
  std::uint64_t state_;
};

// The same number for the same text and seed (FNV-1a, then SplitMix64).
inline std::uint64_t seeded_hash(std::string_view text, std::uint64_t seed) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return SeededRandom(hash ^ seed).next();
}

}  // namespace rocktable
