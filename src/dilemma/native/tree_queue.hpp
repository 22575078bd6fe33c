// The paper's best-first orders over the AND/OR graph: one alternative of one node at a time.
#pragma once

#include <queue>
#include <unordered_map>

#include "tree_explorer.hpp"

namespace dilemma::tree {

enum class QueueOrder { dilemma, regret, rank, random };

class BestFirst {
public:
    BestFirst(Explorer& explorer, QueueOrder order) : x(explorer), order_(order) {}

    void run(NodeId root, const Part& everything) {
        if (!grown_) {
            grow(root, everything, 0.0, kNone, 0);
            grown_ = true;
        }
        while (!queue_.empty()) {
            x.begin_trial();
            const Entry top = queue_.top();
            State& state = states_[top.node];
            queue_.pop();
            if (x.graph.closed(x.graph.nodes[top.node])) continue;
            try {
                if (!try_next(top.node, state, everything)) continue;
            } catch (const Stop&) {
                queue_.push(top);
                throw;
            }
            ++x.iterations;
            ++state.next;
            push(top.node, state);
        }
    }

private:
    struct State {
        double path_key = 0;     // what the deviations on the way here have cost
        NodeId parent = kNone;   // the way here, to find the rows again
        uint32_t edge = 0;
        uint32_t next = 1;
        uint32_t n = 0;
        double base = 0;         // score of the node before any cut
        bool all = false;        // `next` has run past the last edge
    };
    struct Entry {
        double key;
        int levels;
        uint64_t number;
        NodeId node;
        bool operator<(const Entry& o) const {  // greatest first in std::priority_queue
            if (key != o.key) return key > o.key;
            if (levels != o.levels) return levels < o.levels;
            return number > o.number;
        }
    };

    bool try_next(NodeId id, State& state, const Part& everything) {
        StackFrame frame(x.stack);
        const Part part = replay(id, everything);
        if (x.expand(id, part, state.next + 1).size() <= state.next) return false;
        const uint32_t e = state.next;
        const double path_key = state.path_key + step_key(id, state, e);
        std::vector<Part> parts;
        x.follow(id, part, e, parts);
        for (uint16_t i = 0; i < parts.size(); ++i) grow(x.child(x.edge_of(id, e), i), parts[i], path_key, id, e);
        x.graph.weigh(id, e);
        return true;
    }

    void grow(NodeId id, const Part& part, double path_key, NodeId parent, uint32_t edge) {
        if (x.graph.nodes[id].done >= 0 || x.finished(id)) return;
        if (x.graph.nodes[id].levels <= x.exact_levels) {
            x.terminal(id, part, true);
            x.graph.nodes[id].done = 0;
            return;
        }
        State& state = states_[id];
        state.path_key = path_key, state.parent = parent, state.edge = edge, state.n = part.n;
        std::vector<double> totals(x.pricing.width);
        x.pricing.totals(part, totals.data());
        state.base = x.pricing.part_score(totals.data());
        if (!x.expand(id, part, 2).empty()) {
            StackFrame frame(x.stack);
            std::vector<Part> parts;
            x.follow(id, part, 0, parts);
            for (uint16_t i = 0; i < parts.size(); ++i) grow(x.child(x.edge_of(id, 0), i), parts[i], path_key, id, 0);
        }
        x.graph.nodes[id].done = 0;
        push(id, state);
    }

    // The rows of a node, by the cuts that first led to it.
    Part replay(NodeId id, const Part& everything) {
        std::vector<std::pair<NodeId, uint32_t>> way;
        for (NodeId at = id; states_[at].parent != kNone; at = states_[at].parent) way.push_back({at, states_[at].edge});
        Part part = everything;
        std::vector<Part> parts;
        for (size_t i = way.size(); i-- > 0;) {
            const NodeId parent = states_[way[i].first].parent;
            const Edge& edge = x.edge_of(parent, way[i].second);
            x.rows.split(part, edge.cut, x.stack, parts);
            for (uint16_t k = 0; k < edge.children; ++k)
                if (x.child(edge, k) == way[i].first) part = parts[k];
        }
        return part;
    }

    void push(NodeId id, const State& state) {
        const Edges& known = x.graph.edges[x.graph.nodes[id].edges];
        if (x.graph.closed(x.graph.nodes[id])) return;
        if (state.next >= known.list.size() && known.all) return;
        // an edge not yet listed has a key no lower than the last listed one's
        const uint32_t e = std::min<uint32_t>(state.next, uint32_t(known.list.size()) - 1);
        const double step = step_key(id, state, order_ == QueueOrder::dilemma || order_ == QueueOrder::regret ? e : state.next);
        const bool local = order_ == QueueOrder::dilemma || order_ == QueueOrder::random;
        queue_.push({local ? step : state.path_key + step, x.graph.nodes[id].levels, ++pushes_, id});
    }

    // What it costs to take this edge instead of the first.
    double step_key(NodeId id, const State& state, uint32_t e) {
        if (order_ == QueueOrder::rank) return double(e);
        if (order_ == QueueOrder::random) return random_unit(x.settings.random_state, id, e);
        const double first = x.edge_of(id, 0).score, other = x.edge_of(id, e).score;
        if (order_ == QueueOrder::dilemma) return (first - other) / double(state.n);  // Eq. 5, the gap itself
        const double floor = 1e-12 * state.n;
        return std::log(std::max(first - state.base, floor) / std::max(other - state.base, floor));
    }

    static double random_unit(uint64_t seed, uint64_t node, uint64_t choice) {
        const uint64_t word = mix(seed * 0x9E3779B97F4A7C15ull + node * 0xBF58476D1CE4E5B9ull + choice * 0x94D049BB133111EBull);
        return double(word >> 11) / double(uint64_t(1) << 53);
    }

    Explorer& x;
    const QueueOrder order_;
    bool grown_ = false;
    uint64_t pushes_ = 0;
    std::priority_queue<Entry> queue_;
    std::unordered_map<NodeId, State> states_;
};

}  // namespace dilemma::tree
