/*
 * What the page is given, of which ./schemas is made by tests/page/schemas.py from the
 * schemas beside the public header, and what its modules hand each other.  Only the checker reads this: nothing of it is in the page.
 */

import type { Check, Checks, Compare, Exports, Failed, Lint, Matrix, Report, Views } from "./schemas";

/* -------------------------------------- documents, and what the modules call their parts */

/** A number that a double cannot hold is a string. */
export type Amount = number | string;

export type RunDocument = Report.document;
export type Layer = Report.layer;
export type Node = Report.node;
export type Port = Report.port;
export type Finding = Report.finding;
export type BriefLine = Report.brief_line;

export type CompareDocument = Compare.document;
export type Form = Compare.form;
export type Group = Compare.group;
export type Region = Compare.region;
export type Move = Compare.move;

export type ExportsDocument = Exports.document;
export type ExportChange = Exports.change;

export type MatrixDocument = Matrix.document;
export type MatrixBuild = Matrix.build;
export type MatrixRow = Matrix.matrix;
export type MatrixCell = Matrix.cell;
export type MatrixMove = Matrix.move;

export type CheckDocument = Check.document;
export type ChecksDocument = Checks.document;
export type CheckedBuild = Checks.build;
export type LintDocument = Lint.document;
export type FailedDocument = Failed.document;
export type PatternsDocument = Views.patterns;

/** Of a rule that has findings: what these cost, and how they are mended. */
export interface RuleText {
    rule: string;
    why?: string;
    fix?: string;
}

/** A drawing of the whole or of a module, as Graphviz laid it out. */
export interface Picture {
    title: string;
    svg?: string; /** or DOT: the page that opened the files lays it out when it is shown */
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
    record?: () => Story; /** its details, of what can be chosen */
    box?: string; /** its name in pictures, where these do not name it otherwise (box_of) */
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
    nodes?: string[]; /** a link that names one of these nodes leads to the block, unless something of that name can be chosen */
    measures?: (number | null)[]; /** as many as the subject states; none: it has none of them */
    facets: Record<string, string[]>;
    /** By facet what each of its values is one of, where that is not the block: a node, a finding. */
    units?: () => Record<string, unknown[]>;
    parts?: number[]; /** how its time is shared among its nodes */
    layers?: number; /** of the engine */
    names: () => string[]; /** what a search finds it by */
    text?: string; /** all its names, in lower case: filter.js makes it */
}

/** A block with the items of its sides; block_of() has the rest. */
export interface SmallBlock extends Omit<Block, "tint" | "level" | "counts" | "items" | "keys">, Pick<Sides, "left" | "right"> {
    place: { chosen: Chosen; record: () => Story }; /** what each item selects */
    tint?: number;
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
    of?: Record<string, string>; /** what is counted of a value, one of them: "layer" */
    open?: boolean;
}

/** A column of numbers, as a subject states it. */
export interface OwnMeasure {
    title: string;
    print: (value: number) => string;
    signed?: boolean; /** a change, which may be negative */
    total?: number | null; /** of all blocks */
}

export interface Measure extends Required<OwnMeasure> {
    at: number; /** its place among all of the subject, and thereby the color of its bars */
    most: number; /** the value of the longest bar */
    of: (block: Block) => number | null;
}

export type Piece = string | { text: string; chosen?: Chosen; look?: string } | { pieces: Piece[]; look: string };
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
    chips?: Chip[];
    sections: Section[];
    command?: string; /** that prints the same in a terminal, if it is not the one of the page; "": there is none */
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
    level?: string; /** that the policy gives it */
    state: string; /** "ok", "failed", "skipped", "off", "notes" or the severity of its findings */
    measured?: string;
    budget?: string;
    findings: { severity: string; message: string; where: Pieces; todo?: string }[];
    note?: string;
    why?: string;
    fix?: string;
}

/** What a page has besides documents (texts.c); the words of command lines are api/command.c's. */
export interface Command {
    page: string; /** the command that the page is the answer to; "" for a list of builds: */
    fix?: string; /** options with which the command of lint writes, or lists, the proposed edits */
    builds?: { name: string; command: string }[]; /** of those that were checked */
    run?: string; /** files and options that ask for its run, with a blank before them */
    forms?: PasteForm[];
    stories?: StoryDocument;
    rules?: RuleText[]; /** of those with findings */
}

/** Of a member of a record: how its values are shown (sheet_columns.c). */
export interface Column {
    kind: string;
    title?: string;
    of?: Columns;
}
export type Columns = Record<string, Column>;
/** A record of any type, by its columns. */
export type Row = Record<string, any>;

/** What a subject says itself; the rest is as make_subject() has it. */
type Made = "find" | "charts" | "record" | "box_of";
type Common = "title" | "verdict" | "left" | "chart_note" | "legend" | "first_filters" | "tables" | "brief" | "rules" | "rules_title" | "waterfall" | "roofline" | "sources" | "first_view";
export interface Own extends Omit<Subject, Made | Common | "measures" | "key" | "weight">, Partial<Pick<Subject, Common>> {
    measures?: OwnMeasure[];
    facets: (Facet & { chart?: boolean })[]; /** chart: it has bars in the overview, too */
    settled?: (chosen: Chosen) => Chosen | null; /** the one form of what a link may call otherwise */
    others?: (chosen: Chosen) => Story | null; /** the details of what no item is */
    box_of?: Subject["box_of"];
}

/** A line of the exporter's source, and what was made of it. */
export interface SourceLine {
    chosen: Chosen;
    file: string;
    line: number;
    code: string; /** "": not known */
    nodes: number;
    chips: Chip[]; /** the types that its nodes run in */
    cost: number; /** in the unit of the measure */
}

/** What the source view shows beside each other. */
export interface Sources {
    lines: SourceLine[];
    nodes: { chosen: Chosen; item: Item; figure: string }[];
    layers: { chosen: Chosen; item: Item; figure: string }[];
    measure: { print: (n: number) => string; total: number };
    related: (key: string) => Set<string>; /** keys on the other sides */
}

/** What a page is about; run.js, compare.js, matrix.js and check.js each make some. */
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
    rows_title?: string; /** of the view of rows, where these are not beside each other */
    sides: string[]; /** heads of the columns: left, and one or more on the right */
    measures: Measure[];
    key: Measure | undefined; /** the signed measure, else the first: the only one that a narrow window shows */
    weight: (block: Block) => number; /** the absolute value of its key measure */
    blocks: Block[];
    facets: Facet[];
    charts: { facet: string; title: string }[];
    chart_note: string;
    legend: [string, string, string][]; /** signs in the rows: what they look like, and mean; a class */
    chart_measure?: string | null; /** the title of the measure that charts sum up, else the first; null: rows are counted */
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
    sources: Sources | null; /** of a model whose exporter wrote them */
    first_view: string;
}

/** What stands behind the "#": the whole of what a link shows. */
export interface State {
    view: string;
    picture: number; /** the index of the drawing */
    q: string; /** the words of the search */
    sort: string; /** "size", else the order of execution */
    picks: Map<string, Set<string>>; /** by facet: the selected values */
    chosen: Chosen | null;
}
