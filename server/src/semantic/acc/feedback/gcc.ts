// Reads what GCC and flang say of OpenACC: lines of a build log that name file, line and column (`-fopt-info-omp`,
// warnings, flang's remarks), and the records of `-fsave-optimization-record`.
import type { CompilerRemark } from './remark';
import { type CompilerLog, type LoggedRemark, terminalCodes } from './log';
import { readSentence } from './sentences';

const located = /^(.+?):(\d+):(?:(\d+):)? (?:optimized|missed|note|warning|error|remark): (.*)$/;

/** flang words its remarks as nvc does: `[Passed] openacc | Category:… | Function=f | Remark="!$acc loop gang(10)"`. */
const flangRemark = /^\[\w+\] openacc \|.*\bRemark="(.*)"$/;

/** Remarks about OpenACC of a build log, each once, in its order. Other lines are passed over; never throws. */
export function readOptInfo(text: string): CompilerLog {
  const found = collector();
  for (const line of text.split(/\r?\n|\r/)) {
    const match = located.exec(line.replace(terminalCodes, ''));
    if (match) found.add(match[1]!, Number(match[2]), match[3] === undefined ? undefined : Number(match[3]), match[4]!);
  }
  return found.log();
}

/** Remarks of the unpacked JSON of a `.opt-record.json.gz`; undefined for a text that is none. Never throws. */
export function readOptRecord(text: string): CompilerLog | undefined {
  if (!/^\s*\[\s*\{\s*"format"/.test(text)) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const found = collector();
  const visit = (record: unknown): void => {
    if (typeof record !== 'object' || record === null) return;
    const { kind, location, message, children } = record as {
      readonly kind?: unknown;
      readonly location?: { readonly file?: unknown; readonly line?: unknown; readonly column?: unknown };
      readonly message?: unknown;
      readonly children?: unknown;
    };
    if (
      kind !== 'scope' &&
      typeof location?.file === 'string' &&
      typeof location.line === 'number' &&
      Array.isArray(message)
    ) {
      found.add(
        location.file,
        location.line,
        typeof location.column === 'number' ? location.column : undefined,
        message
          .map((part) => (typeof part === 'string' ? part : wordsOf(part)))
          .join('')
          .trim(),
      );
    }
    if (Array.isArray(children)) children.forEach(visit);
  };
  const records: unknown = Array.isArray(json) ? json[2] : undefined;
  if (Array.isArray(records)) records.forEach(visit);
  return found.log();
}

/** `{"expr": "i"}`, `{"stmt": "…"}`, `{"symtab_node": "f"}`. */
function wordsOf(part: unknown): string {
  const values = typeof part === 'object' && part !== null ? Object.values(part) : [];
  return values.find((value): value is string => typeof value === 'string') ?? '';
}

function collector(): {
  readonly add: (file: string, line: number, column: number | undefined, sentence: string) => void;
  readonly log: () => CompilerLog;
} {
  const remarks: LoggedRemark[] = [];
  const said = new Set<string>();
  const sources = new Set<string>();
  return {
    add(file, line, column, sentence) {
      const flang = flangRemark.exec(sentence)?.[1];
      const meant = flang === undefined ? meaning(sentence) : forDevice(flang);
      const key = `${file} ${line} ${column ?? ''} ${sentence}`;
      // A routine's loops are reported again for each place that it was inlined into.
      if (!meant || said.has(key)) return;
      said.add(key);
      sources.add(file);
      remarks.push({
        file,
        remark: {
          compiler: flang === undefined ? 'gcc' : 'flang',
          line,
          text: flang ?? sentence.replace(/ \[-W[\w-]+\]$/, ''),
          ...meant,
        },
      });
    },
    log: () => ({ remarks, sources: [...sources] }),
  };
}

const aboutKernels = new RegExp(
  [
    'OpenACC .*kernels.* region|^region (?:is|contains) (?:gang|worker|vector) partitioned',
    'partitioned code but is not|OpenACC .*kernels.* decomposition',
  ].join('|'),
);

function forDevice(sentence: string): Pick<CompilerRemark, 'kind' | 'schedule'> | undefined {
  const { kind, schedule } = readSentence(sentence);
  return kind === 'host' ? undefined : { kind, ...(schedule && { schedule }) };
}

/** Undefined for what does not speak of OpenACC. */
function meaning(sentence: string): Pick<CompilerRemark, 'kind' | 'schedule'> | undefined {
  const assigned = /^assigned OpenACC (.+) loop parallelism$/.exec(sentence);
  if (assigned) {
    const words = assigned[1]!.split(/\s+/);
    const has = (word: string): Record<string, true> => (words.includes(word) ? { [word]: true } : {});
    return { kind: 'schedule', schedule: { ...has('gang'), ...has('worker'), ...has('vector'), ...has('seq') } };
  }
  // What was written is set aside for what the device can do.
  const instead = /^using [‘'"](vector_length|num_workers) \((\d+)\)[’'"]/.exec(sentence);
  if (instead)
    return {
      kind: 'kernel',
      schedule: { [instead[1] === 'vector_length' ? 'vectorLength' : 'workers']: Number(instead[2]) },
    };
  if (/insufficient partitioning available to parallelize loop/.test(sentence)) return { kind: 'dependence' };
  if (/isn[’']t candidate for adjusting OpenACC privatization/.test(sentence)) return undefined;
  if (aboutKernels.test(sentence)) return { kind: 'other' };
  return undefined;
}
