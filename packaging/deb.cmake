# `cpack -G DEB`: the program, the library and its development files.
set(CPACK_PACKAGE_NAME fusiondiff)
set(CPACK_PACKAGE_VENDOR fusiondiff)
set(CPACK_PACKAGE_CONTACT "${FSD_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL ${FSD_COMPONENTS})
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE
    GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_ENABLE_COMPONENT_DEPENDS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
if(FSD_GRAPHVIZ) # nothing is linked with it; Debian names packages of libraries so
  string(REPLACE .so. "" CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS ${FSD_LIBGVC})
  set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS ${CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS})
endif()

function(package component name section summary text)
  string(TOUPPER ${component} c)
  set(CPACK_DEBIAN_${c}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_DEBIAN_${c}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${c}_DESCRIPTION "${summary}\n${text}" PARENT_SCOPE)
endfunction()
package(program fusiondiff devel "show how TensorRT transformed an ONNX model"
"Maps each layer of an engine to the nodes that it computes, with evidence,
reports the outcome of every node, the layers that TensorRT inserted, their
cost, and nodes that run in another precision than requested. Compares builds,
and fails a merge request that loses a fusion or a precision.")
package(library libfusiondiff${PROJECT_VERSION_MAJOR} libs "show how TensorRT transformed an ONNX model - library"
"Contains the analysis of the program fusiondiff as a C library.")
package(development libfusiondiff-dev libdevel "show how TensorRT transformed an ONNX model - development files"
"Contains the header and the files to compile programs with libfusiondiff.")
# Debian calls ldconfig by a trigger.  CPack also writes scripts that call it, which
# cannot be disabled: the lintian override permits them.
set(FSD_SO libfusiondiff${PROJECT_VERSION_MAJOR})
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/shlibs
  "libfusiondiff ${PROJECT_VERSION_MAJOR} ${FSD_SO} (>= ${PROJECT_VERSION})\n")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
    ${CMAKE_CURRENT_BINARY_DIR}/shlibs ${CMAKE_CURRENT_BINARY_DIR}/triggers)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "${FSD_SO} (= ${PROJECT_VERSION})")
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/overrides
  "${FSD_SO}: maintscript-calls-ldconfig\n")
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/overrides COMPONENT library
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/lintian/overrides RENAME ${FSD_SO})
include(CPack)
