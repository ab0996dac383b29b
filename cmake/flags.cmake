# SPDX-License-Identifier: MIT
# Compiler flags of every floor, and those of the virtual core.

add_library(vmasim_flags INTERFACE)
target_compile_definitions(vmasim_flags INTERFACE _GNU_SOURCE VMASIM_VERSION="${PROJECT_VERSION}"
	$<$<BOOL:${VMASIM_SLOW_CHECKS}>:VMASIM_SLOW_CHECKS>)
target_include_directories(vmasim_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(vmasim_flags INTERFACE -Wall -Wextra -Wstrict-prototypes -Wmissing-prototypes
	-Wshadow -Wvla -Werror=implicit-function-declaration -fno-strict-aliasing -mcx16
	-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)

set(CMAKE_C_FLAGS_RELEASE "-O2 -g")
set(CMAKE_C_FLAGS_DEBUG "-O1 -g")

add_library(vmasim_sanitize INTERFACE)
if(VMASIM_SANITIZE)
	target_compile_options(vmasim_sanitize INTERFACE -fsanitize=${VMASIM_SANITIZE}
		-fno-sanitize-recover=all -fno-omit-frame-pointer)
	target_link_options(vmasim_sanitize INTERFACE -fsanitize=${VMASIM_SANITIZE})
endif()
if(VMASIM_COVERAGE)
	target_compile_options(vmasim_sanitize INTERFACE --coverage -fprofile-update=atomic)
	target_link_options(vmasim_sanitize INTERFACE --coverage)
endif()

# The virtual core has its own fixed flags whatever the preset, so that a run's
# fingerprint belongs to the compiler alone. Floors 2 to 5 get access hooks.
set(VMASIM_VIRTUAL_FLAGS -O2 -fno-lto)
set(VMASIM_HOOK_FLAGS -fsanitize=thread "SHELL:--param tsan-instrument-func-entry-exit=0"
	"SHELL:--param tsan-distinguish-volatile=1"
	-fno-builtin-memset -fno-builtin-memcpy -fno-builtin-memmove)
set(VMASIM_HAVE_VIRTUAL ON)
if(VMASIM_SANITIZE MATCHES "thread")
	set(VMASIM_HAVE_VIRTUAL OFF) # our hooks beside libtsan crash
endif()
if(VMASIM_SANITIZE)
	set(VMASIM_HOOK_FLAGS "")    # no access hooks beside a sanitizer
endif()
