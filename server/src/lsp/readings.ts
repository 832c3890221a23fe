// What is known of each open document: read when somebody asks, once for each version, and dropped when the document
// moves on.
import type { CancellationToken } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { lint, type LintResult } from '../lint/lint';
import type { CompilerRemark } from '../semantic';
import type { Gpu, Model, Span, Unread } from '../semantic/model';
import { excerptAround, lineTable, type Excerpt, type LineTable, type Position } from '../syntax';
import { isFortran } from '../workspace/fortran';
import type { SeenFile } from '../workspace/workspace';
import { isQuiet, rulesOf, type Folders } from './folders';
import type { OpenFiles } from './openFiles';
import type { Addresses } from './addresses';
import type { Screens } from './screens';
import { serviceOf } from './serving';
import { traceOf } from './waiting';

export interface Reading {
  readonly uri: string;
  /** The document's version, which edits name. */
  readonly version: number;
  /** Differs whenever the findings may: version, and how often something outside the document changed. */
  readonly stamp: string;
  readonly text: string;
  readonly lines: LineTable;
  readonly model: Model;
  /** The files it was read with, itself and what it includes or uses among them. */
  readonly files: readonly SeenFile[];
  readonly gpu: Gpu;
  readonly result: LintResult;
  /** One sentence on what of the file was not read, because it takes more work or memory than one file may. */
  readonly excess?: string | undefined;
  /** What of the file has no figures, and why: computed when it is first asked for. */
  unread(): readonly Unread[];
  /** What compilers said of its lines. */
  readonly remarks: readonly CompilerRemark[];
  /** The range of a span in this document or in a file that it includes; undefined when that file cannot be read. */
  rangeOf(span: Span): { readonly start: Position; readonly end: Position } | undefined;
}
/** A document that would be read if it were not for its contents. */
export interface Refusal {
  readonly uri: string;
  readonly version: number;
  readonly stamp: string;
  readonly refused: string;
}

export interface Readings {
  /** Of the version on screen, read now when need be. Undefined for one closed, foreign, or beyond this program. */
  now(uri: string): Reading | undefined;
  /** The same, or why there is none. */
  nowOrWhy(uri: string): Reading | Refusal | undefined;
  /**
   * Waits until the document rests for the time of the setting, then reads. Work on a version that was typed over is
   * never begun. Undefined when cancelled.
   */
  settled(uri: string, token?: CancellationToken): Promise<Reading | Refusal | undefined>;
  /**
   * Of a long document that was never read: the findings in the functions on screen, from an excerpt of it and so
   * without the shares that the rest would show. Undefined where the whole can be asked for at once.
   */
  glimpse(uri: string, token?: CancellationToken): Promise<Reading | undefined>;
  /** Resolves when a glimpse that is on its way has been sent: who asks for `now` after it delays no first answer. */
  glimpsed(uri: string): Promise<void>;
  /** Runs synchronous work on a document, which is answerable for the time that it takes. */
  working<T>(uri: string, work: () => T): T;
  /** Lets the thread hear what the client has sent meanwhile, and readings that wait begin. */
  breath(): Promise<void>;
  /** Lints a text that the document could have; without a model if it is refused. */
  asIf(reading: Reading, text: string): LintResult & { readonly model?: Model };
  /** Something outside these documents changed. */
  invalidate(uris: readonly string[]): void;
  touched(uri: string): void;
  forget(uri: string): void;
  /** Resolves after a pause in typing. */
  idle(): Promise<void>;
  /** Open documents whose unit holds this file. */
  including(uri: string): readonly string[];
  /** Open documents with an include of this name that was not found. */
  missing(name: string): readonly string[];
}

export interface ReadingOptions {
  readonly document: (uri: string) => TextDocument | undefined;
  readonly folders: Folders;
  readonly files: OpenFiles;
  readonly addresses: Addresses;
  /** Resolves when the settings have come. */
  readonly ready: Promise<void>;
  /**
   * Resolves when the files have come that readings missed; documents that they concern are invalid then. Undefined
   * where none are waited for.
   */
  readonly arrivals?: () => Promise<void> | undefined;
  readonly log: {
    readonly error: (sentence: string) => void;
    readonly timing: (uri: string, sentence: string) => void;
  };
  readonly onRead?: (reading: Reading) => void;
  /** Absent where the editor does not tell; then documents are read whole at once. */
  readonly screens?: Screens | undefined;
  /** Hears the document whose reading begins, and undefined when it has ended. */
  readonly atWorkOn?: ((uri: string | undefined) => void) | undefined;
}

