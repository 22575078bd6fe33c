// The proof over binary attributes: row sets as bit sets, so that a cut costs a few words.
//
// Depth-first, ceilings passed down, lower bounds passed up, every set met once (the graph is the
// cache), and bounds from similar sets before anything is solved.
#pragma once

#include "tree_explorer.hpp"
#include "tree_similarity.hpp"

namespace dilemma::tree {

class BitProof {
public:
    BitProof(Explorer& explorer, const Bits& bits, const Kernels& kernels)
        : x(explorer), bits_(bits), k_(kernels), words_((size_t(x.data.n_rows) + 63) / 64),
          archive_(words_, x.settings.max_depth, kernels),
          similar_(!x.settings.constrained()) {  // a subset of rows never costs more
        const Part all = x.rows.all();
        ends_.assign(all.ends, all.ends + x.rows.groups());
        order_.assign(all.rows, all.rows + all.n);
        bits_.columns_in_order(order_, columns_);
        salts_.resize(words_);
        for (size_t w = 0; w < words_; ++w) salts_[w] = mix(w + 0x5851F42D4C957F2Dull);
    }

    void run(NodeId root) {
        x.begin_trial();
        StackFrame frame(x.stack);
        uint64_t* everything = x.stack.take<uint64_t>(words_);
        std::fill(everything, everything + words_, ~uint64_t(0));
        if (x.data.n_rows % 64) everything[words_ - 1] = (uint64_t(1) << (x.data.n_rows % 64)) - 1;
        prove(root, everything, x.data.n_rows, kInfinity);
    }

    size_t bytes() const { return columns_.size() * 8; }

    double progress = 0;  // share of the root's cuts done with in the current pass

private:
    struct Child {
        uint64_t* bits;
        uint32_t n;
        NodeId id;
    };

    void prove(NodeId id, const uint64_t* set, uint32_t n, double ceiling) {
        const double epsilon = x.pricing.epsilon;
        Node& node = x.graph.nodes[id];
        if (node.full || node.lower >= std::min(ceiling, node.best) - epsilon) return;
        x.poll();
        StackFrame frame(x.stack);
        const Part part = rows_of(set, n);
        if (node.levels <= x.exact_levels) {
            x.terminal(id, part, true, ceiling);
            return;
        }
        Ranking ranked;
        x.space->rank(part, ranked);
        Child child[2];
        for (Child& c : child) c.bits = x.stack.take<uint64_t>(words_);
        const bool at_root = id == x.graph.root;
        size_t tried = 0;
        double lowest = node.leaf;
        for (size_t i = 0; i < ranked.size(); ++i) {
            const Ranked r = ranked[i];
            x.begin_trial();
            x.space->work += 4.0 * double(words_);
            child[0].n = k_.split_bits(set, &columns_[r.place * words_], words_, child[0].bits, child[1].bits);
            child[1].n = n - child[0].n;
            Key key[2];
            for (int s = 0; s < 2; ++s) {
                key[s] = key_of(child[s].bits);
                x.graph.prefetch(key[s], node.levels - 1);
            }
            for (int s = 0; s < 2; ++s) child[s].id = open(child[s], key[s], node.levels - 1);
            try {
                prove_children(node, child, ceiling);
            } catch (const Stop&) {
                offer(id, r.cut, child);
                throw;
            }
            offer(id, r.cut, child);
            ++x.iterations;
            if (at_root) progress = double(++tried) / double(ranked.size());
            lowest = std::min(lowest, x.graph.nodes[child[0].id].lower + x.graph.nodes[child[1].id].lower);
        }
        node.lower = std::max(node.lower, std::min(lowest, node.best));
    }

