// What all phases of one run share: budgets, the incumbent, the trace.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

namespace dilemma::knapsack {

enum class Stop { none, time_limit, interrupted, max_iter, target };

struct TraceRow {
  std::int64_t iteration;
  std::int64_t nodes;
  double seconds;
  std::size_t value_index;  // into Run::trace_values
};

template <class T>
struct Run {
  using Clock = std::chrono::steady_clock;

  Clock::time_point start = Clock::now();
  double time_limit = -1.0;           // seconds; negative: none
  std::int64_t max_iter = -1;         // negative: none
  bool has_target = false;
  T target{};
  bool trace_all = false;             // every candidate, not only improvements
  std::function<bool()> interrupted;  // polled now and then; true = Ctrl-C

  Stop stop = Stop::none;
  std::int64_t iterations = 0;        // completed solutions evaluated
  std::int64_t nodes = 0;             // decisions reversed and core states kept
  T best = T{-1};
  std::vector<TraceRow> trace;
  std::vector<T> trace_values;

  double seconds() const { return std::chrono::duration<double>(Clock::now() - start).count(); }

  // Counts one candidate; true when it is the new best.
  bool candidate(T value) {
    ++iterations;
    const bool better = value > best;
    if (better) best = value;
    if (better || trace_all) {
      trace.push_back({iterations, nodes, seconds(), trace_values.size()});
      trace_values.push_back(value);
    }
    if (stop == Stop::none) {
      if (has_target && best >= target) stop = Stop::target;
      else if (max_iter >= 0 && iterations >= max_iter) stop = Stop::max_iter;
    }
    return better;
  }

  // Looks at the clock and at Ctrl-C; call it every few tens of microseconds of work.
  bool poll() {
    if (stop != Stop::none) return true;
    if (time_limit >= 0 && seconds() >= time_limit) stop = Stop::time_limit;
    else if (interrupted && interrupted()) stop = Stop::interrupted;
    return stop != Stop::none;
  }
};

}  // namespace dilemma::knapsack
