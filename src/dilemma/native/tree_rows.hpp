// Row sets: lists of row numbers, grouped by class, that live on a stack while they are in use.
//
// Nothing below the path being searched is kept: a row set is found again by replaying the cuts
// that lead to it, which costs far less than what is then done with it.
#pragma once

#include <cstring>
#include <memory>
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

#include "tree_kernels.hpp"
#include "tree_types.hpp"

namespace dilemma::tree {

struct Key {
    uint64_t a = 0, b = 0;
    bool operator==(const Key& o) const { return a == o.a && b == o.b; }
    bool operator<(const Key& o) const { return a < o.a || (a == o.a && b < o.b); }
    Key operator^(const Key& o) const { return {a ^ o.a, b ^ o.b}; }
};

struct Part {
    const uint32_t* rows = nullptr;
    uint32_t n = 0;
    const uint32_t* ends = nullptr;  // end of each class in `rows`
    const uint32_t* judged = nullptr;  // rows of the validation set, under the validation energy
    uint32_t n_judged = 0;
    Key key;       // of all rows whose errors count: training and judging ones
    Key training;  // of the training rows alone
};

// Under AddressSanitizer what the stack has not given out may not be touched either.
#ifdef __SANITIZE_ADDRESS__
inline void forbid(const char* at, size_t bytes) { ASAN_POISON_MEMORY_REGION(at, bytes); }
inline void allow(const char* at, size_t bytes) { ASAN_UNPOISON_MEMORY_REGION(at, bytes); }
constexpr size_t kGap = 64;  // between two pieces
#else
inline void forbid(const char*, size_t) {}
inline void allow(const char*, size_t) {}
constexpr size_t kGap = 0;
#endif

// Memory that is given back in the reverse order.
class Stack {
public:
    struct Mark {
        size_t block, used;
    };
    Mark mark() const { return {block_, used_}; }
    void release(Mark m) {
        for (size_t i = m.block; i <= block_ && i < blocks_.size(); ++i) {
            const size_t kept = i == m.block ? m.used : 0;
            forbid(start(blocks_[i]) + kept, blocks_[i].size - kept);
        }
        block_ = m.block, used_ = m.used;
    }

    template <class T>
    T* take(size_t count) {
        const size_t bytes = (count * sizeof(T) + 63) & ~size_t(63);
        while (block_ < blocks_.size() && used_ + bytes + kGap > blocks_[block_].size) ++block_, used_ = 0;
        if (block_ == blocks_.size()) {
            const size_t size = std::max(bytes + kGap, size_t(1) << 20);
            blocks_.push_back({std::unique_ptr<char[]>(new char[size + 64]), size});
            forbid(start(blocks_.back()), size);
            used_ = 0;
        }
        char* out = start(blocks_[block_]) + used_;
        allow(out, bytes);
        used_ += bytes + kGap;
        return reinterpret_cast<T*>(out);
    }
    size_t bytes() const {
        size_t sum = 0;
        for (const Block& b : blocks_) sum += b.size;
        return sum;
    }

private:
    struct Block {
        std::unique_ptr<char[]> data;
        size_t size;
    };
    static char* start(const Block& block) {
        char* base = block.data.get();
        return base + (64 - reinterpret_cast<uintptr_t>(base) % 64) % 64;
    }
    std::vector<Block> blocks_;
    size_t block_ = 0, used_ = 0;
};

struct StackFrame {
    explicit StackFrame(Stack& s) : stack(s), mark(s.mark()) {}
    ~StackFrame() { stack.release(mark); }
    StackFrame(const StackFrame&) = delete;
    StackFrame& operator=(const StackFrame&) = delete;
    Stack& stack;
    Stack::Mark mark;
};

// Cuts parts into parts.
class Rows {
public:
    Rows(const DataView& data, const DataView* judge, const MaskPool& masks, const Kernels& kernels)
        : data_(data), judge_(judge), masks_(masks), k_(kernels), groups_(std::max<uint32_t>(data.n_classes, 1)) {
        order_.resize(data.n_rows);
        ends_.assign(groups_, 0);
        if (data.n_classes) {
            for (uint32_t r = 0; r < data.n_rows; ++r) ++ends_[data.classes[r]];
            uint32_t at = 0;
            std::vector<uint32_t> next(groups_);
            for (uint32_t c = 0; c < groups_; ++c) next[c] = at, at += ends_[c], ends_[c] = at;
            for (uint32_t r = 0; r < data.n_rows; ++r) order_[next[data.classes[r]]++] = r;
        } else {
            for (uint32_t r = 0; r < data.n_rows; ++r) order_[r] = r;
            ends_[0] = data.n_rows;
        }
        if (judge) {
            judged_.resize(judge->n_rows);
            for (uint32_t r = 0; r < judge->n_rows; ++r) judged_[r] = r;
        }
    }

    uint32_t groups() const { return groups_; }
    size_t bytes() const { return order_.size() * 4 + judged_.size() * 4; }

    Part all() const {
        Part p{order_.data(), data_.n_rows, ends_.data(), judged_.data(), uint32_t(judged_.size()), {}, {}};
        p.training = training_key(p.rows, p.n);
        p.key = p.training ^ judging_key(p.judged, p.n_judged);
        return p;
    }

