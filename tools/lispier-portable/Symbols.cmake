# cmake -DNM=nm -DARCHIVES=a.a;b.a -DOUTPUT=symbols.txt -P Symbols.cmake
# Writes the C functions that the archives define, as a dynamic list for the linker.
execute_process(COMMAND ${NM} --defined-only --extern-only ${ARCHIVES} OUTPUT_VARIABLE table COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[0-9a-f]+ [A-Z] [^\n]+" lines "${table}")
set(text "{\n")
foreach(line IN LISTS lines)
  string(REGEX REPLACE "^[0-9a-f]+ [A-Z] " "" name "${line}")
  if(NOT name MATCHES "^_Z")
    string(APPEND text "  ${name};\n")
  endif()
endforeach()
file(WRITE ${OUTPUT} "${text}};\n")
