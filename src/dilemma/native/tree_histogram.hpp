// Columns of codes, counted in histograms: for any number of codes, weights, costs and regression.
//
// A histogram holds, for every feature and code, the statistics of the rows that have it. The best
// single split of a row set is read off its histogram; two levels are solved by moving rows from a
// right histogram to a left one in the order of the root's codes, reading off both at each step.
#pragma once

#include <numeric>

#include "tree_kernels.hpp"
#include "tree_space.hpp"

namespace dilemma::tree {

template <class T>  // int32_t: counts of rows of unit weight; double: weights, or regression
class Histograms final : public Space {
public:
    static constexpr size_t kNarrow = 8;         // features at the root of a two-level tree below full effort
    static constexpr uint32_t kSubsetClasses = 8;  // orders of the categories beyond two classes

    Histograms(Pricing& pricing, const Rows& rows, MaskPool& masks, Stack& stack, Limits& limits, const Kernels& kernels)
        : Space(pricing), d_(pricing.data), rows_(rows), masks_(masks), stack_(stack), limits_(limits), k_(kernels),
          width_(pricing.width) {
        arrange();
        // row-major, so that one row's codes lie together, ordered features first
        codes_.resize(size_t(d_.n_rows) * d_.n_features);
        constexpr uint32_t kTile = 1024;
        for (uint32_t from = 0; from < d_.n_rows; from += kTile) {
            const uint32_t to = std::min(from + kTile, d_.n_rows);
            for (uint32_t f = 0; f < d_.n_features; ++f) {
                const uint8_t* column = d_.column(f);
                const uint8_t last = uint8_t(missing_slot(f));
                for (uint32_t r = from; r < to; ++r)
                    codes_[size_t(r) * d_.n_features + place_[f]] = column[r] == kMissing ? last : column[r];
            }
            limits_.check();
        }
    }

    size_t bytes() const override { return codes_.size(); }

    void rank(const Part& part, Ranking& out) override {
        StackFrame frame(stack_);
        Histogram h = fresh();
        fill(part, h);
        out.clear();
        uint32_t place = 0;
        std::vector<double> part_stats(width_);
        for (uint32_t f = 0; f < d_.n_features; ++f) each_cut(h, f, [&](const Cut& cut, const Sides& sides) {
            const uint32_t here = place++;
            if (!sides.allowed(pricing.settings.min_samples_leaf)) return;
            Ranked r{0.0, here, cut};
            for (size_t i = 0; i < sides.count; ++i) {
                for (uint32_t k = 0; k < width_; ++k) part_stats[k] = double(sides.stats[i][k]);
                r.score += pricing.part_score(part_stats.data());
            }
            r.cut.mask = cut.kind == kSubset ? masks_.intern(sides.mask) : 0;
            out.add(r);
        });
    }

    void best_one(const Part& part, Solved& out) override {
        StackFrame frame(stack_);
        out.cuts.assign(1, Cut{});
        out.resolved = true;
        out.energy = leaf_energy(part);
        if (!pricing.splittable(part)) return;
        Histogram h = fresh();
        fill(part, h);
        const double leaf = out.energy;
        double best = std::numeric_limits<double>::infinity(), best_score = 0;
        Mask best_mask{};
        Cut best_cut;
        for (uint32_t f = 0; f < d_.n_features; ++f) each_cut(h, f, [&](const Cut& cut, const Sides& sides) {
            if (!sides.allowed(pricing.settings.min_samples_leaf)) return;
            double energy = 0;
            for (size_t i = 0; i < sides.count; ++i) energy += cost(sides.stats[i]) + pricing.settings.leaf_penalty;
            if (energy > best + pricing.epsilon || energy >= leaf - pricing.epsilon) return;
            double score = 0;
            for (size_t i = 0; i < sides.count; ++i) score += score_of(sides.stats[i]);
            if (energy < best - pricing.epsilon || score > best_score) {
                best = std::min(best, energy), best_score = score, best_cut = cut, best_mask = sides.mask;
            }
        });
        if (best_cut.kind == kLeaf) return;
        if (best_cut.kind == kSubset) best_cut.mask = masks_.intern(best_mask);
        out.energy = best;
        out.cuts[0] = best_cut;
        size_t children = 2;
        if (best_cut.kind == kMultiway) children = present(h, uint32_t(best_cut.feature)).size();
        out.cuts.resize(1 + children);  // leaves
    }

