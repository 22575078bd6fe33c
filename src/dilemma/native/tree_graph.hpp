// The AND/OR graph: row sets with what is known of the best tree below each.
//
// Node numbers rather than pointers, flat pools rather than vectors in nodes: a minute of search
// makes millions of them.
#pragma once

#include "tree_space.hpp"

namespace dilemma::tree {

using NodeId = uint32_t;
constexpr uint32_t kNone = 0xFFFFFFFF;

struct Edge {
    Cut cut;
    double score;
    double value = std::numeric_limits<double>::infinity();
    uint32_t first = kNone;  // children, in Graph::links
    uint16_t children = 0;
    int16_t effort = -1;
};

// The edges of a node: the best so many, more when they are asked for.
struct Edges {
    std::vector<Edge> list;
    bool all = false;
};

struct Node {
    Key key;
    double leaf = 0;
    double best = 0;
    double lower = 0;
    Cut cut;                     // of the best tree; kLeaf: a leaf, or `plan`
    uint32_t first = kNone;      // its children in Graph::links
    uint32_t plan = kNone;       // a tree of two levels, in Graph::plans
    uint16_t children = 0;
    uint16_t plan_size = 0;
    uint32_t edges = kNone;      // in Graph::edges
    uint32_t parents = kNone;    // in Graph::ups
    int16_t done = -1;           // effort spent
    uint8_t levels = 0;
    bool full = false;           // nothing below is left to try
    bool full_plan = false;      // `plan` was chosen from all cuts
};

// Grows in blocks: references stay valid.
template <class T>
class Pool {
public:
    T& operator[](uint32_t i) { return blocks_[i >> kShift][i & (kBlock - 1)]; }
    const T& operator[](uint32_t i) const { return blocks_[i >> kShift][i & (kBlock - 1)]; }
    uint32_t add(T value) {
        if (size_ == kNone) throw std::length_error("too many nodes");
        if (size_ % kBlock == 0) blocks_.push_back(std::unique_ptr<T[]>(new T[kBlock]));
        (*this)[size_] = std::move(value);
        return size_++;
    }
    uint32_t size() const { return size_; }
    size_t bytes() const { return blocks_.size() * kBlock * sizeof(T); }

private:
    static constexpr uint32_t kShift = 12, kBlock = 1u << kShift;
    std::vector<std::unique_ptr<T[]>> blocks_;
    uint32_t size_ = 0;
};

struct Up {
    NodeId parent;
    uint32_t edge;
    uint32_t next;
};

class Graph {
public:
    explicit Graph(double epsilon) : epsilon_(epsilon) { slots_.resize(1 << 12); }

    Pool<Node> nodes;
    Pool<Edges> edges;
    Pool<Up> ups;
    std::vector<NodeId> links;
    std::vector<Cut> plans;
    NodeId root = kNone;
    bool improved = false;  // the root got better
    size_t edge_bytes = 0;

    // The table of nodes: in each slot the number and, so that most misses end there, 32 bits of the key.
    NodeId find(const Key& key, int levels) const {
        for (size_t at = slot(key, levels);; at = (at + 1) & (slots_.size() - 1)) {
            const Slot& s = slots_[at];
            if (s.id == kNone) return kNone;
            if (s.tag == uint32_t(key.b) && nodes[s.id].key == key && nodes[s.id].levels == levels) return s.id;
        }
    }
    void prefetch(const Key& key, int levels) const {
#if defined(__GNUC__)
        __builtin_prefetch(&slots_[slot(key, levels)]);
#else
        (void)key, (void)levels;
#endif
    }
    NodeId insert(Node node) {
        if (size_t(nodes.size()) * 2 >= slots_.size()) grow();
        const NodeId id = nodes.add(node);
        place(id);
        return id;
    }

    bool closed(const Node& n) const { return n.lower >= n.best - epsilon_; }

    double sum_of_best(uint32_t first, uint16_t count) const {
        double sum = 0;
        for (uint16_t i = 0; i < count; ++i) sum += nodes[links[first + i]].best;
        return sum;
    }
    double sum_of_lower(uint32_t first, uint16_t count) const {
        double sum = 0;
        for (uint16_t i = 0; i < count; ++i) sum += nodes[links[first + i]].lower;
        return sum;
    }

    void link(NodeId parent, uint32_t edge, uint32_t first, uint16_t count) {
        for (uint16_t i = 0; i < count; ++i) {
            Node& child = nodes[links[first + i]];
            child.parents = ups.add({parent, edge, child.parents});
        }
    }

    // A tree with this cut at the root was found: keep it if it is better. Whether it was.
    bool offer(NodeId id, const Cut& cut, uint32_t first, uint16_t count) {
        Node& n = nodes[id];
        const double value = sum_of_best(first, count);
        if (!(value < n.best - epsilon_)) return false;
        n.best = value, n.cut = cut, n.first = first, n.children = count, n.plan = kNone;
        back_up(id);
        return true;
    }

    // Backs up one edge: its value, then the node's, then the parents'.
    void weigh(NodeId id, uint32_t e) {
        Edge& edge = edges[nodes[id].edges].list[e];
        edge.value = sum_of_best(edge.first, edge.children);
        offer(id, edge.cut, edge.first, edge.children);
    }

    // A tree of two levels was found for this node.
    void offer_plan(NodeId id, double energy, const std::vector<Cut>& cuts, bool full) {
        Node& n = nodes[id];
        if (!(energy < n.best - epsilon_)) return;
        if (n.plan == kNone || n.plan_size < cuts.size()) {
            n.plan = uint32_t(plans.size());
            plans.insert(plans.end(), cuts.begin(), cuts.end());
        } else {
            std::copy(cuts.begin(), cuts.end(), plans.begin() + n.plan);
        }
        n.plan_size = uint16_t(cuts.size());
        n.best = energy, n.cut = Cut{}, n.children = 0, n.full_plan = full;
        back_up(id);
    }

    // The node's tree is one whose lower cuts have not been looked for.
    bool open_plan(NodeId id) const {
        const Node& n = nodes[id];
        return n.plan != kNone && !n.children && n.plan_size == 1;
    }
    void complete_plan(NodeId id, const std::vector<Cut>& cuts) {
        nodes[id].plan = uint32_t(plans.size());
        nodes[id].plan_size = uint16_t(cuts.size());
        plans.insert(plans.end(), cuts.begin(), cuts.end());
    }

    size_t bytes() const {
        return nodes.bytes() + edges.bytes() + ups.bytes() + links.capacity() * 4 + plans.capacity() * sizeof(Cut) +
               slots_.size() * sizeof(Slot) + edge_bytes;
    }

private:
    void back_up(NodeId id) {
        if (id == root) improved = true;
        for (uint32_t up = nodes[id].parents; up != kNone; up = ups[up].next) weigh(ups[up].parent, ups[up].edge);
    }
    size_t slot(const Key& key, int levels) const { return (key.a + uint64_t(levels) * 0x9E3779B97F4A7C15ull) & (slots_.size() - 1); }
    void place(NodeId id) {
        size_t at = slot(nodes[id].key, nodes[id].levels);
        while (slots_[at].id != kNone) at = (at + 1) & (slots_.size() - 1);
        slots_[at] = {id, uint32_t(nodes[id].key.b)};
    }
    void grow() {
        slots_.assign(slots_.size() * 2, Slot{});
        for (uint32_t i = 0; i < nodes.size(); ++i) place(i);
    }

    struct Slot {
        NodeId id = kNone;
        uint32_t tag = 0;
    };
    double epsilon_;
    std::vector<Slot> slots_;
};

}  // namespace dilemma::tree
