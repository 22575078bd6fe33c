// The proof: depth-first, with ceilings passed down and lower bounds passed up.
#pragma once

#include "tree_explorer.hpp"
#include "tree_similarity.hpp"

namespace dilemma::tree {

class Proof {
public:
    explicit Proof(Explorer& explorer)
        : x(explorer), archive_(explorer.data.n_rows, explorer.settings.max_depth),
          // a subset of rows never costs more, and rows cost alike
          similar_(!x.settings.constrained() && x.data.n_classes && !x.data.weights) {}

    void run(NodeId root, const Part& everything) {
        x.begin_trial();
        prove(root, everything, kInfinity);
    }

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
        std::vector<Ranked> ranked;
        x.space->rank(part, ranked);
        double lowest = n.leaf;
        Family family;
        for (const Ranked& r : ranked) {
            StackFrame inner(x.stack);
            x.begin_trial();
            open(part, n.levels, r.cut, family);
            try {
                weigh_children(id, r.cut, family, ceiling);
            } catch (const Stop&) {
                offer(id, r.cut, family);
                throw;
            }
            offer(id, r.cut, family);
            ++x.iterations;
            double sum = 0;
            for (NodeId c : family.ids) sum += x.graph.nodes[c].lower;
            lowest = std::min(lowest, sum);
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
    void weigh_children(NodeId id, const Cut&, const Family& family, double ceiling) {
        const double epsilon = x.pricing.epsilon;
        const Node& n = x.graph.nodes[id];
        const int levels = n.levels - 1;
        std::vector<uint64_t*> bits(family.ids.size(), nullptr);
        if (similar_ && levels >= 2) {
            for (size_t i = 0; i < family.ids.size(); ++i) {
                Node& c = x.graph.nodes[family.ids[i]];
                if (x.graph.closed(c)) continue;
                bits[i] = x.stack.template take<uint64_t>(archive_.words());
                Archive::mark(family.parts[i], bits[i], archive_.words());
                c.lower = archive_.bound(x.graph, levels, bits[i], family.parts[i].n, x.pricing.worst_error, c.lower);
            }
        }
        for (size_t i = 0; i < family.ids.size(); ++i) {
            const NodeId c = family.ids[i];
            const double rest = lower_of_others(family, i), target = std::min(ceiling, n.best);
            if (rest + x.graph.nodes[c].lower >= target - epsilon) return;
            const double before = x.graph.nodes[c].lower;
            prove(c, family.parts[i], target - rest);
            if (bits[i] && x.graph.nodes[c].lower > before) archive_.add(levels, c, bits[i], family.parts[i].n);
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
    Archive archive_;
    const bool similar_;
};

}  // namespace dilemma::tree
