# Makes one C file of the page's source:  cmake -DFROM=... -DTO=... -P embed.cmake
#
#     page.html   @STYLE@  <-  page.css
#                 @SCRIPT@ <-  the modules below, each a function that returns what it
#                              exports; what it imports is that of an earlier one
#                 @STYLE_HASH@, @SCRIPT_HASH@: of these very bytes, for the page's policy
#                 @DATA@:  where page.c goes on with what the page is about
#
# Nothing is shortened or rewritten otherwise: who reads the page reads the source.
set(MODULES words dom state filter chips modules records markdown detail advice subject source run compare matrix check exports list rules overview graph main)

# The SHA-256 of a text in base64, of which CMake has only hexadecimal digits.
function(hash_of text out)
  set(signs "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  string(SHA256 hex "${text}")
  string(APPEND hex "00") # 32 bytes and one of nothing are eleven times three
  set(base64 "")
  foreach(at RANGE 0 60 6)
    string(SUBSTRING "${hex}" ${at} 6 three)
    foreach(shift 18 12 6 0)
      math(EXPR sign "(0x${three} >> ${shift}) & 63")
      string(SUBSTRING "${signs}" ${sign} 1 sign)
      string(APPEND base64 "${sign}")
    endforeach()
  endforeach()
  string(SUBSTRING "${base64}" 0 43 base64)
  set(${out} "${base64}=" PARENT_SCOPE)
endfunction()

# A text as the array `name` of C.
function(put_array name text)
  file(WRITE "${TO}.part" "${text}")
  file(READ "${TO}.part" hex HEX)
  file(REMOVE "${TO}.part")
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  file(APPEND "${TO}" "const unsigned char ${name}[] = {\n${bytes}};\nconst size_t ${name}_size = sizeof ${name};\n")
endfunction()

file(READ "${FROM}/page.html" page)
file(READ "${FROM}/page.css" style)
set(script "\n")
foreach(module ${MODULES})
  file(READ "${FROM}/${module}.js" source)
  string(REGEX REPLACE "\nimport ({[^}]*}) from \"./([a-z]+).js\";" "\nconst \\1 = page_\\2;"
    source "\n${source}")
  string(REGEX MATCHALL "\nexport [a-z]+ [A-Za-z_]+" exports "${source}")
  list(TRANSFORM exports REPLACE "\nexport [a-z]+ " "")
  list(JOIN exports ", " exports)
  string(REGEX REPLACE "\nexport " "\n" source "${source}")
  string(APPEND script "const page_${module} = (() => {${source}return { ${exports} };\n})();\n")
endforeach()
hash_of("${style}" style_hash)
hash_of("${script}" script_hash)
string(REPLACE "@STYLE_HASH@" "${style_hash}" page "${page}")
string(REPLACE "@SCRIPT_HASH@" "${script_hash}" page "${page}")
string(REPLACE "@STYLE@" "${style}" page "${page}")
string(REPLACE "@SCRIPT@" "${script}" page "${page}")
string(FIND "${page}" "@DATA@" at)
string(SUBSTRING "${page}" 0 ${at} head)
math(EXPR at "${at} + 6")
string(SUBSTRING "${page}" ${at} -1 tail)
file(WRITE "${TO}" "/* Made by embed.cmake. */\n#include \"report/page/page.h\"\n")
put_array(fsd_page_head "${head}")
put_array(fsd_page_tail "${tail}")
