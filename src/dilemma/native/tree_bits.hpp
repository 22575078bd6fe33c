// Binary attributes, one bit a row: for unit weights and a moderate number of different cuts.
#pragma once

#include "tree_kernels.hpp"
#include "tree_space.hpp"
#include "tree_threads.hpp"

namespace dilemma::tree {

class Bits final : public Space {
public:
    static constexpr size_t kNarrow = 128;        // cuts that make up a two-level tree below full effort
    static constexpr uint32_t kMostRows = 65535;  // 16-bit counters

    // All cuts of these columns as attributes, in the order of their places.
    static std::vector<Cut> attributes(const DataView& data) {
        std::vector<Cut> out;
        for (uint32_t f = 0; f < data.n_features; ++f) {
            std::vector<int> codes = codes_present(data, f);
            if (codes.size() < 2) continue;
            auto cut = [&](Kind kind, int code, bool missing_left) {
                Cut made;
                made.feature = int32_t(f), made.kind = kind, made.threshold = uint8_t(code), made.missing_left = missing_left;
                out.push_back(made);
            };
            const bool missing = codes.back() == kMissing;
            if (data.categorical[f]) {
                for (size_t i = 0; i < (codes.size() == 2 ? 1 : codes.size()); ++i) cut(kCategory, codes[i], codes[i] == kMissing);
                continue;
            }
            if (missing) codes.pop_back();
            for (size_t i = 0; i + 1 < codes.size(); ++i) {
                cut(kNumeric, codes[i], false);
                if (missing) cut(kNumeric, codes[i], true);
            }
            if (missing) cut(kNumeric, codes.back(), false);
        }
        return out;
    }

    static std::vector<int> codes_present(const DataView& data, uint32_t f) {
        const uint8_t* column = data.column(f);
        std::vector<int> codes;
        if (data.n_codes[f] <= 2) {  // three passes without a branch take less than one with a table
            const size_t rows = data.n_rows;
            for (const uint8_t c : {uint8_t(0), uint8_t(1), uint8_t(kMissing)}) {
                uint8_t any = 0;
                for (size_t r = 0; r < rows; ++r) any |= uint8_t(column[r] == c);
                if (any) codes.push_back(c);
            }
            return codes;
        }
        bool present[256] = {};
        for (uint32_t r = 0; r < data.n_rows; ++r) present[column[r]] = true;
        for (int c = 0; c < 256; ++c)
            if (present[c]) codes.push_back(c);
        return codes;
    }

    // Whether every cut of these columns is such an attribute.
    static bool fits(const DataView& data, const Settings& settings) {
        if (!data.n_classes || data.weights || !settings.cost_matrix.empty()) return false;
        for (uint32_t f = 0; f < data.n_features; ++f) {
            if (!data.categorical[f]) continue;
            if (settings.categorical == Categorical::multiway) return false;
            if (settings.categorical != Categorical::subset) continue;
            const uint8_t* column = data.column(f);
            const bool missing = std::find(column, column + data.n_rows, uint8_t(kMissing)) != column + data.n_rows;
            if (data.n_codes[f] + missing > 3) return false;  // up to three, one against the rest is all there is
        }
        return true;
    }

    Bits(Pricing& pricing, const Rows& rows, const MaskPool& masks, Stack& stack, Limits& limits, const Kernels& kernels,
         const std::vector<Cut>& attributes)
        : Space(pricing), rows_(rows), masks_(masks), stack_(stack), limits_(limits), k_(kernels) {
        build(attributes);
    }

    size_t attribute_count() const { return cuts_.size(); }
    size_t bytes() const override { return bits_.size() * 8; }

