// The exact phase: dynamic programming over a core that grows around the break item (the idea of Pisinger's
// minknap, 1997). A state says what the decisions on the core's items add up to; items left of the core are
// in, items right of it are out. States dominated by another, or bounded below the incumbent, go. A pass
// keeps at most `width` states, the best bounds first, and remembers the best bound it gave up; when
// nothing was given up the incumbent is optimal, otherwise the next pass is wider.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "knapsack_dual.hpp"
#include "knapsack_items.hpp"
#include "knapsack_run.hpp"

namespace dilemma::knapsack {

template <class T>
class CoreSearch {
 public:
  CoreSearch(const Items<T>& items, Run<T>& run) : items_(items), run_(run) {}

  // One pass. True when it ran to its end (it may have given states up: see lost()).
  bool pass(std::size_t width, const CountBound<T>* counts) {
    counts_ = counts;
    left_ = static_cast<std::ptrdiff_t>(items_.break_item) - 1;
    right_ = items_.break_item;
    core_.clear();
    history_.clear();
    lost_ = -HUGE_VAL;
    states_.assign(1, State{items_.weight_sum[items_.break_item], items_.value_sum[items_.break_item], 0, kNone,
                            static_cast<std::uint32_t>(items_.break_item)});
    skip_fixed();
    std::size_t work = 0, merged = 0;
    bool to_right = true;
    while (!states_.empty()) {
      const bool more_right = right_ < items_.n, more_left = left_ >= 0;
      if (!more_right && !more_left) break;
      work += states_.size() + 64;
      if (work >= kPollWork) {
        work = 0;
        if (run_.poll()) return false;
      }
      if (run_.stop != Stop::none) return false;
      const bool add = to_right ? more_right : !more_left;
      to_right = !to_right;
      const auto j = add ? right_++ : static_cast<std::size_t>(left_--);
      if (core_.size() % 64 == 0) keep_history();
      core_.push_back(static_cast<std::uint32_t>(j));
      improve(j, add);
      skip_fixed();
      merge(j, add);
      if (states_.size() > 2 * width) narrow(width);
      merged += states_.size();
      if (merged >= kPairEvery * (items_.n + states_.size())) {  // so that pairing costs a part of merging
        merged = 0;
        pair();
      }
    }
    states_.clear();
    return true;
  }

  // After a finished pass: nothing it gave up could have been better than the incumbent.
  bool complete() const { return lost_ < static_cast<double>(run_.best + 1); }

  // No solution this pass has not seen is worth more (valid at any moment of a pass).
  double open_bound() const {
    double bound = lost_;
    const Limits limits = window();
    for (const State& s : states_) bound = std::max(bound, estimate(s, limits));
    return bound;
  }

  std::size_t core_size() const { return core_.size(); }
  bool found_best() const { return best_value_ == run_.best; }

