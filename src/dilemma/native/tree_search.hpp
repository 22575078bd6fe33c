// One search from start to end: the greedy tree, then the way asked for.
// dilemma/tree/twin.py does the same in Python, to be read first.
#pragma once

#include <string>

#include "tree_bit_proof.hpp"
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
            static const char* const kNames[] = {"time", "iterations", "memory", "improved", "interrupt", "budget"};
            return kNames[int(stop.why)];
        }
        return "exhausted";
    }

    double energy() const { return x.graph.root == kNone ? kInfinity : root().best; }
    double bound() const { return !complete_ || x.graph.root == kNone ? 0.0 : std::min(root().lower, root().best); }
    bool optimal() const { return complete_ && x.graph.root != kNone && x.graph.closed(root()); }
    int64_t iterations() const { return x.iterations; }
    int64_t nodes() const { return x.evaluated; }
    double work() const { return x.space ? x.space->work : 0.0; }
    size_t bytes() const { return x.bytes(); }
    const char* space_name() const { return x.space_name; }
    const MaskPool& masks() const { return x.masks; }

    // The best tree in preorder: each node's cut, and how many children follow (-1: leaves, unlisted).
    void plan(std::vector<Cut>& cuts, std::vector<int>& children) {
        if (x.graph.root != kNone) {
            x.complete(x.graph.root, x.rows.all());
            return plan_below(x.graph.root, cuts, children);
        }
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
        if (order_ == Order::proof && x.exact_levels) return prove(id, everything);
        while (!x.finished(id)) {
            if (attempting_ && !attempt(id, everything)) continue;
            if (x.finished(id)) return;
            halving_.round(id, everything);
            if (order_ == Order::automatic && x.exact_levels) begin_attempt();
        }
    }

    // Between rounds the proof gets as much work as was done so far, and goes on while it promises to
    // end soon. Where it gets nowhere it gets a tenth, at growing intervals, until the rounds have
    // stopped finding anything.
    void begin_attempt() {
        const bool due = x.space->work >= std::max(next_attempt_, x.bits && x.settings.max_depth > 5 ? kDeepAttempt : 0.0);
        if (!due && !halving_.stale()) return;
        attempting_ = true;
        attempt_start_ = x.space->work;
        x.work_limit = std::max(attempt_start_ * (hopeless_ && !halving_.stale() ? 1.1 : 2.0), kFirstAttempt);
    }

    // Whether the attempt is over.
    bool attempt(NodeId id, const Part& everything) {
        try {
            prove(id, everything);
        } catch (const Stop& stop) {
            if (stop.why != Reason::budget) throw;
            x.stack.release({0, 0});
            const double progress = bit_proof_ ? bit_proof_->progress : proof_.progress;
            const double spent = x.space->work - attempt_start_, missing = spent / std::max(progress, 1e-9) - spent;
            hopeless_ = progress <= 0;
            next_attempt_ = x.space->work * (hopeless_ ? 4 : 1);
            if (progress > 0 && missing < 4 * x.space->work) {
                x.work_limit = x.space->work + 2 * missing;
                return false;
            }
        }
        attempting_ = false;
        x.work_limit = kInfinity;
        return true;
    }

    void prove(NodeId id, const Part& everything) {
        if (!x.bits) return proof_.run(id, everything);
        if (!bit_proof_) bit_proof_ = std::make_unique<BitProof>(x, *x.bits, x.kernels);
        bit_proof_->run(id);
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

    static constexpr double kFirstAttempt = 1e8;  // vector operations: some hundredths of a second
    static constexpr double kDeepAttempt = 1e9;   // trees this deep are seldom proved so soon: halving goes first

    const Order order_;
    Explorer x;
    Halving halving_;
    Proof proof_;
    std::unique_ptr<BitProof> bit_proof_;
    bool attempting_ = false;  // an attempt at the proof is under way
    bool hopeless_ = false;    // the last one did not get past the root's first cut
    double attempt_start_ = 0, next_attempt_ = 0;
    BestFirst queue_;
    const bool complete_;
};

}  // namespace dilemma::tree