    // Column by column, one bit a row, the rows in this order.
    void columns_in_order(const std::vector<uint32_t>& order, std::vector<uint64_t>& out) const {
        const size_t row_words = (order.size() + 63) / 64;
        out.assign(cuts_.size() * row_words, 0);
        for (size_t w = 0; w < words_; ++w)
            for (size_t block = 0; block < row_words; ++block) {
                uint64_t tile[64];
                for (size_t k = 0; k < 64; ++k)
                    tile[k] = block * 64 + k < order.size() ? bits_[size_t(order[block * 64 + k]) * stride_ + w] : 0;
                transpose64(tile);
                for (size_t k = 0; k < 64 && w * 64 + k < cuts_.size(); ++k) out[(w * 64 + k) * row_words + block] = tile[k];
            }
    }

    void rank(const Part& part, Ranking& out) override {
        StackFrame frame(stack_);
        const Counts c = count(part, true);
        out.clear();
        for (size_t a = 0; a < cuts_.size(); ++a)
            if (allowed(c, part, a)) out.add({c.score[a], uint32_t(a), cuts_[a]});
    }

    void best_one(const Part& part, Solved& out) override { best_one(part, nullptr, out); }

    // Among some cuts, or all.
    void best_one(const Part& part, const std::vector<uint32_t>* among, Solved& out) {
        StackFrame frame(stack_);
        const double penalty = pricing.settings.leaf_penalty;
        out.cuts.assign(1, Cut{});
        out.resolved = true;
        const uint32_t most = largest_class(part);
        out.energy = double(part.n - most) + penalty;
        if (most == part.n || !pricing.splittable(part)) return;
        const Counts c = count(part, false);
        uint32_t right = 0;
        const size_t many = among ? among->size() : cuts_.size();
        const auto attribute = [&](size_t i) { return among ? size_t((*among)[i]) : i; };
        for (size_t i = 0; i < many; ++i) {
            const size_t a = attribute(i);
            if (allowed(c, part, a)) right = std::max(right, c.in[a] + c.out[a]);
        }
        const double energy = double(part.n - right) + penalty + penalty;
        if (!right || !(energy < out.energy - pricing.epsilon)) return;
        size_t best = cuts_.size();
        double best_score = 0;
        for (size_t i = 0; i < many; ++i) {
            const size_t a = attribute(i);
            if (c.in[a] + c.out[a] != right || !allowed(c, part, a)) continue;
            const double score = score_of(c, part, a);
            if (best == cuts_.size() || score > best_score) best = a, best_score = score;
        }
        out.energy = energy;
        out.cuts.assign(3, Cut{});  // the root and two leaves
        out.cuts[0] = cuts_[best];
    }

    void best_two(const Part& part, bool full, double ceiling, Solved& out) override {
        StackFrame frame(stack_);
        const double penalty = pricing.settings.leaf_penalty;
        out.cuts.assign(1, Cut{});
        out.resolved = true;
        const uint32_t most = largest_class(part);
        out.energy = double(part.n - most) + penalty;
        if (most == part.n || !pricing.splittable(part)) return;
        const Counts c = count(part, true);
        const std::vector<uint32_t>& chosen = choose(part, c, full);
        if (chosen.empty()) return;
        uint16_t *left = nullptr, *right = nullptr;
        uint32_t *left_wide = nullptr, *right_wide = nullptr;
        if (part.n <= kMostRows) pairs(part, c, chosen, left, right);
        else pairs_by_root(part, c, chosen, left_wide, right_wide);

        double best = std::numeric_limits<double>::infinity();
        size_t root = cuts_.size();
        for (size_t i = 0; i < chosen.size(); ++i) {
            const uint32_t a = chosen[i];
            const double l = side(part, c, a, true, left ? left[i] : left_wide[i]);
            const double r = side(part, c, a, false, right ? right[i] : right_wide[i]);
            const double energy = l + r;
            const bool tie = root != cuts_.size() && std::abs(energy - best) <= pricing.epsilon;
            if (tie ? before(c.score[a], a, c.score[root], root) : energy < best) {
                if (!tie) best = energy;
                root = a;
            }
        }
        if (!(best < out.energy - pricing.epsilon)) return;
        out.energy = best;
        out.resolved = best < ceiling - pricing.epsilon;
        out.cuts[0] = cuts_[root];
    }