  // Item positions of the best solution of this search, ascending.
  std::vector<std::size_t> best_positions() const {
    std::vector<char> taken(items_.n, 0);
    std::fill(taken.begin(), taken.begin() + static_cast<std::ptrdiff_t>(items_.break_item), char{1});
    for (const std::uint32_t j : best_changes_) taken[j] = !taken[j];
    std::vector<std::size_t> positions;
    for (std::size_t j = 0; j < items_.n; ++j)
      if (taken[j]) positions.push_back(j);
    return positions;
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu;
  static constexpr std::size_t kPollWork = std::size_t{1} << 16, kPairEvery = 2;

  struct State {
    T weight, value;
    std::uint64_t changed;   // bit i: item core_[64 * block + i] is not as in the break solution
    std::uint32_t history;   // the blocks before
    std::uint32_t count;     // items in
  };
  struct Block {
    std::uint64_t changed;
    std::uint32_t parent, depth;
  };
  struct Rank {
    double bound;
    T off;  // distance to the capacity
    std::size_t index;
    bool operator<(const Rank& other) const {  // better first
      if (bound != other.bound) return bound > other.bound;
      return off != other.off ? off < other.off : index < other.index;
    }
  };
  struct Limits {  // how far a state can still get
    bool can_add, can_remove;
    T add_weight, add_value, remove_weight, remove_value;
    T add_goal, remove_goal;  // what bounds have to reach, lifted to the lattice where that is allowed
    typename CountBound<T>::Window counts;
  };

  Limits window() const {
    Limits w{};
    const T goal = run_.best + 1;
    w.can_add = right_ < items_.n;
    w.can_remove = left_ >= 0;
    w.add_goal = w.can_add && items_.steep(right_) ? items_.lifted(goal) : goal;
    w.remove_goal = items_.lifted(goal);  // items left of the break item are steep by their order
    if (w.can_add) w.add_weight = items_.weight[right_], w.add_value = items_.value[right_];
    if (w.can_remove) {
      w.remove_weight = items_.weight[static_cast<std::size_t>(left_)];
      w.remove_value = items_.value[static_cast<std::size_t>(left_)];
    }
    if (counts_) w.counts = counts_->window(static_cast<std::size_t>(left_ + 1), right_, goal);
    return w;
  }

  // Can a state of this weight and value still lead to more than the incumbent?
  bool promising(T weight, T value, std::uint32_t count, const Limits& w) const {
    if (weight <= items_.capacity) {
      if (!w.can_add) return false;
      if (product_less(items_.capacity - weight, w.add_value, w.add_goal - value, w.add_weight)) return false;
    } else {
      if (!w.can_remove || value < w.remove_goal) return false;
      if (product_less(value - w.remove_goal, w.remove_weight, weight - items_.capacity, w.remove_value))
        return false;
    }
    return !counts_ || counts_->reaches(w.counts, static_cast<double>(weight), static_cast<double>(value),
                                        static_cast<double>(count));
  }

  double estimate(const State& s, const Limits& w) const {
    const auto value = static_cast<double>(s.value);
    double bound;
    if (s.weight <= items_.capacity) {
      if (!w.can_add) return -HUGE_VAL;
      bound = value + static_cast<double>(items_.capacity - s.weight) * (static_cast<double>(w.add_value) /
                                                                         static_cast<double>(w.add_weight));
    } else {
      if (!w.can_remove) return -HUGE_VAL;
      bound = value - static_cast<double>(s.weight - items_.capacity) * (static_cast<double>(w.remove_value) /
                                                                         static_cast<double>(w.remove_weight));
    }
    bound += 0x1p-48 * static_cast<double>(items_.value_sum[items_.n]);
    if (counts_)
      bound = std::min(bound, counts_->estimate(w.counts, static_cast<double>(s.weight), value,
                                                static_cast<double>(s.count)));
    return bound;
  }

  // Items whose decision cannot change in anything better than the incumbent stay out of the core.
  void skip_fixed() {
    const T goal = run_.best + 1;
    while (right_ < items_.n && (!items_.reaches_with(right_, goal) ||
                                 (counts_ && !counts_->reaches_forced(right_, true, goal))))
      ++right_;
    while (left_ >= 0) {
      const auto j = static_cast<std::size_t>(left_);
      if (items_.reaches_without(j, goal) && (!counts_ || counts_->reaches_forced(j, false, goal))) break;
      --left_;
    }
  }

  // The best new state that fits, before merging: a better incumbent makes the merge prune more.
  void improve(std::size_t j, bool add) {
    const T limit = add ? items_.capacity - items_.weight[j] : items_.capacity + items_.weight[j];
    const auto past = std::upper_bound(states_.begin(), states_.end(), limit,
                                       [](T room, const State& s) { return room < s.weight; });
    if (past == states_.begin()) return;
    const State& s = *(past - 1);
    take(s, j, add ? s.value + items_.value[j] : s.value - items_.value[j]);
  }

  // Completes every state with the one free item that serves it best: the most valuable that fits, or the
  // least valuable whose removal makes room.
  void pair() {
    if (by_weight_.empty()) {
      by_weight_.resize(items_.n);
      std::iota(by_weight_.begin(), by_weight_.end(), 0u);
      std::stable_sort(by_weight_.begin(), by_weight_.end(), [this](std::uint32_t a, std::uint32_t b) {
        return items_.weight[a] < items_.weight[b];
      });
    }
    partners_.clear();
    for (const std::uint32_t j : by_weight_)  // lightest first, each more valuable than all lighter
      if (j >= right_ && (partners_.empty() || items_.value[j] > items_.value[partners_.back()]))
        partners_.push_back(j);
    std::size_t fits = partners_.size();  // partners_[0, fits) fit beside the state
    const auto feasible = static_cast<std::size_t>(
        std::upper_bound(states_.begin(), states_.end(), items_.capacity,
                         [](T room, const State& s) { return room < s.weight; }) -
        states_.begin());
    for (std::size_t i = 0; i < feasible; ++i) {
      const State& s = states_[i];
      while (fits > 0 && s.weight + items_.weight[partners_[fits - 1]] > items_.capacity) --fits;
      if (fits == 0) break;
      take(s, partners_[fits - 1], s.value + items_.value[partners_[fits - 1]]);
    }
    partners_.clear();
    for (std::size_t k = by_weight_.size(); k-- > 0;) {  // heaviest first, each cheaper than all heavier
      const std::uint32_t j = by_weight_[k];
      if (static_cast<std::ptrdiff_t>(j) <= left_ &&
          (partners_.empty() || items_.value[j] < items_.value[partners_.back()]))
        partners_.push_back(j);
    }
    std::size_t frees = partners_.size();  // partners_[0, frees) are heavy enough
    for (std::size_t i = feasible; i < states_.size(); ++i) {
      const State& s = states_[i];
      while (frees > 0 && s.weight - items_.weight[partners_[frees - 1]] > items_.capacity) --frees;
      if (frees == 0) break;
      take(s, partners_[frees - 1], s.value - items_.value[partners_[frees - 1]]);
    }
  }

  // Remembers the state with the decision on one more item reversed, if that is the best so far.
  void take(const State& s, std::size_t j, T value) {
    if (value <= run_.best) return;
    run_.candidate(value);
    best_value_ = value;
    best_changes_.assign(1, static_cast<std::uint32_t>(j));
    note_changes(s.changed, (core_.size() - 1) / 64);
    for (std::uint32_t h = s.history; h != kNone; h = history_[h].parent)
      note_changes(history_[h].changed, history_[h].depth);
  }
  void note_changes(std::uint64_t changed, std::size_t block) {
    for (std::size_t i = 0; i < 64; ++i)
      if ((changed >> i) & 1) best_changes_.push_back(core_[block * 64 + i]);
  }

  void merge(std::size_t j, bool add) {
    const Limits limits = window();
    const T dw = add ? items_.weight[j] : -items_.weight[j], dv = add ? items_.value[j] : -items_.value[j];
    const std::uint32_t dc = add ? 1u : ~0u;
    const std::uint64_t bit = std::uint64_t{1} << ((core_.size() - 1) % 64);
    merged_.clear();
    merged_.reserve(2 * states_.size());
    T top{-1};  // the most value kept so far, at no more weight
    const State* a = states_.data();
    const State* const end = a + states_.size();
    const State* b = a;
    while (a != end || b != end) {
      // The lighter first; of equal weights the one of more value.
      bool old;
      if (a == end) old = false;
      else if (b == end) old = true;
      else {
        const T bw = b->weight + dw;
        old = a->weight != bw ? a->weight < bw : a->value >= b->value + dv;
      }
      if (old) {
        if (a->value > top && promising(a->weight, a->value, a->count, limits)) {
          merged_.push_back(*a);
          top = a->value;
        }
        ++a;
      } else {
        const T value = b->value + dv;
        if (value > top && promising(b->weight + dw, value, b->count + dc, limits)) {
          merged_.push_back(State{b->weight + dw, value, b->changed | bit, b->history, b->count + dc});
          top = value;
        }
        ++b;
      }
    }
    states_.swap(merged_);
    run_.nodes += static_cast<std::int64_t>(states_.size());
  }

  // Gives up all but the `width` states of best bound; of equal bounds those nearest to the capacity stay,
  // because they have most ways to end.
  void narrow(std::size_t width) {
    const Limits limits = window();
    ranks_.clear();
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const T off = states_[i].weight - items_.capacity;
      ranks_.push_back({estimate(states_[i], limits), off < 0 ? -off : off, i});
    }
    std::nth_element(ranks_.begin(), ranks_.begin() + static_cast<std::ptrdiff_t>(width), ranks_.end());
    for (std::size_t i = width; i < ranks_.size(); ++i) lost_ = std::max(lost_, ranks_[i].bound);
    ranks_.resize(width);
    std::sort(ranks_.begin(), ranks_.end(), [](const Rank& a, const Rank& b) { return a.index < b.index; });
    for (std::size_t i = 0; i < width; ++i) states_[i] = states_[ranks_[i].index];
    states_.resize(width);
  }

