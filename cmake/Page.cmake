# Packs the page of the reports and the library that draws its charts into one C++ file.
function(chaosgrad_page output)
  file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/report/page/*)
  set(library ${PROJECT_SOURCE_DIR}/third_party/plotly/plotly-cartesian.min.js)
  set(script ${PROJECT_SOURCE_DIR}/cmake/embed_page.py)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${Python_EXECUTABLE} ${script} ${PROJECT_SOURCE_DIR}/src/report/page ${library} ${output}
    DEPENDS ${script} ${library} ${parts}
    COMMENT "Packing the page of the reports"
    VERBATIM)
endfunction()
