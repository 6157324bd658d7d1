/*
 * What the page is given, as the schemas beside the public header tell it, and what its
 * modules hand each other.  Only the checker reads this: nothing of it is in the page.
 */

/* ------------------------------------------- include/fusiondiff/report.schema.json */

/** A number that a double cannot hold is a string. */
export type Amount = number | string;

export interface Port {
    name?: string;
    type: string;
    layout?: string;
    dims?: (number | string)[];
    sizes?: (number | string)[];
    format?: string;
}

export interface Link {
    index: number;
    evidence: string[];
}

export interface Edge {
    source?: number;
    tensor?: string;
    producer?: number;
    readers: { layer?: number; output?: true; node?: number; input?: number }[];
    more_readers?: true;
    chain: number;
}

export interface Layer {
    index: number;
    name: string;
    type: string;
    kind: string;
    precision: string;
    inserted: boolean;
    cause?: string;
    log?: string;
    nodes: Link[];
    region?: number;
    inputs: Port[];
    outputs: Port[];
    origin?: string;
    tactic?: string;
    ran_by?: string;
    ran_with?: string;
    profile?: number;
    ms?: number;
    ms_spread?: { median: number; low: number; high: number };
    bytes?: Amount;
    bytes_unknown_of?: string;
    bytes_symbolic?: string;
    bias_bytes?: Amount;
    weight_bytes?: Amount;
    macs?: Amount;
    macs_symbolic?: string;
    roofline?: { bound: string; ms: number; macs_per_byte: number; reached?: number };
    edge?: Edge;
    values?: Record<string, number | string>;
}

export interface Node {
    index: number;
    name: string;
    op: string;
    domain?: string;
    scope?: number;
    module?: string;
    fate: string;
    why?: string;
    log?: string;
    same_as?: number;
    near_layer?: number;
    layers: number[];
    region?: number;
    inputs?: Port[];
    outputs?: Port[];
    requested: string;
    realised: string;
    ms?: number;
    shares?: true;
    macs?: Amount;
    macs_symbolic?: string;
    values?: Record<string, number | string>;
}

export interface Finding {
    rule: string;
    severity: string;
    message: string;
    layers: number[];
    nodes: number[];
    tensors: string[];
    facts: Record<string, Amount>;
    todo?: string;
}

/** Of a rule that has findings: what these cost, and how they are mended. */
export interface RuleTold {
    rule: string;
    why?: string;
    fix?: string;
}

export interface BriefLine {
    topic: string;
    text: string;
}

export interface RunDocument {
    schema: string;
    tool: { name: string; version: string };
    model: { path: string; nodes: Amount; format: string; producer?: string };
    engine: { path: string; layers: Amount; format: string; producer?: string };
    log?: { path: string; used: boolean };
    summary: {
        nodes: Record<string, number>;
        layers: Record<string, number>;
        inserted: Record<string, number>;
        links: Record<string, number>;
        findings: Record<string, number>;
        coverage: Record<string, number>;
        ms?: { run?: number; total?: number; inserted?: number; nodes?: number };
        spent: Record<string, { share?: number }>;
        brief: BriefLine[];
    };
    layers: Layer[];
    nodes: Node[];
    scopes?: { index: number; owner: number; label: string }[];
    regions?: { layers: number[]; nodes: number[] }[];
    findings: Finding[];
}

/* ------------------------------------------ include/fusiondiff/compare.schema.json */

export interface Side {
    model: string;
    engine: string;
    format: string;
    layers: number;
    computing: number;
    mapped: number;
    profiles: number;
}

export interface Form {
    type: string;
    layout: string;
}

export interface Group {
    kind: string;
    precision: string;
    layers: number;
    loose?: true;
    nodes: string[];
    ms?: number;
}

export interface Region {
    region: number;
    what: string;
    precision: string;
    differs: boolean;
    layout: boolean;
    layers: boolean;
    moves: boolean;
    tactic: boolean;
    old: Group[];
    new: Group[];
    before?: number;
    after?: number;
    moves_before?: number;
    moves_after?: number;
}

export interface Move {
    kind: string;
    inserted: boolean;
    cause?: string;
    from: string[];
    to: string[];
    nodes: string[];
    before: Form;
    after: Form;
    ms?: number;
}

export interface MoveChange {
    what: string;
    region?: number;
    old?: Move;
    new?: Move;
}

export interface EdgeChange {
    region: number;
    old_from: string;
    old_to: string;
    new_from: string;
    new_to: string;
    before: Form;
    after: Form;
    change: string;
}

export interface NodeChange {
    what: string;
    old?: string;
    new?: string;
    op: string;
    role: string;
    before?: string;
    after?: string;
}

export interface NamedPort {
    name: string;
    shape: string;
    form: Form;
}