    void complete(const Part& part, bool full, Solved& out) override {
        StackFrame frame(stack_);
        const std::vector<uint32_t>* among = full ? nullptr : &choose(part, count(part, true), full);
        std::vector<Part> parts;
        rows_.split(part, out.cuts[0], stack_, parts);
        Solved below;
        for (const Part& p : parts) {
            best_one(p, among, below);
            out.cuts.push_back(below.cuts[0]);
        }
    }

private:
    struct Counts {
        std::vector<uint32_t> classes;  // present ones
        uint32_t* set;                  // [present class][attribute]
        uint32_t* all;                  // [attribute]: rows with the bit
        uint32_t* in;                   // [attribute]: largest class among the set rows
        uint32_t* out;                  // ... among the clear ones
        double* score;                  // [attribute], if asked for
    };

    void build(const std::vector<Cut>& all) {
        const DataView& d = pricing.data;
        const size_t row_words = (size_t(d.n_rows) + 63) / 64;
        // one attribute of each partition of all rows: equal and complementary ones cut alike
        std::unordered_map<uint64_t, std::vector<Key>> met;
        std::vector<uint64_t> columns;
        std::vector<uint8_t> flags(row_words * 64, 0);
        for (const Cut& cut : all) {
            columns.resize((cuts_.size() + 1) * row_words);
            uint64_t* column = columns.data() + cuts_.size() * row_words;
            pack_column(cut, flags.data(), column, row_words);
            const Key name = name_of(column, row_words);
            std::vector<Key>& others = met[name.a];
            if (std::find(others.begin(), others.end(), name) != others.end()) continue;
            others.push_back(name);
            cuts_.push_back(cut);
            if (cuts_.size() % 16 == 0) limits_.check();
        }
        words_ = std::max<size_t>((cuts_.size() + 63) / 64, 1);
        stride_ = words_ <= 2 ? words_ : words_ <= 4 ? 4 : (words_ + 7) / 8 * 8;
        padded_ = words_ * 64;
        bits_.assign(row_words * 64 * stride_ + 16, 0);
        zero_.assign(std::max<size_t>(stride_, words_ + 1) + 16, 0);
        for (size_t w = 0; w < words_; ++w) {
            limits_.check();
            for (size_t block = 0; block < row_words; ++block) {
                uint64_t tile[64];
                for (size_t k = 0; k < 64; ++k)
                    tile[k] = w * 64 + k < cuts_.size() ? columns[(w * 64 + k) * row_words + block] : 0;
                transpose64(tile);
                for (size_t k = 0; k < 64; ++k) bits_[(block * 64 + k) * stride_ + w] = tile[k];
            }
        }
    }

    // One bit a row: does the cut send it left?
    void pack_column(const Cut& cut, uint8_t* flags, uint64_t* out, size_t row_words) const {
        const DataView& d = pricing.data;
        const uint8_t* column = d.column(cut.feature);
        const uint8_t code = cut.threshold, missing = cut.kind == kNumeric && cut.missing_left ? kMissing : code;
        const size_t rows = d.n_rows;  // a local of full width: the loops below become vector code
        if (cut.kind == kNumeric)
            for (size_t r = 0; r < rows; ++r) flags[r] = uint8_t((column[r] <= code) | (column[r] == missing));
        else
            for (size_t r = 0; r < rows; ++r) flags[r] = uint8_t(column[r] == code);
        for (size_t w = 0; w < row_words; ++w) {
            uint64_t word = 0;
            for (int byte = 0; byte < 8; ++byte) {
                uint64_t eight;  // the lowest bit of eight bytes, gathered by one product
                std::memcpy(&eight, flags + w * 64 + byte * 8, 8);
                word |= (eight * 0x0102040810204080ull >> 56) << (8 * byte);
            }
            out[w] = word;
        }
    }

