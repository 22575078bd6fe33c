dilemma_module(_knapsack knapsack_module.cpp)
