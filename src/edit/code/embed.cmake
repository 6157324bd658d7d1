# Makes one C file of helpers.py:  cmake -DFROM=... -DTO=... -P embed.cmake
# With a byte of 0 at the end, so that it is a text.
file(READ "${FROM}" hex HEX)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE "${TO}" "extern const unsigned char fsd_code_helpers[];\nconst unsigned char fsd_code_helpers[] = {\n${bytes}0x00};\n")
