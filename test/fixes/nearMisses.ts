// Near misses of fixes: variations with one or two tokens or statements changed, of which some are refused the fix and
// the others still have to give the same results on both sides.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { Pair } from '../support/onProcessor/pairs';
import type { Family } from './families';
import { drawFrom, findingsIn, fixedIn, type Draw } from './variations';

/**
 * By family and number: a hash of the fixed text that was executed, or `none` and the preconditions that failed.
 * Programs that g++ refuses, that race or that reach beyond their arrays before any fix are left out.
 */
export const nearMissesFile = join(__dirname, 'nearMisses.json');
const drawn = 200;
const seed = 177;
/** So many of a family are held against the record at most. */
const kept = { fixed: 36, refused: 56 };

export interface NearMiss {
  readonly number: string;
  readonly outcome: string;
  readonly text: string;
  /** Both sides where the fix is offered, the text on both where not: whether it is a program at all. */
  readonly pair: Pair;
}

/**
 * What the fix of today makes of the family's near misses; only those that `of` has, where it is given, and only as
 * many as the record takes where they are to be `recorded`.
 */
export async function nearMisses(
  family: Family,
  of?: Readonly<Record<string, string>>,
  { from = seed, most = drawn, recorded = false } = {},
): Promise<readonly NearMiss[]> {
  const all: NearMiss[] = [];
  const left = { ...kept };
  for (let number = 0; number < most; number++) {
    if (of && !(number in of)) continue;
    const draw = drawFrom(from * 100_003 + number);
    const { text: whole, reference, ...rest } = family.vary(draw, `${family.name}, near miss ${from}/${number}`);
    const text = perturbed(draw, whole);
    if (text === undefined) continue;
    const findings = await findingsIn(text);
    const after = fixedIn(findings, text, family.titles);
    const failed = findings.flatMap(({ refusals = [] }) => refusals.map((one) => `${one.family} ${one.precondition}`));
    // What another text stands in for has no results of its own to be held against, changed or not.
    if (reference !== undefined && after !== undefined) continue;
    if (recorded && left[after === undefined ? 'refused' : 'fixed']-- <= 0) continue;
    all.push({
      number: String(number),
      text,
      outcome:
        after === undefined
          ? ['none', ...new Set(failed)].join(', ')
          : createHash('sha256').update(`${text}\n=>\n${after}`).digest('hex').slice(0, 12),
      pair: { ...rest, before: text, after: after ?? text },
    });
  }
  return all;
}

const tokens =
  /\/\/.*|"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|\d[\w.]*|<<<|>>>|<<|>>|\+\+|--|->|&&|\|\||[-+*/%&|^<>=!]=|[^\s\w]/g;
const alike: readonly (readonly string[])[] = [
  ['+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>'],
  ['<', '<=', '>', '>=', '==', '!='],
  ['&&', '||'],
  ['=', '+=', '-=', '*=', '|=', '^='],
  ['++', '--'],
  ['float', 'double', 'int', 'unsigned', 'short', 'char', 'T'],
  ['threadIdx', 'blockIdx', 'blockDim', 'gridDim'],
  ['x', 'y', 'z'],
  ['if', 'while'],
  ['break', 'continue', 'return'],
  ['__syncthreads', '__syncwarp', '__threadfence'],
  ['const', 'volatile', ''],
  ['__restrict__', 'volatile', ''],
  ['atomicAdd', 'atomicSub', 'atomicMax'],
  ['cudaMemcpyDeviceToHost', 'cudaMemcpyHostToDevice', 'cudaMemcpyDeviceToDevice'],
];
const numbers = ['0', '1', '2', '3', '4', '8', '16', '31', '32', '33', '48', '64', '100', '128'];
const words =
  /^(?:void|for|do|else|switch|case|default|sizeof|struct|typedef|template|typename|static|extern|inline|unsigned|long|bool|char|include|define|pragma|unroll|dim3|__\w+|cuda\w+|run|true|false)$/;

/** The text with one change or two; undefined where the one that was drawn finds no place. */
function perturbed(draw: Draw, text: string): string | undefined {
  const once = change(draw, text);
  return once !== undefined && draw.chance(0.25) ? (change(draw, once) ?? once) : once;
}

function change(draw: Draw, text: string): string | undefined {
  const changed = draw.chance(0.55) ? ofToken(draw, text) : ofStatement(draw, text);
  return changed === text ? undefined : changed;
}