/** Milliseconds for which an answer waits for files from a network; more is reported when they come. */
const patience = 4000;
/** Characters from which on the visible functions are reported before the rest. */
const long = 60_000;
/** Milliseconds for which other requests on a long document wait for its diagnostics. */
const politeness = 200;
/** Milliseconds that a reading may take of a keystroke: of a longer one the rest is what typing waits for. */
const unnoticed = 30;
/** Milliseconds in which an answer leaves this thread. */
const posting = 15;
const nothingFound: LintResult = { findings: [], suppressed: [], marked: { hot: 0, cold: 0 }, failures: [] };
/** Milliseconds of rest that background work waits for. */
const rest = 300;

export function createReadings(options: ReadingOptions): Readings {
  const { folders, files, addresses } = options;
  const known = new Map<string, Reading | Refusal | undefined>();
  // Another thread may serve the document next, and what it read is not what this one did.
  const origin = Math.random().toString(36).slice(2, 8);
  const stamps = new Map<string, string>();
  const revisions = new Map<string, number>();
  const changedAt = new Map<string, number>();
  const taken = new Map<string, number>();
  const complained = new Set<string>();
  let lastChange = 0;
  let turn = Promise.resolve();

  /** Lets the streams deliver what has arrived, once for each reading: several in a row would leave the thread deaf. */
  const breath = (): Promise<void> => (turn = turn.then(immediates));

  function stampOf({ uri, version }: TextDocument): string {
    return `${origin}.${version}.${revisions.get(uri) ?? 0}`;
  }

  function nowOrWhy(uri: string): Reading | Refusal | undefined {
    const document = options.document(uri);
    if (!document) return undefined;
    const stamp = stampOf(document);
    if (stamps.get(uri) === stamp) return known.get(uri);
    // A grammar that is still being loaded: who can wait does, others ask again.
    const language = languageOf(document);
    if (language === 'loading') return undefined;
    if (language !== 'ready') return { uri, version: document.version, stamp, refused: language.failed };
    const reading = working(uri, () => read(document, stamp));
    known.set(uri, reading);
    stamps.set(uri, stamp);
    if (reading && 'model' in reading) options.onRead?.(reading);
    return reading;
  }

  const failures = new Map<string, string>();
  /** Whether a document's grammar is there; where it is not, it is loaded. Documents that are not read need none. */
  function languageOf(document: TextDocument): 'ready' | 'loading' | { readonly failed: string } {
    const { uri, languageId } = document;
    const { workspace } = folders.of(uri);
    const failed = failures.get(languageId);
    if (failed !== undefined) return { failed };
    if (
      !isFortran(addresses.toPath(uri), languageId) ||
      serviceOf(uri, languageId, document.getText()).service !== 'read'
    )
      return 'ready';
    const waiting = workspace.ready(uri, languageId);
    if (!waiting) return 'ready';
    waiting.catch((error: unknown) => {
      const sentence = error instanceof Error ? error.message : String(error);
      failures.set(languageId, sentence);
      complain(sentence);
    });
    return 'loading';
  }

  let workedOn: string | undefined;
  function working<T>(uri: string, work: () => T): T {
    const around = workedOn;
    options.atWorkOn?.((workedOn = uri));
    try {
      return work();
    } finally {
      options.atWorkOn?.((workedOn = around));
    }
  }

  function findingsOf(uri: string, model: Model, text: string, gpu: Gpu): LintResult {
    const folder = folders.of(uri);
    const path = addresses.toPath(uri, folder.path);
    if (folder.workspace.configurationOf(uri)?.isExcluded(path)) return nothingFound;
    return lint(model, text, { gpu, settings: rulesOf(folder, uri), quiet: isQuiet(folder, uri, path) });
  }

  function read(document: TextDocument, stamp: string, excerpt?: Excerpt): Reading | Refusal | undefined {
    const { uri, version } = document;
    const text = excerpt?.text ?? document.getText();
    const { service, why } = serviceOf(uri, document.languageId, text);
    if (service === 'foreign') return undefined;
    if (service === 'refused') return { uri, version, stamp, refused: why! };
    const folder = folders.of(uri);
    const started = performance.now();
    try {
      const analysed = folder.workspace.analyse(uri, { text, version, languageId: document.languageId });
      if (!analysed) return undefined;
      const { gpu, remarks } = analysed;
      const model = excerpt ? within(analysed.model, excerpt) : analysed.model;
      const analysedAt = performance.now();
      const result = findingsOf(uri, model, text, gpu);
      for (const failure of result.failures)
        complain(`The rule ${failure.rule} failed on ${uri}: ${failure.error}. The other rules ran.`);
      options.log.timing(
        uri,
        `${addresses.toPath(uri)} version ${version}: ${excerpt ? 'on screen: ' : ''}read in ` +
          `${(analysedAt - started).toFixed(1)} ms, linted in ` +
          `${(performance.now() - analysedAt).toFixed(1)} ms, ${result.findings.length} findings`,
      );
      const lines = lineTable(text);
      if (!excerpt) taken.set(uri, performance.now() - started);
      return {
        uri,
        version,
        stamp,
        text,
        lines,
        model,
        files: analysed.files,
        gpu,
        result: excerpt ? { ...result, findings: result.findings.filter(({ at }) => isIn(excerpt, at)) } : result,
        excess: analysed.excess,
        unread: () => analysed.unread(),
        remarks,
        rangeOf: rangeFinder(uri, lines, analysed.files),
      };
    } catch (error) {
      complain(`Warplens could not read ${uri}: ${traceOf(error)}`);
      return {
        uri,
        version,
        stamp,
        refused: 'Warplens could not analyse this file; the log has the cause. Please report it with the file.',
      };
    }
  }

  /** Each trouble once: a file is read at every keystroke. */
  function complain(sentence: string): void {
    if (complained.has(sentence)) return;
    if (complained.size > 200) complained.clear();
    complained.add(sentence);
    options.log.error(sentence);
  }

  function rangeFinder(uri: string, lines: LineTable, seen: readonly SeenFile[]): Reading['rangeOf'] {
    const tables = new Map<string, LineTable | undefined>([[uri, lines]]);
    return (span) => {
      if (!tables.has(span.uri)) {
        const other = seen.find((file) => file.uri === span.uri)?.text ?? files.read(addresses.toPath(span.uri))?.text;
        tables.set(span.uri, other === undefined ? undefined : lineTable(other));
      }
      return tables.get(span.uri)?.rangeOf(span);
    };
  }

  /** Partial results that are being computed or sent; requests for the whole wait for them. */
  const glimpses = new Map<string, Promise<unknown>>();
  /** Documents that had theirs since they were opened. */
  const glimpsed = new Set<string>();
  async function glimpse(uri: string, token?: CancellationToken): Promise<Reading | undefined> {
    const { screens } = options;
    if (!screens || stamps.has(uri) || glimpsed.has(uri)) return undefined;
    glimpsed.add(uri);
    const looked = look(uri, screens, token);
    const sent = looked.then((reading) => (reading ? delay(posting) : undefined));
    glimpses.set(uri, sent);
    void sent.finally(() => glimpses.delete(uri));
    return looked;
  }
  /** An editor may ask for hints of a document that it has just opened before it asks for what is wrong with it. */
  async function afterGlimpse(uri: string): Promise<void> {
    const text = options.document(uri)?.getText();
    if (options.screens && !stamps.has(uri) && text !== undefined && text.length >= long)
      for (const end = Date.now() + politeness; !glimpsed.has(uri) && Date.now() < end; ) await delay(10);
    await glimpses.get(uri);
  }
  async function look(uri: string, screens: Screens, token?: CancellationToken): Promise<Reading | undefined> {
    await options.ready;
    const document = options.document(uri);
    if (!document || document.getText().length < long) return undefined;
    if (isFortran(addresses.toPath(uri), document.languageId)) return undefined;
    const { version } = document;
    const lines = await screens.of(uri);
    await breath();
    // Somebody may have read the whole meanwhile.
    if (!lines || token?.isCancellationRequested || stamps.has(uri)) return undefined;
    if (options.document(uri)?.version !== version) return undefined;
    const from = document.offsetAt({ line: lines.first, character: 0 });
    const excerpt = excerptAround(document.getText(), from, document.offsetAt({ line: lines.last + 1, character: 0 }));
    const reading = excerpt && working(uri, () => read(document, `${stampOf(document)}.glimpse`, excerpt));
    return reading && 'model' in reading ? reading : undefined;
  }

  function readOnes(): Reading[] {
    return [...known.values()].filter((reading): reading is Reading => reading !== undefined && 'model' in reading);
  }

  async function settled(uri: string, token?: CancellationToken): Promise<Reading | Refusal | undefined> {
    await options.ready;
    const patientUntil = Date.now() + patience;
    await afterGlimpse(uri);
    for (;;) {
      if (token?.isCancellationRequested) return undefined;
      const document = options.document(uri);
      if (!document) return undefined;
      const { version } = document;
      const pause = Math.min(folders.of(uri).settings.debounce, Math.max(0, (taken.get(uri) ?? Infinity) - unnoticed));
      const left = (changedAt.get(uri) ?? 0) + pause - Date.now();
      if (left > 0) {
        await delay(left);
        continue;
      }
      // What the client has sent meanwhile, a change or a cancellation, is heard before the work begins.
      await breath();
      if (token?.isCancellationRequested) return undefined;
      if (options.document(uri)?.version !== version) continue;
      if (languageOf(document) === 'loading') {
        await folders
          .of(uri)
          .workspace.ready(uri, document.languageId)
          ?.catch(() => {
            /* reported as a refusal */
          });
        continue;
      }
      const stamp = stampOf(document);
      const reading = nowOrWhy(uri);
      const arriving = options.arrivals?.();
      if (!arriving || Date.now() > patientUntil) return reading;
      await Promise.race([arriving, delay(patientUntil - Date.now())]);
      // Read again only where something came: then it has another stamp.
      if (stampOf(document) === stamp) return reading;
    }
  }

  return {
    now(uri) {
      const reading = nowOrWhy(uri);
      return reading && 'model' in reading ? reading : undefined;
    },
    nowOrWhy,
    settled,
    glimpse,
    glimpsed: afterGlimpse,
    working,
    breath,
    asIf: ({ uri, version }, text) =>
      working(uri, () => {
        const { languageId } = options.document(uri) ?? {};
        const analysed = folders.of(uri).workspace.analyse(uri, { text, version, languageId });
        if (!analysed) return nothingFound;
        return { ...findingsOf(uri, analysed.model, text, analysed.gpu), model: analysed.model };
      }),
    invalidate(uris) {
      for (const uri of uris) if (options.document(uri)) revisions.set(uri, (revisions.get(uri) ?? 0) + 1);
    },
    touched(uri) {
      lastChange = Date.now();
      changedAt.set(uri, lastChange);
    },
    forget(uri) {
      for (const held of [known, stamps, changedAt, taken, glimpsed]) held.delete(uri);
      // Another document of this name begins with the same version.
      revisions.set(uri, (revisions.get(uri) ?? 0) + 1);
      const folder = folders.of(uri);
      folder.workspace.forget(uri);
      folder.index.forget(uri);
    },
    async idle() {
      await options.ready;
      for (;;) {
        const left = lastChange + rest - Date.now();
        if (left <= 0) break;
        await delay(left);
      }
      await breath();
    },
    including: (uri) =>
      readOnes().flatMap((one) => (one.uri !== uri && one.files.some((file) => file.uri === uri) ? [one.uri] : [])),
    missing(name) {
      const misses = ({ includes }: SeenFile): boolean =>
        includes.some(({ resolved, path }) => resolved === undefined && path.endsWith(name));
      return readOnes().flatMap(({ uri, files: seen }) => (seen.some(misses) ? [uri] : []));
    },
  };
}

function isIn({ functions }: Excerpt, { start, end }: { readonly start: number; readonly end: number }): boolean {
  return functions.some((each) => each.start <= start && end <= each.end);
}

/** What the notes say of the rest of the file is not true of the file. */
function within(model: Model, excerpt: Excerpt): Model {
  return { ...model, notes: model.notes.filter(({ at }) => at.uri === model.uri && isIn(excerpt, at)) };
}

function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}

async function immediates(): Promise<void> {
  for (let turn = 0; turn < 3; turn++)
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
}
