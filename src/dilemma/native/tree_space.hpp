// What the search asks about a row set, whatever its columns look like: the price of a leaf, the
// cuts in order, and the best tree of one or two levels.
#pragma once

#include <cmath>
#include <limits>

#include "tree_rows.hpp"

namespace dilemma::tree {

struct Ranked {
    double score;    // of the criterion, higher is better
    uint32_t place;  // in the list of all cuts: settles ties
    Cut cut;
};

inline bool before(double score_a, uint32_t place_a, double score_b, uint32_t place_b) {
    return score_a > score_b || (score_a == score_b && place_a < place_b);
}

// The cuts of a node, the best ones first as far as they were asked for: sorting all of them would often
// take longer than counting them.
class Ranking {
public:
    void clear() { list_.clear(), sorted_ = 0; }
    void add(const Ranked& r) { list_.push_back(r); }
    size_t size() const { return list_.size(); }

    // The i-th best; nothing below it is in order yet.
    const Ranked& operator[](size_t i) {
        if (i >= sorted_) sort_to(std::max(2 * i, kFirst));
        return list_[i];
    }

private:
    static constexpr size_t kFirst = 48;

    void sort_to(size_t count) {
        const auto better = [](const Ranked& x, const Ranked& y) { return before(x.score, x.place, y.score, y.place); };
        count = std::min(count, list_.size());
        if (count < list_.size()) std::nth_element(list_.begin() + sorted_, list_.begin() + count, list_.end(), better);
        std::sort(list_.begin() + sorted_, list_.begin() + count, better);
        sorted_ = count;
    }

    std::vector<Ranked> list_;
    size_t sorted_ = 0;
};

// A tree of at most two levels: the root's cut (kLeaf: none), then one cut a child. A list of one cut that
// is no leaf leaves the children open: Space::complete finds them, if they are ever wanted.
struct Solved {
    double energy = 0;
    std::vector<Cut> cuts;
    bool resolved = true;  // false: the energy is only a lower bound, at or above the ceiling
};

// Statistics of a set of rows: class weights, or (weight, weighted sum, weighted squares).
class Pricing {
public:
    Pricing(const DataView& data, const DataView* judge, const Settings& settings)
        : data(data), judge(judge), settings(settings), width(data.n_classes ? data.n_classes : 3) {
        std::vector<double> all(width, 0.0);
        for (uint32_t r = 0; r < data.n_rows; ++r) add_row(data, r, all.data());
        double scale = 0;
        if (data.n_classes) for (double v : all) scale += v;
        else scale = all[2];
        epsilon = 1e-9 * std::max(scale, 1e-300);
        worst_error = 1;
        if (!settings.cost_matrix.empty()) worst_error = *std::max_element(settings.cost_matrix.begin(), settings.cost_matrix.end());
        if (!data.weights) {
            const uint32_t n = data.n_rows + 1;
            entropy_table.resize(n);
            for (uint32_t i = 2; i < n; ++i) entropy_table[i] = std::llrint(double(i) * std::log2(double(i)) * kFixedPoint);
        }
    }

    void add_row(const DataView& d, uint32_t r, double* stats) const {
        const double w = d.weights ? d.weights[r] : 1.0;
        if (d.n_classes) stats[d.classes[r]] += w;
        else stats[0] += w, stats[1] += w * d.values[r], stats[2] += w * d.values[r] * d.values[r];
    }

    void totals(const Part& part, double* stats) const {
        std::fill(stats, stats + width, 0.0);
        if (data.n_classes && !data.weights) {
            for (uint32_t g = 0, from = 0; g < data.n_classes; from = part.ends[g], ++g) stats[g] = part.ends[g] - from;
        } else {
            for (uint32_t i = 0; i < part.n; ++i) add_row(data, part.rows[i], stats);
        }
    }

    // Cost of a leaf on its own training rows.
    double cost(const double* s) const {
        if (!data.n_classes) return s[0] > 0 ? std::max(s[2] - s[1] * s[1] / s[0], 0.0) : 0.0;
        if (settings.cost_matrix.empty()) {
            double sum = 0, most = s[0];
            for (uint32_t c = 0; c < width; ++c) sum += s[c], most = std::max(most, s[c]);
            return sum - most;
        }
        return cheapest(s).first;
    }

