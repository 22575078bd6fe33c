// Dilemma-first search on the partition tree of a knapsack (Algorithm 1 of the paper, made lazy).
//
// A node is "the decisions on all items before position p are made"; its candidate takes, from p on, every
// item that still fits, best ratio first (Eq. 6). Each item taken so is a dilemma: leaving it out and
// regrowing is the next candidate there. How hard the choice was is the relative gap between its ratio and
// that of the next item that would fit; a candidate's key is the sum of the gaps along its path, smallest
// first (the corollary's L_opt - L_alpha, with the path's earlier losses kept).
//
// Dilemmas are filed by runs of consecutive items (two or three a candidate) and ranked when popped, so a
// candidate costs O(log n) and not O(n). With the break item's price of weight, reversing the decision on
// item j also loses |v_j - price * w_j| of Dantzig's bound: dilemmas that lost too much are not filed.
// Equal items are interchangeable, so leaving one out leaves out all equal ones after it, too.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "knapsack_items.hpp"
#include "knapsack_run.hpp"

namespace dilemma::knapsack {

template <class T>
class DilemmaSearch {
 public:
  DilemmaSearch(const Items<T>& items, Run<T>& run, std::size_t max_queue)
      : items_(items), run_(run), max_queue_(max_queue) {
    const std::size_t n = items.n, b = items.break_item;
    in_cost_.assign(n + 1, 0.0);
    out_cost_.assign(n + 1, 0.0);
    loss_.assign(n, 0.0);
    gap_.assign(n, 0.0);
    while (leaves_ < n) leaves_ *= 2;
    hardest_.assign(2 * leaves_, kNone);
    if (b == n) return;
    const double price = ratio(b);
    for (std::size_t j = 0; j < n; ++j) {
      const double gain = static_cast<double>(items.value[j]) - static_cast<double>(items.weight[j]) * price;
      if (j < b) loss_[j] = gain > 0.0 ? gain : 0.0;
      gap_[j] = items.twins_end[j] < n ? gap(j, items.twins_end[j]) : HUGE_VAL;
      in_cost_[j + 1] = in_cost_[j] + (j >= b && gain < 0.0 ? -gain : 0.0);
      out_cost_[j + 1] = out_cost_[j] + (j < b && gain > 0.0 ? gain : 0.0);
    }
    const double left = static_cast<double>(items.capacity - items.weight_sum[b]);
    root_bound_ = static_cast<double>(items.value_sum[b]) + left * price;
    // Twice the rounding error that a sum of n losses can gather.
    tolerance_ = (static_cast<double>(n) + 16.0) * 0x1p-51 *
                 (static_cast<double>(items.value_sum[n]) + price * static_cast<double>(items.weight_sum[n]));
  }

  // Explores until the queue is empty, the run stops, or `iterations` candidates are done in all.
  // True when the tree is exhausted (then the incumbent is optimal unless dilemmas were dropped).
  bool explore(std::int64_t iterations) {
    if (run_.iterations == 0) grow(kNone, 0, 0, items_.capacity, T{0}, 0.0, 0.0);  // Alg. 1 l.3: the greedy
    std::uint32_t countdown = kPollEvery;
    while (!queue_.empty() && run_.iterations < iterations) {
      if (run_.stop != Stop::none || (--countdown == 0 && run_.poll())) return false;
      if (countdown == 0) countdown = kPollEvery;
      std::pop_heap(queue_.begin(), queue_.end());  // Alg. 1 l.11-12
      const Dilemma d = queue_.back();
      queue_.pop_back();
      const Taken run = runs_[d.run];
      const std::size_t j = d.item;
      file(d.run, d.first, j);  // the other dilemmas of the run stay open
      file(d.run, j + 1, d.last);
      const std::size_t from = items_.twins_end[j];
      const double cost = run.cost + in_cost_[j] + (out_cost_[from] - out_cost_[j]);
      if (hopeless(cost)) continue;
      ++run_.nodes;
      const T room = run.room - items_.weight_sum[j], value = run.value + items_.value_sum[j];
      if (!items_.reaches(from, room, value, run_.best + 1)) continue;
      grow(run.node, j, from, room, value, cost, d.key);
    }
    return queue_.empty();
  }

  bool dropped() const { return dropped_; }
  std::size_t queued() const { return queue_.size(); }

