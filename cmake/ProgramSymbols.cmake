# cmake -DNM=nm -DARCHIVES=a.a;b.a -DOUTPUT=symbols.txt [-DVERSION=NAME] -P ProgramSymbols.cmake
# Writes the C functions that the archives define, which compiled programs call, as a dynamic list for the linker; with
# VERSION as a version script, in which they have that version, without the functions of the C library's and the
# compiler's own.
execute_process(COMMAND ${NM} --defined-only --extern-only ${ARCHIVES} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9a-f]+ [A-Z] [^\n]+" lines "${table}")
set(text "{\n")
if(VERSION)
  set(text "${VERSION} {\nglobal:\n")
endif()
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^[0-9a-f]+ [A-Z] " "" name "${line}")
  if(NOT name MATCHES "^_Z" AND NOT (VERSION AND name MATCHES "^__|^_start$|^atexit$|^pthread_atfork$"))
    string(APPEND text "  ${name};\n")
  endif()
endforeach()
if(VERSION)
  string(APPEND text "local: *;\n")
endif()
file(WRITE ${OUTPUT} "${text}};\n")