    void best_two(const Part& part, bool full, double ceiling, Solved& out) override {
        StackFrame frame(stack_);
        out.cuts.assign(1, Cut{});
        out.resolved = true;
        out.energy = leaf_energy(part);
        if (!pricing.splittable(part)) return;
        Histogram all = fresh();
        fill(part, all);
        const std::vector<uint32_t> order = features_by_score(all, full ? d_.n_features : kNarrow);
        Best best;
        best.limit = std::min(out.energy, ceiling);
        Histogram in = fresh(), rest = fresh();
        any_missing_ = lanes_ && has_missing(all);
        for (uint32_t f : order) sweep(part, f, all, in, rest, best);
        if (!(best.energy < best.limit - pricing.epsilon)) {
            // nothing below the limit: the leaf is best, or the ceiling is all that is known
            out.resolved = out.energy <= best.limit;
            out.energy = best.limit;
            return;
        }
        if (best.cut.kind == kSubset) best.cut.mask = masks_.intern(best.mask);
        std::vector<Part> parts;
        rows_.split(part, best.cut, stack_, parts);
        Solved below;
        out.energy = 0;
        out.cuts[0] = best.cut;
        for (const Part& p : parts) {
            best_one(p, below);
            out.energy += below.energy;
            out.cuts.push_back(below.cuts[0]);
        }
    }

    void complete(const Part&, bool, Solved&) override {}  // best_two leaves nothing open

private:
    struct Histogram {
        T* cells;         // ordered features: [code][width][lane]; the last code counts missing values
        T* stats;         // other features: [slot][width]
        uint32_t* rows;   // [slot]
        uint32_t n = 0;   // rows in all
        T* total;         // [width]
    };

    // The parts that a cut makes, without the rows.
    struct Sides {
        const T* stats[257];
        uint32_t rows[257];
        size_t count = 0;
        Mask mask{};
        bool allowed(uint32_t least) const {
            for (size_t i = 0; i < count; ++i)
                if (rows[i] < least || !rows[i]) return false;
            return true;
        }
    };

    struct Best {
        double limit = 0;  // what must be beaten
        double energy = std::numeric_limits<double>::infinity();
        double score = 0;
        Cut cut;
        Mask mask{};
    };

    // Features of unit-weight classification that are split by thresholds only stand side by side in
    // lanes, to be scanned together; all others have their own slots.
    void arrange() {
        const bool in_lanes = std::is_same<T, int32_t>::value && pricing.settings.cost_matrix.empty();
        place_.resize(d_.n_features);
        for (uint32_t f = 0; f < d_.n_features; ++f) (in_lanes && !d_.categorical[f] ? ordered_ : others_).push_back(f);
        for (uint32_t i = 0; i < ordered_.size(); ++i) {
            place_[ordered_[i]] = i;
            lane_codes_ = std::max(lane_codes_, uint32_t(d_.n_codes[ordered_[i]]));
        }
        lanes_ = uint32_t((ordered_.size() + 15) / 16 * 16);
        cells_ = lanes_ ? size_t(lane_codes_ + 1) * width_ * lanes_ : 0;
        offsets_.assign(d_.n_features, 0);
        for (uint32_t i = 0; i < others_.size(); ++i) {
            place_[others_[i]] = uint32_t(ordered_.size()) + i;
            offsets_[others_[i]] = slots_;
            slots_ += uint32_t(d_.n_codes[others_[i]]) + 1;
        }
    }
    bool in_lanes(uint32_t f) const { return place_[f] < ordered_.size(); }
    uint32_t missing_slot(uint32_t f) const { return in_lanes(f) ? lane_codes_ : uint32_t(d_.n_codes[f]); }

    Histogram fresh() {
        Histogram h;
        h.cells = stack_.take<T>(cells_);
        h.stats = stack_.take<T>(size_t(slots_) * width_);
        h.rows = stack_.take<uint32_t>(slots_);
        h.total = stack_.take<T>(width_);
        clear(h);
        return h;
    }
    void clear(Histogram& h) const {
        std::fill(h.cells, h.cells + cells_, T(0));
        std::fill(h.stats, h.stats + size_t(slots_) * width_, T(0));
        std::fill(h.rows, h.rows + slots_, 0u);
        std::fill(h.total, h.total + width_, T(0));
        h.n = 0;
    }

