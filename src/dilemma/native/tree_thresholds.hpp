// Bounds from one threshold of a feature to the others. Moving the threshold up moves rows from the right
// side to the left: a side that has gained rows costs no less than before, and a side that has lost k rows
// at most k errors less.
#pragma once

#include <unordered_map>

#include "tree_explorer.hpp"

namespace dilemma::tree {

class Thresholds {
public:
    Thresholds(const Explorer& explorer, const Part& part) : x_(explorer), part_(part), usable_(!x_.settings.constrained()) {}

    // What the best tree with this cut at its root costs at least.
    double bound(const Cut& cut) const {
        if (!usable_ || cut.kind != kNumeric) return 0;
        const auto at = features_.find(name(cut));
        if (at == features_.end()) return 0;
        const Feature& f = at->second;
        double left = 0, right = 0;
        for (const Known& k : f.known) {
            const double moved = rows_between(f, k.threshold, cut.threshold) * loss_;
            const bool up = cut.threshold >= k.threshold;
            left = std::max(left, up ? k.left : k.left - moved);
            right = std::max(right, up ? k.right - moved : k.right);
        }
        return left + right;
    }

    // The children of a cut cost at least so much.
    void learn(const Cut& cut, double left, double right) {
        if (!usable_ || cut.kind != kNumeric) return;
        Feature& f = features_[name(cut)];
        if (f.below.empty()) count(f, cut);
        f.known.push_back({cut.threshold, left, right});
    }

private:
    struct Known {
        uint8_t threshold;
        double left, right;
    };
    struct Feature {
        std::vector<double> below;  // weight of the rows with a code up to this one
        std::vector<Known> known;
    };

    static int name(const Cut& cut) { return 2 * cut.feature + cut.missing_left; }

    double rows_between(const Feature& f, int a, int b) const { return std::abs(f.below[size_t(a)] - f.below[size_t(b)]); }

    void count(Feature& f, const Cut& cut) {
        f.below.assign(256, 0.0);
        const uint8_t* column = x_.data.column(uint32_t(cut.feature));
        for (uint32_t i = 0; i < part_.n; ++i)
            f.below[column[part_.rows[i]]] += x_.data.weights ? x_.data.weights[part_.rows[i]] : 1.0;
        for (size_t c = 1; c < kMissing; ++c) f.below[c] += f.below[c - 1];
    }

    const Explorer& x_;
    const Part& part_;
    const bool usable_;
    // What one row of weight one can cost: without a limit in regression, where only the gain of rows bounds.
    const double loss_ = x_.data.n_classes ? x_.pricing.worst_error : kInfinity;
    std::unordered_map<int, Feature> features_;
};

}  // namespace dilemma::tree
