# chaosgrad_sources(TARGET ROOM…): the sources of some folders of src/ and of the folders in them. Those of
# chaosgrad_kernel_rooms go to the target chaosgrad_kernels.
#
# With CHAOSGRAD_UNITY, up to eight neighbours of a folder are compiled as one file, which reads the headers and makes the
# templates they share once. So the local names of a folder are unique, except in the files listed here.
set(chaosgrad_alone src/io/export/python/export_python.cpp src/io/store/hdf5_reader.cpp src/basis/basis_supremum.cpp)
set(chaosgrad_together 8)

function(chaosgrad_sources target)
  set(folders "")
  foreach(room ${ARGN})
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
    foreach(source ${sources})
      cmake_path(GET source PARENT_PATH folder)
      list(APPEND folders ${folder})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder ${folders})
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src OUTPUT_VARIABLE room)
    set(part_of ${target})
    if(room IN_LIST chaosgrad_kernel_rooms)
      set(part_of chaosgrad_kernels)
    endif()
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    list(SORT sources)
    target_sources(${part_of} PRIVATE ${sources})
    # Parts of equal size: the last one is not left with a single file.
    list(LENGTH sources count)
    math(EXPR parts "(${count} + ${chaosgrad_together} - 1) / ${chaosgrad_together}")
    math(EXPR size "(${count} + ${parts} - 1) / ${parts}")
    set(place 0)
    foreach(source ${sources})
      math(EXPR part "${place} / ${size}")
      math(EXPR place "${place} + 1")
      string(MAKE_C_IDENTIFIER "${room}_${part}" group)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${CHAOSGRAD_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()
set_source_files_properties(${chaosgrad_alone} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)

# chaosgrad_library(NAME ROOM…): the target chaosgrad_NAME, chaosgrad::NAME to others.
function(chaosgrad_library name)
  add_library(chaosgrad_${name})
  add_library(chaosgrad::${name} ALIAS chaosgrad_${name})
  set_target_properties(chaosgrad_${name} PROPERTIES EXPORT_NAME ${name})
  chaosgrad_sources(chaosgrad_${name} ${ARGN})
  target_include_directories(chaosgrad_${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(chaosgrad_${name} PUBLIC cxx_std_20)
  target_link_libraries(chaosgrad_${name} PRIVATE $<BUILD_INTERFACE:chaosgrad_flags> fmt::fmt)
endfunction()
