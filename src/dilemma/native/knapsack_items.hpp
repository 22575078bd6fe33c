// Items in ratio order, with what a greedy regrowth needs to run in O(log n): prefix sums to take a whole
// run of items at once, and a tree of least weights to jump to the next item that still fits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace dilemma::knapsack {

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

// Product of two non-negative 128-bit numbers as (high, low).
inline std::pair<uint128, uint128> wide_product(uint128 a, uint128 b) {
  const uint128 low_bits = ~std::uint64_t{0};
  const uint128 a0 = a & low_bits, a1 = a >> 64, b0 = b & low_bits, b1 = b >> 64;
  const uint128 p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
  const uint128 middle = (p00 >> 64) + (p01 & low_bits) + (p10 & low_bits);
  return {p11 + (p01 >> 64) + (p10 >> 64) + (middle >> 64), (middle << 64) | (p00 & low_bits)};
}

// a * b < c * d for non-negative factors, without overflow.
inline bool product_less(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
  return static_cast<int128>(a) * b < static_cast<int128>(c) * d;
}
inline bool product_less(int128 a, int128 b, int128 c, int128 d) {
  return wide_product(static_cast<uint128>(a), static_cast<uint128>(b)) <
         wide_product(static_cast<uint128>(c), static_cast<uint128>(d));
}

// floor(a * b / d) for 0 <= a < d and b >= 0; the quotient fits because it is below b.
inline std::int64_t scaled_floor(std::int64_t a, std::int64_t b, std::int64_t d) {
  return static_cast<std::int64_t>(static_cast<int128>(a) * b / d);
}
inline int128 scaled_floor(int128 a, int128 b, int128 d) {
  // Schoolbook: read b from its top bit down, keeping quotient and remainder of (a * prefix of b) / d.
  int128 quotient = 0, remainder = 0;
  for (int bit = 126; bit >= 0; --bit) {
    quotient <<= 1;
    remainder <<= 1;  // remainder < d < 2^126, so this fits
    if (remainder >= d) remainder -= d, ++quotient;
    if ((b >> bit) & 1) {
      remainder += a;
      if (remainder >= d) remainder -= d, ++quotient;
    }
  }
  return quotient;
}

// T is int64_t or int128; sums of all weights and of all values stay below a quarter of its range.
template <class T>
struct Items {
  std::size_t n;
  T capacity;
  std::vector<T> weight, value;          // best ratio first
  std::vector<T> weight_sum, value_sum;  // of the first i items
  std::size_t break_item;                // the first that no longer fits behind all before it
  std::vector<std::uint32_t> twins_end;  // past the last of the items equal to item j
  std::size_t leaves = 1;
  std::vector<T> least;  // implicit binary tree of least weights
  // With slope <= value / weight of the break item, every value - slope * weight is a multiple of step.
  T slope{0}, step{1};

  Items(std::vector<T> values, std::vector<T> weights, T capacity_)
      : n(values.size()), capacity(capacity_), weight(std::move(weights)), value(std::move(values)),
        weight_sum(n + 1, T{0}), value_sum(n + 1, T{0}) {
    for (std::size_t i = 0; i < n; ++i) {
      weight_sum[i + 1] = weight_sum[i] + weight[i];
      value_sum[i + 1] = value_sum[i] + value[i];
    }
    break_item = run_end(0, capacity);
    while (leaves < n) leaves *= 2;
    least.assign(2 * leaves, capacity + 1);  // padding never fits
    std::copy(weight.begin(), weight.end(), least.begin() + static_cast<std::ptrdiff_t>(leaves));
    for (std::size_t i = leaves - 1; i > 0; --i) least[i] = std::min(least[2 * i], least[2 * i + 1]);
    twins_end.resize(n);
    for (std::size_t j = n; j-- > 0;) {
      const bool same = j + 1 < n && value[j] == value[j + 1] && weight[j] == weight[j + 1];
      twins_end[j] = same ? twins_end[j + 1] : static_cast<std::uint32_t>(j + 1);
    }
    find_lattice();
  }

