# CMake has no file of this platform; it needs nothing.
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
