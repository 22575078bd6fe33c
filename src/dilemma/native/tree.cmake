dilemma_module(_tree tree_module.cpp)
