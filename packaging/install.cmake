# What `cmake --install` puts where.
option(FSD_INSTALL_STATIC "Install libfusiondiff.a, for pkg-config --static" OFF)

include(CMakePackageConfigHelpers)
install(TARGETS fusiondiff)
if(FSD_STATIC)
  return() # one program, to be copied
endif()
install(TARGETS fusiondiff_shared EXPORT fusiondiffTargets)
if(FSD_INSTALL_STATIC)
  install(TARGETS fusiondiff_lib)
endif()
install(DIRECTORY include/fusiondiff DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(FSD_PC_NEEDS "libprotobuf-c libcjson libxxhash inih zlib liblzma libzstd libutf8proc")
if(FSD_GRAPHVIZ)
  string(APPEND FSD_PC_NEEDS " libgvc libcgraph")
endif()
configure_file(packaging/fusiondiff.pc.in fusiondiff.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fusiondiff.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

set(FSD_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/fusiondiff)
configure_package_config_file(packaging/fusiondiffConfig.cmake.in fusiondiffConfig.cmake
  INSTALL_DESTINATION ${FSD_CONFIG_DIR})
write_basic_package_version_file(fusiondiffConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fusiondiffConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/fusiondiffConfigVersion.cmake
  DESTINATION ${FSD_CONFIG_DIR})
install(EXPORT fusiondiffTargets NAMESPACE fusiondiff:: DESTINATION ${FSD_CONFIG_DIR})
