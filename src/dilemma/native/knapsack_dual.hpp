// Bounds that count items. The fractional solution takes a non-integral number of items; every real one
// takes at most k or at least k + 1. Each half is relaxed with a price per unit of weight and a price per
// item (Lagrange); no solution beats the better half. On correlated instances (value = weight + constant)
// this is far below Dantzig's bound. Martello and Toth (1997) bound by such cardinalities.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "knapsack_items.hpp"
#include "knapsack_run.hpp"

namespace dilemma::knapsack {

// value + price * (room) + premium * (count - items taken) + what free items can still add at these prices.
struct CountForm {
  double price = 0.0, premium = 0.0;
  double count = 0.0;              // at most (premium >= 0) or at least (premium <= 0) so many items
  double bound = 0.0;              // of the whole instance
  std::vector<double> after;       // after[j]: what leaving items j.. free adds
  std::vector<double> before;      // before[j]: what leaving items ..j-1 free adds when all were taken
};

template <class T>
class CountBound {
 public:
  CountBound(const Items<T>& items, Run<T>& run) : items_(items), run_(run) {
    const std::size_t n = items.n;
    const auto scale = static_cast<double>(items.value_sum[n]);
    weights_.resize(n);
    values_.resize(n);
    for (std::size_t j = 0; j < n; ++j) {
      weights_[j] = static_cast<double>(items.weight[j]);
      values_[j] = static_cast<double>(items.value[j]);
    }
    if (items.break_item == n) return;
    const auto k = static_cast<double>(items.break_item);
    at_most_ = solve(k, +1.0);
    std::vector<T> sorted = items.weight;
    const auto need = items.break_item + 1;  // k + 1 items have to fit at all
    std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(need - 1), sorted.end());
    T least{0};
    for (std::size_t j = 0; j < need; ++j) least += sorted[j];
    if (least <= items.capacity) {
      at_least_ = solve(k + 1.0, -1.0);
      two_halves_ = true;
    }
    const double largest = std::max(at_most_.price, at_least_.price) * static_cast<double>(items.weight_sum[n]) +
                           (at_most_.premium - at_least_.premium) * (static_cast<double>(n) + 1.0);
    tolerance_ = (static_cast<double>(n) + 16.0) * 0x1p-51 * (scale + largest);
    active_ = run.stop == Stop::none;
  }

  // False when nothing breaks, or the run stopped before the bound was complete.
  bool active() const { return active_; }
  // No solution is worth more: the better half, rounded down to what the lattice allows.
  T bound() const {
    const T first = half(at_most_);
    return two_halves_ ? std::max(first, half(at_least_)) : first;
  }

  // What a window of free items adds, and the goal each half has to reach to beat the incumbent.
  struct Window {
    double first, second, first_goal, second_goal;
  };
  // Items below `left_end` and from `right` on are free, a core state has decided the rest.
  Window window(std::size_t left_end, std::size_t right, T goal) const {
    Window w{constant(at_most_, left_end, right), -HUGE_VAL, form_goal(at_most_, goal), 0.0};
    if (two_halves_) {
      w.second = constant(at_least_, left_end, right);
      w.second_goal = form_goal(at_least_, goal);
    }
    return w;
  }
  bool reaches(const Window& w, double weight, double value, double count) const {
    if (value - at_most_.price * weight - at_most_.premium * count + w.first >= w.first_goal) return true;
    return two_halves_ &&
           value - at_least_.price * weight - at_least_.premium * count + w.second >= w.second_goal;
  }
  double estimate(const Window& w, double weight, double value, double count) const {
    double best = value - at_most_.price * weight - at_most_.premium * count + w.first;
    if (two_halves_)
      best = std::max(best, value - at_least_.price * weight - at_least_.premium * count + w.second);
    return best + tolerance_;
  }
  // Can a solution with item j forced in (or out) reach the goal?
  bool reaches_forced(std::size_t j, bool in, T goal) const {
    if (at_most_.bound - regret(at_most_, j, in) >= form_goal(at_most_, goal)) return true;
    return two_halves_ && at_least_.bound - regret(at_least_, j, in) >= form_goal(at_least_, goal);
  }

