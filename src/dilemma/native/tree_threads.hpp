// A few threads for one large piece of work, joined before anything else happens.
#pragma once

#include <exception>
#include <thread>
#include <vector>

namespace dilemma::tree {

// Calls job(0) here and job(1) .. job(count - 1) beside it. What job(0) throws is thrown on, after all
// have ended; the others must not throw.
template <class Job>
void in_parallel(int count, Job job) {
    std::vector<std::thread> beside;
    for (int i = 1; i < count; ++i) beside.emplace_back([&job, i] { job(i); });
    std::exception_ptr thrown;
    try {
        job(0);
    } catch (...) {
        thrown = std::current_exception();
    }
    for (std::thread& t : beside) t.join();
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace dilemma::tree
