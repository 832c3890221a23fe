// What one sentence of a compiler means: the kinds of `-Minfo` messages, and the schedule that a loop was given.
import type { CompilerRemark } from './remark';

type Schedule = NonNullable<CompilerRemark['schedule']>;
/** `host`: about host code, which is not used here. */
export interface Sentence {
  readonly kind: CompilerRemark['kind'] | 'host';
  readonly schedule?: Schedule;
  /** The sentence opens code for another device than a GPU. */
  readonly forGpu?: boolean;
}

const host = new RegExp(
  [
    '^(?:Loop not |Loop unrolled|Loop interchanged|Loop distributed|Loop peeled|Generated .*(?:simd',
    'prefetch|vector)|Generating vectorized|FMA |Intensity|Memory (?:zero|set|copy) idiom',
    String.raw`\S+ inlined, size|.* not inlined|Outer loop unrolled|Unrolled|Invariant |Zero trip check`,
    'Loop is sequential|Vectorized )',
  ].join('|'),
);
const kinds: readonly (readonly [RegExp, CompilerRemark['kind']])[] = [
  [/^Generating (?:implicit )?acc routine\b/, 'routine'],
  [/^Generating (?:implicit )?reduction\b|\breduction generated for\b/, 'reduction'],
  [
    /^Generating .*\bcode$|^Accelerator (?:kernel|serial kernel|scalar kernel|region)\b|^Local memory used\b|^CUDA (?:shared|local) memory\b/,
    'kernel',
  ],
  [
    /^Generating (?:implicit |default )?(?:enter data|exit data|update|copy|copyin|copyout|create|present|no_create|delete|attach|detach|deviceptr|firstprivate|private|allocate|present_or)/,
    'data',
  ],
  [/^Loop is parallelizable|^Inner sequential loop\b/, 'parallelizable'],
  [
    /\bdependence\b|^Parallelization would require|\bprevents (?:parallelization|vectorization)\b|^Scalar last value needed|^Conditional loop will be/,
    'dependence',
  ],
];
const starts = new RegExp(
  [
    String.raw`^(?:[A-Z][A-Za-z-]*\b|#pragma\b|!\$(?:acc|omp)\b|/\*|! *(?:block|thread)idx|collapsed \*/`,
    String.raw`include "|\S+ inlined, size)`,
  ].join('|'),
);

/** True of a text that a compiler begins a sentence with; false of the rest of one that somebody wrapped. */
export function beginsSentence(text: string): boolean {
  return starts.test(text);
}

/** True of a text that could stand without its indentation and line number. */
export function isKnown(text: string): boolean {
  return readSentence(text).kind !== 'other' || /^(?:Accelerator restriction|include ")/.test(text);
}

/** Never throws; a sentence that is not known is `other`. */
export function readSentence(text: string): Sentence {
  const directive = /^(?:#pragma acc|!\$acc) loop\b(.*)$/.exec(text);
  if (directive) return { kind: 'schedule', schedule: readSchedule(directive[1]!) };
  if (/^(?:\/\*|! *(?:block|thread)idx|collapsed \*\/)/.test(text))
    return { kind: 'schedule', schedule: readSchedule(text) };
  const concurrent = /^Loop parallelized across CUDA thread blocks(?:, CUDA threads\((\d+)\))?(.*)$/.exec(text);
  if (concurrent)
    return {
      kind: 'schedule',
      schedule: {
        ...readSchedule(concurrent[2]!),
        gang: true,
        ...(concurrent[1] ? { vector: true, vectorLength: Number(concurrent[1]) } : {}),
      },
    };
  if (host.test(text)) return { kind: 'host' };
  const code = /^Generating (.*) code$/.exec(text);
  if (code) return { kind: 'kernel', forGpu: /NVIDIA|Tesla|Radeon|GPU/.test(code[1]!) };
  return { kind: kinds.find(([pattern]) => pattern.test(text))?.[1] ?? 'other' };
}

// Of the clauses and the comment after them; a comment that has lost its opening, and one alone, too.
function readSchedule(text: string): Schedule {
  const comment = /\/\*(.*)$|!(.*)$|^\s*(collapsed \*\/)/.exec(text);
  const mapped = comment ? (comment[1] ?? comment[2] ?? comment[3]!) : '';
  const clauses = comment ? text.slice(0, comment.index) : text;
  const block = /blockidx[.%]([xyz])/i.exec(mapped);
  const thread = /threadidx[.%]([xyz])/i.exec(mapped);
  const schedule: { -readonly [K in keyof Schedule]: Schedule[K] } = {};
  for (const [, word, argument] of clauses.matchAll(/([a-z_]+)(?:\(((?:[^()]|\([^()]*\))*)\))?/g)) {
    const size = argument !== undefined && /^\s*\d+\s*$/.test(argument) ? Number(argument) : undefined;
    if (word === 'gang') schedule.gang = true;
    else if (word === 'seq' || word === 'sequential') schedule.seq = true;
    else if (word === 'worker') {
      schedule.worker = true;
      if (size !== undefined) schedule.workers = size;
    } else if (word === 'vector') {
      schedule.vector = true;
      if (size !== undefined) schedule.vectorLength = size;
    } else if (word === 'collapse' && size !== undefined) schedule.collapse = size;
  }
  // The inner loop of a collapsed nest has only the comment.
  if (clauses.trim() === '') {
    if (block) schedule.gang = true;
    if (thread) schedule.vector = true;
    if (/collapsed/.test(mapped)) schedule.collapsed = true;
  }
  const axis = (thread ?? block)?.[1]?.toLowerCase() as Schedule['axis'];
  if (axis) schedule.axis = axis;
  return schedule;
}
