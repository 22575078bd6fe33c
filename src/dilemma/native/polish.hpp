// 2-opt and Or-opt with neighbour lists, move for move the algorithm of dilemma/problems/two_opt.py.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <vector>

namespace dilemma::polish {

constexpr double kEps = 1e-9;  // a gain has to be larger than rounding

class TwoOpt {
  public:
    // distances: n x n, neighbours: n x k (nearest first); both are looked at, not copied.
    TwoOpt(const double* distances, const int32_t* neighbours, int32_t n, int32_t k)
        : distances_(distances), neighbours_(neighbours), n_(n), k_(k), place_(size_t(n)), waiting_(size_t(n)) {}

    // Improve a permutation of 0 .. n - 1 in place.
    void run(int32_t* tour) {
        if (n_ < 4) return;
        tour_ = tour;
        for (int32_t i = 0; i < n_; ++i) place_[size_t(tour[i])] = i;
        queue_.assign(tour, tour + n_);
        std::fill(waiting_.begin(), waiting_.end(), char(1));
        while (!queue_.empty()) {
            const int32_t city = queue_.front();
            queue_.pop_front();
            waiting_[size_t(city)] = 0;
            while (two_opt_move(city) || or_opt_move(city)) {
                for (int32_t i = 0; i < touched_; ++i) wake(ends_[i]);
            }
        }
    }

  private:
    double d(int32_t a, int32_t b) const { return distances_[size_t(a) * size_t(n_) + size_t(b)]; }
    int32_t at(int32_t i) const { return tour_[i < 0 ? i + n_ : i >= n_ ? i - n_ : i]; }  // -n <= i < 2n
    int32_t place(int32_t city) const { return place_[size_t(city)]; }
    int32_t wrap(int32_t i) const { return i < 0 ? i + n_ : i >= n_ ? i - n_ : i; }

    void wake(int32_t city) {
        if (waiting_[size_t(city)]) return;
        waiting_[size_t(city)] = 1;
        queue_.push_back(city);
    }

    void touch(std::initializer_list<int32_t> cities) {
        touched_ = 0;
        for (int32_t city : cities) ends_[touched_++] = city;
    }

    // Replace a's edge to its successor (or predecessor) and one more by two shorter ones.
    bool two_opt_move(int32_t a) {
        for (int32_t step : {1, -1}) {
            const int32_t b = at(place(a) + step);
            const double old = d(a, b);
            for (int32_t i = 0; i < k_; ++i) {
                const int32_t c = neighbours_[size_t(a) * size_t(k_) + size_t(i)];
                const double gain = old - d(a, c);
                if (gain <= kEps) break;
                const int32_t e = at(place(c) + step);
                if (gain + d(c, e) - d(b, e) > kEps) {
                    if (step == 1) reverse(place(b), place(c));
                    else reverse(place(c), place(b));
                    touch({a, b, c, e});
                    return true;
                }
            }
        }
        return false;
    }

    // Take up to three cities that begin at a, and put them, a first or last, between two neighbours.
    bool or_opt_move(int32_t a) {
        for (int32_t step : {1, -1}) {
            const int32_t before = at(place(a) - step);  // a stays on this side of the segment a ... last
            for (int32_t size = 1; size <= std::min(3, n_ - 3); ++size) {
                const int32_t last = at(place(a) + step * (size - 1));
                const int32_t after = at(place(a) + step * size);
                const double freed = d(a, before) + d(last, after) - d(before, after);
                if (freed <= kEps) continue;
                for (int32_t i = 0; i < k_; ++i) {
                    const int32_t c = neighbours_[size_t(a) * size_t(k_) + size_t(i)];
                    if (freed - d(a, c) <= kEps) break;
                    if (wrap((place(c) - place(a)) * step) < size) continue;  // c is in the segment
                    for (int32_t side : {step, -step}) {
                        const int32_t e = at(place(c) + side);
                        if (wrap((place(e) - place(a)) * step) < size) continue;  // c is next to it, and e inside
                        if (freed - d(a, c) - d(last, e) + d(c, e) > kEps) {
                            move(a, size, c, e, step, side);
                            touch({before, a, last, after, c, e});
                            return true;
                        }
                    }
                }
            }
        }
        return false;
    }

    // Put the segment of `size` cities from a on between the adjacent c and e, with a next to c. Only the
    // cities between its old and its new place move with it, on the side where they are fewer.
    void move(int32_t a, int32_t size, int32_t c, int32_t e, int32_t step, int32_t side) {
        int32_t start = place(a);
        const int32_t near = side == step ? c : e;  // the first of the two, read along `step`
        int32_t segment[3];
        for (int32_t i = 0; i < size; ++i) segment[i] = at(start + step * i);
        const int32_t last = segment[size - 1];
        if (near != c) std::reverse(segment, segment + size);
        const int32_t ahead = wrap((place(near) - place(last)) * step);
        const int32_t behind = n_ - size - ahead;
        moved_.clear();
        if (ahead <= behind) {
            for (int32_t i = 0; i < ahead; ++i) moved_.push_back(tour_[cyclic(start + step * (size + i))]);
            moved_.insert(moved_.end(), segment, segment + size);
        } else {
            start -= step * behind;
            moved_.insert(moved_.end(), segment, segment + size);
            for (int32_t i = 0; i < behind; ++i) moved_.push_back(tour_[cyclic(start + step * i)]);
        }
        for (size_t i = 0; i < moved_.size(); ++i) put(cyclic(start + step * int32_t(i)), moved_[i]);
    }

    // Reverse the places i to j (cyclic), or, what is the same tour, the rest, if that is shorter.
    void reverse(int32_t i, int32_t j) {
        int32_t inside = wrap(j - i) + 1;
        if (2 * inside > n_) {
            const int32_t first = wrap(j + 1);
            j = wrap(i - 1);
            i = first;
            inside = n_ - inside;
        }
        for (int32_t k = 0; k < inside / 2; ++k) {
            const int32_t u = tour_[i], v = tour_[j];
            put(i, v);
            put(j, u);
            i = wrap(i + 1);
            j = wrap(j - 1);
        }
    }

    int32_t cyclic(int32_t i) const {
        const int32_t r = i % n_;
        return r < 0 ? r + n_ : r;
    }

    void put(int32_t i, int32_t city) {
        tour_[i] = city;
        place_[size_t(city)] = i;
    }

    const double* distances_;
    const int32_t* neighbours_;
    int32_t n_, k_;
    int32_t* tour_ = nullptr;
    std::vector<int32_t> place_;
    std::vector<char> waiting_;
    std::vector<int32_t> moved_;
    std::deque<int32_t> queue_;
    int32_t ends_[6] = {};
    int32_t touched_ = 0;
};

}  // namespace dilemma::polish
