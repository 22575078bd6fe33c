// The proof: depth-first, with ceilings passed down and lower bounds passed up.
#pragma once

#include "tree_thresholds.hpp"

namespace dilemma::tree {

class Proof {
public:
    explicit Proof(Explorer& explorer) : x(explorer) {}

    void run(NodeId root, const Part& everything) {
        x.begin_trial();
        prove(root, everything, kInfinity);
    }

    double progress = 0;  // share of the root's cuts done with in the current pass

private:
    // Raises the node's lower bound to its best or to the ceiling, improving the best on the way.
    void prove(NodeId id, const Part& part, double ceiling) {
        const double epsilon = x.pricing.epsilon;
        Node& n = x.graph.nodes[id];
        if (n.full || n.lower >= std::min(ceiling, n.best) - epsilon) return;
        x.poll();
        if (n.levels <= x.exact_levels) {
            x.terminal(id, part, true, ceiling);
            return;
        }
        StackFrame frame(x.stack);
        Ranking ranked;
        x.space->rank(part, ranked);
        const bool at_root = id == x.graph.root;
        size_t tried = 0;
        double lowest = n.leaf;
        Family family;
        Thresholds along(x, part);
        for (size_t i = 0; i < ranked.size(); ++i) {
            const Ranked r = ranked[i];
            const double known = along.bound(r.cut);
            if (known >= std::min(ceiling, n.best) - epsilon) {
                lowest = std::min(lowest, known);
                ++tried;
                continue;
            }
            StackFrame inner(x.stack);
            x.begin_trial();
            open(part, n.levels, r.cut, family);
            try {
                weigh_children(id, family, ceiling);
            } catch (const Stop&) {
                offer(id, r.cut, family);
                throw;
            }
            offer(id, r.cut, family);
            ++x.iterations;
            if (at_root) progress = double(++tried) / double(ranked.size());
            double sum = 0;
            for (NodeId c : family.ids) sum += x.graph.nodes[c].lower;
            lowest = std::min(lowest, sum);
            if (family.ids.size() == 2)
                along.learn(r.cut, x.graph.nodes[family.ids[0]].lower, x.graph.nodes[family.ids[1]].lower);
        }
        n.lower = std::max(n.lower, std::min(lowest, n.best));
    }

    struct Family {
        std::vector<Part> parts;
        std::vector<NodeId> ids;
    };

    void open(const Part& part, int levels, const Cut& cut, Family& family) {
        x.rows.split(part, cut, x.stack, family.parts);
        family.ids.clear();
        for (const Part& p : family.parts) family.ids.push_back(x.open(p, levels - 1));
    }

    double lower_of_others(const Family& family, size_t i) const {
        double sum = 0;
        for (size_t k = 0; k < family.ids.size(); ++k)
            if (k != i) sum += x.graph.nodes[family.ids[k]].lower;
        return sum;
    }

    // Proves the children as far as they matter.
    void weigh_children(NodeId id, const Family& family, double ceiling) {
        const double epsilon = x.pricing.epsilon;
        const Node& n = x.graph.nodes[id];
        for (size_t i = 0; i < family.ids.size(); ++i) {
            const NodeId c = family.ids[i];
            const double rest = lower_of_others(family, i), target = std::min(ceiling, n.best);
            if (rest + x.graph.nodes[c].lower >= target - epsilon) return;
            prove(c, family.parts[i], target - rest);
        }
    }

    void offer(NodeId id, const Cut& cut, const Family& family) {
        double sum = 0;
        for (NodeId c : family.ids) sum += x.graph.nodes[c].best;
        if (!(sum < x.graph.nodes[id].best - x.pricing.epsilon)) return;
        const uint32_t first = uint32_t(x.graph.links.size());
        x.graph.links.insert(x.graph.links.end(), family.ids.begin(), family.ids.end());
        x.graph.offer(id, cut, first, uint16_t(family.ids.size()));
    }

    Explorer& x;
};

}  // namespace dilemma::tree