    // Proves both children as far as they matter.
    void prove_children(const Node& node, Child child[2], double ceiling) {
        const double epsilon = x.pricing.epsilon;
        Node* known[2] = {&x.graph.nodes[child[0].id], &x.graph.nodes[child[1].id]};
        const double target = std::min(ceiling, node.best);
        if (known[0]->lower + known[1]->lower >= target - epsilon) return;
        const int levels = node.levels - 1;
        const bool compare = similar_ && levels >= 2;
        if (compare) {
            for (int i = 0; i < 2; ++i) {
                if (x.graph.closed(*known[i])) continue;
                const double enough = target - known[1 - i]->lower;
                known[i]->lower = archive_.bound(levels, child[i].bits, child[i].n, known[i]->lower, enough);
                if (known[i]->lower >= enough - epsilon) return;
            }
        }
        // the side with more errors first: it is the likelier one to fill the ceiling alone
        const int first = known[1]->leaf > known[0]->leaf ? 1 : 0;
        for (int step = 0; step < 2; ++step) {
            const int i = step ? 1 - first : first;
            const double goal = std::min(ceiling, node.best), rest = known[1 - i]->lower;
            if (rest + known[i]->lower >= goal - epsilon) return;
            const double before = known[i]->lower;
            prove(child[i].id, child[i].bits, child[i].n, goal - rest);
            if (compare && known[i]->lower > before) archive_.add(levels, child[i].bits, child[i].n, known[i]->lower);
        }
    }

    void offer(NodeId id, const Cut& cut, const Child child[2]) {
        const double sum = x.graph.nodes[child[0].id].best + x.graph.nodes[child[1].id].best;
        if (!(sum < x.graph.nodes[id].best - x.pricing.epsilon)) return;
        const uint32_t first = uint32_t(x.graph.links.size());
        x.graph.links.push_back(child[0].id);
        x.graph.links.push_back(child[1].id);
        x.graph.offer(id, cut, first, 2);
    }

    Key key_of(const uint64_t* set) const {
        Key key;
        for (size_t w = 0; w < words_; ++w) {
            const uint64_t m = mix(set[w] ^ salts_[w]);
            key.a += m;
            key.b ^= m * 0xD6E8FEB86659FD93ull;
        }
        return key;
    }

    NodeId open(const Child& c, const Key& key, int levels) {
        const NodeId id = x.graph.find(key, levels);
        if (id != kNone) return id;
        uint32_t most = 0;
        for (size_t g = 0; g < ends_.size(); ++g)
            most = std::max(most, k_.count_range(c.bits, g ? ends_[g - 1] : 0, ends_[g]));
        const Settings& s = x.settings;
        bool splittable = c.n >= std::max<uint64_t>(s.min_samples_split, uint64_t(2) * s.min_samples_leaf);
        if (splittable && s.min_entropy > 0) {
            StackFrame frame(x.stack);
            splittable = x.pricing.splittable(rows_of(c.bits, c.n));
        }
        return x.insert(key, levels, double(c.n - most) + s.leaf_penalty, splittable);
    }

    // The rows of a set, grouped by class because the bits are.
    Part rows_of(const uint64_t* set, uint32_t n) {
        uint32_t* rows = x.stack.take<uint32_t>(n + 1);
        uint32_t* ends = x.stack.take<uint32_t>(ends_.size());
        uint32_t at = 0;
        for (size_t w = 0; w < words_; ++w)
            for (uint64_t left = set[w]; left; left &= left - 1) rows[at++] = order_[w * 64 + size_t(__builtin_ctzll(left))];
        uint32_t sum = 0;
        for (size_t g = 0; g < ends_.size(); ++g) ends[g] = sum += k_.count_range(set, g ? ends_[g - 1] : 0, ends_[g]);
        Part part;
        part.rows = rows, part.n = n, part.ends = ends;
        return part;
    }

    Explorer& x;
    const Bits& bits_;
    const Kernels& k_;
    const size_t words_;
    Archive archive_;
    const bool similar_;
    std::vector<uint32_t> ends_, order_;
    std::vector<uint64_t> columns_, salts_;
};

}  // namespace dilemma::tree
