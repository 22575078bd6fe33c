// The bit kernels, written once and compiled for each instruction set (no include guard: see
// tree_kernels.hpp, which includes this several times under different targets).
//
// The including file defines V, the vector of 16-bit lanes, and its operations.

// Counts set bits per column over rows of `words` 64-bit words. A carry-save tree turns sixteen
// rows into five bit planes, so that counters are touched once per sixteen rows.
inline void count_columns(const uint64_t* bits, size_t stride, size_t words, const uint32_t* rows, uint32_t n,
                          const uint64_t* zero_row, uint32_t* counts) {
    constexpr size_t step = kPlane;  // words per bit plane
    for (size_t w0 = 0; w0 < words; w0 += step) {
        const size_t width = std::min(step, words - w0);
        alignas(64) uint16_t sixteens[step * 64];
        std::memset(sixteens, 0, width * 64 * sizeof(uint16_t));
        Plane ones = plane_zero(), twos = ones, fours = ones, eights = ones;
        uint32_t* out = counts + w0 * 64;
        uint32_t blocks = 0;
        std::memset(out, 0, width * 64 * sizeof(uint32_t));
        auto flush = [&] {
            for (size_t k = 0; k < width * 64; ++k) out[k] += uint32_t(sixteens[k]) * 16;
            std::memset(sixteens, 0, width * 64 * sizeof(uint16_t));
            blocks = 0;
        };
        for (uint32_t i = 0; i < n; i += 16) {
            Plane in[16];
            for (uint32_t k = 0; k < 16; ++k) {
                const uint64_t* row = i + k < n ? bits + size_t(rows[i + k]) * stride : zero_row;
                in[k] = plane_load(row + w0, width);
            }
            Plane t[8], f[4], e[2], carry;
            for (int k = 0; k < 8; ++k) add_planes(ones, in[2 * k], in[2 * k + 1], t[k]);
            for (int k = 0; k < 4; ++k) add_planes(twos, t[2 * k], t[2 * k + 1], f[k]);
            for (int k = 0; k < 2; ++k) add_planes(fours, f[2 * k], f[2 * k + 1], e[k]);
            add_planes(eights, e[0], e[1], carry);
            spread(carry, sixteens, width);
            if (++blocks == 60000) flush();
        }
        flush();
        alignas(64) uint16_t small[step * 64];
        Plane low[4] = {ones, twos, fours, eights};
        for (int bit = 0; bit < 4; ++bit) {
            std::memset(small, 0, width * 64 * sizeof(uint16_t));
            spread(low[bit], small, width);
            for (size_t k = 0; k < width * 64; ++k) out[k] += uint32_t(small[k]) << bit;
        }
    }
}

// Sum over classes of table[in] + table[total - in], per column: entropy in integers.
inline void add_entropy(const uint32_t* counts, uint32_t total, const int64_t* table, size_t columns, int64_t* sum) {
    for (size_t a = 0; a < columns; ++a) sum[a] += table[counts[a]] + table[total - counts[a]];
}

inline void keep_largest(const uint32_t* counts, uint32_t total, size_t columns, uint32_t* in, uint32_t* out) {
    for (size_t a = 0; a < columns; ++a) {
        const uint32_t c = counts[a], d = total - c;
        in[a] = in[a] > c ? in[a] : c;
        out[a] = out[a] > d ? out[a] : d;
    }
}