export interface CompareDocument {
    schema: string;
    old: Side;
    new: Side;
    summary: {
        differs: boolean;
        regions: Record<string, number>;
        precisions: Record<string, number>;
        nodes: Record<string, number>;
        moves: Record<string, number>;
        aligned_by: Record<string, number>;
        ms?: { before: number; after: number; delta: Record<string, number> };
    };
    ports: { output: boolean; old?: NamedPort; new?: NamedPort }[];
    regions: Region[];
    edges: EdgeChange[];
    moves: MoveChange[];
    precisions: { old: string; new: string; before: string; after: string; change: string }[];
    nodes: NodeChange[];
    aligned: { old: string; new: string; op: string; role: string; by: string }[];
}

/* ----------------------------------------- several builds: the sheet of view/matrix.c */

export interface MatrixMove {
    kind: string;
    cause?: string;
    inserted: boolean;
    from: string[];
    to: string[];
    before: string;
    after: string;
    ms?: number;
}

export interface MatrixCell {
    build: string;
    is: string;
    by: string[];
    variant: number;
    what: string;
    inserted: number;
    ms?: number;
    groups: { precision: string; kind: string; layers: number; nodes: string[]; tactic?: string; ms?: number }[];
    moves: MatrixMove[];
}

export interface MatrixRow {
    row: number;
    of: string;
    name: string;
    ops: string[];
    differs: boolean;
    variants: number;
    cells: MatrixCell[];
}

export interface MatrixBuild {
    build: string;
    model: string;
    engine: string;
    producer?: string;
    gpu?: string;
    layers: number;
    computing: number;
    mapped: number;
    inserted: number;
    ms?: number;
    differing: number;
}

export interface MatrixDocument {
    schema: string;
    builds: MatrixBuild[];
    rows: MatrixRow[];
}

/* --------------------------------------------- two exports: the sheet of view/exports.c */

export interface ExportChange {
    what: string;
    old?: string;
    new?: string;
    op?: string;
    of?: string;
    was?: string;
    now?: string;
}

export interface ExportsDocument {
    schema: string;
    old: { model: string; exporter?: string; nodes: number; computing: number };
    new: { model: string; exporter?: string; nodes: number; computing: number };
    aligned: number;
    renamed: number;
    not_compared: number;
    changes: ExportChange[];
}

/* -------------------------------------------- include/fusiondiff/check.schema.json */

export interface CheckDocument {
    schema: string;
    snapshot?: string;
    model: string;
    engine: string;
    accept?: string;
    says?: string[];
    brief: BriefLine[];
    inputs?: { what: string; is: string }[];
    verdict: string;
    summary: { what: string; before?: string; now: string }[];
    rules: {
        rule: string;
        level: string;
        measured?: string;
        budget?: string;
        skipped?: string;
        findings: number;
        ignored: number;
    }[];
    findings: {
        rule: string;
        severity: string;
        message: string;
        file: string;
        line?: number;
        nodes: string[];
        layers: string[];
        fingerprint: string;
    }[];
}

/* --------------------------------------------- include/fusiondiff/lint.schema.json */

export interface LintDocument {
    schema: string;
    model: string;
    engine?: string;
    for: string;
    verdict: string;
    style: { name?: string; known_by?: string; quantizers: number; before_narrow: number; behind_operators: number };
    summary: Record<string, number>;
    rules: { rule: string; level: string; skipped?: string; findings: number; ignored: number }[];
    findings: Finding[];
    edits: {
        finding: number;
        rule: string;
        action: string;
        tensor: string;
        node: number;
        node_name: string;
        input: number;
        to?: number;
        to_name?: string;
        on_request?: boolean;
        scale_of?: string;
        scale_tensor?: string;
        scale?: number;
        type?: string;
        effect: string;
    }[];
}

/** A drawing of the whole or of a module, as Graphviz laid it out. */
export interface Picture {
    title: string;
    svg?: string;
    note?: string;
    within?: number; /** the picture that shows it as one box */
    boxes?: Record<string, number[]>; /** of those with several items: all of them */
    places?: Record<string, number[]>; /** of two builds: where the page shows a group, by side and group */
    nodes?: Record<string, string>; /** of two exports: the nodes' names, by box */
    opens?: Record<string, number>; /** of those that stand for a module: its picture */
}

/** A form of `names`, whose templates the sheets tell (report/sheet/sheet.h). */
export interface PasteForm {
    form: string;
    text: string;
    row: string;
    between: string;
    cannot: string; /** characters */
    words: boolean; /** a name is an argument of its own */
}

/** The answer of `patterns`: include/fusiondiff/views.schema.json. */
export interface PatternsDocument {
    blocks?: {
        pattern: string;
        node: number;
        called?: string;
        fused: string;
        nodes: number[];
        layers: number[];
        between?: unknown[];
    }[];
}

/** What the log tells of each node and layer, in the form of the answers of `explain`. */
export interface StoryDocument {
    nodes?: StoryOf[];
    layers?: StoryOf[];
}
export interface StoryOf {
    index: number;
    story: { topic: string; line?: number; text: string }[];
}

/* ----------------------------------------------------------- between the modules */

/** What can be chosen: "layer" and "12". */
export interface Chosen {
    kind: string;
    id: string;
}

export interface Chip {
    text: string;
    rest?: string; /** what a narrow window has no room for; the title has it */
    look: string; /** a class: "type-fp16", "warning" */
    title?: string;
}