  // The item positions of the best candidate of this search, ascending.
  std::vector<std::size_t> best_positions() const {
    std::vector<std::uint32_t> path;
    for (std::uint32_t node = best_node_; node != kNone; node = nodes_[node].parent) path.push_back(node);
    std::vector<std::size_t> taken;
    std::size_t from = 0;
    T room = items_.capacity;
    for (std::size_t k = path.size(); k-- > 0;) {
      const std::size_t stop_at = k > 0 ? nodes_[path[k - 1]].without : items_.n;
      for (std::size_t p = items_.next_fitting(from, room); p < stop_at; p = items_.next_fitting(p + 1, room)) {
        taken.push_back(p);
        room -= items_.weight[p];
      }
      if (k > 0) from = items_.twins_end[stop_at];
    }
    return taken;
  }
  bool found_best() const { return best_node_ != kNone && best_value_ == run_.best; }

 private:
  static constexpr std::uint32_t kNone = 0xffffffffu, kPollEvery = 256;

  struct Node {
    std::uint32_t parent, without;  // the parent's decision on `without` is reversed
  };
  struct Taken {  // a run of items taken in a row; room, value and cost as before position 0 of the sums
    T room, value;
    double cost, regret;  // lost of the bound; sum of the gaps along the path
    double last_gap;      // of the run's last item and its equals in the run
    std::uint32_t node, tail;
  };
  struct Dilemma {
    double key;
    std::uint64_t order;
    std::uint32_t run, first, last, item;
    bool operator<(const Dilemma& other) const {  // for a max-heap: least key, then oldest, on top
      return key != other.key ? key > other.key : order > other.order;
    }
  };

  double ratio(std::size_t j) const {
    return static_cast<double>(items_.value[j]) / static_cast<double>(items_.weight[j]);
  }
  double gap(std::size_t j, std::size_t next) const {  // Eq. 5, relative
    const double best = ratio(j);
    return (best - ratio(next)) / best;
  }

  bool hopeless(double cost) const { return root_bound_ - cost + tolerance_ < lifted_; }

  std::uint32_t harder(std::uint32_t a, std::uint32_t b) const {
    if (a == kNone || b == kNone) return a == kNone ? b : a;
    return gap_[b] < gap_[a] ? b : a;  // a is the earlier
  }
  std::uint32_t hardest(std::size_t first, std::size_t last) const {
    std::uint32_t left = kNone, right = kNone;
    for (first += leaves_, last += leaves_; first < last; first /= 2, last /= 2) {
      if (first & 1) left = harder(left, hardest_[first++]);
      if (last & 1) right = harder(hardest_[--last], right);
    }
    return harder(left, right);
  }
  // Ranks the items that can still matter. Those whose loss alone is hopeless are out for good; the ranking
  // is made again whenever the incumbent has halved what may be lost.
  void rank() {
    const double slack = root_bound_ + tolerance_ - lifted_;
    if (slack >= 0.5 * ranked_slack_) return;
    ranked_slack_ = slack;
    for (std::size_t j = 0; j < items_.n; ++j)
      hardest_[leaves_ + j] = loss_[j] > slack || gap_[j] == HUGE_VAL ? kNone : static_cast<std::uint32_t>(j);
    for (std::size_t i = leaves_ - 1; i > 0; --i) hardest_[i] = harder(hardest_[2 * i], hardest_[2 * i + 1]);
  }

  // Files the hardest decision of items [first, last) of a run; the others follow when it is popped.
  void file(std::uint32_t run, std::size_t first, std::size_t last) {
    const Taken& taken = runs_[run];
    if (first >= last || hopeless(taken.cost + in_cost_[first])) return;
    // Behind the break item every item taken costs: cut the run where that becomes hopeless.
    if (hopeless(taken.cost + in_cost_[last - 1])) {
      std::size_t low = first, high = last - 1;  // low is not hopeless, high is
      while (high - low > 1) {
        const std::size_t middle = low + (high - low) / 2;
        (hopeless(taken.cost + in_cost_[middle]) ? high : low) = middle;
      }
      last = high;
    }
    // The run's last item and its equals have the run's own gap, the earlier ones that of the items' order.
    const std::size_t tail = std::max<std::size_t>(first, taken.tail);
    std::uint32_t item = first < tail ? hardest(first, std::min(last, tail)) : kNone;
    double gap = item == kNone ? HUGE_VAL : gap_[item];
    if (last > tail && taken.last_gap < gap) {
      item = static_cast<std::uint32_t>(last - 1);
      gap = taken.last_gap;
    }
    if (gap == HUGE_VAL) return;  // nothing left that could take an item's place
    if (queue_.size() >= max_queue_) shrink();
    queue_.push_back({taken.regret + gap, order_++, run, static_cast<std::uint32_t>(first),
                      static_cast<std::uint32_t>(last), item});
    std::push_heap(queue_.begin(), queue_.end());
  }