// For every attribute as the root: the most rows that one more split can get right on either side.
//
// Sixteen rows a lane, 32 attributes a group; each class starts a new lane. For a pair (i, j) the
// four cells of a class follow from one count, and one count serves both (root i, below j) and
// (root j, below i): cells 11 and 10 are the left side of root i, cells 11 and 01 of root j.
template <bool Limited>
inline void pair_scores_of(const Packed& p, uint32_t least, PairScores& out, Limits* limits) {
    constexpr int kBlock = 4;
    constexpr int kHalves = 32 / kLanes;
    const size_t groups = p.groups, words = p.words;
    const V least_v = set1(uint16_t(least));
    const V zero = set1(0);
    std::memset(out.along, 0, groups * 32 * 2 * kLanes * sizeof(uint16_t));
    for (size_t g = 0; g < groups; ++g) {
        if (limits) limits->check();
        for (int half = 0; half < kHalves; ++half) {
            const uint16_t* mine = p.lanes + g * words * 32 + half * kLanes;
            V down_left = zero, down_right = zero;
            const V n_j = load(p.ones_all + g * 32 + half * kLanes);
            const size_t last = std::min<size_t>((g + 1) * 32, p.attributes);
            for (size_t i0 = 0; i0 < last; i0 += kBlock) {
                const uint16_t* other[kBlock];
                DILEMMA_UNROLL(4) for (int k = 0; k < kBlock; ++k) other[k] = p.lanes + ((i0 + k) / 32) * words * 32 + (i0 + k) % 32;
                V m11[kBlock], m10[kBlock], m01[kBlock], m00[kBlock], n11[kBlock];
                DILEMMA_UNROLL(4) for (int k = 0; k < kBlock; ++k) m11[k] = m10[k] = m01[k] = m00[k] = n11[k] = zero;
                for (size_t c = 0; c < p.classes; ++c) {
                    V count[kBlock];
                    count_pairs(mine, other, p.begins[c], p.begins[c + 1], count);
                    const uint16_t* ones = p.ones + c * groups * 32;
                    const V j1 = load(ones + g * 32 + half * kLanes);
                    const V j0 = sub(set1(p.totals[c]), j1);
                    DILEMMA_UNROLL(4) for (int k = 0; k < kBlock; ++k) {
                        const V i1 = set1(ones[i0 + k]);
                        m11[k] = max(m11[k], count[k]);
                        m10[k] = max(m10[k], sub(i1, count[k]));
                        m01[k] = max(m01[k], sub(j1, count[k]));
                        m00[k] = max(m00[k], add(sub(j0, i1), count[k]));
                        if (Limited) n11[k] = add(n11[k], count[k]);
                    }
                }
                DILEMMA_UNROLL(4) for (int k = 0; k < kBlock; ++k) {
                    V i_left = add(m11[k], m10[k]), i_right = add(m01[k], m00[k]);
                    V j_left = add(m11[k], m01[k]), j_right = add(m10[k], m00[k]);
                    if (Limited) {
                        const V n_i = set1(p.ones_all[i0 + k]);
                        const V n10 = sub(n_i, n11[k]), n01 = sub(n_j, n11[k]);
                        const V n00 = sub(sub(set1(uint16_t(p.rows)), n_i), n01);
                        const V a = at_least(n11[k], least_v), b = at_least(n10, least_v);
                        const V c = at_least(n01, least_v), d = at_least(n00, least_v);
                        i_left = band(i_left, band(a, b)), i_right = band(i_right, band(c, d));
                        j_left = band(j_left, band(a, c)), j_right = band(j_right, band(b, d));
                    }
                    down_left = max(down_left, j_left);
                    down_right = max(down_right, j_right);
                    uint16_t* row = out.along + (i0 + k) * 2 * kLanes;
                    store(row, max(load(row), i_left));
                    store(row + kLanes, max(load(row + kLanes), i_right));
                }
            }
            store(out.left + g * 32 + half * kLanes, down_left);
            store(out.right + g * 32 + half * kLanes, down_right);
        }
    }
    for (size_t i = 0; i < p.attributes; ++i) {
        const uint16_t* row = out.along + i * 2 * kLanes;
        for (int k = 0; k < kLanes; ++k) {
            out.left[i] = std::max(out.left[i], row[k]);
            out.right[i] = std::max(out.right[i], row[kLanes + k]);
        }
    }
}

inline void pair_scores(const Packed& p, uint32_t least, PairScores& out, Limits* limits) {
    if (least > 1) pair_scores_of<true>(p, least, out, limits);
    else pair_scores_of<false>(p, least, out, limits);
}

// Sixteen rows of 64 attributes into 64 lanes of 16 bits.
inline void transpose16(const uint64_t* const rows[16], size_t word, uint16_t* out, size_t group_stride) {
    alignas(64) uint16_t lanes[64];
    transpose16_lanes(rows, word, lanes);
    std::memcpy(out, lanes, 64);
    std::memcpy(out + group_stride, lanes + 32, 64);
}

inline const Kernels kTable = {kName, count_columns, add_entropy, keep_largest, pair_scores, transpose16, extract_bits};
