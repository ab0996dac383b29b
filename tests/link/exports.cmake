# SPDX-License-Identifier: MIT
# Fails unless OBJECT defines exactly one global symbol, EXPECTED.
execute_process(COMMAND ${NM} --extern-only --defined-only --format=posix ${OBJECT}
	OUTPUT_VARIABLE symbols RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT status EQUAL 0)
	message(FATAL_ERROR "${NM} failed on ${OBJECT}")
endif()
string(REPLACE "\n" ";" lines "${symbols}")
list(LENGTH lines count)
string(REGEX REPLACE " .*" "" name "${symbols}")
if(NOT count EQUAL 1 OR NOT name STREQUAL EXPECTED)
	message(FATAL_ERROR
		"${OBJECT} exports ${count} symbols, expected only ${EXPECTED}:\n${symbols}")
endif()
