#include "client/command_line/suggestion.h"

#include <algorithm>
#include <vector>

#include "base/text.h"

namespace rocktable {
namespace {

constexpr std::size_t kShortest = 3;      // a word of two letters is near to too many words
constexpr std::size_t kShortestPart = 4;  // to search inside other words

std::string_view without_dashes(std::string_view word) {
  word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
  return word;
}

std::size_t max_edits(std::size_t letters) { return letters <= 4 ? 1 : letters <= 8 ? 2 : 3; }

bool contains(std::string_view whole, std::string_view part) {
  for (std::size_t at = 0; at + part.size() <= whole.size(); ++at)
    if (equals_ignoring_case(whole.substr(at, part.size()), part)) return true;
  return false;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [&](std::size_t i, std::size_t j) {
    return equals_ignoring_case(a.substr(i - 1, 1), b.substr(j - 1, 1));
  };
  // rows[i][j]: distance between the first i letters of `a` and the first j of `b`.
  std::vector<std::vector<std::size_t>> rows(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (same(i, j) ? 0 : 1)});
      const bool exchanged = i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j);
      if (exchanged) rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  }
  return rows[a.size()][b.size()];
}

std::optional<std::string> nearest_word(std::string_view word, std::span<const std::string> known) {
  word = without_dashes(word);
  if (word.size() < kShortest) return std::nullopt;
  const std::string* best = nullptr;
  std::size_t least = max_edits(word.size()) + 1;
  for (const auto& one : known) {
    const std::size_t distance = edit_distance(word, without_dashes(one));
    if (distance >= least) continue;
    least = distance;
    best = &one;
  }
  if (best == nullptr && word.size() >= kShortestPart)
    for (const auto& one : known)
      if (best == nullptr && contains(one, word)) best = &one;
  return best == nullptr ? std::nullopt : std::optional(*best);
}

}  // namespace rocktable
