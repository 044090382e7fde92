# stride_add_lanes(TARGET SOURCE): compiles SOURCE (named *_lanes.cc) three times, for SSE2, AVX2 and
# AVX-512, into TARGET. stride_library calls it for what it finds in its folder; a test with lanes of
# its own calls it from its CMakeLists.txt. STRIDE_LANES_NAMESPACE and STRIDE_LANE_COUNT are set.
# Everything in such a source that the linker could merge with code of another instruction set must
# live in that namespace; tests/lane_symbols_test.py checks it.
function(stride_add_lanes target source)
  get_filename_component(name ${source} NAME_WE)
  foreach(isa sse2 avx2 avx512)
    if(isa STREQUAL "sse2")
      set(flags -msse2)
      set(lanes 4)
    elseif(isa STREQUAL "avx2")
      # Tuning changes the order of instructions only: 6 % faster than generic on an AMD EPYC.
      set(flags -mavx2 -mfma -mtune=haswell)
      set(lanes 8)
    else()
      # GCC 12 warns about its own intrinsics here.
      set(flags -mtune=skylake-avx512 -mavx512f -mavx512dq -mavx512vl -mfma -mprefer-vector-width=512 -Wno-maybe-uninitialized -Wno-uninitialized)
      set(lanes 16)
    endif()
    set(object ${target}_${name}_${isa})
    add_library(${object} OBJECT ${source})
    # -O3 also in debug builds: unoptimised lanes are of no use to anyone. No sanitizers: in place they take
    # ten minutes to compile what is one function of a hundred thousand instructions. As calls the address
    # sanitizer takes 20 s: so one instruction set has it, which scripts/nightly.sh runs.
    set(options ${flags} -O3 -fno-exceptions -fno-signed-zeros)
    if(isa STREQUAL STRIDE_SANITIZE_LANES)
      list(APPEND options -O1 -fsanitize=address -fno-sanitize=undefined
           "SHELL:--param asan-instrumentation-with-call-threshold=0")
    else()
      list(APPEND options -fno-sanitize=all)
    endif()
    target_compile_options(${object} PRIVATE ${options})
    target_compile_definitions(${object} PRIVATE STRIDE_LANES_NAMESPACE=lanes_${isa}
                                                 STRIDE_LANE_COUNT=${lanes})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${object}>)
    set_property(GLOBAL APPEND PROPERTY STRIDE_LANE_OBJECTS $<TARGET_OBJECTS:${object}>)
  endforeach()
endfunction()
