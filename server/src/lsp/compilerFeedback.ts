// What compilers said of a build: takes their logs, and words what they say of a line for hover and hints.
import type { InlayHint, Position } from 'vscode-languageserver';
import {
  compilerFeedbackRequest,
  type CompilerFeedbackAnswer,
  type CompilerFeedbackParameters,
} from '../../../protocol/src/compilerFeedback';
import type { CompilerRemark } from '../semantic';
import type { Reading } from './readings';
import { guarded, type Session } from './session';

/** `onChange` gets the documents whose reading may differ now. */
export function serveCompilerFeedback(session: Session, onChange: (uris: readonly string[]) => void): void {
  const { connection, folders, documents, files, addresses, readings } = session;
  connection.onRequest(
    compilerFeedbackRequest,
    guarded(
      session,
      compilerFeedbackRequest,
      null as CompilerFeedbackAnswer | null,
      ({ source, text, resources, folder }: CompilerFeedbackParameters) => {
        if (typeof source !== 'string') return { remarks: 0, shown: 0, problem: 'A compiler log needs a name.' };
        session.resources.take(source, resources ?? []);
        if (text === undefined && resources !== undefined) return { remarks: 0, shown: 0 };
        const log = text === undefined ? files.read(addresses.toPath(source))?.text : (text ?? undefined);
        if (log === undefined && text === undefined)
          return { remarks: 0, shown: 0, problem: `${addresses.toPath(source)} is not a readable build log.` };
        const all = typeof folder === 'string' ? [folders.of(folder)] : folders.all();
        let remarks = 0;
        for (const each of all) remarks = Math.max(remarks, each.workspace.takeCompilerLog(source, log));
        const open = documents
          .all()
          .map(({ uri }) => uri)
          .filter((uri) => all.includes(folders.of(uri)));
        onChange(open);
        const shown = open.reduce((sum, uri) => sum + (readings.now(uri)?.remarks.length ?? 0), 0);
        return {
          remarks,
          shown,
          ...(log !== undefined && remarks === 0 && !resources?.length
            ? {
                problem:
                  'The log has no remarks on accelerator loops. Build with -Minfo=accel (nvc, nvc++, ' +
                  'nvfortran) or -fopt-info-omp (GCC), or kernels with -Xptxas -v (nvcc).',
              }
            : {}),
        };
      },
    ),
  );
}

const compilerNames = { nvhpc: 'nvc', gcc: 'GCC', flang: 'flang' } as const;
const mostRemarks = 12;

/**
 * Markdown of all remarks on the loop whose directive or header the pointer is on, whichever of its lines they name.
 * Undefined if there are none.
 */
export function aboutRemarks(reading: Reading, { line, character }: Position): string | undefined {
  if (reading.remarks.length === 0) return undefined;
  const group = linesAround(reading, line, character);
  if (!group) return undefined;
  const remarks = reading.remarks.filter((remark) => group.from <= remark.line - 1 && remark.line - 1 <= group.to);
  if (remarks.length === 0) return undefined;
  const compilers = [...new Set(remarks.map(({ compiler }) => compiler))];
  const sections = compilers.map((compiler) => {
    const own = ordered(remarks.filter((remark) => remark.compiler === compiler));
    const several = new Set(own.map((remark) => remark.line)).size > 1;
    const said = own
      .slice(0, mostRemarks)
      .map(({ line: at, text }) => `- \`${text.replaceAll('`', "'")}\`${several ? ` (line ${at})` : ''}`);
    return [
      `**${compilerNames[compiler]}** remarks here`,
      '',
      ...said,
      ...(own.length > mostRemarks ? [`- and ${own.length - mostRemarks} more`] : []),
    ].join('\n');
  });
  return sections.join('\n\n');
}

/** At the end of each line with a schedule: `nvc: gang, vector(128)`. */
export function remarkHints(reading: Reading, from: number, to: number): InlayHint[] {
  const byLine = new Map<number, CompilerRemark[]>();
  for (const remark of reading.remarks) byLine.set(remark.line, [...(byLine.get(remark.line) ?? []), remark]);
  // GCC and flang report a loop at its directive: the sentence is about that line, and stays there.
  return [...byLine].flatMap(([line, remarks]) => {
    const scheduled = remarks.filter(({ schedule }) => schedule);
    const labels = new Set(scheduled.map((remark) => `${compilerNames[remark.compiler]}: ${scheduleText(remark)}`));
    const at = reading.lines.lineSpan(line - 1);
    if (labels.size === 0 || at.end < from || at.start > to) return [];
    return [
      {
        position: reading.lines.positionAt(at.end),
        label: [...labels].join(' · '),
        tooltip: ordered(remarks)
          .map(({ text }) => text)
          .join('\n'),
        paddingLeft: true,
      },
    ];
  });
}

/** As one writes it in a directive. */
export function scheduleText({ schedule, compiler }: CompilerRemark): string {
  if (!schedule) return '';
  const { gang, worker, vector, seq, vectorLength, workers, collapse, collapsed } = schedule;
  const words: string[] = [];
  if (seq) words.push('seq');
  if (gang) words.push('gang');
  if (worker) words.push(workers === undefined ? 'worker' : `worker(${workers})`);
  if (vector) words.push(vectorLength === undefined ? 'vector' : `vector(${vectorLength})`);
  if (collapsed) words.push('collapsed');
  if (collapse !== undefined) words.push(`collapse(${collapse})`);
  if (words.length === 0 && vectorLength !== undefined) words.push(`vector_length(${vectorLength})`);
  if (words.length === 0 && workers !== undefined) words.push(`num_workers(${workers})`);
  return words.join(compiler === 'gcc' ? ' ' : ', ');
}

const order: readonly CompilerRemark['kind'][] = [
  'schedule',
  'dependence',
  'parallelizable',
  'reduction',
  'kernel',
  'routine',
  'data',
  'other',
];
function ordered(remarks: readonly CompilerRemark[]): CompilerRemark[] {
  return [...remarks].sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.line - b.line);
}

const directiveLine = /^\s*(?:#\s*pragma\s+acc\b|[!cC*]\$acc\b)/i;

/**
 * The directives (with their continuations) around a line, and the line of code under them; of a line of code only its
 * loop's header counts. Lines count from 0.
 */
function linesAround(
  { lines, text }: Pick<Reading, 'lines' | 'text'>,
  line: number,
  character: number,
): { readonly from: number; readonly to: number } | undefined {
  const lineText = (at: number): string => {
    const { start, end } = lines.lineSpan(at);
    return text.slice(start, end);
  };
  const isDirective = (at: number): boolean =>
    at >= 0 &&
    at < lines.lineCount &&
    (directiveLine.test(lineText(at)) || (at > 0 && /\\\s*$/.test(lineText(at - 1)) && isDirective(at - 1)));
  if (!isDirective(line) && character > headerEnd(lineText(line))) return undefined;
  let from = line;
  while (isDirective(from - 1)) from--;
  let to = line;
  while (isDirective(to) && to + 1 < lines.lineCount) to++;
  return { from, to };
}

/** Column behind the first parentheses of a line; its end where there are none. */
function headerEnd(line: string): number {
  let depth = 0;
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '(') depth++;
    else if (line[at] === ')' && --depth === 0) return at + 1;
  }
  return line.length;
}
