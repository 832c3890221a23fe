// The numbers in a line that a sweep can try: the block size of a launch, the size clauses of OpenACC directives,
// integer constants.
import { beginAlike, type LaunchFact, type Model, type Span } from './model';

export interface Parameter {
  readonly kind: 'block' | 'clause' | 'constant';
  /** `block size of saxpy`, `num_workers`, `TILE`. */
  readonly name: string;
  /** The literal. */
  readonly at: Span;
  readonly value: number;
  /** Values worth a try, in order, the present one among them. */
  readonly candidates: readonly number[];
  /** The kernel that the number is of, where it is of one. */
  readonly kernel?: string;
  /** What stands against changing it. */
  readonly remark?: string;
}

/** Threads of a block at most, on every GPU since 2010. */
const mostThreads = 1024;
const blockSizes = [32, 64, 96, 128, 192, 256, 384, 512, 768, 1024];

/**
 * The parameters of the line from `line.start` to `line.end`, those of launches first. A launch's block size may stand
 * in another line, or another file.
 */
export function parametersOn(model: Model, text: string, line: Span): Parameter[] {
  const found: Parameter[] = [];
  const add = (parameter: Parameter): void => {
    if (!found.some(({ at }) => beginAlike(at, parameter.at))) found.push(parameter);
  };
  for (const launch of model.facts.launch) {
    const literal = launch.blockLiteral ?? writtenSize(launch);
    if (literal && (overlap(launch.at, line) || overlap(literal.at, line))) add(blockParameter(launch, literal, model));
  }
  for (const parameter of clausesOn(text, line)) add(parameter);
  for (const parameter of constantsOn(text, line)) add(parameter);
  return found;
}

function overlap(a: Span, b: Span): boolean {
  return a.uri === b.uri && a.start < b.end && b.start < a.end;
}

function blockParameter(
  launch: LaunchFact,
  { at, value, axis }: NonNullable<LaunchFact['blockLiteral']>,
  model: Model,
): Parameter {
  const others = (['x', 'y', 'z'] as const)
    .filter((each) => each !== axis)
    .reduce((product, each) => product * (launch.block[each] ?? 1), 1);
  const sharing = [
    launch,
    ...model.facts.launch.filter((other) => other !== launch && beginAlike(other.blockLiteral?.at, at)),
  ];
  const kernels = [...new Set(sharing.map(({ kernelName }) => bareName(kernelName)))];
  const remarks = [
    sharing.some(({ kernelNeedsShape }) => kernelNeedsShape) ? 'the kernel is written for this size' : '',
    sharing.some(({ gridIsCeilDivision }) => !gridIsCeilDivision) ? 'the grid may not follow the block' : '',
  ].filter((remark) => remark !== '');
  return {
    kind: 'block',
    name: `block size of ${kernels.join(', ')}${others > 1 || axis !== 'x' ? ` (${axis})` : ''}`,
    at,
    value,
    candidates: withValue(
      blockSizes.map((size) => size / others).filter((size) => Number.isInteger(size) && size >= 1),
      value,
    ),
    ...(kernels.length === 1 ? { kernel: kernels[0]! } : {}),
    ...(remarks.length > 0 ? { remark: remarks.join('; ') } : {}),
  };
}

/** A number in the launch itself, which the grid may not follow. */
function writtenSize({ blockAt, blockText }: LaunchFact): LaunchFact['blockLiteral'] {
  const digits = /^\s*([1-9]\d*)\s*$/.exec(blockText)?.[1];
  if (digits === undefined || blockAt.end - blockAt.start !== blockText.length) return undefined;
  const start = blockAt.start + blockText.indexOf(digits);
  return { at: { uri: blockAt.uri, start, end: start + digits.length }, value: Number(digits), axis: 'x' };
}

function bareName(name: string): string {
  return name.replace(/<.*$/s, '').replace(/^.*::/s, '');
}

const directive = /^\s*(?:#\s*pragma\s+acc\b|[!cC*]\$acc\b)/i;
const sizeClause =
  /\b(num_gangs|num_workers|vector_length|worker|vector)\s*\(\s*(?:(?:num|length)\s*:\s*)?(\d+)\s*\)/gi;

/**
 * Clauses with a literal of the directive that the line belongs to; a directive goes on where a line ends with `\` (C)
 * or `&` (Fortran).
 */
function clausesOn(text: string, line: Span): Parameter[] {
  const continued = (start: number): boolean =>
    /(?:\\|&)[ \t]*\r?\n$/.test(text.slice(Math.max(0, start - 200), start));
  let start = lineStart(text, line.start);
  while (start > 0 && continued(start)) start = lineStart(text, start - 1);
  let end = lineEnd(text, line.start);
  while (end < text.length && continued(end + 1)) end = lineEnd(text, end + 1);
  const whole = text.slice(start, end);
  if (!directive.test(whole)) return [];
  const clauses = [...whole.matchAll(sizeClause)].map((match) => {
    const at = start + match.index + match[0].lastIndexOf(match[2]!);
    return {
      name: match[1]!.toLowerCase(),
      at: { uri: line.uri, start: at, end: at + match[2]!.length },
      value: Number(match[2]),
    };
  });
  const sizeOf = (...names: string[]): number => clauses.find(({ name }) => names.includes(name))?.value ?? 1;
  return clauses.map(({ name, at, value }): Parameter => {
    const isWorkers = name === 'num_workers' || name === 'worker';
    const room = mostThreads / (isWorkers ? sizeOf('vector_length', 'vector') : sizeOf('num_workers', 'worker'));
    const sizes =
      name === 'num_gangs'
        ? around(value)
        : (isWorkers ? [1, 2, 4, 8, 16, 32] : [32, 64, 128, 256, 512, 1024]).filter((size) => size <= room);
    return { kind: 'clause', name, at, value, candidates: withValue(sizes, value) };
  });
}

const defined = /^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]+\(?[ \t]*(\d+)[uUlL]*[ \t]*\)?[ \t]*(?:\/[/*].*)?\r?$/d;
const declared = new RegExp(
  [
    String.raw`\b(?:constexpr|const)\b[^=;(){}\n]*?\b(?:int|unsigned|long|short|size_t|auto|u?int(?:8|16|32`,
    String.raw`64)_t)\b[^=;(){}\n]*?\b([A-Za-z_]\w*)[ \t]*=[ \t]*(\d+)[uUlL]*[ \t]*[;,]`,
  ].join('|'),
  'dg',
);

function constantsOn(text: string, line: Span): Parameter[] {
  const start = lineStart(text, line.start);
  const written = text.slice(start, lineEnd(text, line.start));
  const matches = [...written.matchAll(declared), ...[defined.exec(written)].filter((match) => match !== null)];
  return matches.flatMap((match): Parameter[] => {
    const value = Number(match[2]);
    const [from, to] = match.indices![2]!;
    // An octal literal is not a size that somebody tunes.
    if (!Number.isSafeInteger(value) || value < 1 || (match[2]!.length > 1 && match[2]!.startsWith('0'))) return [];
    return [
      {
        kind: 'constant',
        name: match[1]!,
        at: { uri: line.uri, start: start + from, end: start + to },
        value,
        candidates: around(value),
      },
    ];
  });
}

/** A quarter to four times the value; halves only where they are whole. */
function around(value: number): number[] {
  return withValue(
    [value / 4, value / 2, value, value * 2, value * 4].filter((each) => Number.isInteger(each) && each >= 1),
    value,
  );
}

function withValue(values: readonly number[], value: number): number[] {
  return [...new Set([...values, value])].sort((a, b) => a - b);
}
function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}
function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}
