// A walk through the AND/OR graph with the rows at hand: opening, expanding and following edges, and
// the greedy start. The ways of searching (halving, queue, proof) are built on it.
#pragma once

#include <memory>

#include "tree_bits.hpp"
#include "tree_graph.hpp"
#include "tree_histogram.hpp"

namespace dilemma::tree {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Explorer {
public:
    static constexpr double kGreedyGrace = 0.1;   // seconds that the greedy start may overrun
    static constexpr size_t kFirstEdges = 32;     // edges kept at first; more when asked for

    Explorer(const DataView& data, const DataView* judge, const Settings& settings, const Kernels& kernels)
        : data(data), settings(settings), exact_levels(settings.judged_by_validation ? 0 : 2),
          pricing(data, settings.judged_by_validation ? judge : nullptr, settings), rows(data, pricing.judge, masks, kernels),
          graph(pricing.epsilon), kernels(kernels) {}

    void begin_run(double seconds, int64_t most_iterations, bool stop_when_improved, std::function<bool()> interrupted) {
        limits.start(seconds);
        limits.interrupted = std::move(interrupted);
        limits.grace(started ? 0.0 : kGreedyGrace);
        max_iter = most_iterations;
        until_improved = stop_when_improved;
        graph.improved = false;
    }

    // Beyond three categories, subsets are tried in the order of their rates only: no proof then.
    bool all_subsets_tried() const {
        if (settings.categorical != Categorical::subset) return true;
        for (uint32_t f = 0; f < data.n_features; ++f) {
            if (!data.categorical[f]) continue;
            const uint8_t* column = data.column(f);
            const bool missing = std::find(column, column + data.n_rows, uint8_t(kMissing)) != column + data.n_rows;
            if (data.n_codes[f] + missing > 3) return false;
        }
        return true;
    }

    void open_space() {
        std::vector<Cut> attributes;
        if (Bits::fits(data, settings)) attributes = Bits::attributes(data);
        if (Bits::fits(data, settings) && bits_are_cheaper(attributes.size())) {
            space = std::make_unique<Bits>(pricing, rows, masks, stack, limits, kernels, attributes);
            bits = static_cast<const Bits*>(space.get());
            space_name = "bits";
        } else if (data.n_classes && !data.weights) {
            space = std::make_unique<Histograms<int32_t>>(pricing, rows, masks, stack, limits, kernels);
            space_name = "histograms";
        } else {
            space = std::make_unique<Histograms<double>>(pricing, rows, masks, stack, limits, kernels);
            space_name = "histograms";
        }
    }

    // Work of one exact two-level tree over all rows, in rough operations of either kind.
    bool bits_are_cheaper(size_t cuts) const {
        const double attributes = double(cuts), features = data.n_features, n = data.n_rows;
        if (attributes > 16384) return false;
        double slots = 0;
        for (uint32_t f = 0; f < data.n_features; ++f) slots += data.n_codes[f] + 1;
        const double bits = attributes * attributes / 64 * (n / 16) * 1.0;
        const double steps = std::min(attributes, 30 * features);
        const double histograms = features * n * features + steps * 2 * slots * std::max<uint32_t>(data.n_classes, 1);
        return bits <= histograms;
    }

    NodeId open(const Part& part, int levels) {
        NodeId id = graph.find(part.key, levels);
        if (id != kNone) return id;
        const double leaf = pricing.leaf(part);
        return insert(part.key, levels, leaf, pricing.splittable(part));
    }

    // A new node: a leaf so far.
    NodeId insert(const Key& key, int levels, double leaf, bool splittable) {
        ++evaluated;
        Node n;
        n.key = key;
        n.levels = uint8_t(levels);
        n.leaf = n.best = leaf;
        const double penalty = settings.leaf_penalty;
        if (levels == 0 || !splittable) {
            n.lower = n.leaf, n.full = true;
        } else {
            const bool pure = exact_levels && n.leaf - penalty <= pricing.epsilon;
            n.lower = pure ? n.leaf : std::min(n.leaf, 2 * penalty);
        }
        return graph.insert(n);
    }

    // At least `wanted` edges if there are so many; cuts by score, each partition once.
    std::vector<Edge>& expand(NodeId id, const Part& part, size_t wanted) {
        Node& n = graph.nodes[id];
        if (n.edges == kNone) n.edges = graph.edges.add({});
        Edges& known = graph.edges[n.edges];
        if (known.all || known.list.size() >= wanted) return known.list;
        limits.check();
        const size_t keep = std::max(wanted, std::max(kFirstEdges, known.list.size() * 2));
        space->rank(part, ranked_);
        std::vector<std::pair<double, Key>> names;  // of the partitions with the current score
        std::vector<Edge> found = std::move(known.list);
        size_t have = 0;
        known.all = true;
        for (size_t i = 0; i < ranked_.size(); ++i) {
            const bool last = i + 1 == ranked_.size();
            const bool twin = (!last && ranked_[i + 1].score == ranked_[i].score) ||  // which sorts up to i + 1
                              (i > 0 && ranked_[i - 1].score == ranked_[i].score);
            if (twin) {
                const Key name = rows.partition_key(part, ranked_[i].cut, stack);
                if (!names.empty() && names.front().first != ranked_[i].score) names.clear();
                bool met = false;
                for (const auto& other : names) met = met || other.second == name;
                if (met) continue;
                names.push_back({ranked_[i].score, name});
            }
            if (have == keep) {
                known.all = false;
                break;
            }
            if (have == found.size()) {
                Edge e;
                e.cut = ranked_[i].cut, e.score = ranked_[i].score;
                found.push_back(e);
            }
            ++have;
        }
        graph.edge_bytes += found.capacity() * sizeof(Edge);
        known.list = std::move(found);
        return known.list;
    }

