// Lower bounds from similar row sets: a tree loses at most one error for each row that is taken away,
// so a set costs at least as much as a solved one, less the rows that only the solved one has.
#pragma once

#include "tree_graph.hpp"

namespace dilemma::tree {

class Archive {
public:
    static constexpr size_t kEntries = 64;

    Archive(uint32_t n_rows, int levels) : words_((n_rows + 63) / 64), rings_(size_t(levels) + 1) {}

    size_t words() const { return words_; }

    static void mark(const Part& part, uint64_t* bits, size_t words) {
        std::fill(bits, bits + words, 0);
        for (uint32_t i = 0; i < part.n; ++i) bits[part.rows[i] >> 6] |= uint64_t(1) << (part.rows[i] & 63);
    }

    // The best bound of this kind, if it is above `floor`.
    double bound(const Graph& graph, int levels, const uint64_t* bits, uint32_t n, double worst_error, double floor) const {
        for (const Entry& e : rings_[size_t(levels)].entries) {
            const double lower = graph.nodes[e.node].lower;
            if (e.n > n && lower - double(e.n - n) * worst_error <= floor) continue;
            if (lower <= floor) continue;
            const double most = (lower - floor) / worst_error;
            uint32_t gone = 0;
            size_t w = 0;
            for (; w < words_ && gone < most; ++w) gone += uint32_t(__builtin_popcountll(e.bits[w] & ~bits[w]));
            if (w == words_) floor = std::max(floor, lower - gone * worst_error);
        }
        return floor;
    }

    void add(int levels, NodeId node, const uint64_t* bits, uint32_t n) {
        Ring& ring = rings_[size_t(levels)];
        for (const Entry& e : ring.entries)
            if (e.node == node) return;
        Entry fresh{node, n, std::vector<uint64_t>(bits, bits + words_)};
        if (ring.entries.size() < kEntries) ring.entries.push_back(std::move(fresh));
        else ring.entries[ring.next] = std::move(fresh), ring.next = (ring.next + 1) % kEntries;
    }

private:
    struct Entry {
        NodeId node;
        uint32_t n;
        std::vector<uint64_t> bits;
    };
    struct Ring {
        std::vector<Entry> entries;
        size_t next = 0;
    };
    size_t words_;
    std::vector<Ring> rings_;
};

}  // namespace dilemma::tree
