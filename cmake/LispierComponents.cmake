# One function for each kind of component. Sources are globbed: a new file in a component
# needs no edit here, so two people who add passes have no merge conflict.

# Plain C++: no LLVM, no MLIR. lispier_plain_library(Runtime [LINK libs...])
function(lispier_plain_library name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(Lispier${name} STATIC ${sources})
  target_link_libraries(Lispier${name} PUBLIC ${ARG_LINK})
endfunction()

# LLVM's Support library, but no MLIR. lispier_support_library(Syntax [LINK components...])
function(lispier_support_library name)
  lispier_plain_library(${name} ${ARGN})
  target_include_directories(Lispier${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  target_link_libraries(Lispier${name} PUBLIC LLVM)
endfunction()

# Everything that includes MLIR shares one precompiled header.
# lispier_mlir_library(Loops [LINK components...] [DEPENDS tablegen-targets...])
function(lispier_mlir_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  add_library(Lispier${name} STATIC ${sources})
  lispier_use_mlir(Lispier${name})
  target_link_libraries(Lispier${name} PUBLIC ${ARG_LINK})
  if(ARG_DEPENDS)
    add_dependencies(Lispier${name} ${ARG_DEPENDS})
  endif()
endfunction()

# Only the two shared libraries: a static MLIR archive beside them would give
# every type two identities.
function(lispier_use_mlir target)
  lispier_compile_with_mlir(${target})
  target_link_libraries(${target} PUBLIC MLIR LLVM)
endfunction()

# Links a compiler with jemalloc, if there is one: passes allocate much on several threads, and it compiles in 0.90 of
# the time that it takes with glibc's malloc. The sanitizers have an allocator of their own.
find_library(LISPIER_JEMALLOC jemalloc_pic)
function(lispier_use_jemalloc target)
  if(LISPIER_JEMALLOC AND NOT LISPIER_SANITIZE)
    target_link_libraries(${target} PRIVATE ${LISPIER_JEMALLOC})
  endif()
endfunction()

function(lispier_compile_with_mlir target)
  target_include_directories(${target} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    # CMake would pass -fPIE, which is incompatible with a header precompiled with -fPIC.
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  if(LISPIER_PCH AND NOT "${target}" STREQUAL "LispierPch")
    target_precompile_headers(${target} REUSE_FROM LispierPch)
  endif()
endfunction()

# include/lispier/<Component>/Passes.td -> Passes.h.inc; target Lispier<Component>PassesIncGen.
function(lispier_component_passes component)
  set(LLVM_TARGET_DEFINITIONS ${CMAKE_SOURCE_DIR}/include/lispier/${component}/Passes.td)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/lispier/${component})
  string(REPLACE "/" "" flat ${component})
  file(RELATIVE_PATH output ${CMAKE_CURRENT_BINARY_DIR} ${CMAKE_BINARY_DIR}/include/lispier/${component}/Passes.h.inc)
  # mlir_tablegen searches the include directories of the calling component.
  include_directories(SYSTEM ${MLIR_INCLUDE_DIRS})
  mlir_tablegen(${output} -gen-pass-decls -name Lispier${flat})
  add_public_tablegen_target(Lispier${flat}PassesIncGen)
endfunction()

# dialects/<Dialect>/<Dialect>Ops.td -> include/lispier/<Dialect>/<Dialect>{Dialect,Attributes,Ops}.{h,cpp}.inc in the
# build folder; with ENUMS also <Dialect>Enums. Target Lispier<Dialect>IncGen.
function(lispier_dialect_tables dialect)
  cmake_parse_arguments(ARG "ENUMS" "" "" ${ARGN})
  set(LLVM_TARGET_DEFINITIONS ${CMAKE_CURRENT_SOURCE_DIR}/${dialect}Ops.td)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include/lispier/${dialect})
  file(RELATIVE_PATH folder ${CMAKE_CURRENT_BINARY_DIR} ${CMAKE_BINARY_DIR}/include/lispier/${dialect})
  set(tables ${folder}/${dialect})
  # mlir_tablegen searches the include directories of the calling component.
  include_directories(SYSTEM ${MLIR_INCLUDE_DIRS})
  string(TOLOWER ${dialect} name)
  mlir_tablegen(${tables}Dialect.h.inc -gen-dialect-decls -dialect=${name})
  mlir_tablegen(${tables}Dialect.cpp.inc -gen-dialect-defs -dialect=${name})
  if(ARG_ENUMS)
    mlir_tablegen(${tables}Enums.h.inc -gen-enum-decls)
    mlir_tablegen(${tables}Enums.cpp.inc -gen-enum-defs)
  endif()
  mlir_tablegen(${tables}Attributes.h.inc -gen-attrdef-decls -attrdefs-dialect=${name})
  mlir_tablegen(${tables}Attributes.cpp.inc -gen-attrdef-defs -attrdefs-dialect=${name})
  mlir_tablegen(${tables}Ops.h.inc -gen-op-decls)
  mlir_tablegen(${tables}Ops.cpp.inc -gen-op-defs)
  add_public_tablegen_target(Lispier${dialect}IncGen)
endfunction()

# Makes OUTPUT for the component to include: one FILE(name, text) for each file, see EmbedText.cmake.
function(lispier_embed_text component output)
  set(text ${CMAKE_CURRENT_BINARY_DIR}/${output})
  add_custom_command(OUTPUT ${text}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${text} "-DFILES=${ARGN}" -P ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake
    DEPENDS ${ARGN} ${CMAKE_SOURCE_DIR}/cmake/EmbedText.cmake VERBATIM)
  target_sources(Lispier${component} PRIVATE ${text})
  target_include_directories(Lispier${component} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

# Sets RESULT to a component and all that it links, each once.
function(lispier_components_below result component)
  set(found ${component})
  set(rest ${component})
  while(rest)
    list(POP_FRONT rest next)
    get_target_property(links ${next} LINK_LIBRARIES)
    foreach(link IN LISTS links)
      if(link MATCHES "^Lispier" AND NOT link IN_LIST found)
        list(APPEND found ${link})
        list(APPEND rest ${link})
      endif()
    endforeach()
  endwhile()
  set(${result} ${found} PARENT_SCOPE)
endfunction()