/** One entry on one side of a row. */
export interface Item {
    chosen?: Chosen;
    index?: string;
    word: string; /** an operator, a layer's type */
    name: string;
    chips: Chip[];
    evidence?: string[];
    reason?: string; /** why it has nothing on the other side */
    quiet?: boolean; /** no operation of its own: shown pale */
    figure?: string; /** a number of its own, at the end of its cell */
}

/** What stands together: a layer and its nodes, a node that vanished, two builds' groups. */
export interface Block {
    at: number; /** its place in the order of execution */
    tint: number; /** 0: none */
    mark: "" | "+" | "-" | "?" | "~";
    level: string; /** of what its mark says: "plain", "added", "removed", "changed" */
    /** Lines of its sides; `folded`: on the left until it is opened, 0 when it cannot be. */
    counts: { left: number; folded: number; right: number };
    /** Made when it comes into sight: of most blocks of a large engine never. */
    items: () => Sides;
    looks?: string[]; /** of the columns on the right: a class each, "" for none */
    /** "layer 12", "node Conv_4": what in it can be chosen. */
    keys: () => string[];
    measures: (number | null)[]; /** as many as the subject has */
    facets: Record<string, string[]>;
    parts?: number[]; /** how its time is shared among its nodes */
    layers?: number; /** of the engine */
    text: () => string; /** all its names, in lower case */
}

export interface Sides {
    left: Item[];
    folded: Item[] | null;
    right: Item[][]; /** by column */
}

export interface Facet {
    name: string; /** as it stands in a link */
    title: string;
    order?: string[]; /** of its values; else the most frequent first */
    open?: boolean;
}

export interface Measure {
    title: string;
    print: (value: number) => string;
    signed: boolean;
    most: number;
    total: number | null;
}

export type Piece = string | { text: string; chosen?: Chosen; look?: string };
export type Pieces = Piece[];

export type Section =
    | { title: string; pairs: [string, Pieces][] }
    | { title: string; head: string[]; rows: Pieces[][] }
    | { title: string; lines: Pieces[]; ordered?: boolean }
    | { title: string; code: string }
    | { title: string; forms: { form: string; code: string; note: string }[] };

/** The whole record of what is chosen. */
export interface Story {
    kind: string;
    title: string;
    chips: Chip[];
    sections: Section[];
}

export interface Tile {
    title: string;
    value: string;
    note: string;
    look?: string;
    filter?: [string, string]; /** a facet and its value */
}

/** A bar for each value of a facet, or steps of a waterfall. */
export interface Step {
    label: string;
    from: number;
    to: number;
    look: string;
}

export interface Point {
    x: number;
    y: number;
    look: string;
    title: string;
    chosen: Chosen;
}

export interface Roofline {
    points: Point[];
    /** Peaks, where they are known: multiply-adds and bytes a millisecond. */
    macs: number | null;
    bytes: number | null;
    timed: boolean;
}

export interface RuleRow {
    rule: string;
    level: string;
    state: string; /** "ok", "failed", "skipped", "off", "notes" */
    measured: string;
    budget: string;
    findings: { severity: string; message: string; where: Pieces; todo?: string }[];
    note: string;
    why?: string;
    fix?: string;
}

/** Words of a command line (src/api/command.c). */
export interface Command {
    page: string; /** the command that the page is the answer to */
    run?: string; /** files and options that ask for its run, with a blank before them */
}

/** What a page is about; run.js, compare.js, matrix.js, check.js and lint.js each make one. */
export interface Subject {
    title: string;
    from: string;
    to: string;
    files: [string, string][];
    verdict: { text: string; look: string } | null;
    accept?: string; /** the command that accepts what changed */
    nothing?: string; /** why there is nothing to do */
    all_fixes?: boolean; /** what to do are the rules' fixes, too */
    left: number; /** how wide the left side is beside one on the right, of 13 */
    sides: string[]; /** heads of the columns: left, and one or more on the right */
    measures: Measure[];
    blocks: Block[];
    facets: Facet[];
    charts: { facet: string; title: string }[];
    chart_note: string;
    chart_measure?: number; /** none of them: rows are counted */
    first_filters: [string, string][]; /** of a page that no link leads to */
    tiles: Tile[];
    brief: BriefLine[];
    rules: RuleRow[];
    rules_title: string;
    tables: { title: string; head: string[]; rows: Pieces[][] }[];
    waterfall: { title: string; steps: Step[] } | null;
    roofline: Roofline | null;
    /** The block that shows it, and which of its items; null: there is no such thing. */
    find(chosen: Chosen): { block: Block; item: Item } | null;
    record(chosen: Chosen): Story | null;
    /** Names of boxes in pictures, of what is chosen and the other way round. */
    box_of(chosen: Chosen, picture: Picture): string | null;
    chosen_of(box: string, picture: Picture): Chosen | null;
    first_view: string;
}

/** What stands behind the "#": the whole of what a link shows. */
export interface State {
    view: string;
    query: string;
    sort: string;
    picks: Map<string, Set<string>>;
    chosen: Chosen | null;
    picture: number;
}
