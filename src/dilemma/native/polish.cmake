dilemma_module(_polish polish_module.cpp)
