# SPDX-License-Identifier: MIT
# The manual page, where scdoc is there to make it.
find_program(SCDOC scdoc)
if(NOT SCDOC)
	message(STATUS "scdoc not found: no manual page")
	return()
endif()

set(page ${PROJECT_SOURCE_DIR}/docs/man/vmasim.1.scd)
set(made ${PROJECT_BINARY_DIR}/vmasim.1)
add_custom_command(OUTPUT ${made} COMMAND sh -c "'${SCDOC}' <'${page}' >'${made}'"
	DEPENDS ${page} VERBATIM COMMENT "Making the manual page")
add_custom_target(man ALL DEPENDS ${made})
install(FILES ${made} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
