# cmake -DIN=onnx.proto -DOUT=read/onnx.proto -P read.cmake: the same without the fields
# that are marked "unread".
file(READ ${IN} text)
string(REGEX REPLACE "[^\n]*// unread[^\n]*\n" "" text "${text}")
file(WRITE ${OUT} "${text}")