    // Adds (or, with sign -1, takes away) one row.
    void move(Histogram& h, uint32_t r, int sign, bool with_cells = true) const {
        const uint8_t* code = codes_.data() + size_t(r) * d_.n_features;
        h.n += uint32_t(sign);
        if (d_.n_classes) {
            const uint32_t c = uint32_t(d_.classes[r]);
            const T w = T(sign) * (d_.weights ? T(d_.weights[r]) : T(1));
            h.total[c] += w;
            T* cells = h.cells + size_t(c) * lanes_;
            const size_t stride = size_t(width_) * lanes_, ordered = ordered_.size();
            for (size_t i = 0; with_cells && i < ordered; ++i) cells[code[i] * stride + i] += w;
            for (size_t i = 0; i < others_.size(); ++i) {
                const size_t slot = offsets_[others_[i]] + code[ordered + i];
                h.stats[slot * width_ + c] += w;
                h.rows[slot] += uint32_t(sign);
            }
            return;
        }
        double s[3] = {};
        pricing.add_row(d_, r, s);
        for (int k = 0; k < 3; ++k) h.total[k] += T(sign * s[k]);
        for (size_t i = 0; i < others_.size(); ++i) {
            const size_t slot = offsets_[others_[i]] + code[i];
            for (int k = 0; k < 3; ++k) h.stats[slot * width_ + k] += T(sign * s[k]);
            h.rows[slot] += uint32_t(sign);
        }
    }

    // Statistics and rows of one code of a feature.
    uint32_t add_code(const Histogram& h, uint32_t f, int code, T* to) const {
        if (!in_lanes(f)) {
            const size_t s = slot(f, code);
            for (uint32_t k = 0; k < width_; ++k) to[k] += h.stats[s * width_ + k];
            return h.rows[s];
        }
        const size_t at = size_t(code == kMissing ? int(lane_codes_) : code) * width_ * lanes_ + place_[f];
        T n = 0;
        for (uint32_t k = 0; k < width_; ++k) to[k] += h.cells[at + size_t(k) * lanes_], n += h.cells[at + size_t(k) * lanes_];
        return uint32_t(n);
    }
    uint32_t rows_of_code(const Histogram& h, uint32_t f, int code) const {
        if (!in_lanes(f)) return h.rows[slot(f, code)];
        const size_t at = size_t(code == kMissing ? int(lane_codes_) : code) * width_ * lanes_ + place_[f];
        T n = 0;
        for (uint32_t k = 0; k < width_; ++k) n += h.cells[at + size_t(k) * lanes_];
        return uint32_t(n);
    }
    bool has_missing(const Histogram& h) const {
        const T* last = h.cells + size_t(lane_codes_) * width_ * lanes_;
        for (size_t i = 0; i < size_t(width_) * lanes_; ++i)
            if (last[i] != 0) return true;
        return false;
    }

    void fill(const Part& part, Histogram& h) {
        work += double(part.n) * d_.n_features;
        for (uint32_t i = 0; i < part.n; ++i) {
            if (i % 8192 == 0) limits_.check();
            move(h, part.rows[i], 1);
        }
    }

    double leaf_energy(const Part& part) {
        std::vector<double> stats(width_);
        pricing.totals(part, stats.data());
        return pricing.cost(stats.data()) + pricing.settings.leaf_penalty;
    }

    double cost(const T* s) const {
        if (d_.n_classes && pricing.settings.cost_matrix.empty()) {
            T sum = s[0], most = s[0];
            for (uint32_t c = 1; c < width_; ++c) sum += s[c], most = std::max(most, s[c]);
            return double(sum - most);
        }
        scratch_.resize(width_);
        for (uint32_t c = 0; c < width_; ++c) scratch_[c] = double(s[c]);
        return pricing.cost(scratch_.data());
    }

    double score_of(const T* s) const {
        scratch2_.resize(width_);
        for (uint32_t c = 0; c < width_; ++c) scratch2_[c] = double(s[c]);
        return pricing.part_score(scratch2_.data());
    }