    // The same for a column and its complement. Bits past the last row are clear in both.
    Key name_of(const uint64_t* column, size_t row_words) const {
        const uint64_t flip = column[0] & 1 ? ~uint64_t(0) : 0;
        const uint32_t tail = pricing.data.n_rows % 64;
        Key key{1, 2};
        for (size_t w = 0; w < row_words; ++w) {
            uint64_t word = column[w] ^ flip;
            if (w + 1 == row_words && tail) word &= (uint64_t(1) << tail) - 1;
            key.a = mix(key.a ^ word), key.b = (key.b ^ word) * 0x9E3779B97F4A7C15ull + (key.b >> 31);
        }
        return key;
    }

    static void transpose64(uint64_t tile[64]) {
        uint64_t mask = 0x00000000FFFFFFFFull;
        for (int half = 32; half; half >>= 1, mask ^= mask << half) {
            for (int k = 0; k < 64; k = (k + half + 1) & ~half) {
                const uint64_t swap = ((tile[k] >> half) ^ tile[k + half]) & mask;
                tile[k + half] ^= swap;
                tile[k] ^= swap << half;
            }
        }
    }

    static uint32_t largest_class(const Part& part, uint32_t groups) {
        uint32_t most = 0;
        for (uint32_t g = 0, from = 0; g < groups; from = part.ends[g], ++g) most = std::max(most, part.ends[g] - from);
        return most;
    }
    uint32_t largest_class(const Part& part) const { return largest_class(part, rows_.groups()); }

    bool allowed(const Counts& c, const Part& part, size_t a) const {
        const uint32_t least = pricing.settings.min_samples_leaf;
        return c.all[a] >= least && part.n - c.all[a] >= least;
    }

    // The cuts that a two-level tree is made of, ascending.
    const std::vector<uint32_t>& choose(const Part& part, const Counts& c, bool full) {
        chosen_.clear();
        for (size_t a = 0; a < cuts_.size(); ++a)
            if (allowed(c, part, a)) chosen_.push_back(uint32_t(a));
        if (!full && chosen_.size() > kNarrow) {
            auto better = [&](uint32_t x, uint32_t y) { return before(c.score[x], x, c.score[y], y); };
            std::nth_element(chosen_.begin(), chosen_.begin() + kNarrow, chosen_.end(), better);
            chosen_.resize(kNarrow);
            std::sort(chosen_.begin(), chosen_.end());
        }
        return chosen_;
    }

    // Class counts of every attribute.
    Counts count(const Part& part, bool with_scores) {
        Counts c;
        const uint32_t groups = rows_.groups();
        for (uint32_t g = 0, from = 0; g < groups; from = part.ends[g], ++g)
            if (part.ends[g] > from) c.classes.push_back(g);
        c.set = stack_.take<uint32_t>(padded_ * c.classes.size());
        work += double(part.n) * double(words_) / 4 + double(padded_ * c.classes.size()) / 4;
        c.all = zeros<uint32_t>();
        c.in = zeros<uint32_t>();
        c.out = zeros<uint32_t>();
        c.score = nullptr;
        const bool entropy = with_scores && pricing.settings.criterion == Criterion::entropy;
        int64_t* sum = entropy ? zeros<int64_t>() : nullptr;
        for (size_t k = 0; k < c.classes.size(); ++k) {
            const uint32_t g = c.classes[k], from = g ? part.ends[g - 1] : 0, n = part.ends[g] - from;
            uint32_t* row = c.set + k * padded_;
            k_.count_columns(bits_.data(), stride_, words_, part.rows + from, n, zero_.data(), row);
            for (size_t a = 0; a < padded_; ++a) c.all[a] += row[a];
            k_.keep_largest(row, n, padded_, c.in, c.out);
            if (entropy) k_.add_entropy(row, n, pricing.entropy_table.data(), padded_, sum);
        }
        if (with_scores) {
            c.score = stack_.take<double>(padded_);
            const int64_t* table = pricing.entropy_table.data();
            for (size_t a = 0; a < cuts_.size(); ++a)
                c.score[a] = entropy ? double(sum[a] - table[c.all[a]] - table[part.n - c.all[a]]) : score_of(c, part, a);
        }
        return c;
    }

