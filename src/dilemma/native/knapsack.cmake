dilemma_module(_knapsack knapsack_module.cpp)
if(NOT MSVC)
  # The Python twin gives the same answers to the bit: no fused multiply-add.
  target_compile_options(_knapsack PRIVATE -ffp-contract=off)
endif()
