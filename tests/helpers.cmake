# SPDX-License-Identifier: MIT
# One executable a test file. A Criterion binary fails on a sanitizer report and on a
# filter that matched nothing, which Criterion itself lets pass.

pkg_check_modules(CRITERION REQUIRED IMPORTED_TARGET criterion)

set(VMASIM_TEST_FAILS "Tested: 0 ;ERROR: (Address|Leak|Thread)Sanitizer;runtime error:")

# vmasim_test_program(target file core top): links base and the floors of one core up to top.
function(vmasim_test_program target file core top)
	add_executable(${target} ${file})
	target_sources(${target} PRIVATE $<TARGET_OBJECTS:base>)
	foreach(floor IN LISTS VMASIM_CORE_FLOORS)
		if(top STREQUAL base)
			break()
		endif()
		target_sources(${target} PRIVATE $<TARGET_OBJECTS:${floor}_${core}>)
		if(floor STREQUAL top)
			break()
		endif()
	endforeach()
	if(core STREQUAL virtual)
		target_compile_definitions(${target} PRIVATE VMASIM_VIRTUAL)
	endif()
	target_link_libraries(${target} PRIVATE vmasim_flags vmasim_sanitize PkgConfig::URCU
		PkgConfig::HWLOC PkgConfig::NUMA PkgConfig::JANSSON m pthread)
	set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
endfunction()

# vmasim_criterion_folder(folder FLOOR f CORE c LABELS l...): every test_*.c of a folder.
function(vmasim_criterion_folder folder)
	cmake_parse_arguments(ARG "" "FLOOR;CORE" "LABELS" ${ARGN})
	if(VMASIM_SANITIZE MATCHES "thread" OR
	   (ARG_CORE STREQUAL virtual AND NOT VMASIM_HAVE_VIRTUAL))
		return() # Criterion does not start under the thread sanitizer
	endif()
	file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/test_*.c)
	foreach(file IN LISTS files)
		get_filename_component(stem ${file} NAME_WE)
		string(REPLACE "/" "_" target "${folder}_${stem}")
		if(ARG_FLOOR STREQUAL lab)
			add_executable(${target} ${file} $<TARGET_OBJECTS:lab>)
			vmasim_link_cores(${target})
		else()
			vmasim_test_program(${target} ${file} ${ARG_CORE} ${ARG_FLOOR})
		endif()
		target_compile_definitions(${target} PRIVATE
			VMASIM_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
		target_link_libraries(${target} PRIVATE PkgConfig::CRITERION)
		add_test(NAME ${folder}/${stem} COMMAND ${target} -j2)
		set_tests_properties(${folder}/${stem} PROPERTIES TIMEOUT 300
			LABELS "${ARG_LABELS};${ARG_FLOOR}"
			FAIL_REGULAR_EXPRESSION "${VMASIM_TEST_FAILS}")
	endforeach()
endfunction()

# vmasim_stress_folder(folder): plain mains with real threads, stress_*.c, for every preset.
function(vmasim_stress_folder folder)
	file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/stress_*.c)
	foreach(file IN LISTS files)
		get_filename_component(stem ${file} NAME_WE)
		vmasim_test_program(${stem} ${file} native workloads)
		add_test(NAME ${folder}/${stem} COMMAND ${stem})
		set_tests_properties(${folder}/${stem} PROPERTIES TIMEOUT 300 LABELS stress
			FAIL_REGULAR_EXPRESSION "${VMASIM_TEST_FAILS}")
	endforeach()
endfunction()