    double score_of(const Counts& c, const Part& part, size_t a) const {
        const uint32_t inside = c.all[a], outside = part.n - inside;
        switch (pricing.settings.criterion) {
            case Criterion::error: return -double(inside - c.in[a]) - double(outside - c.out[a]);
            case Criterion::gini: {
                double x = 0, y = 0;
                each_class(c, part, a, [&](double i, double o) { x += i * i, y += o * o; });
                return (inside ? x / inside : 0.0) + (outside ? y / outside : 0.0);
            }
            default: break;
        }
        const int64_t* table = pricing.entropy_table.data();
        int64_t sum = -table[inside] - table[outside];
        each_class(c, part, a, [&](double i, double o) { sum += table[size_t(i)] + table[size_t(o)]; });
        return double(sum);
    }

    template <class F>
    void each_class(const Counts& c, const Part& part, size_t a, F f) const {
        for (size_t k = 0; k < c.classes.size(); ++k) {
            const uint32_t g = c.classes[k], n = part.ends[g] - (g ? part.ends[g - 1] : 0), in = c.set[k * padded_ + a];
            f(double(in), double(n - in));
        }
    }

    // Energy of one side of a root: a leaf, or the best split found there.
    double side(const Part& part, const Counts& c, size_t a, bool set, uint32_t right) const {
        const Settings& s = pricing.settings;
        const uint32_t n = set ? c.all[a] : part.n - c.all[a];
        const double leaf = double(n - (set ? c.in[a] : c.out[a])) + s.leaf_penalty;
        if (!right || n < s.min_samples_split) return leaf;
        if (s.min_entropy > 0) {
            std::vector<double> stats(pricing.width, 0.0);
            size_t k = 0;
            each_class(c, part, a, [&](double i, double o) { stats[c.classes[k++]] = set ? i : o; });
            if (pricing.entropy(stats.data()) < s.min_entropy) return leaf;
        }
        const double split = double(n - right) + s.leaf_penalty + s.leaf_penalty;
        return split < leaf - pricing.epsilon ? split : leaf;
    }

    // Packs the chosen attributes of the rows into lanes and runs the pair kernel. The first group is
    // the one that is not full: the kernel's work grows from group to group.
    void pairs(const Part& part, const Counts& c, const std::vector<uint32_t>& chosen, uint16_t*& left, uint16_t*& right) {
        const size_t columns = chosen.size(), groups = (columns + 31) / 32, first = groups * 32 - columns;
        const size_t words64 = (groups + 1) / 2, lanes_each = words64 * 64;
        uint32_t* begins = stack_.take<uint32_t>(c.classes.size() + 1);
        uint16_t* totals = stack_.take<uint16_t>(c.classes.size());
        uint32_t words = 0;
        for (size_t k = 0; k < c.classes.size(); ++k) {
            const uint32_t g = c.classes[k], n = part.ends[g] - (g ? part.ends[g - 1] : 0);
            begins[k] = words, totals[k] = uint16_t(n);
            words += (n + 15) / 16;
        }
        begins[c.classes.size()] = words;
        uint16_t* lanes = stack_.take<uint16_t>(lanes_each * words);
        pack(part, c, chosen, first, words64, words, begins, lanes);

        uint16_t* ones = stack_.take<uint16_t>(c.classes.size() * groups * 32);
        uint16_t* ones_all = stack_.take<uint16_t>(groups * 32);
        std::memset(ones, 0, c.classes.size() * groups * 32 * 2);
        std::memset(ones_all, 0, groups * 32 * 2);
        for (size_t k = 0; k < c.classes.size(); ++k)
            for (size_t i = 0; i < columns; ++i) ones[k * groups * 32 + first + i] = uint16_t(c.set[k * padded_ + chosen[i]]);
        for (size_t i = 0; i < columns; ++i) ones_all[first + i] = uint16_t(c.all[chosen[i]]);
        const double effort = double(columns) * double(columns) / 64 * (3.0 * words + 10.0 * double(c.classes.size()));
        work += effort;
        const Packed p{lanes, ones, ones_all, totals, begins, first, groups, words, c.classes.size(), part.n};
        const uint32_t least = pricing.settings.min_samples_leaf;
        // a thread costs tens of microseconds; a million vector operations some hundreds
        const int threads = effort > 1e6 ? int(std::min<size_t>(size_t(pricing.settings.n_threads), groups)) : 1;
        std::vector<PairScores> scores;
        for (int t = 0; t < threads; ++t)
            scores.push_back({stack_.take<uint16_t>(groups * 32), stack_.take<uint16_t>(groups * 32),
                              stack_.take<uint16_t>(groups * 32 * 64), size_t(t), size_t(threads)});
        in_parallel(threads, [&](int t) {
            k_.pair_scores(p, least, scores[size_t(t)], t == 0 && effort > 1e6 ? &limits_ : nullptr);
        });
        left = scores[0].left + first, right = scores[0].right + first;
        for (int t = 1; t < threads; ++t)
            for (size_t i = 0; i < columns; ++i) {
                left[i] = std::max(left[i], scores[size_t(t)].left[first + i]);
                right[i] = std::max(right[i], scores[size_t(t)].right[first + i]);
            }
    }

