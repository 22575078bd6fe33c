dilemma_module(_tree tree_module.cpp)
if(NOT MSVC)
  # The same sums as the Python twin: no fused multiply-add where a kernel's target would allow it.
  target_compile_options(_tree PRIVATE -ffp-contract=off)
endif()
