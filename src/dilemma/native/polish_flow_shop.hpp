// Insertion in permutation flow shops, operation for operation the code of dilemma/problems/insertion.py.
// Taillard, European Journal of Operational Research 47 (1990): all places of a job in O(n m).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace dilemma::polish {

class FlowShop {
  public:
    // times: one row of m numbers a job; looked at, not copied.
    FlowShop(const double* times, size_t m) : times_(times), m_(m), heads_(m) {}

    // The makespan with `job` at each of the k + 1 places of `jobs`.
    void insertions(const int32_t* jobs, size_t k, int32_t job, double* spans) {
        tails_.assign((k + 1) * m_, 0.0);
        for (size_t place = k; place-- > 0;) {
            const double *row = row_of(jobs[place]), *below = tails_.data() + (place + 1) * m_;
            double end = 0.0;
            for (size_t i = m_; i-- > 0;) tails_[place * m_ + i] = end = (below[i] > end ? below[i] : end) + row[i];
        }
        std::fill(heads_.begin(), heads_.end(), 0.0);
        const double* own = row_of(job);
        for (size_t place = 0; place <= k; ++place) {
            double end = 0.0, span = 0.0;
            for (size_t i = 0; i < m_; ++i) {
                end = (heads_[i] > end ? heads_[i] : end) + own[i];
                span = std::max(span, end + tails_[place * m_ + i]);
            }
            spans[place] = span;
            if (place < k) append(jobs[place]);
        }
    }

    double makespan(const std::vector<int32_t>& jobs) {
        std::fill(heads_.begin(), heads_.end(), 0.0);
        for (int32_t job : jobs) append(job);
        return m_ ? heads_[m_ - 1] : 0.0;
    }

    // Take each job out, in this order, and insert it at its best place, until that changes nothing.
    void descend(std::vector<int32_t>& jobs, const std::vector<int32_t>& order) {
        const size_t n = jobs.size();
        double best = makespan(jobs);
        std::vector<int32_t> rest(n);
        std::vector<double> spans(n);
        for (size_t since = 0; since < n;) {
            for (size_t turn = 0; turn < n && since < n; ++turn) {
                const int32_t job = order[turn];
                rest.clear();
                std::copy_if(jobs.begin(), jobs.end(), std::back_inserter(rest), [job](int32_t j) { return j != job; });
                insertions(rest.data(), n - 1, job, spans.data());
                const auto least = std::min_element(spans.begin(), spans.end());  // the first of equal ones
                ++since;
                if (*least < best) {
                    best = *least;
                    since = 0;
                    rest.insert(rest.begin() + (least - spans.begin()), job);
                    jobs.swap(rest);
                }
            }
        }
    }

  private:
    const double* row_of(int32_t job) const { return times_ + size_t(job) * m_; }

    void append(int32_t job) {
        const double* row = row_of(job);
        double end = 0.0;
        for (size_t i = 0; i < m_; ++i) heads_[i] = end = (heads_[i] > end ? heads_[i] : end) + row[i];
    }

    const double* times_;
    size_t m_;
    std::vector<double> heads_, tails_;
};

}  // namespace dilemma::polish