    // A name of the partition that a cut makes: the same whatever the order of its parts.
    Key partition_key(const Part& part, const Cut& cut, Stack& stack) const {
        StackFrame frame(stack);
        std::vector<Part> parts;
        split(part, cut, stack, parts);
        Key name;
        for (const Part& p : parts) name.a += mix(p.training.a), name.b += mix(p.training.b);
        return name;
    }

    // The children of a cut, on the stack.
    void split(const Part& part, const Cut& cut, Stack& stack, std::vector<Part>& out) const {
        out.clear();
        if (cut.kind == kMultiway) split_multiway(part, cut, stack, out);
        else split_binary(part, cut, stack, out);
    }

private:
    static constexpr size_t kSlack = 16;  // vectors of rows are written whole

    Key training_key(const uint32_t* rows, uint32_t n) const {
        Key key;
        k_.hash_rows(rows, n, 0, &key.a, &key.b);
        return key;
    }
    Key judging_key(const uint32_t* rows, uint32_t n) const {
        Key key;
        k_.hash_rows(rows, n, data_.n_rows, &key.a, &key.b);
        return key;
    }

    void split_binary(const Part& part, const Cut& cut, Stack& stack, std::vector<Part>& out) const {
        const Mask left = left_codes(cut, masks_);
        const uint8_t* column = data_.column(cut.feature);
        uint32_t* lr = stack.take<uint32_t>(part.n + kSlack);
        uint32_t* rr = stack.take<uint32_t>(part.n + kSlack);
        uint32_t* le = stack.take<uint32_t>(groups_);
        uint32_t* re = stack.take<uint32_t>(groups_);
        uint32_t nl = 0, from = 0;
        for (uint32_t g = 0; g < groups_; ++g) {
            const uint32_t to = part.ends[g];
            nl += k_.split_rows(column, left.data(), part.rows + from, to - from, lr + nl, rr + (from - nl));
            from = to;
            le[g] = nl, re[g] = from - nl;
        }
        const uint32_t nr = part.n - nl;
        // the shorter side is named by its rows, the other by what is left of the whole
        Key kl, kr;
        if (nl <= nr) kl = training_key(lr, nl), kr = kl ^ part.training;
        else kr = training_key(rr, nr), kl = kr ^ part.training;
        out.push_back({lr, nl, le, nullptr, 0, kl, kl});
        out.push_back({rr, nr, re, nullptr, 0, kr, kr});
        if (judge_) split_judged(part, cut, left, stack, out);
    }

    void split_multiway(const Part& part, const Cut& cut, Stack& stack, std::vector<Part>& out) const {
        const uint8_t* column = data_.column(cut.feature);
        uint32_t count[256] = {};
        for (uint32_t i = 0; i < part.n; ++i) ++count[column[part.rows[i]]];
        for (int c = 0; c < 256; ++c) {
            if (!count[c]) continue;
            uint32_t* rows = stack.take<uint32_t>(count[c]);
            uint32_t* ends = stack.take<uint32_t>(groups_);
            uint32_t n = 0, i = 0;
            for (uint32_t g = 0; g < groups_; ++g) {
                for (; i < part.ends[g]; ++i) {
                    const uint32_t r = part.rows[i];
                    if (column[r] == c) rows[n++] = r;
                }
                ends[g] = n;
            }
            const Key key = training_key(rows, n);
            out.push_back({rows, n, ends, nullptr, 0, key, key});
        }
        if (judge_) split_judged(part, cut, Mask{}, stack, out);
    }

    // Judging rows follow the training rows; what those leave open goes to the heaviest child.
    void split_judged(const Part& part, const Cut& cut, const Mask& left, Stack& stack, std::vector<Part>& out) const {
        bool present[256] = {};
        const uint8_t* column = data_.column(cut.feature);
        for (uint32_t i = 0; i < part.n; ++i) present[column[part.rows[i]]] = true;
        size_t heaviest = 0;
        double most = -1;
        for (size_t k = 0; k < out.size(); ++k) {
            double w = out[k].n;
            if (data_.weights) {
                w = 0;
                for (uint32_t i = 0; i < out[k].n; ++i) w += data_.weights[out[k].rows[i]];
            }
            if (w > most) most = w, heaviest = k;
        }
        uint16_t to[256], next = 0;
        for (int c = 0; c < 256; ++c) {
            to[c] = uint16_t(heaviest);
            if (cut.kind == kMultiway) {
                if (present[c]) to[c] = next++;
            } else if (present[c] || (c != kMissing && cut.kind != kSubset)) {
                to[c] = has_code(left, uint32_t(c)) ? 0 : 1;
            }
        }
        const uint8_t* there = judge_->column(cut.feature);
        for (size_t k = 0; k < out.size(); ++k) {
            uint32_t* rows = stack.take<uint32_t>(part.n_judged);
            uint32_t n = 0;
            for (uint32_t i = 0; i < part.n_judged; ++i) {
                const uint32_t r = part.judged[i];
                if (to[there[r]] != k) continue;
                rows[n++] = r;
            }
            out[k].judged = rows;
            out[k].n_judged = n;
            out[k].key = out[k].key ^ judging_key(rows, n);
        }
    }

    const DataView& data_;
    const DataView* judge_;
    const MaskPool& masks_;
    const Kernels& k_;
    uint32_t groups_;
    std::vector<uint32_t> order_, ends_, judged_;
};

}  // namespace dilemma::tree