    // Codes (255: missing) that the rows have in a feature, ascending.
    std::vector<int> present(const Histogram& h, uint32_t f) const {
        std::vector<int> out;
        for (int c = 0; c < d_.n_codes[f]; ++c)
            if (rows_of_code(h, f, c)) out.push_back(c);
        if (rows_of_code(h, f, kMissing)) out.push_back(kMissing);
        return out;
    }
    size_t slot(uint32_t f, int code) const { return offsets_[f] + (code == kMissing ? uint32_t(d_.n_codes[f]) : uint32_t(code)); }

    // Calls back for every cut of a feature, in the order of places.
    template <class F>
    void each_cut(const Histogram& h, uint32_t f, F&& callback) {
        present_.clear();
        for (int c = 0; c < d_.n_codes[f]; ++c)
            if (rows_of_code(h, f, c)) present_.push_back(c);
        const bool missing = rows_of_code(h, f, kMissing) != 0;
        if (present_.size() + missing < 2) return;
        StackFrame frame(stack_);
        Sides sides;
        Cut cut;
        cut.feature = int32_t(f);
        T* left = stack_.take<T>(width_);
        T* right = stack_.take<T>(width_);
        sides.stats[0] = left, sides.stats[1] = right;
        sides.count = 2;
        auto add = [&](T* to, uint32_t& n, int code) { n += add_code(h, f, code, to); };
        auto complement = [&] {
            for (uint32_t k = 0; k < width_; ++k) right[k] = h.total[k] - left[k];
            sides.rows[1] = h.n - sides.rows[0];
        };
        if (!d_.categorical[f]) {
            T* base = stack_.take<T>(width_);
            std::fill(base, base + width_, T(0));
            uint32_t n = 0;
            cut.kind = kNumeric;
            for (size_t i = 0; i < present_.size(); ++i) {
                add(base, n, present_[i]);
                if (i + 1 == present_.size() && !missing) break;
                cut.threshold = uint8_t(present_[i]);
                cut.missing_left = false;
                std::copy(base, base + width_, left);
                sides.rows[0] = n;
                complement();
                callback(cut, sides);
                if (i + 1 == present_.size() || !missing) continue;
                cut.missing_left = true;
                add(left, sides.rows[0], kMissing);
                complement();
                callback(cut, sides);
            }
            return;
        }
        if (missing) present_.push_back(kMissing);
        if (pricing.settings.categorical == Categorical::multiway) {
            cut.kind = kMultiway;
            sides.count = present_.size();
            for (size_t i = 0; i < present_.size(); ++i) {
                const size_t s = slot(f, present_[i]);
                sides.stats[i] = h.stats + s * width_;
                sides.rows[i] = h.rows[s];
            }
            callback(cut, sides);
        } else if (pricing.settings.categorical == Categorical::one_vs_rest || present_.size() <= 3) {
            cut.kind = kCategory;
            const size_t last = present_.size() == 2 ? 1 : present_.size();
            for (size_t i = 0; i < last; ++i) {
                cut.threshold = uint8_t(present_[i]);
                cut.missing_left = present_[i] == kMissing;
                std::fill(left, left + width_, T(0));
                sides.rows[0] = 0;
                add(left, sides.rows[0], present_[i]);
                complement();
                callback(cut, sides);
            }
        } else {
            subsets(h, f, [&](const std::vector<int>& order, auto&& fresh_mask) {
                std::fill(left, left + width_, T(0));
                sides.rows[0] = 0;
                sides.mask = Mask{};
                cut.kind = kSubset;
                for (size_t i = 0; i + 1 < order.size(); ++i) {
                    add(left, sides.rows[0], order[i]);
                    sides.mask[order[i] >> 6] |= uint64_t(1) << (order[i] & 63);
                    if (!fresh_mask(sides.mask)) continue;
                    complement();
                    cut.missing_left = sides.mask[3] >> 63;
                    callback(cut, sides);
                }
            });
        }
    }

