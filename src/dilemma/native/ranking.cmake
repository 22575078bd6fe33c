dilemma_module(_ranking ranking_module.cpp)
