# Batches: up to eight files of one folder are compiled as one, so that the compiler starts
# less often and reads each header less often.  This is for a build that is made once: gcc,
# Release, without tests.  A compiler cache would lose a whole batch when one file changes,
# and tests want one object for each file.
#
# Files that see the definition of a graph have batches of their own: a change of that
# definition compiles no others.  Within a batch, the names of static functions, types and
# macros are unique; tests/lint/batches builds them.
add_library(fsd_batch_settings INTERFACE) # linked behind fsd_settings, so that its options win
if(NOT (FSD_BATCHES AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_C_COMPILER_ID STREQUAL "GNU"
        AND NOT CMAKE_C_COMPILER_LAUNCHER AND NOT FSD_TESTS))
  return()
endif()

block()
  set(GRAPH model/graph/graph.h)
  file(GLOB_RECURSE headers RELATIVE ${CMAKE_SOURCE_DIR}/src src/*.h)
  set(more YES)
  while(more)
    set(more NO)
    foreach(header ${headers})
      file(STRINGS src/${header} found REGEX "^#include \"(${GRAPH})\"")
      if(found)
        string(APPEND GRAPH "|${header}")
        list(REMOVE_ITEM headers ${header})
        set(more YES)
      endif()
    endforeach()
  endwhile()

  # The headers of systems define macros that would reach other files.  What runs over each byte
  # of a file is optimized best alone: in batches, reading a log takes one percent more
  # instructions.  Verbs and views give the same names to their parts by design.
  set(ALONE "/src/(host|base|read/log|report/view)/")
  foreach(file ${FSD_SOURCES} ${FSD_LIGHT} ${EDIT_SOURCES})
    if(file MATCHES ${ALONE})
      continue()
    endif()
    cmake_path(GET file PARENT_PATH folder)
    string(REGEX REPLACE ".*/src/" "" batch ${folder})
    string(REPLACE "/" "_" batch ${batch})
    file(STRINGS ${file} found REGEX "^#include \"(${GRAPH})\"")
    if(found)
      string(APPEND batch _with_graph)
    endif()
    list(APPEND ${batch} ${file})
    list(LENGTH ${batch} number)
    math(EXPR number "(${number} - 1) / 8")
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP ${batch}_${number})
  endforeach()
  # A local variable may have the name of another file's function, and the compiler guesses at
  # values where it inlines one file's function into another.  Files that are compiled alone, as
  # tests compile them, keep both warnings.
  target_compile_options(fsd_batch_settings INTERFACE -Wno-shadow -Wno-maybe-uninitialized)
  foreach(objects ${FSD_OBJECTS})
    set_target_properties(${objects} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endforeach()
endblock()
