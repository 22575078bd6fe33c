// Effort-graded successive halving: rivals are compared after the same effort, cheap and wide first.
#pragma once

#include "tree_explorer.hpp"

namespace dilemma::tree {

class Halving {
public:
    static constexpr int kFullEffort = 3;  // two-level trees consider all cuts from this effort on
    static constexpr double kBreadth = 1.7, kWidening = 1.15;

    explicit Halving(Explorer& explorer) : x(explorer) {}

    // One round, of one effort more than the last.
    void round(NodeId root, const Part& everything) {
        solve(root, everything, effort_);
        polish(root, everything);
        const double best = x.graph.nodes[root].best;
        stale_ = best < best_of_round_ - x.pricing.epsilon ? 0 : stale_ + 1;
        best_of_round_ = best;
        ++effort_;
    }

    // Two rounds, with all cuts considered below, have changed nothing.
    bool stale() const { return stale_ >= 2 && effort_ > kFullEffort; }

private:
    void solve(NodeId id, const Part& part, int effort) {
        if (x.graph.nodes[id].done >= effort || x.finished(id)) return;
        const int levels = x.graph.nodes[id].levels;
        if (levels <= x.exact_levels) {
            x.terminal(id, part, effort >= kFullEffort);
            x.graph.nodes[id].done = int16_t(effort);
            return;
        }
        const double breadth = kBreadth * std::pow(kWidening, x.settings.max_depth - levels);
        std::vector<uint32_t> pool;
        for (int step = 0; step <= effort; ++step) {
            const double most = std::ceil(std::pow(breadth, effort - step));
            pool.clear();
            if (step == 0) {
                const size_t count = x.expand(id, part, size_t(std::min(most, 1e6))).size();
                for (uint32_t e = 0; e < count && e < most; ++e) pool.push_back(e);
            } else {
                const std::vector<Edge>& edges = x.graph.edges[x.graph.nodes[id].edges].list;
                for (uint32_t e = 0; e < edges.size(); ++e)
                    if (edges[e].effort >= step - 1) pool.push_back(e);
                std::stable_sort(pool.begin(), pool.end(), [&](uint32_t a, uint32_t b) { return edges[a].value < edges[b].value; });
                if (double(pool.size()) > most) pool.resize(size_t(most));
            }
            for (uint32_t e : pool)
                if (x.edge_of(id, e).effort < step) try_edge(id, part, e, step);
        }
        Node& n = x.graph.nodes[id];
        n.done = int16_t(effort);
        const Edges& known = x.graph.edges[n.edges];
        bool full = known.all;
        for (size_t e = 0; full && e < known.list.size(); ++e) {
            full = known.list[e].first != kNone;
            for (uint16_t i = 0; full && i < known.list[e].children; ++i) full = x.finished(x.child(known.list[e], i));
        }
        n.full = full;
        if (full) n.lower = std::max(n.lower, n.best);
    }

    // All cuts are considered at the bottom of the best tree, whatever effort its nodes have seen: this is
    // little work, and the tree is what the user gets.
    void polish(NodeId id, const Part& part) {
        if (x.finished(id)) return;
        if (x.graph.nodes[id].levels <= x.exact_levels) return x.terminal(id, part, true);
        if (!x.graph.nodes[id].children) return;
        StackFrame frame(x.stack);
        std::vector<Part> parts;
        x.rows.split(part, x.graph.nodes[id].cut, x.stack, parts);
        const uint32_t first = x.graph.nodes[id].first;  // what is found below may change the node's own cut
        for (size_t i = 0; i < parts.size(); ++i) polish(x.graph.links[first + i], parts[i]);
    }

    // One alternative: its children at the same effort.
    void try_edge(NodeId id, const Part& part, uint32_t e, int effort) {
        x.begin_trial();
        StackFrame frame(x.stack);
        std::vector<Part> parts;
        bool work = x.edge_of(id, e).first == kNone;
        for (uint16_t i = 0; !work && i < x.edge_of(id, e).children; ++i) {
            const NodeId c = x.child(x.edge_of(id, e), i);
            work = x.graph.nodes[c].done < effort && !x.finished(c);
        }
        if (work) {
            x.follow(id, part, e, parts);
            for (uint16_t i = 0; i < parts.size(); ++i) solve(x.child(x.edge_of(id, e), i), parts[i], effort);
        }
        x.edge_of(id, e).effort = int16_t(effort);
        x.graph.weigh(id, e);
        ++x.iterations;
    }


    Explorer& x;
    int effort_ = 0, stale_ = 0;
    double best_of_round_ = kInfinity;
};

}  // namespace dilemma::tree
