// The bit kernels for every instruction set of this build, and the choice between them.
//
// One body (tree_kernels_body.hpp), compiled under several targets; each target supplies its vector
// of 16-bit lanes. All give the same integers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tree_types.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#define DILEMMA_X86 1
#include <immintrin.h>
#endif

#define DILEMMA_INLINE inline __attribute__((always_inline))
#if !defined(__GNUC__)
#undef DILEMMA_INLINE
#define DILEMMA_INLINE inline
#endif

// Short loops over register arrays must unroll, or the arrays go to memory.
#if defined(__clang__)
#define DILEMMA_UNROLL(n) _Pragma("unroll")
#elif defined(__GNUC__)
#define DILEMMA_UNROLL(n) _Pragma("GCC unroll 4")
#else
#define DILEMMA_UNROLL(n)
#endif

namespace dilemma::tree {

inline uint64_t mix(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

// The rows of a node, sixteen to a lane: lanes[group][word][32].
struct Packed {
    const uint16_t* lanes;
    const uint16_t* ones;      // [class][attribute]: set bits
    const uint16_t* ones_all;  // [attribute]
    const uint16_t* totals;    // [class]
    const uint32_t* begins;    // [class + 1]: first word of each class
    size_t first, groups, words, classes;  // attributes: first .. 32 * groups - 1
    uint32_t rows;
};

struct PairScores {
    uint16_t* left;   // [attribute]: rows right on the set side, with one more split there
    uint16_t* right;  // [attribute]: on the clear side
    uint16_t* along;  // work space, 64 a attribute
    size_t share = 0, shares = 1;  // every which group; the largest scores of all shares count
};

// Histograms of ordered features side by side, for scan_lanes.
struct LaneScan {
    const int32_t* in;   // cells [code][class][lane]; the last code counts missing values
    const int32_t* all;  // the set that `in` is part of
    size_t codes, classes, lanes;
    const int32_t* total_in;  // [class]
    const int32_t* total_all;
    int32_t n_in, n_rest;
    int32_t least;           // rows that either side must have
    bool missing_left;
    int32_t* scratch;        // 32 a class
    int32_t* best_in;        // in and out
    int32_t* best_rest;
};

struct Kernels {
    const char* name;
    void (*count_columns)(const uint64_t*, size_t, size_t, const uint32_t*, uint32_t, const uint64_t*, uint32_t*);
    void (*add_entropy)(const uint32_t*, uint32_t, const int64_t*, size_t, int64_t*);
    void (*keep_largest)(const uint32_t*, uint32_t, size_t, uint32_t*, uint32_t*);
    void (*pair_scores)(const Packed&, uint32_t, PairScores&, Limits*);
    void (*transpose16)(const uint64_t* const[16], size_t, uint16_t*, size_t);
    void (*extract_bits)(const uint64_t*, const uint64_t*, size_t, unsigned, uint64_t*);
    uint32_t (*count_without)(const uint64_t*, const uint64_t*, size_t, uint32_t);
    uint32_t (*split_bits)(const uint64_t*, const uint64_t*, size_t, uint64_t*, uint64_t*);
    uint32_t (*count_range)(const uint64_t*, uint32_t, uint32_t);
    void (*scan_lanes)(const LaneScan&);
    uint32_t (*split_rows)(const uint8_t*, const uint64_t*, const uint32_t*, uint32_t, uint32_t*, uint32_t*);
    void (*hash_rows)(const uint32_t*, uint32_t, uint32_t, uint64_t*, uint64_t*);
};

// The bits of a byte, one a 16-bit lane
struct SpreadTable {
    alignas(64) uint16_t lanes[256][8];
    SpreadTable() {
        for (int b = 0; b < 256; ++b)
            for (int k = 0; k < 8; ++k) lanes[b][k] = b >> k & 1;
    }
};
inline const SpreadTable kSpread;

// ---- baseline: plain C++, for any machine ------------------------------------------------------
namespace baseline {
constexpr const char* kName = "baseline";
constexpr int kLanes = 8;
constexpr size_t kPlane = 1;
using Plane = uint64_t;
DILEMMA_INLINE Plane plane_zero() { return 0; }
DILEMMA_INLINE Plane plane_load(const uint64_t* p, size_t) { return *p; }
// low += a + b, the carry goes up
DILEMMA_INLINE void add_planes(Plane& low, Plane a, Plane b, Plane& carry) {
    const Plane u = low ^ a;
    carry = (low & a) | (u & b);
    low = u ^ b;
}
DILEMMA_INLINE void spread(const Plane& p, uint16_t* lanes, size_t) {
    for (int byte = 0; byte < 8; ++byte) {
        const uint16_t* row = kSpread.lanes[p >> (8 * byte) & 255];
        for (int k = 0; k < 8; ++k) lanes[8 * byte + k] += row[k];
    }
}
#if defined(__GNUC__)
typedef uint16_t V __attribute__((vector_size(16)));  // SSE2, NEON, or whatever the machine has
DILEMMA_INLINE V set1(uint16_t v) { return V{v, v, v, v, v, v, v, v}; }
DILEMMA_INLINE V add(V a, V b) { return a + b; }
DILEMMA_INLINE V sub(V a, V b) { return a - b; }
DILEMMA_INLINE V band(V a, V b) { return a & b; }
DILEMMA_INLINE V bxor(V a, V b) { return a ^ b; }
DILEMMA_INLINE V shift(V a, int k) { return a >> k; }
DILEMMA_INLINE V at_least(V a, V b) { return V(a >= b); }
DILEMMA_INLINE V max(V a, V b) {
    const V take = at_least(a, b);
    return (a & take) | (b & ~take);
}
#else
struct V {
    uint16_t x[kLanes];
};
template <class F>
V each(F f) {
    V out;
    for (int k = 0; k < kLanes; ++k) out.x[k] = uint16_t(f(k));
    return out;
}
inline V set1(uint16_t v) { return each([&](int) { return v; }); }
inline V add(V a, V b) { return each([&](int k) { return a.x[k] + b.x[k]; }); }
inline V sub(V a, V b) { return each([&](int k) { return a.x[k] - b.x[k]; }); }
inline V max(V a, V b) { return each([&](int k) { return a.x[k] > b.x[k] ? a.x[k] : b.x[k]; }); }
inline V band(V a, V b) { return each([&](int k) { return a.x[k] & b.x[k]; }); }
inline V bxor(V a, V b) { return each([&](int k) { return a.x[k] ^ b.x[k]; }); }
inline V shift(V a, int s) { return each([&](int k) { return a.x[k] >> s; }); }
inline V at_least(V a, V b) { return each([&](int k) { return a.x[k] >= b.x[k] ? 0xFFFF : 0; }); }
#endif
DILEMMA_INLINE V magnitude(V a) {  // of lanes read as signed
    const V negative = sub(set1(0), shift(a, 15));
    return sub(V(bxor(a, negative)), negative);
}
DILEMMA_INLINE V load(const uint16_t* p) {
    V v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
DILEMMA_INLINE void store(uint16_t* p, V v) { std::memcpy(p, &v, sizeof v); }
DILEMMA_INLINE V popcount(V v) {
    v = sub(v, band(shift(v, 1), set1(0x5555)));
    v = add(band(v, set1(0x3333)), band(shift(v, 2), set1(0x3333)));
    v = band(add(v, shift(v, 4)), set1(0x0F0F));
    return band(add(v, shift(v, 8)), set1(0x1F));
}
DILEMMA_INLINE void count_pairs(const uint16_t* mine, const uint16_t* const other[4], uint32_t begin, uint32_t end,
                                V count[4]) {
    DILEMMA_UNROLL(4) for (int k = 0; k < 4; ++k) count[k] = set1(0);
    for (size_t w = begin; w < end; ++w) {
        const V v = load(mine + w * 32);
        DILEMMA_UNROLL(4) for (int k = 0; k < 4; ++k) count[k] = add(count[k], popcount(band(v, set1(other[k][w * 32]))));
    }
}
DILEMMA_INLINE void transpose16_lanes(const uint64_t* const rows[16], size_t word, uint16_t* out) {
    for (int a = 0; a < 64; ++a) {
        unsigned lane = 0;
        for (int r = 0; r < 16; ++r) lane |= unsigned(rows[r][word] >> a & 1) << r;
        out[a] = uint16_t(lane);
    }
}
inline void extract_bits(const uint64_t* row, const uint64_t* mask, size_t words, unsigned at, uint64_t* out) {
    uint64_t acc = 0;
    for (size_t w = 0; w < words; ++w) {
        for (uint64_t m = mask[w]; m; m &= m - 1) {
            const uint64_t lowest = m & (0 - m);
            acc |= uint64_t((row[w] & lowest) != 0) << (at & 63);
            if ((++at & 63) == 0) *out++ = acc, acc = 0;
        }
    }
    if (at & 63) *out = acc;
}
// Rows (ascending) whose code is in the mask, and the others; how many of the former. Both lists are
// written up to sixteen places past their ends.
inline uint32_t split_rows(const uint8_t* column, const uint64_t* mask, const uint32_t* rows, uint32_t n, uint32_t* in,
                           uint32_t* out) {
    uint32_t inside = 0;
    for (uint32_t i = 0; i < n; ++i) {  // without a branch: both are written, one is kept
        const uint32_t r = rows[i], code = column[r];
        in[inside] = r, out[i - inside] = r;
        inside += uint32_t(mask[code >> 6] >> (code & 63) & 1);
    }
    return inside;
}
#include "tree_kernels_body.hpp"
}  // namespace baseline

#if DILEMMA_X86

// Per-function targets: the rest of the build stays at the baseline.
#if defined(__clang__)
#define DILEMMA_TARGET_BEGIN(features) \
    _Pragma(DILEMMA_STR(clang attribute push(__attribute__((target(features))), apply_to = function)))
#define DILEMMA_TARGET_END _Pragma("clang attribute pop")
#else
#define DILEMMA_TARGET_BEGIN(features) _Pragma("GCC push_options") _Pragma(DILEMMA_STR(GCC target(features)))
#define DILEMMA_TARGET_END _Pragma("GCC pop_options")
#endif
#define DILEMMA_STR(...) #__VA_ARGS__

// ---- AVX2 --------------------------------------------------------------------------------------
DILEMMA_TARGET_BEGIN("avx2,bmi,bmi2,popcnt")
namespace avx2 {
constexpr const char* kName = "avx2";
constexpr int kLanes = 16;
constexpr size_t kPlane = 4;
using Plane = __m256i;
DILEMMA_INLINE Plane plane_zero() { return _mm256_setzero_si256(); }
DILEMMA_INLINE Plane plane_load(const uint64_t* p, size_t) { return _mm256_loadu_si256((const __m256i*)p); }
DILEMMA_INLINE void add_planes(Plane& low, const Plane& a, const Plane& b, Plane& carry) {
    const Plane u = _mm256_xor_si256(low, a);
    carry = _mm256_or_si256(_mm256_and_si256(low, a), _mm256_and_si256(u, b));
    low = _mm256_xor_si256(u, b);
}
DILEMMA_INLINE void spread(const Plane& p, uint16_t* lanes, size_t width) {
    alignas(32) uint8_t bytes[32];
    _mm256_store_si256((__m256i*)bytes, p);
    for (size_t i = 0; i < width * 8; ++i) {
        __m128i* at = (__m128i*)(lanes + 8 * i);
        _mm_store_si128(at, _mm_add_epi16(_mm_load_si128(at), _mm_load_si128((const __m128i*)kSpread.lanes[bytes[i]])));
    }
}
using V = __m256i;
DILEMMA_INLINE V set1(uint16_t v) { return _mm256_set1_epi16(short(v)); }
DILEMMA_INLINE V load(const uint16_t* p) { return _mm256_loadu_si256((const __m256i*)p); }
DILEMMA_INLINE void store(uint16_t* p, const V& v) { _mm256_storeu_si256((__m256i*)p, v); }
DILEMMA_INLINE V add(const V& a, const V& b) { return _mm256_add_epi16(a, b); }
DILEMMA_INLINE V sub(const V& a, const V& b) { return _mm256_sub_epi16(a, b); }
DILEMMA_INLINE V max(const V& a, const V& b) { return _mm256_max_epu16(a, b); }
DILEMMA_INLINE V band(const V& a, const V& b) { return _mm256_and_si256(a, b); }
DILEMMA_INLINE V magnitude(const V& a) { return _mm256_abs_epi16(a); }
DILEMMA_INLINE V at_least(const V& a, const V& b) { return _mm256_cmpeq_epi16(_mm256_max_epu16(a, b), a); }
DILEMMA_INLINE V popcount_bytes(const V& v) {
    const V table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2,
                                     3, 2, 3, 3, 4);
    const V low = _mm256_set1_epi8(15);
    return _mm256_add_epi8(_mm256_shuffle_epi8(table, _mm256_and_si256(v, low)),
                           _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low)));
}
DILEMMA_INLINE void count_pairs(const uint16_t* mine, const uint16_t* const other[4], uint32_t begin, uint32_t end,
                                V count[4]) {
    DILEMMA_UNROLL(4) for (int k = 0; k < 4; ++k) count[k] = set1(0);
    for (size_t w = begin; w < end;) {
        const size_t stop = std::min<size_t>(w + 31, end);  // bytes hold 31 times 8
        V bytes[4] = {set1(0), set1(0), set1(0), set1(0)};
        for (; w < stop; ++w) {
            const V v = load(mine + w * 32);
            DILEMMA_UNROLL(4) for (int k = 0; k < 4; ++k)
                bytes[k] = _mm256_add_epi8(bytes[k], popcount_bytes(band(v, set1(other[k][w * 32]))));
        }
        DILEMMA_UNROLL(4) for (int k = 0; k < 4; ++k) count[k] = add(count[k], _mm256_maddubs_epi16(bytes[k], _mm256_set1_epi8(1)));
    }
}
DILEMMA_INLINE void bytes_of_rows(const uint64_t* const rows[16], size_t word, __m128i b[8]) {
    __m128i t[8], u[8], v[8];
    for (int k = 0; k < 8; ++k)
        t[k] = _mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i*)(rows[k] + word)),
                                 _mm_loadl_epi64((const __m128i*)(rows[k + 8] + word)));
    DILEMMA_UNROLL(4) for (int k = 0; k < 4; ++k) {
        u[k] = _mm_unpacklo_epi8(t[k], t[k + 4]);
        u[k + 4] = _mm_unpackhi_epi8(t[k], t[k + 4]);
    }
    for (int h = 0; h < 2; ++h)
        for (int k = 0; k < 2; ++k) {
            v[4 * h + k] = _mm_unpacklo_epi8(u[4 * h + k], u[4 * h + k + 2]);
            v[4 * h + k + 2] = _mm_unpackhi_epi8(u[4 * h + k], u[4 * h + k + 2]);
        }
    for (int q = 0; q < 4; ++q) {
        b[2 * q] = _mm_unpacklo_epi8(v[2 * q], v[2 * q + 1]);
        b[2 * q + 1] = _mm_unpackhi_epi8(v[2 * q], v[2 * q + 1]);
    }
}
DILEMMA_INLINE void transpose16_lanes(const uint64_t* const rows[16], size_t word, uint16_t* out) {
    __m128i b[8];
    bytes_of_rows(rows, word, b);
    for (int byte = 0; byte < 8; ++byte) {
        __m128i v = b[byte];
        for (int bit = 7; bit >= 0; --bit) {
            out[8 * byte + bit] = uint16_t(_mm_movemask_epi8(v));
            v = _mm_add_epi8(v, v);
        }
    }
}
inline void extract_bits(const uint64_t* row, const uint64_t* mask, size_t words, unsigned at, uint64_t* out) {
    uint64_t acc = 0;
    for (size_t w = 0; w < words; ++w) {
        const uint64_t m = mask[w];
        if (!m) continue;
        const uint64_t bits = _pext_u64(row[w], m);
        const unsigned n = unsigned(_mm_popcnt_u64(m));
        acc |= bits << at;
        if (at + n >= 64) {
            *out++ = acc;
            acc = at ? bits >> (64 - at) : 0;
            at = at + n - 64;
        } else {
            at += n;
        }
    }
    if (at) *out = acc;
}
using baseline::split_rows;
#include "tree_kernels_body.hpp"
}  // namespace avx2
DILEMMA_TARGET_END

