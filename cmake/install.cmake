# SPDX-License-Identifier: MIT
# What is installed: the program, its licence, and the manual page (man.cmake).
include(GNUInstallDirs)
install(TARGETS vmasim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
include(cmake/man.cmake)
