# A toolchain of CMake: builds for any system that zig knows, with the compiler and the C
# libraries in the package ziglang of PyPI:
#
#   cmake --toolchain packaging/zig.cmake -DFSD_ZIG=.../ziglang/zig -DFSD_ZIG_TARGET=aarch64-linux-gnu.2.17
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FSD_ZIG FSD_ZIG_TARGET)
if(NOT FSD_ZIG OR NOT FSD_ZIG_TARGET)
  message(FATAL_ERROR "expected -DFSD_ZIG=PROGRAM and -DFSD_ZIG_TARGET=ARCHITECTURE-SYSTEM-LIBRARY")
endif()
if(FSD_ZIG_TARGET MATCHES "-linux-")
  set(CMAKE_SYSTEM_NAME Linux)
elseif(FSD_ZIG_TARGET MATCHES "-windows-")
  set(CMAKE_SYSTEM_NAME Windows)
elseif(FSD_ZIG_TARGET MATCHES "-macos")
  set(CMAKE_SYSTEM_NAME Darwin)
elseif(FSD_ZIG_TARGET MATCHES "-wasi")
  set(CMAKE_SYSTEM_NAME WASI)
  list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR}/libraries) # Platform/WASI
endif()
string(REGEX MATCH "^[^-]*" CMAKE_SYSTEM_PROCESSOR ${FSD_ZIG_TARGET})
# zig's debug information and its checks of undefined behavior are not of a release.
set(CMAKE_C_COMPILER ${FSD_ZIG} cc -target ${FSD_ZIG_TARGET} -fno-sanitize=undefined)
set(CMAKE_C_COMPILER_ID Clang)
# CMake wants a program each of what zig has as words.
foreach(name ar ranlib rc)
  set(program ${CMAKE_BINARY_DIR}/CMakeFiles/zig-${name})
  file(WRITE ${program} "#!/bin/sh\nexec '${FSD_ZIG}' ${name} \"$@\"\n")
  file(CHMOD ${program} PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endforeach()
set(CMAKE_AR ${CMAKE_BINARY_DIR}/CMakeFiles/zig-ar)
set(CMAKE_RANLIB ${CMAKE_BINARY_DIR}/CMakeFiles/zig-ranlib)
set(CMAKE_RC_COMPILER ${CMAKE_BINARY_DIR}/CMakeFiles/zig-rc)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