  // Whether leaving room is never worth it at the price of item q, so that lifted goals hold there.
  bool steep(std::size_t q) const { return !product_less(value[q], T{1}, slope, weight[q]); }

  // The least bound a solution worth `goal` must have. Totals are slope * (weight <= capacity) + k * step,
  // and a bound that charges at least `slope` for unused weight only counts k: it must reach the next k.
  T lifted(T goal) const {
    const T base = slope * capacity, above = goal - base;
    T k = above / step;
    if (k * step < above) ++k;
    return base + k * step;
  }
  // The same downwards: what a bound of `bound` leaves possible.
  T lowered(T bound) const {
    const T base = slope * capacity, above = bound - base;
    T k = above / step;
    if (k * step > above) --k;
    return base + k * step;
  }

  // The end of the longest run from `from` that fits into `room` as a whole.
  std::size_t run_end(std::size_t from, T room) const {
    const T limit = weight_sum[from] + room;
    auto first = weight_sum.begin() + static_cast<std::ptrdiff_t>(from);
    return static_cast<std::size_t>(std::upper_bound(first, weight_sum.end(), limit) - weight_sum.begin()) - 1;
  }

  // The first item at or after `from` that fits into `room`, or n.
  std::size_t next_fitting(std::size_t from, T room) const {
    if (from >= n) return n;
    std::size_t node = from + leaves;
    while (least[node] > room) {
      while (node & 1) {
        node >>= 1;
        if (node == 0) return n;
      }
      ++node;  // the sibling to the right
    }
    while (node < leaves) {
      node *= 2;
      if (least[node] > room) ++node;
    }
    return node - leaves;
  }

  // Can items from..n-1 lift `base`, with `room` left, to `goal`? Dantzig's bound, without its division.
  bool reaches(std::size_t from, T room, T base, T goal) const {
    const std::size_t q = run_end(from, room);
    const T have = base + (value_sum[q] - value_sum[from]);
    if (have >= goal) return true;
    if (q == n) return false;
    return priced(q, room - (weight_sum[q] - weight_sum[from]), have, goal);
  }

  // The same question with item j >= break_item forced in, or item j < break_item forced out.
  bool reaches_with(std::size_t j, T goal) const {
    if (weight[j] > capacity) return false;
    std::size_t q = run_end(0, capacity - weight[j]);
    const T have = value_sum[q] + value[j];
    if (have >= goal) return true;
    const T room = capacity - weight[j] - weight_sum[q];
    if (q == j) ++q;
    return q < n && priced(q, room, have, goal);
  }
  bool reaches_without(std::size_t j, T goal) const {
    const std::size_t q = run_end(0, capacity + weight[j]);
    const T have = value_sum[q] - value[j];
    if (have >= goal) return true;
    return q < n && priced(q, capacity + weight[j] - weight_sum[q], have, goal);
  }
  // have + room * value[q] / weight[q] >= goal (lifted where that is allowed); have < goal.
  bool priced(std::size_t q, T room, T have, T goal) const {
    const T need = (steep(q) ? lifted(goal) : goal) - have;
    return !product_less(room, value[q], need, weight[q]);
  }

  T dantzig_bound() const {
    if (break_item == n) return value_sum[n];
    return lowered(value_sum[break_item] +
                   scaled_floor(capacity - weight_sum[break_item], value[break_item], weight[break_item]));
  }

 private:
  // slope * weight stays below the sum of all values for every weight up to the capacity, because all items
  // before the break item are worth at least slope per unit: no overflow.
  void find_lattice() {
    if (break_item == n) return;
    const T candidate = value[break_item] / weight[break_item];
    if (candidate == 0) return;
    T common{0};
    for (std::size_t j = 0; j < n && common != 1; ++j) {
      T rest = value[j] - candidate * weight[j];
      if (rest < 0) rest = -rest;
      while (rest != 0) {
        const T r = common % rest;
        common = rest;
        rest = r;
      }
    }
    slope = candidate;
    step = common == 0 ? value_sum[n] + 1 : common;
  }
};

}  // namespace dilemma::knapsack