    // The orders in which the categories of a feature are tried (see the Python twin).
    template <class F>
    void subsets(const Histogram& h, uint32_t f, F&& callback) {
        const std::vector<int> codes = present_;
        Mask whole{};
        for (int c : codes) whole[c >> 6] |= uint64_t(1) << (c & 63);
        std::vector<Mask> met;
        auto fresh_mask = [&](const Mask& m) {
            Mask other;
            for (int i = 0; i < 4; ++i) other[i] = whole[i] ^ m[i];
            for (const Mask& x : met)
                if (x == m || x == other) return false;
            met.push_back(m);
            return true;
        };
        std::vector<uint32_t> classes;
        if (!d_.n_classes) classes = {0};
        else if (d_.n_classes == 2) classes = {1};
        else {
            for (uint32_t c = 0; c < width_; ++c)
                if (h.total[c] > 0) classes.push_back(c);
            std::stable_sort(classes.begin(), classes.end(), [&](uint32_t a, uint32_t b) { return h.total[a] > h.total[b]; });
            if (classes.size() > kSubsetClasses) classes.resize(kSubsetClasses);
        }
        for (uint32_t k : classes) {
            std::vector<std::pair<double, int>> order;
            for (int c : codes) {
                const T* s = h.stats + slot(f, c) * width_;
                double whole_weight = 0;
                if (d_.n_classes) for (uint32_t j = 0; j < width_; ++j) whole_weight += double(s[j]);
                else whole_weight = double(s[0]);
                const double some = double(d_.n_classes ? s[k] : s[1]);
                order.push_back({whole_weight > 0 ? some / whole_weight : 0.0, c});
            }
            std::sort(order.begin(), order.end());
            std::vector<int> sorted;
            for (const auto& [rate, c] : order) sorted.push_back(c);
            callback(sorted, fresh_mask);
        }
    }

    std::vector<uint32_t> features_by_score(const Histogram& h, size_t most) {
        std::vector<std::pair<double, uint32_t>> best;
        for (uint32_t f = 0; f < d_.n_features; ++f) {
            double top = -std::numeric_limits<double>::infinity();
            each_cut(h, f, [&](const Cut&, const Sides& sides) {
                if (!sides.allowed(pricing.settings.min_samples_leaf)) return;
                double score = 0;
                for (size_t i = 0; i < sides.count; ++i) score += score_of(sides.stats[i]);
                top = std::max(top, score);
            });
            if (top > -std::numeric_limits<double>::infinity()) best.push_back({-top, f});
        }
        std::sort(best.begin(), best.end());
        if (best.size() > most) best.resize(most);
        std::vector<uint32_t> out;
        for (const auto& [score, f] : best) out.push_back(f);
        return out;
    }

    // Energies of the best trees of at most one split, of a set within another and of the rest.
    std::pair<double, double> two_sides(const Histogram& in, const Histogram& rest, const Histogram& all) {
        int32_t right_in = 0, right_rest = 0;
        if (lanes_) scan(in, all, right_in, right_rest);
        return {one_level(in, right_in), one_level(rest, right_rest)};
    }

    void scan(const Histogram& in, const Histogram& all, int32_t& right_in, int32_t& right_rest) {
        if constexpr (std::is_same<T, int32_t>::value) {
            scan_scratch_.resize(size_t(width_) * 32);
            LaneScan s{in.cells, all.cells, lane_codes_, width_, lanes_, in.total, all.total, int32_t(in.n), int32_t(all.n - in.n),
                       int32_t(pricing.settings.min_samples_leaf), false, scan_scratch_.data(), &right_in, &right_rest};
            for (int with = 0; with < (any_missing_ ? 2 : 1); ++with) {
                s.missing_left = with;
                k_.scan_lanes(s);
            }
        } else {
            (void)in, (void)all, (void)right_in, (void)right_rest;
        }
    }

    // The best of what the lanes found (rows right with one threshold) and the other features.
    double one_level(const Histogram& h, int32_t right) {
        const Settings& s = pricing.settings;
        const double leaf = cost(h.total) + s.leaf_penalty;
        if (leaf <= s.leaf_penalty + pricing.epsilon) return leaf;
        if (h.n < std::max<uint64_t>(s.min_samples_split, uint64_t(2) * s.min_samples_leaf)) return leaf;
        if (s.min_entropy > 0) {
            std::vector<double> stats(h.total, h.total + width_);
            if (pricing.entropy(stats.data()) < s.min_entropy) return leaf;
        }
        double best = leaf;
        if (right) best = std::min(best, double(h.n - uint32_t(right)) + 2 * s.leaf_penalty);
        for (uint32_t f : others_) one_level_general(h, f, best);
        return best < leaf - pricing.epsilon ? best : leaf;
    }

