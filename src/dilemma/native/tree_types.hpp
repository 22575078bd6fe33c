// Plain types of the tree engine: data views, settings, cuts, limits.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace dilemma::tree {

constexpr int kMissing = 255;
constexpr double kFixedPoint = 1 << 20;  // n log2 n in integers, so that ties are ties

enum Kind : uint8_t { kLeaf, kNumeric, kCategory, kSubset, kMultiway };
enum class Criterion { entropy, gini, error, squared_error };
enum class Categorical { subset, one_vs_rest, multiway };

// Coded rows that someone else owns; shapes and ranges were checked in Python.
struct DataView {
    const uint8_t* codes = nullptr;  // feature-major
    uint32_t n_rows = 0;
    uint32_t n_features = 0;
    const int32_t* n_codes = nullptr;
    const bool* categorical = nullptr;
    const int32_t* classes = nullptr;
    const double* values = nullptr;
    const double* weights = nullptr;  // null: one each
    uint32_t n_classes = 0;           // 0: regression

    const uint8_t* column(uint32_t f) const { return codes + size_t(f) * n_rows; }
};

struct Settings {
    int max_depth = 0;
    Criterion criterion = Criterion::entropy;
    double leaf_penalty = 0;
    uint32_t min_samples_leaf = 1;
    uint32_t min_samples_split = 2;
    double min_entropy = 0;
    Categorical categorical = Categorical::subset;
    bool judged_by_validation = false;
    uint64_t memory_limit = 0;  // 0: none
    int n_threads = 1;
    uint64_t random_state = 0;
    std::vector<double> cost_matrix;  // empty: errors

    // Without these a subset of rows never costs more than the whole: bounds may rest on that.
    bool constrained() const { return min_samples_leaf > 1 || min_samples_split > 2 || min_entropy > 0; }
};

using Mask = std::array<uint64_t, 4>;

// One split. A mask is named by its number in the MaskPool, which keeps cuts small.
struct Cut {
    int32_t feature = -1;
    uint8_t kind = kLeaf;
    uint8_t threshold = 0;
    bool missing_left = false;
    uint32_t mask = 0;
};

class MaskPool {
public:
    uint32_t intern(const Mask& mask) {
        auto [at, fresh] = known_.try_emplace(mask, uint32_t(masks_.size()));
        if (fresh) masks_.push_back(mask);
        return at->second;
    }
    const Mask& operator[](uint32_t i) const { return masks_[i]; }
    size_t bytes() const { return masks_.size() * 96; }

private:
    struct Hash {
        size_t operator()(const Mask& m) const {
            uint64_t h = 0;
            for (uint64_t word : m) h = (h ^ word) * 0x9E3779B97F4A7C15ull + (h >> 29);
            return h;
        }
    };
    std::vector<Mask> masks_;
    std::unordered_map<Mask, uint32_t, Hash> known_;
};

inline bool has_code(const Mask& mask, uint32_t code) { return mask[code >> 6] >> (code & 63) & 1; }

// The codes that a binary cut sends left.
inline Mask left_codes(const Cut& cut, const MaskPool& masks) {
    Mask left{};
    if (cut.kind == kSubset) {
        left = masks[cut.mask];
    } else if (cut.kind == kCategory) {
        left[cut.threshold >> 6] = uint64_t(1) << (cut.threshold & 63);
    } else {
        const uint32_t last = cut.threshold;
        for (uint32_t w = 0; w < last >> 6; ++w) left[w] = ~uint64_t(0);
        left[last >> 6] = ~uint64_t(0) >> (63 - (last & 63));
    }
    left[3] = (left[3] & ~uint64_t(0) >> 1) | uint64_t(cut.missing_left) << 63;
    return left;
}

enum class Reason { time, iterations, memory, improved, interrupt, budget };
struct Stop {
    Reason why;
};

// When to stop. Thrown through the whole search: what was found so far is always filed before.
class Limits {
public:
    using Clock = std::chrono::steady_clock;
    std::function<bool()> interrupted;  // asked now and then (Ctrl-C)

    void start(double seconds) {
        bounded_ = seconds < 1e9;
        if (bounded_)
            deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        next_ask_ = Clock::now() + std::chrono::milliseconds(50);
    }
    void grace(double seconds) { grace_ = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds)); }
    void check() {
        const auto now = Clock::now();
        if (bounded_ && now >= deadline_ + grace_) throw Stop{Reason::time};
        if (now >= next_ask_) {
            next_ask_ = now + std::chrono::milliseconds(50);
            if (interrupted && interrupted()) throw Stop{Reason::interrupt};
        }
    }

private:
    bool bounded_ = false;
    Clock::time_point deadline_{}, next_ask_{};
    Clock::duration grace_{};
};

}  // namespace dilemma::tree
