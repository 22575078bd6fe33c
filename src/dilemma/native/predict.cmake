dilemma_module(_predict predict_module.cpp)
