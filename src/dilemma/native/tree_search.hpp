// One search from start to end: the greedy tree, then the way asked for.
// dilemma/tree/twin.py does the same in Python, to be read first.
#pragma once

#include <string>

#include "tree_halving.hpp"
#include "tree_proof.hpp"
#include "tree_queue.hpp"

namespace dilemma::tree {

enum class Order { automatic, halving, proof, dilemma, regret, rank, random, greedy };

class Search {
public:
    Search(const DataView& data, const DataView* judge, const Settings& settings, Order order, const Kernels& kernels)
        : order_(order), x(data, judge, settings, kernels), halving_(x), proof_(x), queue_(x, queue_order(order)),
          complete_(x.all_subsets_tried()) {}

    // Goes on; why it stopped, or "exhausted".
    std::string run(double seconds, int64_t max_iter, bool until_improved, std::function<bool()> interrupted) {
        x.begin_run(seconds, max_iter, until_improved, std::move(interrupted));
        try {
            search();
        } catch (const Stop& stop) {
            x.stack.release({0, 0});
            static const char* const kNames[] = {"time", "iterations", "memory", "improved", "interrupt"};
            return kNames[int(stop.why)];
        }
        return "exhausted";
    }

    double energy() const { return x.graph.root == kNone ? kInfinity : root().best; }
    double bound() const { return !complete_ || x.graph.root == kNone ? 0.0 : std::min(root().lower, root().best); }
    bool optimal() const { return complete_ && x.graph.root != kNone && x.graph.closed(root()); }
    int64_t iterations() const { return x.iterations; }
    int64_t nodes() const { return x.evaluated; }
    size_t bytes() const { return x.bytes(); }
    const char* space_name() const { return x.space_name; }
    const MaskPool& masks() const { return x.masks; }

    // The best tree in preorder: each node's cut, and how many children follow (-1: leaves, unlisted).
    void plan(std::vector<Cut>& cuts, std::vector<int>& children) const {
        if (x.graph.root != kNone) return plan_below(x.graph.root, cuts, children);
        cuts.push_back(Cut{});
        children.push_back(0);
    }

private:
    static QueueOrder queue_order(Order o) {
        if (o == Order::regret) return QueueOrder::regret;
        if (o == Order::rank) return QueueOrder::rank;
        return o == Order::random ? QueueOrder::random : QueueOrder::dilemma;
    }
    const Node& root() const { return x.graph.nodes[x.graph.root]; }

    void search() {
        if (!x.space) x.open_space();
        const Part everything = x.rows.all();
        if (x.graph.root == kNone) x.graph.root = x.open(everything, x.settings.max_depth);
        const NodeId id = x.graph.root;
        if (!x.started) {
            x.greedy(id, everything);
            x.started = true;
            ++x.iterations;
            x.limits.grace(0);
        }
        if (order_ == Order::greedy || x.finished(id)) return;
        if (order_ == Order::dilemma || order_ == Order::regret || order_ == Order::rank || order_ == Order::random) {
            queue_.run(id, everything);
            return;
        }
        if (order_ != Order::proof) halving_.run(id, everything, order_ == Order::automatic);
        if (order_ != Order::halving && x.exact_levels) proof_.run(id, everything);
    }

    void plan_below(NodeId id, std::vector<Cut>& cuts, std::vector<int>& children) const {
        const Node& n = x.graph.nodes[id];
        if (n.plan != kNone && n.children == 0) {
            cuts.push_back(x.graph.plans[n.plan]);
            children.push_back(n.plan_size - 1);
            for (uint32_t i = 1; i < n.plan_size; ++i) {
                const Cut& below = x.graph.plans[n.plan + i];
                cuts.push_back(below);
                children.push_back(below.kind == kLeaf ? 0 : -1);
            }
            return;
        }
        cuts.push_back(n.cut);
        children.push_back(n.children);
        for (uint16_t i = 0; i < n.children; ++i) plan_below(x.graph.links[n.first + i], cuts, children);
    }

    const Order order_;
    Explorer x;
    Halving halving_;
    Proof proof_;
    BestFirst queue_;
    const bool complete_;
};

}  // namespace dilemma::tree