// ---- AVX-512BW, and with BITALG ----------------------------------------------------------------
#define DILEMMA_AVX512_COMMON                                                                                     \
    constexpr int kLanes = 32;                                                                                    \
    constexpr size_t kPlane = 8;                                                                                  \
    using Plane = __m512i;                                                                                        \
    DILEMMA_INLINE Plane plane_zero() { return _mm512_setzero_si512(); }                                          \
    DILEMMA_INLINE Plane plane_load(const uint64_t* p, size_t) { return _mm512_loadu_si512(p); }                  \
    DILEMMA_INLINE void add_planes(Plane& low, const Plane& a, const Plane& b, Plane& carry) {                    \
        carry = _mm512_ternarylogic_epi64(low, a, b, 0xE8);                                                       \
        low = _mm512_ternarylogic_epi64(low, a, b, 0x96);                                                         \
    }                                                                                                             \
    DILEMMA_INLINE void spread(const Plane& p, uint16_t* lanes, size_t width) {                                   \
        alignas(64) uint32_t pieces[16];                                                                          \
        _mm512_store_si512(pieces, p);                                                                            \
        const __m512i one = _mm512_set1_epi16(1);                                                                 \
        for (size_t i = 0; i < width * 2; ++i) {                                                                  \
            const __m512i v = _mm512_load_si512(lanes + 32 * i);                                                  \
            _mm512_store_si512(lanes + 32 * i, _mm512_mask_add_epi16(v, pieces[i], v, one));                      \
        }                                                                                                         \
    }                                                                                                             \
    using V = __m512i;                                                                                            \
    DILEMMA_INLINE V set1(uint16_t v) { return _mm512_set1_epi16(short(v)); }                                     \
    DILEMMA_INLINE V load(const uint16_t* p) { return _mm512_loadu_si512(p); }                                    \
    DILEMMA_INLINE void store(uint16_t* p, const V& v) { _mm512_storeu_si512(p, v); }                             \
    DILEMMA_INLINE V add(const V& a, const V& b) { return _mm512_add_epi16(a, b); }                               \
    DILEMMA_INLINE V sub(const V& a, const V& b) { return _mm512_sub_epi16(a, b); }                               \
    DILEMMA_INLINE V max(const V& a, const V& b) { return _mm512_max_epu16(a, b); }                               \
    DILEMMA_INLINE V band(const V& a, const V& b) { return _mm512_and_si512(a, b); }                              \
    DILEMMA_INLINE V magnitude(const V& a) { return _mm512_abs_epi16(a); }                                        \
    DILEMMA_INLINE V at_least(const V& a, const V& b) {                                                           \
        return _mm512_movm_epi16(_mm512_cmpge_epu16_mask(a, b));                                                  \
    }                                                                                                             \
    DILEMMA_INLINE void transpose16_lanes(const uint64_t* const rows[16], size_t word, uint16_t* out) {           \
        __m128i b[8];                                                                                             \
        avx2::bytes_of_rows(rows, word, b);                                                                       \
        for (int half = 0; half < 2; ++half) {                                                                    \
            __m512i v = _mm512_castsi128_si512(b[4 * half]);                                                      \
            v = _mm512_inserti32x4(v, b[4 * half + 1], 1);                                                        \
            v = _mm512_inserti32x4(v, b[4 * half + 2], 2);                                                        \
            v = _mm512_inserti32x4(v, b[4 * half + 3], 3);                                                        \
            for (int bit = 7; bit >= 0; --bit) {                                                                  \
                const uint64_t m = _mm512_movepi8_mask(v);                                                        \
                uint16_t* at = out + 32 * half + bit;                                                             \
                at[0] = uint16_t(m), at[8] = uint16_t(m >> 16);                                                   \
                at[16] = uint16_t(m >> 32), at[24] = uint16_t(m >> 48);                                           \
                v = _mm512_add_epi8(v, v);                                                                        \
            }                                                                                                     \
        }                                                                                                         \
    }                                                                                                             \
    inline void extract_bits(const uint64_t* row, const uint64_t* mask, size_t words, unsigned at,                \
                             uint64_t* out) {                                                                     \
        avx2::extract_bits(row, mask, words, at, out);                                                            \
    }                                                                                                             \
    inline uint32_t split_rows(const uint8_t* column, const uint64_t* mask, const uint32_t* rows, uint32_t n,     \
                               uint32_t* in, uint32_t* out) {                                                     \
        uint32_t i = 0;                                                                                           \
        while (i < n && (rows[i] < 3 || n < 16)) ++i; /* a code is read as the last of four bytes */              \
        uint32_t inside = baseline::split_rows(column, mask, rows, i, in, out);                                   \
        const __m512i table = _mm512_castsi256_si512(_mm256_loadu_si256((const __m256i*)mask));                   \
        for (; i + 16 <= n; i += 16) {                                                                            \
            const __m512i r = _mm512_loadu_si512(rows + i);                                                       \
            const __m512i code = _mm512_srli_epi32(_mm512_i32gather_epi32(r, column - 3, 1), 24);                 \
            const __m512i word = _mm512_permutexvar_epi32(_mm512_srli_epi32(code, 5), table);                     \
            const __m512i bit = _mm512_srlv_epi32(word, _mm512_and_si512(code, _mm512_set1_epi32(31)));           \
            const __mmask16 m = _mm512_test_epi32_mask(bit, _mm512_set1_epi32(1));                                \
            _mm512_storeu_si512(in + inside, _mm512_maskz_compress_epi32(m, r));                                  \
            _mm512_storeu_si512(out + (i - inside), _mm512_maskz_compress_epi32(__mmask16(~m), r));               \
            inside += uint32_t(_mm_popcnt_u32(m));                                                                \
        }                                                                                                         \
        return inside + baseline::split_rows(column, mask, rows + i, n - i, in + inside, out + (i - inside));     \
    }

