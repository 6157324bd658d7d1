# The Python package's own parts: the module that talks to the library, which fits every
# Python from 3.9 on, and the program beside it.  For a wheel that scikit-build-core makes,
# or with FSD_PYTHON_HEADERS for packaging/wheels, which builds for other systems: there the
# module is not linked with Python, which has loaded it.
if(FSD_PYTHON_HEADERS)
  set(FSD_MODULE_KIND MODULE)
  if(CMAKE_SYSTEM_NAME STREQUAL "Darwin") # whose bundles zig cannot link; dlopen() loads either kind
    set(FSD_MODULE_KIND SHARED)
  endif()
  add_library(fsd_python ${FSD_MODULE_KIND} python/fusiondiff/_native.c)
  target_include_directories(fsd_python SYSTEM PRIVATE ${FSD_PYTHON_HEADERS})
  if(CMAKE_SYSTEM_NAME STREQUAL "Darwin")
    target_link_options(fsd_python PRIVATE -undefined dynamic_lookup)
    # Otherwise its name in itself has the folder of the build.
    set_target_properties(fsd_python PROPERTIES INSTALL_NAME_DIR @rpath BUILD_WITH_INSTALL_NAME_DIR ON)
  elseif(CMAKE_SYSTEM_NAME STREQUAL "Windows")
    target_link_libraries(fsd_python PRIVATE ${FSD_PYTHON_LIBRARY})
  endif()
else()
  find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
  python_add_library(fsd_python MODULE python/fusiondiff/_native.c)
endif()
set(FSD_MODULE .abi3.so)
if(CMAKE_SYSTEM_NAME STREQUAL "Windows")
  set(FSD_MODULE .pyd)
endif()
set_target_properties(fsd_python PROPERTIES OUTPUT_NAME _native PREFIX "" SUFFIX ${FSD_MODULE})
target_compile_definitions(fsd_python PRIVATE Py_LIMITED_API=0x03090000)
target_include_directories(fsd_python PRIVATE src)
target_link_libraries(fsd_python PRIVATE ${FSD_LIBRARIES} fsd_settings)
install(TARGETS fsd_python fusiondiff DESTINATION fusiondiff COMPONENT python)
