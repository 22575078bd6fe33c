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
    std::memset(out.left, 0, groups * 32 * sizeof(uint16_t));
    std::memset(out.right, 0, groups * 32 * sizeof(uint16_t));
    for (size_t g = out.share; g < groups; g += out.shares) {
        if (limits) limits->check();
        for (int half = 0; half < kHalves; ++half) {
            const uint16_t* mine = p.lanes + g * words * 32 + half * kLanes;
            V down_left = zero, down_right = zero;
            const V n_j = load(p.ones_all + g * 32 + half * kLanes);
            for (size_t i0 = p.first & ~size_t(kBlock - 1); i0 < (g + 1) * 32; i0 += kBlock) {
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
    for (size_t i = p.first; i < groups * 32; ++i) {
        const uint16_t* row = out.along + i * 2 * kLanes;
        for (int k = 0; k < kLanes; ++k) {
            out.left[i] = std::max(out.left[i], row[k]);
            out.right[i] = std::max(out.right[i], row[kLanes + k]);
        }
    }
}

// The same for two classes: with d the rows of one class less those of the other, a cell gets
// (n + |d|) / 2 rows right, so one signed count a pair does.
inline void pair_scores_two(const Packed& p, PairScores& out, Limits* limits) {
    constexpr int kBlock = 4;
    constexpr int kHalves = 32 / kLanes;
    const size_t groups = p.groups, words = p.words;
    const V zero = set1(0);
    const uint16_t* ones0 = p.ones;
    const uint16_t* ones1 = p.ones + groups * 32;
    const V d_all = set1(uint16_t(p.totals[1] - p.totals[0]));
    std::memset(out.along, 0, groups * 32 * 2 * kLanes * sizeof(uint16_t));
    std::memset(out.left, 0, groups * 32 * sizeof(uint16_t));
    std::memset(out.right, 0, groups * 32 * sizeof(uint16_t));
    for (size_t g = out.share; g < groups; g += out.shares) {
        if (limits) limits->check();
        for (int half = 0; half < kHalves; ++half) {
            const size_t lane = g * 32 + half * kLanes;
            const uint16_t* mine = p.lanes + g * words * 32 + half * kLanes;
            V down_left = zero, down_right = zero;
            const V d_j = sub(load(ones1 + lane), load(ones0 + lane));
            const V d_not_j = sub(d_all, d_j);
            for (size_t i0 = p.first & ~size_t(kBlock - 1); i0 < (g + 1) * 32; i0 += kBlock) {
                const uint16_t* other[kBlock];
                DILEMMA_UNROLL(4) for (int k = 0; k < kBlock; ++k) other[k] = p.lanes + ((i0 + k) / 32) * words * 32 + (i0 + k) % 32;
                V count0[kBlock], count1[kBlock];
                count_pairs(mine, other, p.begins[0], p.begins[1], count0);
                count_pairs(mine, other, p.begins[1], p.begins[2], count1);
                DILEMMA_UNROLL(4) for (int k = 0; k < kBlock; ++k) {
                    const V d_i = set1(uint16_t(ones1[i0 + k] - ones0[i0 + k]));
                    const V d11 = sub(count1[k], count0[k]);
                    const V a11 = magnitude(d11), a10 = magnitude(sub(d_i, d11));
                    const V d01 = sub(d_j, d11);
                    const V a01 = magnitude(d01), a00 = magnitude(sub(d_not_j, sub(d_i, d11)));
                    down_left = max(down_left, add(a11, a01));
                    down_right = max(down_right, add(a10, a00));
                    uint16_t* row = out.along + (i0 + k) * 2 * kLanes;
                    store(row, max(load(row), add(a11, a10)));
                    store(row + kLanes, max(load(row + kLanes), add(a01, a00)));
                }
            }
            store(out.left + lane, down_left);
            store(out.right + lane, down_right);
        }
    }
    for (size_t i = p.first; i < groups * 32; ++i) {
        const uint16_t* row = out.along + i * 2 * kLanes;
        for (int k = 0; k < kLanes; ++k) {
            out.left[i] = std::max(out.left[i], row[k]);
            out.right[i] = std::max(out.right[i], row[kLanes + k]);
        }
        out.left[i] = uint16_t((p.ones_all[i] + out.left[i]) / 2);
        out.right[i] = uint16_t((p.rows - p.ones_all[i] + out.right[i]) / 2);
    }
}

inline void pair_scores(const Packed& p, uint32_t least, PairScores& out, Limits* limits) {
    if (least > 1) pair_scores_of<true>(p, least, out, limits);
    else if (p.classes == 2 && p.rows < 32768) pair_scores_two(p, out, limits);
    else pair_scores_of<false>(p, least, out, limits);
}

// Sixteen rows of 64 attributes into 64 lanes of 16 bits.
inline void transpose16(const uint64_t* const rows[16], size_t word, uint16_t* out, size_t group_stride) {
    alignas(64) uint16_t lanes[64];
    transpose16_lanes(rows, word, lanes);
    std::memcpy(out, lanes, 64);
    std::memcpy(out + group_stride, lanes + 32, 64);
}

// Set bits of a that are clear in b; may stop counting above `most`.
inline uint32_t count_without(const uint64_t* a, const uint64_t* b, size_t words, uint32_t most) {
    uint32_t sum = 0;
    for (size_t w = 0; w < words;) {
        const size_t stop = std::min(words, w + 8);
        for (; w < stop; ++w) sum += uint32_t(__builtin_popcountll(a[w] & ~b[w]));
        if (sum > most) break;
    }
    return sum;
}

// in = set & column, out = set & ~column; how many are in.
inline uint32_t split_bits(const uint64_t* set, const uint64_t* column, size_t words, uint64_t* in, uint64_t* out) {
    uint32_t sum = 0;
    for (size_t w = 0; w < words; ++w) {
        const uint64_t both = set[w] & column[w];
        in[w] = both;
        out[w] = set[w] ^ both;
        sum += uint32_t(__builtin_popcountll(both));
    }
    return sum;
}

// Set bits from position `from` to before `to`.
inline uint32_t count_range(const uint64_t* set, uint32_t from, uint32_t to) {
    if (from == to) return 0;
    const uint32_t first = from / 64, last = (to - 1) / 64;
    const uint64_t head = ~uint64_t(0) << (from % 64), tail = ~uint64_t(0) >> (63 - (to - 1) % 64);
    if (first == last) return uint32_t(__builtin_popcountll(set[first] & head & tail));
    uint32_t sum = uint32_t(__builtin_popcountll(set[first] & head)) + uint32_t(__builtin_popcountll(set[last] & tail));
    for (uint32_t w = first + 1; w < last; ++w) sum += uint32_t(__builtin_popcountll(set[w]));
    return sum;
}

// Thresholds of sixteen features at a time, on two sets at once: `in`, and the rest of `all`. Cells
// are [code][class][lane]; L runs over the prefixes of `in`, A over those of `all`. Keeps, per lane,
// the most rows of either set that one threshold gets right.
template <int kClasses, bool Limited>
inline void scan_block(const LaneScan& s, size_t block) {
    constexpr int kWide = 16;
    const size_t classes = kClasses ? kClasses : s.classes, row = s.lanes;
    int32_t* L = s.scratch;
    int32_t* A = L + classes * kWide;
    int32_t local[kClasses ? 2 * kClasses * kWide : 1];
    if (kClasses) L = local, A = local + kClasses * kWide;
    for (size_t k = 0; k < classes; ++k)
        for (int j = 0; j < kWide; ++j) {
            const size_t at = (s.codes * classes + k) * row + block + j;  // the missing ones
            L[k * kWide + j] = s.missing_left ? s.in[at] : 0;
            A[k * kWide + j] = s.missing_left ? s.all[at] : 0;
        }
    int32_t best_in[kWide] = {}, best_rest[kWide] = {};
    for (size_t c = 0; c < s.codes; ++c) {
        int32_t in_left[kWide] = {}, in_right[kWide] = {}, rest_left[kWide] = {}, rest_right[kWide] = {};
        int32_t n_in[kWide] = {}, n_rest[kWide] = {};
        for (size_t k = 0; k < classes; ++k) {
            const int32_t* in = s.in + (c * classes + k) * row + block;
            const int32_t* all = s.all + (c * classes + k) * row + block;
            const int32_t total_in = s.total_in[k], total_rest = s.total_all[k] - total_in;
            for (int j = 0; j < kWide; ++j) {
                const int32_t l = L[k * kWide + j] += in[j];
                const int32_t r = (A[k * kWide + j] += all[j]) - l;
                in_left[j] = std::max(in_left[j], l);
                in_right[j] = std::max(in_right[j], total_in - l);
                rest_left[j] = std::max(rest_left[j], r);
                rest_right[j] = std::max(rest_right[j], total_rest - r);
                if (Limited) n_in[j] += l, n_rest[j] += r;
            }
        }
        for (int j = 0; j < kWide; ++j) {
            int32_t a = in_left[j] + in_right[j], b = rest_left[j] + rest_right[j];
            if (Limited) {
                a = (n_in[j] >= s.least) & (s.n_in - n_in[j] >= s.least) ? a : 0;
                b = (n_rest[j] >= s.least) & (s.n_rest - n_rest[j] >= s.least) ? b : 0;
            }
            best_in[j] = std::max(best_in[j], a);
            best_rest[j] = std::max(best_rest[j], b);
        }
    }
    for (int j = 0; j < kWide; ++j) {
        *s.best_in = std::max(*s.best_in, best_in[j]);
        *s.best_rest = std::max(*s.best_rest, best_rest[j]);
    }
}

inline void scan_lanes(const LaneScan& s) {
    for (size_t block = 0; block < s.lanes; block += 16) {
        if (s.classes == 2 && s.least <= 1) scan_block<2, false>(s, block);
        else if (s.classes == 2) scan_block<2, true>(s, block);
        else if (s.least <= 1) scan_block<0, false>(s, block);
        else scan_block<0, true>(s, block);
    }
}

// A name of a set of rows, for the cache: the same in any order.
inline void hash_rows(const uint32_t* rows, uint32_t n, uint32_t first, uint64_t* key_a, uint64_t* key_b) {
    uint64_t sum_a = 0, sum_b = 0;
    for (uint32_t i = 0; i < n; ++i) {
        const uint64_t a = mix(2 * (uint64_t(first) + rows[i]) + 0x9E3779B97F4A7C16ull);
        sum_a ^= a;
        sum_b ^= (a ^ (a >> 29)) * 0xD6E8FEB86659FD93ull;
    }
    *key_a = sum_a;
    *key_b = sum_b;
}

inline const Kernels kTable = {kName,       count_columns, add_entropy, keep_largest, pair_scores, transpose16, extract_bits,
                               count_without, split_bits,  count_range, scan_lanes,   split_rows,  hash_rows};