    void one_level_general(const Histogram& h, uint32_t f, double& best) {
        each_cut(h, f, [&](const Cut&, const Sides& sides) {
            if (!sides.allowed(pricing.settings.min_samples_leaf)) return;
            double energy = 0;
            for (size_t i = 0; i < sides.count; ++i) energy += cost(sides.stats[i]) + pricing.settings.leaf_penalty;
            best = std::min(best, energy);
        });
    }

    // All roots that cut feature f.
    void sweep(const Part& part, uint32_t f, const Histogram& all, Histogram& in, Histogram& rest, Best& best) {
        const std::vector<int> codes = present(all, f);
        if (codes.size() < 2) return;
        StackFrame frame(stack_);
        // the rows, one code after the other
        uint32_t* sorted = stack_.take<uint32_t>(part.n);
        std::vector<uint32_t> begin(size_t(missing_slot(f)) + 2, 0);
        for (uint32_t i = 0; i < part.n; ++i) ++begin[size_t(codes_[size_t(part.rows[i]) * d_.n_features + place_[f]]) + 1];
        for (size_t c = 1; c < begin.size(); ++c) begin[c] += begin[c - 1];
        std::vector<uint32_t> next(begin.begin(), begin.end() - 1);
        for (uint32_t i = 0; i < part.n; ++i) sorted[next[codes_[size_t(part.rows[i]) * d_.n_features + place_[f]]]++] = part.rows[i];
        auto move_code = [&](int code, Histogram& to, int sign) {
            const bool is_rest = &to == &rest;
            if (is_rest && others_.empty()) return;  // what is left of `all` is read off there
            const size_t c = code == kMissing ? missing_slot(f) : size_t(code);
            work += double(begin[c + 1] - begin[c]) * d_.n_features;
            for (uint32_t i = begin[c]; i < begin[c + 1]; ++i) {
                if ((i & 4095) == 0) limits_.check();
                move(to, sorted[i], sign, !is_rest);
            }
        };
        Cut cut;
        cut.feature = int32_t(f);
        if (!d_.categorical[f]) {
            const bool missing = codes.back() == kMissing;
            cut.kind = kNumeric;
            for (int with = 0; with < (missing ? 2 : 1); ++with) {
                cut.missing_left = with;
                clear(in);
                copy(all, rest);
                if (with) move_code(kMissing, in, 1), move_code(kMissing, rest, -1);
                std::vector<int> order(codes.begin(), codes.end() - (missing ? 1 : 0));
                if (missing && !with) order.push_back(kMissing);  // so that "not missing" is a cut of its own
                run(order, in, rest, all, best, cut, move_code, nullptr);
            }
            return;
        }
        if (pricing.settings.categorical == Categorical::multiway) {
            cut.kind = kMultiway;
            double energy = 0, score = 0;
            for (int c : codes) {
                if (rows_of_code(all, f, c) < pricing.settings.min_samples_leaf) return;
                clear(in);
                move_code(c, in, 1);
                limits_.check();
                int32_t right = 0, none = 0;
                if (lanes_) scan(in, in, right, none);
                energy += one_level(in, right);
                score += score_of(in.total);
            }
            offer(energy, score, cut, Mask{}, best);
        } else if (pricing.settings.categorical == Categorical::one_vs_rest || codes.size() <= 3) {
            cut.kind = kCategory;
            for (size_t i = 0; i < (codes.size() == 2 ? 1 : codes.size()); ++i) {
                clear(in);
                copy(all, rest);
                move_code(codes[i], in, 1), move_code(codes[i], rest, -1);
                cut.threshold = uint8_t(codes[i]);
                cut.missing_left = codes[i] == kMissing;
                weigh(in, rest, all, cut, Mask{}, best);
            }
        } else {
            cut.kind = kSubset;
            present_ = codes;
            std::vector<std::vector<int>> orders;
            subsets(all, f, [&](const std::vector<int>& order, auto&&) { orders.push_back(order); });
            for (const auto& order : orders) {
                Mask mask{};
                clear(in);
                copy(all, rest);
                run(order, in, rest, all, best, cut, move_code, &mask);
            }
        }
    }