    void pack(const Part& part, const Counts& c, const std::vector<uint32_t>& chosen, size_t first, size_t words64,
              uint32_t words, const uint32_t* begins, uint16_t* lanes) {
        uint64_t* mask = stack_.take<uint64_t>(words_);
        uint64_t* small = stack_.take<uint64_t>(16 * words64);
        std::memset(mask, 0, words_ * 8);
        std::memset(small, 0, 16 * words64 * 8);
        for (uint32_t a : chosen) mask[a / 64] |= uint64_t(1) << (a % 64);
        const uint64_t* at[16];
        for (size_t k = 0; k < c.classes.size(); ++k) {
            const uint32_t g = c.classes[k], from = g ? part.ends[g - 1] : 0, to = part.ends[g];
            uint32_t word = begins[k];
            for (uint32_t i = from; i < to; i += 16, ++word) {
                for (uint32_t r = 0; r < 16; ++r) {
                    at[r] = zero_.data();
                    if (i + r >= to) continue;
                    k_.extract_bits(bits_.data() + size_t(part.rows[i + r]) * stride_, mask, words_, unsigned(first), small + r * words64);
                    at[r] = small + r * words64;
                }
                for (size_t w = 0; w < words64; ++w)
                    k_.transpose16(at, w, lanes + (2 * w * words + word) * 32, size_t(words) * 32);
            }
        }
    }

    // The same for more rows than the pair kernel counts: one root at a time.
    void pairs_by_root(const Part& part, const Counts& c, const std::vector<uint32_t>& chosen, uint32_t*& left, uint32_t*& right) {
        (void)c;
        left = stack_.take<uint32_t>(chosen.size());
        right = stack_.take<uint32_t>(chosen.size());
        std::vector<Part> parts;
        for (size_t i = 0; i < chosen.size(); ++i) {
            StackFrame frame(stack_);
            limits_.check();
            rows_.split(part, cuts_[chosen[i]], stack_, parts);
            for (int s = 0; s < 2; ++s) {
                const Counts below = count(parts[s], false);
                uint32_t most = 0;
                for (uint32_t a : chosen)
                    if (allowed(below, parts[s], a)) most = std::max(most, below.in[a] + below.out[a]);
                (s ? right : left)[i] = most;
            }
        }
    }

    template <class T>
    T* zeros() {
        T* out = stack_.take<T>(padded_);
        std::memset(out, 0, padded_ * sizeof(T));
        return out;
    }

    const Rows& rows_;
    const MaskPool& masks_;
    Stack& stack_;
    Limits& limits_;
    const Kernels& k_;
    std::vector<Cut> cuts_;
    std::vector<uint64_t> bits_, zero_;
    std::vector<uint32_t> chosen_;
    size_t words_ = 0, stride_ = 0, padded_ = 0;
};

}  // namespace dilemma::tree