  // Every 64 items the states' changes move to the history, which is then cut to what is still needed.
  void keep_history() {
    if (core_.empty()) return;
    const auto depth = static_cast<std::uint32_t>(core_.size() / 64 - 1);
    if (history_.size() + states_.size() > 2 * history_kept_ + (std::size_t{1} << 16)) collect_history();
    for (State& s : states_) {
      if (s.changed != 0) {
        history_.push_back({s.changed, s.history, depth});
        s.history = static_cast<std::uint32_t>(history_.size() - 1);
      }
      s.changed = 0;
    }
  }
  void collect_history() {
    std::vector<std::uint32_t> moved(history_.size(), kNone);
    for (const State& s : states_)
      for (std::uint32_t h = s.history; h != kNone && moved[h] == kNone; h = history_[h].parent) moved[h] = 0;
    std::size_t kept = 0;
    for (std::size_t h = 0; h < history_.size(); ++h) {
      if (moved[h] == kNone) continue;
      Block block = history_[h];  // parents come first, so theirs have moved already
      if (block.parent != kNone) block.parent = moved[block.parent];
      moved[h] = static_cast<std::uint32_t>(kept);
      history_[kept++] = block;
    }
    history_.resize(kept);
    history_kept_ = kept;
    for (State& s : states_)
      if (s.history != kNone) s.history = moved[s.history];
  }

  const Items<T>& items_;
  Run<T>& run_;
  const CountBound<T>* counts_ = nullptr;
  std::ptrdiff_t left_ = 0;  // the next item to free on either side
  std::size_t right_ = 0;
  std::vector<std::uint32_t> core_;
  std::vector<State> states_, merged_;
  std::vector<Block> history_;
  std::size_t history_kept_ = 0;
  std::vector<Rank> ranks_;
  std::vector<std::uint32_t> by_weight_;  // all item positions, lightest first; made when first needed
  std::vector<std::uint32_t> partners_;
  double lost_ = -HUGE_VAL;
  T best_value_{-1};
  std::vector<std::uint32_t> best_changes_;
};

}  // namespace dilemma::knapsack