    double leaf(const Part& part) {
        buffer_.resize(width);
        totals(part, buffer_.data());
        if (!judge) return cost(buffer_.data()) + settings.leaf_penalty;
        std::vector<double> there(width, 0.0);
        for (uint32_t i = 0; i < part.n_judged; ++i) add_row(*judge, part.judged[i], there.data());
        return std::max(judged_cost(buffer_.data(), there.data()), 0.0) + settings.leaf_penalty;
    }

    bool splittable(const Part& part) {
        if (part.n < std::max<uint64_t>(settings.min_samples_split, uint64_t(2) * settings.min_samples_leaf)) return false;
        if (settings.min_entropy <= 0) return true;
        buffer_.resize(width);
        totals(part, buffer_.data());
        return entropy(buffer_.data()) >= settings.min_entropy;
    }

    double entropy(const double* s) const {
        double total = 0, h = 0;
        for (uint32_t c = 0; c < width; ++c) total += s[c];
        if (total <= 0) return 0;
        for (uint32_t c = 0; c < width; ++c)
            if (s[c] > 0) h -= s[c] / total * std::log2(s[c] / total);
        return h;
    }

    // Minus the impurity of one part times its weight, up to a constant of the node.
    double part_score(const double* s) const {
        switch (settings.criterion) {
            case Criterion::squared_error: return s[0] > 0 ? s[1] * s[1] / s[0] : 0.0;
            case Criterion::error: return -cost(s);
            case Criterion::gini: {
                double total = 0, squares = 0;
                for (uint32_t c = 0; c < width; ++c) total += s[c], squares += s[c] * s[c];
                return total > 0 ? squares / total : 0.0;
            }
            default: break;
        }
        double total = 0, sum = 0;
        for (uint32_t c = 0; c < width; ++c) total += s[c], sum += xlogx(s[c]);
        return sum - xlogx(total);
    }

    double xlogx(double v) const {
        if (v <= 0) return 0;
        return data.weights ? v * std::log2(v) * kFixedPoint : double(entropy_table[size_t(v)]);
    }

    const DataView& data;
    const DataView* judge;
    const Settings& settings;
    const uint32_t width;
    double epsilon;                      // energies closer than this are equal
    double worst_error;                  // of one row of weight one
    std::vector<int64_t> entropy_table;  // n log2 n, for unit weights

private:
    std::pair<double, uint32_t> cheapest(const double* s) const {
        double best = std::numeric_limits<double>::infinity();
        uint32_t label = 0;
        for (uint32_t p = 0; p < width; ++p) {
            double sum = 0;
            for (uint32_t c = 0; c < width; ++c) sum += s[c] * settings.cost_matrix[size_t(c) * width + p];
            if (sum < best) best = sum, label = p;
        }
        return {best, label};
    }

    double judged_cost(const double* s, const double* there) const {
        if (!data.n_classes) {
            const double mean = s[0] > 0 ? s[1] / s[0] : 0.0;
            return there[2] - 2 * mean * there[1] + mean * mean * there[0];
        }
        if (settings.cost_matrix.empty()) {
            double sum = 0;
            for (uint32_t c = 0; c < width; ++c) sum += there[c];
            return sum - there[std::max_element(s, s + width) - s];
        }
        const uint32_t label = cheapest(s).second;
        double sum = 0;
        for (uint32_t c = 0; c < width; ++c) sum += there[c] * settings.cost_matrix[size_t(c) * width + label];
        return sum;
    }

    std::vector<double> buffer_;
};

class Space {
public:
    explicit Space(Pricing& pricing) : pricing(pricing) {}
    virtual ~Space() = default;

    // All cuts that the settings allow, best first. Equal partitions may appear more than once.
    virtual void rank(const Part& part, Ranking& out) = 0;
    // The best tree of at most one split.
    virtual void best_one(const Part& part, Solved& out) = 0;
    // The best tree of at most two levels; below full effort, of few cuts (the best of the node).
    // At or above the ceiling only a bound is found.
    virtual void best_two(const Part& part, bool full, double ceiling, Solved& out) = 0;
    // The cuts that a solution left open.
    virtual void complete(const Part& part, bool full, Solved& out) = 0;
    virtual size_t bytes() const = 0;

    Pricing& pricing;
    double work = 0;  // done so far, in rough vector operations: shares budgets without a clock
};

}  // namespace dilemma::tree