    void copy(const Histogram& from, Histogram& to) const {
        // not the cells: those of the rest are read off the whole
        std::copy(from.stats, from.stats + size_t(slots_) * width_, to.stats);
        std::copy(from.rows, from.rows + slots_, to.rows);
        std::copy(from.total, from.total + width_, to.total);
        to.n = from.n;
    }

    // Prefixes of an order of codes. Moving rows of weight w changes the energy by at most w errors:
    // after a bad prefix, those that cannot be good yet are passed over.
    template <class Move>
    void run(const std::vector<int>& order, Histogram& in, Histogram& rest, const Histogram& all, Best& best, Cut cut, Move&& move_code, Mask* mask) {
        const bool may_skip = !pricing.settings.constrained() && d_.n_classes;
        double slack = 0;
        double weight_before = weight_of(in);
        for (size_t i = 0; i + 1 < order.size(); ++i) {
            move_code(order[i], in, 1);
            move_code(order[i], rest, -1);
            if (mask) (*mask)[order[i] >> 6] |= uint64_t(1) << (order[i] & 63);
            if (may_skip) {
                const double weight = weight_of(in);
                slack -= (weight - weight_before) * pricing.worst_error;
                weight_before = weight;
                if (slack > pricing.epsilon) continue;
            }
            cut.threshold = mask ? 0 : uint8_t(order[i]);
            if (mask) cut.missing_left = (*mask)[3] >> 63;
            const double energy = weigh(in, rest, all, cut, mask ? *mask : Mask{}, best);
            slack = energy - std::min(best.energy, best.limit);
        }
    }

    double weight_of(const Histogram& h) const {
        double sum = 0;
        for (uint32_t k = 0; k < width_; ++k) sum += double(h.total[k]);
        return sum;
    }

    double weigh(const Histogram& in, Histogram& rest, const Histogram& all, const Cut& cut, const Mask& mask, Best& best) {
        const uint32_t least = pricing.settings.min_samples_leaf;
        if (others_.empty()) {
            for (uint32_t k = 0; k < width_; ++k) rest.total[k] = all.total[k] - in.total[k];
            rest.n = all.n - in.n;
        }
        if (in.n < least || rest.n < least) return std::numeric_limits<double>::infinity();
        limits_.check();
        work += double(cells_) / 2 + 4.0 * slots_ * width_;
        const auto [left, right] = two_sides(in, rest, all);
        const double energy = left + right;
        const double reach = std::min(best.energy, best.limit);
        if (energy <= reach + pricing.epsilon) offer(energy, score_of(in.total) + score_of(rest.total), cut, mask, best);
        return energy;
    }

    void offer(double energy, double score, const Cut& cut, const Mask& mask, Best& best) {
        const bool tie = std::abs(energy - best.energy) <= pricing.epsilon;
        const bool take = tie ? score > best.score || (score == best.score && earlier(cut, best.cut)) : energy < best.energy;
        if (!take) return;
        if (!tie) best.energy = energy;
        best.score = score, best.cut = cut, best.mask = mask;
    }
    // Features come in the order of their scores here; ties go to the place in the list of cuts.
    static bool earlier(const Cut& a, const Cut& b) {
        if (a.feature != b.feature) return a.feature < b.feature;
        if (a.kind == kNumeric && a.threshold != b.threshold) return a.threshold < b.threshold;
        return a.kind == kNumeric && a.missing_left < b.missing_left;
    }

    const DataView& d_;
    const Rows& rows_;
    MaskPool& masks_;
    Stack& stack_;
    Limits& limits_;
    const Kernels& k_;
    const uint32_t width_;
    std::vector<uint32_t> ordered_, others_;  // features in lanes, and with slots of their own
    std::vector<uint32_t> place_;             // of a feature in a row of codes_
    std::vector<uint32_t> offsets_;           // first slot of a feature
    uint32_t slots_ = 0, lanes_ = 0, lane_codes_ = 0;
    size_t cells_ = 0;
    bool any_missing_ = false;                // in the part being solved
    std::vector<int32_t> scan_scratch_;
    std::vector<uint8_t> codes_;
    std::vector<int> present_;
    mutable std::vector<double> scratch_, scratch2_;
};

}  // namespace dilemma::tree
