// What netron's parser takes to read a model:  netron.mjs FOLDER MODEL, with its sources in FOLDER.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";

const [folder, model] = process.argv.slice(2).map((path) => resolve(path));
const { BinaryReader } = await import(`${folder}/protobuf.js`);
const { onnx } = await import(`${folder}/onnx-proto.js`);
const read = onnx.ModelProto.decode(BinaryReader.open(readFileSync(model)));

process.exit(read.graph ? 0 : 2); // of two pieces it keeps one
