# What `install` has: headers, the library, the files of find_package(mace) and of pkg-config.
# SPDX-License-Identifier: Apache-2.0
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS mace EXPORT mace
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY mace/public DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/mace"
  FILES_MATCHING PATTERN "*.h")

set(_mace_cmake "${CMAKE_INSTALL_LIBDIR}/cmake/mace")
install(EXPORT mace NAMESPACE mace:: FILE mace-config.cmake DESTINATION "${_mace_cmake}")
write_basic_package_version_file("${CMAKE_CURRENT_BINARY_DIR}/mace-config-version.cmake"
  COMPATIBILITY SameMajorVersion)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/mace-config-version.cmake"
  DESTINATION "${_mace_cmake}")

file(RELATIVE_PATH MACE_PC_PREFIX "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
string(REGEX REPLACE "/$" "" MACE_PC_PREFIX "${MACE_PC_PREFIX}")
set(MACE_PC_LIBS "")
if(NOT MACE_SHARED)
  string(REPLACE ";" " -l" MACE_PC_LIBS ";${MACE_LIBRARIES}")
endif()
configure_file(cmake/mace.pc.in mace.pc @ONLY)
install(FILES "${CMAKE_CURRENT_BINARY_DIR}/mace.pc"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
install(FILES LICENSE NOTICES.txt CHANGELOG.md DESTINATION "${CMAKE_INSTALL_DOCDIR}")