/** Another operator, number, name, type or component, or a macro in the place of a token. */
function ofToken(draw: Draw, text: string): string | undefined {
  const all = [...text.matchAll(tokens)].filter(
    ({ 0: token, index }) => !/^(?:\/\/|")/.test(token) && !isFixed(text, index),
  );
  const named = new Set(namesIn(text));
  const changeable = all.filter(
    ({ 0: token }) => /^\d/.test(token) || named.has(token) || alike.some((each) => each.includes(token)),
  );
  if (changeable.length === 0) return undefined;
  const { 0: token, index } = draw.pick(changeable);
  const put = (by: string, before = ''): string =>
    before + text.slice(0, index) + by + text.slice(index + token.length);
  if (draw.chance(0.1) && /^\w/.test(token)) return put('NEAR', `#define NEAR ${token}\n`);
  if (/^\d/.test(token)) return put(draw.pick(numbers));
  const group = alike.find((each) => each.includes(token));
  return put(draw.pick(group ?? namesIn(functionAt(text, index))));
}

/** Variables, as far as a text tells: names that are not called, and of which nothing is a member. */
function namesIn(text: string): readonly string[] {
  const all = [...text.matchAll(/(?<![.\w#"]|->)[A-Za-z_]\w*\b(?!\s*(?:\(|<<<|::|\.))/g)].map(([token]) => token);
  return [...new Set(all)].filter((token) => !words.test(token) && !alike.some((each) => each.includes(token)));
}
/** Functions end with a brace at the start of a line. */
function functionAt(text: string, at: number): string {
  const end = text.indexOf('\n}', at);
  return text.slice(text.lastIndexOf('\n}', at - 1) + 1, end < 0 ? undefined : end);
}

/** On a directive, or on a line that opens a function: what is called with its parameters stands elsewhere. */
function isFixed(text: string, at: number): boolean {
  return /^(?:\s*#|\S.*\bvoid\b|void\b)/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at));
}

/** A statement more or less, twice, in another order, under a condition, in a loop or in a macro. */
function ofStatement(draw: Draw, text: string): string | undefined {
  const lines = text.split('\n');
  const statements = lines.flatMap((line, at) => (/^\s+[^#}\s].*;\s*$/.test(line) && isBalanced(line) ? [at] : []));
  if (statements.length === 0) return undefined;
  const at = draw.pick(statements);
  const line = lines[at]!;
  const [indent] = /^\s*/.exec(line)!;
  const name = draw.pick(namesIn(functionAt(text, lines.slice(0, at).join('\n').length + 1)));
  const condition = draw.pick(['n > 40', 'threadIdx.x < 20', 'threadIdx.x % 2', 'blockIdx.x', `${name} > 1`, 'n']);
  const inserted = draw.pick([
    '__syncthreads();',
    '__syncwarp();',
    'if (threadIdx.x == 3) return;',
    `if (${condition}) return;`,
    `if (${condition}) break;`,
    `if (${condition}) continue;`,
    `${name} = 0;`,
    `${name}++;`,
    `${name}[0] = 1;`,
    `auto *near = &${name}; *near = *near;`,
    'cudaDeviceSynchronize();',
    'asm volatile("");',
    `if (${condition})`,
    `while (${name}-- > 1)`,
    'for (int near = 0; near < 2; near++)',
  ]);
  const next = lines[at + 1];
  const put = (...by: readonly string[]): string => [...lines.slice(0, at), ...by, ...lines.slice(at + 1)].join('\n');
  return draw.pick<() => string | undefined>([
    () => put(indent + inserted, line),
    () => put(indent + inserted, line),
    () => put(indent + inserted, line),
    () => put(line, indent + inserted),
    () => put(),
    () => put(line, line),
    () =>
      next !== undefined && statements.includes(at + 1)
        ? [...lines.slice(0, at), next, line, ...lines.slice(at + 2)].join('\n')
        : undefined,
    () => put(`${indent}if (${condition}) { ${line.trim()} }`),
    () => (line.includes('//') ? undefined : `#define NEAR ${line.trim()}\n${put(`${indent}NEAR`)}`),
    () => put(`${indent}{ ${line.trim()} }`),
  ])();
}

function isBalanced(line: string): boolean {
  const count = (of: RegExp): number => line.match(of)?.length ?? 0;
  return count(/[({]/g) === count(/[)}]/g);
}
