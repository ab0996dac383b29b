# SPDX-License-Identifier: MIT
# vmasim_floor(NAME [CORES] DEPENDS floor...): one floor, from the files of its folder.
#
# Without CORES it is one OBJECT library, NAME. With CORES it is two, NAME_native
# and NAME_virtual. Files named *_inspect.c only look at state, *_host.c keep host memory: no access
# hooks. DEPENDS points downward; CMake refuses a cycle between OBJECT libraries.

function(vmasim_floor_core name core)
	file(GLOB sources CONFIGURE_DEPENDS ${name}/*.c)
	if(name STREQUAL engine)
		file(GLOB own CONFIGURE_DEPENDS ${name}/${core}/*.c ${name}/${core}/*.S)
		list(APPEND sources ${own})
	endif()
	if(NOT sources)
		file(TOUCH ${PROJECT_BINARY_DIR}/empty.c)
		set(sources ${PROJECT_BINARY_DIR}/empty.c)
	endif()
	set(target ${name}_${core})
	add_library(${target} OBJECT ${sources})
	target_link_libraries(${target} PRIVATE vmasim_flags vmasim_sanitize
		PkgConfig::URCU PkgConfig::HWLOC PkgConfig::NUMA PkgConfig::JANSSON)
	if(core STREQUAL virtual)
		target_compile_definitions(${target} PRIVATE VMASIM_VIRTUAL)
		target_compile_options(${target} PRIVATE ${VMASIM_VIRTUAL_FLAGS})
		if(NOT name STREQUAL engine)
			target_compile_options(${target} PRIVATE ${VMASIM_HOOK_FLAGS})
		endif()
		if(VMASIM_HOOK_FLAGS)
			file(GLOB inspecting CONFIGURE_DEPENDS ${name}/*_inspect.c ${name}/*_host.c)
			set_source_files_properties(${inspecting} PROPERTIES
				COMPILE_OPTIONS "-fno-sanitize=thread")
		endif()
	endif()
endfunction()

function(vmasim_floor name)
	cmake_parse_arguments(ARG "CORES" "" "DEPENDS" ${ARGN})
	if(ARG_CORES)
		vmasim_floor_core(${name} native)
		if(VMASIM_HAVE_VIRTUAL)
			vmasim_floor_core(${name} virtual)
		endif()
	else()
		file(GLOB sources CONFIGURE_DEPENDS ${name}/*.c)
		if(NOT sources)
			file(TOUCH ${PROJECT_BINARY_DIR}/empty.c)
			set(sources ${PROJECT_BINARY_DIR}/empty.c)
		endif()
		add_library(${name} OBJECT ${sources})
		target_link_libraries(${name} PRIVATE vmasim_flags vmasim_sanitize
			PkgConfig::JANSSON)
	endif()
endfunction()

set(VMASIM_CORE_FLOORS engine alloc mtree sim workloads)

# vmasim_core(NAME): the five floors of one core as one object with one exported symbol.
function(vmasim_core core)
	if(core STREQUAL virtual AND NOT VMASIM_HAVE_VIRTUAL)
		return()
	endif()
	set(objects "")
	foreach(floor IN LISTS VMASIM_CORE_FLOORS)
		list(APPEND objects $<TARGET_OBJECTS:${floor}_${core}>)
	endforeach()
	set(out ${PROJECT_BINARY_DIR}/core_${core}.o)
	add_custom_command(OUTPUT ${out}
		COMMAND ${CMAKE_LINKER} -r -o ${out} ${objects}
		COMMAND ${CMAKE_OBJCOPY} --keep-global-symbol=vmasim_core_${core} ${out}
		DEPENDS ${objects} COMMAND_EXPAND_LISTS VERBATIM
		COMMENT "Linking core ${core}")
	add_custom_target(core_${core} DEPENDS ${out})
endfunction()

# vmasim_link_cores(TARGET): both cores and what they need into one program.
function(vmasim_link_cores target)
	set(cores native)
	if(VMASIM_HAVE_VIRTUAL)
		list(APPEND cores virtual)
	endif()
	foreach(core IN LISTS cores)
		target_sources(${target} PRIVATE ${PROJECT_BINARY_DIR}/core_${core}.o)
		set_source_files_properties(${PROJECT_BINARY_DIR}/core_${core}.o PROPERTIES
			EXTERNAL_OBJECT ON GENERATED ON)
		add_dependencies(${target} core_${core})
	endforeach()
	target_sources(${target} PRIVATE $<TARGET_OBJECTS:base>)
	target_link_libraries(${target} PRIVATE vmasim_flags vmasim_sanitize PkgConfig::URCU
		PkgConfig::HWLOC PkgConfig::NUMA PkgConfig::JANSSON m pthread)
	set_target_properties(${target} PROPERTIES LINKER_LANGUAGE C)
endfunction()
