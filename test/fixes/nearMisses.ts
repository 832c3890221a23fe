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
const count = 64;
const seed = 177;

export interface NearMiss {
  readonly number: string;
  readonly outcome: string;
  readonly text: string;
  /** Both sides where the fix is offered, the text on both where not: whether it is a program at all. */
  readonly pair: Pair;
}

/** What the fix of today makes of the family's near misses; only those that `of` has, where it is given. */
export async function nearMisses(
  family: Family,
  of?: Readonly<Record<string, string>>,
  { from = seed, most = count } = {},
): Promise<readonly NearMiss[]> {
  const all: NearMiss[] = [];
  for (let number = 0; number < most; number++) {
    if (of && !(number in of)) continue;
    const draw = drawFrom(from * 100_003 + number);
    const { text: whole, reference, ...rest } = family.vary(draw, `${family.name}, near miss ${from}/${number}`);
    const text = perturbed(draw, whole);
    // A reference is the text of the whole with guards of its own: it does not follow.
    if (text === undefined || reference !== undefined) continue;
    const findings = await findingsIn(text);
    const after = fixedIn(findings, text, family.titles);
    const failed = findings.flatMap(({ refusals = [] }) => refusals.map((one) => `${one.family} ${one.precondition}`));
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
    ({ 0: token, index }) => !/^(?:\/\/|")/.test(token) && !onDirective(text, index),
  );
  const names = [...new Set(all.map(([token]) => token))].filter(
    (token) => /^[a-z_]\w*$/i.test(token) && !words.test(token) && !alike.some((each) => each.includes(token)),
  );
  const changeable = all.filter(
    ({ 0: token }) => /^\d/.test(token) || names.includes(token) || alike.some((each) => each.includes(token)),
  );
  if (changeable.length === 0) return undefined;
  const { 0: token, index } = draw.pick(changeable);
  const put = (by: string, before = ''): string =>
    before + text.slice(0, index) + by + text.slice(index + token.length);
  if (draw.chance(0.1) && /^\w/.test(token)) return put('NEAR', `#define NEAR ${token}\n`);
  if (/^\d/.test(token)) return put(draw.pick(numbers));
  const group = alike.find((each) => each.includes(token));
  return put(draw.pick(group ?? names));
}

function onDirective(text: string, at: number): boolean {
  return /^\s*#/.test(text.slice(text.lastIndexOf('\n', at - 1) + 1, at));
}

/** A statement more or less, twice, in another order, under a condition, in a loop or in a macro. */
function ofStatement(draw: Draw, text: string): string | undefined {
  const lines = text.split('\n');
  const statements = lines.flatMap((line, at) => (/^\s+[^#}\s].*;\s*$/.test(line) && isBalanced(line) ? [at] : []));
  if (statements.length === 0) return undefined;
  const at = draw.pick(statements);
  const line = lines[at]!;
  const [indent] = /^\s*/.exec(line)!;
  const names = [...new Set(text.match(/\b[a-z]\w*\b/g) ?? [])].filter((name) => !words.test(name));
  const name = draw.pick(names);
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