DILEMMA_TARGET_BEGIN("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl")
namespace avx512bw {
constexpr const char* kName = "avx512bw";
DILEMMA_AVX512_COMMON
DILEMMA_INLINE V popcount_bytes(const V& v) {
    const V table = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
    const V low = _mm512_set1_epi8(15);
    return _mm512_add_epi8(_mm512_shuffle_epi8(table, _mm512_and_si512(v, low)),
                           _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(v, 4), low)));
}
DILEMMA_INLINE void count_pairs(const uint16_t* mine, const uint16_t* const other[4], uint32_t begin, uint32_t end,
                                V count[4]) {
    DILEMMA_UNROLL(4) for (int k = 0; k < 4; ++k) count[k] = set1(0);
    for (size_t w = begin; w < end;) {
        const size_t stop = std::min<size_t>(w + 31, end);  // bytes hold 31 times 8
        V bytes[4] = {set1(0), set1(0), set1(0), set1(0)};
        for (; w < stop; ++w) {
            const V v = load(mine + w * 32);
            DILEMMA_UNROLL(4) for (int k = 0; k < 4; ++k)
                bytes[k] = _mm512_add_epi8(bytes[k], popcount_bytes(band(v, set1(other[k][w * 32]))));
        }
        DILEMMA_UNROLL(4) for (int k = 0; k < 4; ++k) count[k] = add(count[k], _mm512_maddubs_epi16(bytes[k], _mm512_set1_epi8(1)));
    }
}
#include "tree_kernels_body.hpp"
}  // namespace avx512bw
DILEMMA_TARGET_END

