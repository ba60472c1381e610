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
  get_target_property(sources Lispier${name} SOURCES)
  lispier_join_sources(Lispier${name} ${sources})
  target_include_directories(Lispier${name} SYSTEM PUBLIC ${LLVM_INCLUDE_DIRS})
  target_link_libraries(Lispier${name} PUBLIC LLVM)
endfunction()

# Everything that includes MLIR shares one precompiled header.
# lispier_mlir_library(Loops [LAYERS folders...] [LINK components...] [DEPENDS tablegen-targets...])
# LAYERS: the folders of the component, each of which includes only itself and those before it
# (tools/dev/check-layering), by paths from the component's own folder.
function(lispier_mlir_library name)
  cmake_parse_arguments(ARG "" "" "LAYERS;LINK;DEPENDS" ${ARGN})
  list(TRANSFORM ARG_LAYERS REPLACE "(.+)" "${CMAKE_CURRENT_SOURCE_DIR}/\\1/*.cpp" OUTPUT_VARIABLE patterns)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp ${patterns})
  add_library(Lispier${name} STATIC ${sources})
  lispier_use_mlir(Lispier${name})
  if(ARG_LAYERS)
    target_include_directories(Lispier${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  target_link_libraries(Lispier${name} PUBLIC ${ARG_LINK})
  lispier_join_sources(Lispier${name} ${sources})
  if(ARG_DEPENDS)
    add_dependencies(Lispier${name} ${ARG_DEPENDS})
  endif()
endfunction()

# Compiles the target's sources in batches, each as one unit that includes its files, so that what they share is read
# and instantiated once. Off in presets `per-file`, `no-pch` and `asan`. The files of a batch are of about one size, and
# so few that a change of one of them builds in at most about 1.5 times the time that it alone would take: the first 9
# KB of a unit are what a file costs that has no text. Names in anonymous namespaces must therefore differ within a
# component, and files that use the names of namespace llvm are not joined with those that use mlir's: both have a Type,
# for example.
function(lispier_join_sources target)
  if(NOT LISPIER_UNITY)
    return()
  endif()
  set(entries)
  foreach(source IN LISTS ARGN)
    file(SIZE ${source} bytes)
    math(EXPR cost "1000000 + ${bytes} / 1024 + 9") # Of seven digits, so that they sort as numbers.
    file(STRINGS ${source} directive REGEX "^using namespace (llvm|mlir);" LIMIT_COUNT 1)
    string(REGEX MATCH "llvm|mlir" directive "${directive}")
    list(APPEND entries "${directive}|${cost}|${source}")
  endforeach()
  list(SORT entries)
  set(batch 0)
  set(room 0)
  set(names "")
  foreach(entry IN LISTS entries)
    string(REGEX MATCH "^(.*)\\|10*([0-9]+)\\|(.*)$" entry "${entry}")
    if(CMAKE_MATCH_2 GREATER room OR NOT CMAKE_MATCH_1 STREQUAL names)
      math(EXPR batch "${batch} + 1")
      math(EXPR room "${CMAKE_MATCH_2} * 26 / 10")
      set(names "${CMAKE_MATCH_1}")
    endif()
    math(EXPR room "${room} - ${CMAKE_MATCH_2}")
    set_source_files_properties(${CMAKE_MATCH_3} PROPERTIES UNITY_GROUP ${batch})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
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
  target_compile_options(${target} PRIVATE -fno-exceptions) # As LLVM's and MLIR's libraries are compiled.
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
