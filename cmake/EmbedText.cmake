# cmake -DOUTPUT=file.inc -DFILES=a.lisp;b.lisp -P EmbedText.cmake
# Writes one FILE(name, text) a file. An included file, unlike one that is named in
# #embed, is seen by ccache and by the build's dependencies alike.
set(text "")
foreach(file IN LISTS FILES)
  file(READ ${file} content)
  get_filename_component(name ${file} NAME)
  string(APPEND text "FILE(\"${name}\", R\"LISP(${content})LISP\")\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
