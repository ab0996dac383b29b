# SPDX-License-Identifier: MIT
include(GNUInstallDirs)
install(TARGETS vmasim RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