DILEMMA_TARGET_BEGIN("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512bitalg")
namespace avx512 {
constexpr const char* kName = "avx512-bitalg";
DILEMMA_AVX512_COMMON
DILEMMA_INLINE void count_pairs(const uint16_t* mine, const uint16_t* const other[4], uint32_t begin, uint32_t end,
                                V count[4]) {
    V c0 = set1(0), c1 = c0, c2 = c0, c3 = c0;
    for (size_t w = begin; w < end; ++w) {
        const V v = load(mine + w * 32);
        c0 = add(c0, _mm512_popcnt_epi16(band(v, set1(other[0][w * 32]))));
        c1 = add(c1, _mm512_popcnt_epi16(band(v, set1(other[1][w * 32]))));
        c2 = add(c2, _mm512_popcnt_epi16(band(v, set1(other[2][w * 32]))));
        c3 = add(c3, _mm512_popcnt_epi16(band(v, set1(other[3][w * 32]))));
    }
    count[0] = c0, count[1] = c1, count[2] = c2, count[3] = c3;
}
#include "tree_kernels_body.hpp"
}  // namespace avx512
DILEMMA_TARGET_END
#endif  // DILEMMA_X86

// Kernels that this machine can run, best first.
inline std::vector<const Kernels*> available_kernels() {
    std::vector<const Kernels*> out;
#if DILEMMA_X86
    __builtin_cpu_init();
    const bool two = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2");
    const bool wide = two && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
    if (wide && __builtin_cpu_supports("avx512bitalg")) out.push_back(&avx512::kTable);
    if (wide) out.push_back(&avx512bw::kTable);
    if (two) out.push_back(&avx2::kTable);
#endif
    out.push_back(&baseline::kTable);
    return out;
}

// "auto" and "native": the best; "avx512", "avx512bw", "avx2", "baseline": that one or null.
inline const Kernels* choose_kernels(const std::string& wanted) {
    const auto all = available_kernels();
    if (wanted == "auto" || wanted == "native") return all.front();
    for (const Kernels* k : all)
        if (wanted == k->name || (wanted == "avx512" && std::string(k->name) == "avx512-bitalg")) return k;
    return nullptr;
}

}  // namespace dilemma::tree
