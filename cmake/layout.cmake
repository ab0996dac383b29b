# SPDX-License-Identifier: MIT
# The built-in start layout: a /proc/PID/maps file compiled in as a string.
set(maps ${PROJECT_SOURCE_DIR}/workloads/layouts/mmap1_processes_lean.maps)
set(generated ${PROJECT_BINARY_DIR}/generated/layout_lean.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${maps})

file(READ ${maps} text)
string(REPLACE "\n" "\\n\"\n\t\"" text "${text}")
file(CONFIGURE OUTPUT ${generated} @ONLY CONTENT [[
/* made by cmake/layout.cmake */
#include "workloads/layout.h"

const char layout_lean_text[] =
	"@text@";
]])

foreach(core IN ITEMS native virtual)
	if(TARGET workloads_${core})
		target_sources(workloads_${core} PRIVATE ${generated})
	endif()
endforeach()
