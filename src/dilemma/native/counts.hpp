// Class counts of many attributes over a set of rows, by population count. No Python here.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__linux__)
// One binary, the best of these chosen when it is loaded.
#define DILEMMA_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "popcnt", "default")))
#else
#define DILEMMA_CLONES
#endif

namespace dilemma {

// counts[a * n_classes + c] = rows of class c in the set that have bit a.
// The set is its non-zero words: positions `at` and contents `words`; rows are sorted by class and each class
// starts a new word, so that a word belongs to one class, `word_class`.
DILEMMA_CLONES inline void class_counts(const std::uint64_t* columns, std::size_t n_columns, std::size_t n_words,
                                        const std::int32_t* at, const std::uint64_t* words, std::size_t n_set,
                                        const std::int32_t* word_class, std::size_t n_classes,
                                        std::int64_t* counts) {
  for (std::size_t a = 0; a < n_columns; ++a) {
    const std::uint64_t* column = columns + a * n_words;
    std::int64_t* out = counts + a * n_classes;
    for (std::size_t c = 0; c < n_classes; ++c) out[c] = 0;
    std::size_t i = 0;
    while (i < n_set) {
      const std::int32_t c = word_class[at[i]];
      std::int64_t sum = 0;
      for (; i < n_set && word_class[at[i]] == c; ++i)
        sum += __builtin_popcountll(column[at[i]] & words[i]);
      out[c] += sum;
    }
  }
}

}  // namespace dilemma