  // Completes a node greedily (Alg. 1 l.5-9), evaluates it (l.10), files its runs.
  void grow(std::uint32_t parent, std::size_t without, std::size_t from, T room, T value, double cost,
            double regret) {
    if (runs_.size() >= runs_limit_) compact(parent);
    const auto node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({parent, static_cast<std::uint32_t>(without)});
    const std::size_t first_run = runs_.size();
    starts_.clear();
    while (true) {
      const std::size_t p = items_.next_fitting(from, room);
      cost += out_cost_[p] - out_cost_[from];  // what did not fit is lost below
      if (p == items_.n) break;
      const std::size_t q = items_.run_end(p, room);
      const T before = room + items_.weight_sum[p];
      room = before - items_.weight_sum[q];
      std::size_t tail = q - 1;
      while (tail > p && items_.twins_end[tail - 1] > tail) --tail;
      const T freed = items_.weight_sum[q] - items_.weight_sum[tail];
      const std::size_t next = items_.next_fitting(items_.twins_end[q - 1], room + freed);
      const double last_gap = next == items_.n ? HUGE_VAL : gap(q - 1, next);
      runs_.push_back({before, value - items_.value_sum[p], cost - in_cost_[p], regret, last_gap, node,
                       static_cast<std::uint32_t>(tail)});
      starts_.push_back({p, q});
      value += items_.value_sum[q] - items_.value_sum[p];
      cost += in_cost_[q] - in_cost_[p];
      from = q;
    }
    if (run_.candidate(value)) {
      best_node_ = node;
      best_value_ = value;
      lifted_ = static_cast<double>(items_.lifted(value + 1));  // the break item's price is steep enough
      rank();
    }
    for (std::size_t k = 0; k < starts_.size(); ++k)
      file(static_cast<std::uint32_t>(first_run + k), starts_[k].first, starts_[k].second);
  }

  // Keeps the better half of the queue; from then on exhaustion proves nothing.
  void shrink() {
    std::sort(queue_.begin(), queue_.end(), [](const Dilemma& a, const Dilemma& b) { return b < a; });
    queue_.resize(max_queue_ / 2);
    std::make_heap(queue_.begin(), queue_.end());
    dropped_ = true;
  }

  // Forgets runs and nodes that no queued dilemma needs any more; `keep` is a node about to get a child.
  void compact(std::uint32_t& keep) {
    std::vector<std::uint32_t> run_at(runs_.size(), kNone), node_at(nodes_.size(), kNone);
    const auto mark = [&](std::uint32_t node) {
      for (; node != kNone && node_at[node] == kNone; node = nodes_[node].parent) node_at[node] = 0;
    };
    for (const Dilemma& d : queue_) {
      run_at[d.run] = 0;
      mark(runs_[d.run].node);
    }
    mark(keep);
    mark(best_node_);
    std::uint32_t kept = 0;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {  // parents come first
      if (node_at[i] == kNone) continue;
      Node node = nodes_[i];
      if (node.parent != kNone) node.parent = node_at[node.parent];
      node_at[i] = kept;
      nodes_[kept++] = node;
    }
    nodes_.resize(kept);
    kept = 0;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (run_at[i] == kNone) continue;
      Taken run = runs_[i];
      run.node = node_at[run.node];
      run_at[i] = kept;
      runs_[kept++] = run;
    }
    runs_.resize(kept);
    for (Dilemma& d : queue_) d.run = run_at[d.run];
    if (keep != kNone) keep = node_at[keep];
    if (best_node_ != kNone) best_node_ = node_at[best_node_];
    runs_limit_ = std::max(runs_limit_, 2 * runs_.size());
  }

  const Items<T>& items_;
  Run<T>& run_;
  std::size_t max_queue_, leaves_ = 1, runs_limit_ = std::size_t{1} << 20;
  double root_bound_ = 0.0, tolerance_ = 0.0, lifted_ = 0.0, ranked_slack_ = HUGE_VAL;
  bool dropped_ = false;
  std::uint64_t order_ = 0;
  std::uint32_t best_node_ = kNone;
  T best_value_{-1};
  std::vector<double> loss_, gap_, in_cost_, out_cost_;
  std::vector<std::uint32_t> hardest_;
  std::vector<Node> nodes_;
  std::vector<Taken> runs_;
  std::vector<std::pair<std::size_t, std::size_t>> starts_;
  std::vector<Dilemma> queue_;
};

}  // namespace dilemma::knapsack
