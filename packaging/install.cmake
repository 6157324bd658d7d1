# What `cmake --install` installs, and where.
set(FSD_MAINTAINER "fusiondiff <fusiondiff@fusiondiff.invalid>" CACHE STRING
    "Whom packages name as their maintainer")
option(FSD_INSTALL_STATIC "Install libfusiondiff.a, for pkg-config --static" OFF)

set(FSD_COMPONENTS program library development)
set(FSD_PACKAGES fusiondiff libfusiondiff${PROJECT_VERSION_MAJOR} libfusiondiff-dev)

include(CMakePackageConfigHelpers)
install(TARGETS fusiondiff COMPONENT program)
if(FSD_STATIC)
  return() # one program, to be copied
endif()

# The program prints its own manual page.  Debian keeps a shell's completions of packages
# in another directory than those of the local system.
add_custom_command(OUTPUT fusiondiff.1.gz
  COMMAND fusiondiff help --as man > fusiondiff.1
  COMMAND gzip -9nc fusiondiff.1 > fusiondiff.1.gz
  DEPENDS fusiondiff VERBATIM)
add_custom_target(fsd_manual ALL DEPENDS fusiondiff.1.gz)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fusiondiff.1.gz
  DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr")
  set(FSD_ZSH vendor-completions)
else()
  set(FSD_ZSH site-functions)
endif()
set(FSD_SHELLS packaging/completions)
install(FILES ${FSD_SHELLS}/fusiondiff.bash RENAME fusiondiff COMPONENT program
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/bash-completion/completions)
install(FILES ${FSD_SHELLS}/_fusiondiff COMPONENT program
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/zsh/${FSD_ZSH})
install(FILES ${FSD_SHELLS}/fusiondiff.fish COMPONENT program
  DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/fish/vendor_completions.d)
install(TARGETS fusiondiff_shared EXPORT fusiondiffTargets
  LIBRARY COMPONENT library NAMELINK_COMPONENT development)
if(FSD_INSTALL_STATIC)
  install(TARGETS ${FSD_LIBRARIES} COMPONENT development)
endif()
if(NOT FSD_EDIT)
  set(FSD_NO_EDIT PATTERN edit.h EXCLUDE)
endif()
install(DIRECTORY include/fusiondiff DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT development ${FSD_NO_EDIT})

# Not as required packages: who links the shared library need not have their headers.
# With --static the edits, too, which need what stands before them.
if(FSD_EDIT)
  set(FSD_PC_EDIT "-lfusiondiff_edit -lfusiondiff ")
endif()
set(FSD_PC_NEEDS "${FSD_PC_EDIT}-lprotobuf-c -lcjson -lxxhash -lz -llzma -lzstd -lutf8proc -lm")
# The prefix from where the file lies, so that the whole can be moved.
file(RELATIVE_PATH FSD_PC_UP /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(packaging/fusiondiff.pc.in fusiondiff.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fusiondiff.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

set(FSD_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/fusiondiff)
configure_package_config_file(packaging/fusiondiffConfig.cmake.in fusiondiffConfig.cmake
  INSTALL_DESTINATION ${FSD_CONFIG_DIR})
write_basic_package_version_file(fusiondiffConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/fusiondiffConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/fusiondiffConfigVersion.cmake
  DESTINATION ${FSD_CONFIG_DIR} COMPONENT development)
install(EXPORT fusiondiffTargets NAMESPACE fusiondiff::
  DESTINATION ${FSD_CONFIG_DIR} COMPONENT development)

# Debian's rules ask for these in every package.
string(TIMESTAMP FSD_MAIL_DAY "%a, %d %b %Y %H:%M:%S +0000" UTC)
configure_file(packaging/changelog.in changelog @ONLY)
add_custom_command(OUTPUT changelog.gz
  COMMAND gzip -9nc changelog > changelog.gz
  DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/changelog VERBATIM)
add_custom_target(fsd_changelog ALL DEPENDS changelog.gz)
foreach(component name IN ZIP_LISTS FSD_COMPONENTS FSD_PACKAGES)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/changelog.gz packaging/copyright
    DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/${name} COMPONENT ${component})
endforeach()

include(packaging/deb.cmake)
