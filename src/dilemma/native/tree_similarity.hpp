// Lower bounds from similar row sets: a tree loses at most one error for each row that is taken away,
// so a set costs at least as much as a solved one, less the rows that only the solved one has.
#pragma once

#include "tree_graph.hpp"
#include "tree_kernels.hpp"

namespace dilemma::tree {

class Archive {
public:
    static constexpr size_t kEntries = 64;

    Archive(size_t words, int levels, const Kernels& kernels) : words_(words), rings_(size_t(levels) + 1), k_(kernels) {}

    size_t words() const { return words_; }

    // The best bound of this kind, if it is above `floor`; the search for one ends at `enough`.
    double bound(int levels, const uint64_t* bits, uint32_t n, double floor, double enough) const {
        const Ring& ring = rings_[size_t(levels)];
        for (size_t i = 0; i < ring.used; ++i) {
            const double slack = ring.lower[i] - floor;  // rows that may be gone for a better bound
            if (slack <= 0 || double(ring.n[i]) - double(n) >= slack) continue;
            const uint32_t gone = k_.count_without(&ring.bits[i * words_], bits, words_, uint32_t(slack));
            if (ring.lower[i] - gone > floor) floor = ring.lower[i] - gone;
            if (floor >= enough) break;
        }
        return floor;
    }

    void add(int levels, const uint64_t* bits, uint32_t n, double lower) {
        Ring& ring = rings_[size_t(levels)];
        if (ring.bits.empty()) ring.bits.resize(kEntries * words_);
        std::copy(bits, bits + words_, &ring.bits[ring.next * words_]);
        ring.n[ring.next] = n;
        ring.lower[ring.next] = lower;
        ring.used = std::max(ring.used, ring.next + 1);
        ring.next = (ring.next + 1) % kEntries;
    }

private:
    struct Ring {
        std::vector<uint64_t> bits;
        uint32_t n[kEntries];
        double lower[kEntries];
        size_t used = 0, next = 0;
    };
    size_t words_;
    std::vector<Ring> rings_;
    const Kernels& k_;
};

}  // namespace dilemma::tree