 private:
  double reduced(const CountForm& form, std::size_t j) const {
    return values_[j] - form.price * weights_[j] - form.premium;
  }
  // A bound at a price of at least the lattice's slope has to reach the lifted goal (see Items::lifted).
  double form_goal(const CountForm& form, T goal) const {
    const bool lift = form.price >= static_cast<double>(items_.slope);
    return static_cast<double>(lift ? items_.lifted(goal) : goal) - tolerance_;
  }
  T half(const CountForm& form) const {
    const double bound = std::floor(form.bound + tolerance_);
    if (bound >= static_cast<double>(items_.value_sum[items_.n])) return items_.value_sum[items_.n];
    const T whole = static_cast<T>(bound);
    return form.price >= static_cast<double>(items_.slope) ? items_.lowered(whole) : whole;
  }
  double regret(const CountForm& form, std::size_t j, bool in) const {
    const double gain = reduced(form, j);
    return in ? (gain < 0.0 ? -gain : 0.0) : (gain > 0.0 ? gain : 0.0);
  }
  double constant(const CountForm& form, std::size_t left_end, std::size_t right) const {
    return form.price * static_cast<double>(items_.capacity) + form.premium * form.count +
           form.before[left_end] + form.after[right];
  }

  struct Fractional {
    double price;
    std::size_t taken;
  };

  // The fractional solution at this premium: its price of weight and how many items it takes whole.
  Fractional fractional(double premium) {
    const std::size_t n = items_.n;
    ratio_.resize(n);
    order_.resize(n);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t j = 0; j < n; ++j) ratio_[j] = (values_[j] - premium) / weights_[j];
    const auto ahead = [this](std::size_t a, std::size_t b) {
      return ratio_[a] != ratio_[b] ? ratio_[a] > ratio_[b] : a < b;
    };
    std::size_t low = 0, high = n;  // the break item is in order_[low, high), or nothing breaks
    T room = items_.capacity;
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      std::nth_element(order_.begin() + static_cast<std::ptrdiff_t>(low),
                       order_.begin() + static_cast<std::ptrdiff_t>(middle),
                       order_.begin() + static_cast<std::ptrdiff_t>(high), ahead);
      T head{0};
      for (std::size_t i = low; i <= middle; ++i) head += items_.weight[order_[i]];
      if (head <= room) {
        room -= head;
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    // Items worth less than the premium are left out: nobody has to take them.
    if (low == n || ratio_[order_[low]] <= 0.0) {
      std::size_t taken = 0;
      for (std::size_t i = 0; i < low; ++i) taken += ratio_[order_[i]] > 0.0 ? 1 : 0;
      return {0.0, taken};
    }
    return {ratio_[order_[low]], low};
  }

  double value_at(double price, double premium, double count) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < items_.n; ++j) {
      const double gain = values_[j] - price * weights_[j] - premium;
      if (gain > 0.0) sum += gain;
    }
    return price * static_cast<double>(items_.capacity) + premium * count + sum;
  }

  // Bisects the premium until the fractional solution takes `count` items.
  CountForm solve(double count, double sign) {
    double low = 0.0, high = *std::max_element(values_.begin(), values_.end());
    CountForm form;
    form.count = count;
    form.bound = HUGE_VAL;
    const auto attempt = [&](double size) {
      const Fractional f = fractional(sign * size);
      const double bound = value_at(f.price, sign * size, count);
      if (bound < form.bound) form.bound = bound, form.price = f.price, form.premium = sign * size;
      const auto taken = static_cast<double>(f.taken);
      return sign > 0 ? taken >= count : taken < count;  // the premium has to grow
    };
    attempt(0.0);
    if (sign < 0)
      for (int i = 0; i < kDoublings && !run_.poll() && attempt(high); ++i) low = high, high *= 2.0;
    for (int i = 0; i < kBisections && !run_.poll(); ++i) {
      const double middle = low + (high - low) / 2.0;
      (attempt(middle) ? low : high) = middle;
    }
    const std::size_t n = items_.n;
    form.after.assign(n + 1, 0.0);
    form.before.assign(n + 1, 0.0);
    for (std::size_t j = n; j-- > 0;) {
      const double gain = reduced(form, j);
      form.after[j] = form.after[j + 1] + (gain > 0.0 ? gain : 0.0);
    }
    for (std::size_t j = 0; j < n; ++j) {
      const double gain = reduced(form, j);
      form.before[j + 1] = form.before[j] + (gain < 0.0 ? -gain : 0.0);
    }
    return form;
  }

  static constexpr int kBisections = 48, kDoublings = 40;
  const Items<T>& items_;
  Run<T>& run_;
  bool active_ = false, two_halves_ = false;
  double tolerance_ = 0.0;
  std::vector<double> weights_, values_, ratio_;
  std::vector<std::size_t> order_;
  CountForm at_most_, at_least_;
};

}  // namespace dilemma::knapsack