    // The children of a cut as parts on the stack and as nodes in the links.
    uint32_t open_children(const Part& part, int levels, const Cut& cut, std::vector<Part>& parts) {
        rows.split(part, cut, stack, parts);
        std::vector<NodeId> ids;
        for (const Part& p : parts) ids.push_back(open(p, levels - 1));
        const uint32_t first = uint32_t(graph.links.size());
        graph.links.insert(graph.links.end(), ids.begin(), ids.end());
        return first;
    }

    void follow(NodeId id, const Part& part, uint32_t e, std::vector<Part>& parts) {
        Edge& edge = edge_of(id, e);
        if (edge.first != kNone) {
            rows.split(part, edge.cut, stack, parts);
            return;
        }
        const uint32_t first = open_children(part, graph.nodes[id].levels, edge.cut, parts);
        edge.children = uint16_t(parts.size());
        edge.first = first;
        graph.link(id, e, first, edge.children);
        graph.weigh(id, e);  // its own edge first: both children may have been known before
    }

    Edge& edge_of(NodeId id, uint32_t e) { return graph.edges[graph.nodes[id].edges].list[e]; }
    NodeId child(const Edge& edge, uint16_t i) const { return graph.links[edge.first + i]; }
    bool finished(NodeId id) const { return graph.nodes[id].full || graph.closed(graph.nodes[id]); }

    void terminal(NodeId id, const Part& part, bool full, double ceiling = kInfinity) {
        poll();
        ++evaluated;
        Node& n = graph.nodes[id];
        if (n.levels >= 2) space->best_two(part, full, ceiling, solved_);
        else space->best_one(part, solved_);
        if (solved_.resolved) graph.offer_plan(id, solved_.energy, solved_.cuts, n.levels < 2 || full);
        if (n.levels < 2 || full) {
            n.lower = std::max(n.lower, solved_.energy);
            n.full = solved_.resolved;
        }
    }

    void poll() {
        limits.check();
        if (!started) return;
        if (settings.memory_limit && bytes() > settings.memory_limit) throw Stop{Reason::memory};
        if (until_improved && graph.improved) throw Stop{Reason::improved};
        if (space->work >= work_limit) throw Stop{Reason::budget};
    }
    void begin_trial() {
        poll();
        if (max_iter >= 0 && iterations >= max_iter) throw Stop{Reason::iterations};
    }

    void greedy(NodeId id, const Part& part) {
        if (graph.nodes[id].full) return;
        poll();
        if (expand(id, part, 1).empty()) return;
        StackFrame frame(stack);
        std::vector<Part> parts;
        follow(id, part, 0, parts);
        for (uint16_t i = 0; i < parts.size(); ++i) greedy(child(edge_of(id, 0), i), parts[i]);
    }

    // Finds the cuts that the best tree below a node has left open. Whether there were any is asked first:
    // finding them takes the rows.
    void complete(NodeId id, const Part& part) {
        if (!incomplete(id)) return;
        if (graph.open_plan(id)) {
            solved_.cuts.assign(1, graph.plans[graph.nodes[id].plan]);
            space->complete(part, graph.nodes[id].full_plan, solved_);
            graph.complete_plan(id, solved_.cuts);
            return;
        }
        StackFrame frame(stack);
        std::vector<Part> parts;
        rows.split(part, graph.nodes[id].cut, stack, parts);
        for (size_t i = 0; i < parts.size(); ++i) complete(graph.links[graph.nodes[id].first + i], parts[i]);
    }
    bool incomplete(NodeId id) const {
        const Node& n = graph.nodes[id];
        for (uint16_t i = 0; i < n.children; ++i)
            if (incomplete(graph.links[n.first + i])) return true;
        return graph.open_plan(id);
    }

    size_t bytes() const { return graph.bytes() + stack.bytes() + masks.bytes() + rows.bytes() + (space ? space->bytes() : 0); }

    const DataView& data;
    const Settings& settings;
    const int exact_levels;  // solved in one go at the bottom
    MaskPool masks;
    Pricing pricing;
    Rows rows;
    Stack stack;
    Limits limits;
    Graph graph;
    std::unique_ptr<Space> space;
    const char* space_name = "";
    bool started = false;  // the greedy tree stands
    bool until_improved = false;
    int64_t iterations = 0, evaluated = 0, max_iter = -1;
    double work_limit = kInfinity;  // of an attempt at the proof

    const Bits* bits = nullptr;  // the space, where it is one of bits
    const Kernels& kernels;

private:
    Ranking ranked_;
    Solved solved_;
};

}  // namespace dilemma::tree
