// The whole run: greedy, dilemma-first candidates, and when those have had their turn the exact core phase
// in passes of growing width, with count bounds from the second on; what budget is left goes to the tree.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "knapsack_core.hpp"
#include "knapsack_dual.hpp"
#include "knapsack_items.hpp"
#include "knapsack_run.hpp"
#include "knapsack_search.hpp"

namespace dilemma::knapsack {

struct Options {
  std::int64_t core_after = 1000;    // candidates before the exact phase; negative: no exact phase
  std::size_t first_width = 512;     // states kept by the first pass; eight times as many by each next
  std::size_t max_states = 1 << 22;  // states kept by the last
  std::size_t max_queue = 1 << 20;
  bool bounded = false;              // a budget was given: go on after the last pass
};

template <class T>
struct Outcome {
  std::vector<std::size_t> positions;  // in ratio order, ascending
  T greedy{}, bound{};
  bool optimal = false;
};

// The items' order: best ratio first; of equal ratios the heavier, then the earlier (so equal items are neighbours).
template <class T>
std::vector<std::uint32_t> ratio_order(const std::vector<T>& values, const std::vector<T>& weights) {
  std::vector<std::uint32_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (product_less(values[b], weights[a], values[a], weights[b])) return true;
    if (product_less(values[a], weights[b], values[b], weights[a])) return false;
    return weights[a] != weights[b] ? weights[a] > weights[b] : a < b;
  });
  return order;
}

template <class T>
Outcome<T> solve(const Items<T>& items, Run<T>& run, const Options& options) {
  constexpr auto kNoLimit = std::numeric_limits<std::int64_t>::max();
  Outcome<T> out;
  out.bound = items.dantzig_bound();
  DilemmaSearch<T> search(items, run, options.max_queue);
  CoreSearch<T> core(items, run);

  bool exhausted = search.explore(1);
  out.greedy = run.best;
  const auto proved = [&] { return run.best >= out.bound || (exhausted && !search.dropped()); };
  if (!exhausted && !proved()) exhausted = search.explore(options.core_after < 0 ? kNoLimit : options.core_after);

  bool complete = false;
  std::unique_ptr<CountBound<T>> counts;
  const auto wanted = [&] { return options.core_after >= 0 && run.stop == Stop::none && !proved() && !complete; };
  for (std::size_t width = options.first_width; wanted(); width *= 8) {
    width = std::min(width, options.max_states);
    if (width > options.first_width && !counts) {
      counts = std::make_unique<CountBound<T>>(items, run);
      if (counts->active()) out.bound = std::min(out.bound, std::max(run.best, counts->bound()));
      if (run.stop != Stop::none || proved()) break;
    }
    const bool finished = core.pass(width, counts && counts->active() ? counts.get() : nullptr);
    complete = finished && core.complete();
    const double open = core.open_bound();
    if (open < static_cast<double>(run.best + 1)) out.bound = run.best;
    else if (open < static_cast<double>(out.bound)) out.bound = static_cast<T>(std::floor(open));
    if (width >= options.max_states) break;
  }
  if (run.stop == Stop::none && !complete && !proved() && options.bounded) exhausted = search.explore(kNoLimit);

  out.optimal = complete || proved();
  if (out.optimal) out.bound = run.best;
  out.positions = search.found_best() ? search.best_positions() : core.best_positions();
  return out;
}

}  // namespace dilemma::knapsack
