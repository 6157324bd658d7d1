# The Python package's own parts, for a wheel that scikit-build-core makes: the module that
# talks to the library, which fits every Python from 3.9 on, and the program beside it.
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
python_add_library(fsd_python MODULE python/fusiondiff/_native.c)
set_target_properties(fsd_python PROPERTIES OUTPUT_NAME _native PREFIX "" SUFFIX .abi3.so)
target_compile_definitions(fsd_python PRIVATE Py_LIMITED_API=0x03090000)
target_link_libraries(fsd_python PRIVATE ${FSD_LIBRARIES} fsd_settings)
install(TARGETS fsd_python fusiondiff DESTINATION fusiondiff COMPONENT python)
