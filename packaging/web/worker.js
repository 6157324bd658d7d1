/*
 * The library in a worker, for one request. It reads the user's files in pieces, when it needs
 * them, and Graphviz lays out its pictures. Nothing leaves the browser, since the library can
 * request only bytes of these files. When the worker ends, its memory is freed.
 *
 *     page -> {module, files}              <- {formats, kinds}      the formats, and the kind of each file
 *     page -> {module, files, request}     <- {status, bytes}       a report (web.c), or an error message
 *     page -> {dot}                        <- {svg}                 the drawing of a picture; null: there is none
 */

/** The status FSD_E_MEMORY, for an instance that ended. */
const NO_MEMORY = 8;

/** @type {{file: File, path: string}[]} */
let files = [];
/** @type {any} the instance's exports */
let library = null;
/** @type {any} */
let graphviz = null;

const encode = new TextEncoder();
const decode = new TextDecoder();
const reader = new FileReaderSync();

/** JavaScript gets an address above 2 GiB as a negative number. */
const bytes_at = (at, n) => new Uint8Array(library.memory.buffer, at >>> 0, n >>> 0);

function text_at(at) {
    const all = new Uint8Array(library.memory.buffer);
    return decode.decode(all.subarray(at >>> 0, all.indexOf(0, at >>> 0)));
}

/** Copies a text into the instance's memory. @param {string} text */
function hand(text) {
    const bytes = encode.encode(`${text}\0`);
    const at = library.hand(bytes.length);
    bytes_at(at, bytes.length).set(bytes);
    return at;
}

/** A file is read in pieces of this size. The library requests 64 KiB at a time, for which a browser needs as long as for a megabyte. */
const WINDOW = 1 << 20;
/** @type {{file: File | null, begin: number, bytes: Uint8Array}} */
let kept = { file: null, begin: 0, bytes: new Uint8Array() };

/** @param {File} file @param {number} begin @param {number} n */
function bytes_of(file, begin, n) {
    const within = kept.file === file && begin >= kept.begin && begin + n <= kept.begin + kept.bytes.length;
    if (!within) kept = { file, begin, bytes: new Uint8Array(reader.readAsArrayBuffer(file.slice(begin, begin + Math.max(n, WINDOW)))) };
    return kept.bytes.subarray(begin - kept.begin, begin - kept.begin + n);
}

/** The functions of the page that the library calls (web.c). */
const page = {
    read(number, offset, to, n) {
        try {
            bytes_at(to, n).set(bytes_of(files[number].file, offset, n));
            return 1;
        } catch {
            return 0; /* the file was changed or removed */
        }
    },
    layout(dot, size, format) {
        try {
            return hand(graphviz.layout(decode.decode(bytes_at(dot, size)), text_at(format), "dot"));
        } catch {
            return 0;
        }
    },
};

/** The system calls that a WASI program expects. The page has no system, so each call fails. */
const system = new Proxy({}, {
    get: (_, name) => (name === "proc_exit" ? () => { throw new Error("the library ended"); } : name === "fd_prestat_get" ? () => 8 /* EBADF: no folder */ : () => 52 /* ENOSYS */),
});

/** Makes an instance that knows all files. @param {WebAssembly.Module} module */
function begin(module) {
    library = new WebAssembly.Instance(module, { page, wasi_snapshot_preview1: Object.fromEntries(WebAssembly.Module.imports(module).filter((i) => i.module !== "page").map((i) => [i.name, system[i.name]])) }).exports;
    library._initialize();
    for (const { path, file } of files) library.file(hand(path), file.size);
}

/** @param {string} text */
function ask(text) {
    const status = library.ask(hand(text));
    return { status, bytes: bytes_at(library.text(), library.size()).slice() };
}

function formats_of(subject) {
    const found = [];
    for (let i = 0, at; (at = library.format(hand(subject), i)); i++) found.push(text_at(at));
    return found;
}

/** If Graphviz finds no path for a curve, lines are drawn straight, as in the library's own layout.
 * An instance that failed is not used again.
 * @param {string} dot */
async function draw(dot) {
    for (const text of [dot, dot.replace('labeljust="l"', 'labeljust="l" splines="line"')]) {
        graphviz = await Graphviz.load();
        try {
            return graphviz.layout(text, "svg", "dot");
        } catch {
            Graphviz.unload();
        }
    }
    return null;
}

async function handle({ module, files: given, request, dot }) {
    if (dot) return { svg: await draw(dot) };
    files = given;
    if (request && !/^pictures later$/m.test(request)) graphviz = await Graphviz.load();
    try {
        begin(module);
        if (request) return ask(request);
        return {
            formats: Object.fromEntries(["run", "compare", "lint", "check", "failed"].map((subject) => [subject, formats_of(subject)])),
            kinds: files.map(({ path }) => library.kind(hand(path))),
        };
    } catch (error) { /* an instance whose memory ran out has ended */
        return { status: NO_MEMORY, bytes: encode.encode(`the browser ended the library: ${error.message}`) };
    }
}

self.onmessage = async ({ data }) => {
    try {
        postMessage(await handle(data));
    } catch (error) {
        postMessage({ failed: String(error) });
    }
};
