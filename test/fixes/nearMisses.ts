// Near misses of fixes: variations of a few tokens that are refused the fix or give the same results.
import { join } from 'node:path';
import type { Pair } from '../support/onProcessor/pairs';
import type { Family } from './families';
import { drawFrom, fixIn, hashOf, readIn, type Draw, type Variation } from './variations';

/** By family and number: a hash of the executed fix, or `none` and the preconditions that failed, with why. */
export const nearMissesFile = join(__dirname, 'nearMisses.json');
const drawn = 200;
const seed = 177;

export interface NearMiss {
  readonly number: string;
  readonly outcome: string;
  readonly text: string;
  /** Both sides where the fix is offered, the text on both where not: whether it is a program at all. */
  readonly pair: Pair;
}

/** Which near misses of a family are asked for, by number: all below `most`, or those that are named. */
export interface Which {
  readonly from?: number;
  readonly most?: number;
  readonly numbers?: readonly string[];
}

/** What the fix of today makes of the family's near misses. */
export async function nearMisses(
  family: Family,
  { from = seed, most = drawn, numbers }: Which = {},
): Promise<readonly NearMiss[]> {
  const all: NearMiss[] = [];
  for (const number of numbers ?? Array.from({ length: most }, (_, at) => String(at))) {
    const one = drawnNearMiss(family, number, from);
    if (!one) continue;
    const { text, reference, ...rest } = one;
    const { outcome, after } = await outcomeOf(family, text);
    // A replaced text has no results to be compared with, changed or not.
    if (reference !== undefined && after !== undefined) continue;
    all.push({ number, text, outcome, pair: { ...rest, before: text, after: after ?? text } });
  }
  return all;
}

/** The near miss of that number; undefined where the change that was drawn finds no place. */
export function drawnNearMiss(family: Family, number: string, from = seed): Variation | undefined {
  const draw = drawFrom(from * 100_003 + Number(number));
  const { text: whole, ...rest } = family.vary(draw, `${family.name}, near miss ${from}/${number}`);
  const text = perturbed(draw, whole);
  // The first thousand stand as their generators write them, the second have another layout, the others other words.
  const written = Number(number) < 1000 ? (one: string) => one : (one: string) => laidOut(draw, one);
  if (Number(number) < 2000) return text === undefined ? undefined : { ...rest, text: written(text) };
  let said = draw.chance(0.5) ? whole : (text ?? whole);
  for (let count = 1 + draw.below(3); count > 0; count--) said = respelled(draw, said);
  return said === whole ? undefined : { ...rest, text: said };
}

/** Another layout, which fixes have to keep. */
function laidOut(draw: Draw, text: string): string {
  const lines = text.split('\n');
  return draw.pick<() => string>([
    () => text.replace(/^( {2})+/gm, (indent) => '\t'.repeat(indent.length / 2)),
    () => text.replace(/^ +/gm, (indent) => indent + indent),
    () => text.replace(/^ +/gm, ''),
    () => text.replaceAll('\n', '\r\n'),
    () => lines.map((line) => (/[;{}]$/.test(line) && draw.chance(0.5) ? `${line} // as it was` : line)).join('\n'),
    () => lines.map((line) => (/[;}]$/.test(line) && draw.chance(0.3) ? `${line}\n` : line)).join('\n'),
    () => text.replace(/^( *)(.*\S) \{$/gm, (_, indent: string, head: string) => `${indent}${head}\n${indent}{`),
    () => text.replace(/([;{])\n +(?=[^#\n]*\n)/g, (all, end: string) => (draw.chance(0.4) ? `${end} ` : all)),
    () => text.replace(/ ([-+*/<>=]=?|&&) /g, (all, operator: string) => (draw.chance(0.5) ? operator : all)),
    () =>
      text.replace(/([([])|([)\]])/g, (all, open?: string) => (draw.chance(0.7) ? all : open ? `${all} ` : ` ${all}`)),
  ])();
}

/** What is compared with the record, and the text with the fix where it is offered. */
export async function outcomeOf(
  family: Family,
  text: string,
): Promise<{ readonly outcome: string; readonly after?: string }> {
  const read = await readIn(text);
  const { findings, stays } = read;
  const fixed = await fixIn(read, text, family.titles);
  if (fixed) return { outcome: hashOf(text, fixed), after: fixed.after };
  const failed = findings.flatMap(({ refusals = [] }) =>
    refusals.map(({ family: of, precondition, why }) => `${of} ${precondition} (${why})`),
  );
  return { outcome: ['none', ...new Set([...failed, ...stays])].join(', ') };
}

/** Other words for the same: one place, drawn. */
function respelled(draw: Draw, text: string): string {
  const one = (of: RegExp, by: (...parts: string[]) => string): string => {
    const found = [...text.matchAll(of)];
    if (found.length === 0) return text;
    const match = draw.pick(found);
    return text.slice(0, match.index) + by(...match.slice(1)) + text.slice(match.index + match[0].length);
  };
  const mirrored: Readonly<Record<string, string>> = { '<': '>', '>': '<', '<=': '>=', '>=': '<=' };
  const negated: Readonly<Record<string, string>> = { '<': '>=', '>': '<=', '<=': '>', '>=': '<' };
  const atom = '[\\w.]+(?:\\[\\w+\\])?';
  return draw.pick<() => string>([
    () =>
      one(
        new RegExp(`(?<=\\(|; |&& )(${atom}) ([<>]=?) (${atom})(?=\\)|;| &&)`, 'g'),
        (a, op, b) => `${b} ${mirrored[op!]} ${a}`,
      ),
    () => one(/if \((\w+) ([<>]=?) (\w+)\)/g, (a, op, b) => `if (!(${a} ${negated[op!]} ${b}))`),
    () =>
      one(
        /^( +)(?:const )?(int|unsigned|float|double|T) (\w+) = ([^;,]+);$/gm,
        (space, type, name, value) => `${space}${type} ${name};\n${space}${name} = ${value};`,
      ),
    () =>
      one(
        /^( +)(int|unsigned|float|double|T) (\w+ = [^;]+;)$/gm,
        (space, type, rest) =>
          `${space}${draw.pick(['const auto', 'auto', `const ${type}`, 'long long', 'unsigned'])} ${rest}`,
      ),
    () =>
      one(/([\w.[\]]+) ([-+*])= ([^;(]+)(?=;)/g, (target, op, value) =>
        draw.pick([`${target} = ${target} ${op} (${value})`, `${target} = (${value}) ${op} ${target}`]),
      ),
    () =>
      one(/(\w+)\[(\w+)\]/g, (array, at) =>
        draw.pick([`*(${array} + ${at})`, `${array}[(${at})]`, `(&${array}[${at}])[0]`]),
      ),
    () =>
      one(/(\w+)\+\+/g, (name) =>
        draw.pick([`++${name}`, `${name} += 1`, `${name} = ${name} + 1`, `${name} = 1 + ${name}`]),
      ),
    () =>
      one(/(\b\w+\.x) \* (\w+\.x) \+ (\w+\.x)/g, (a, b, c) =>
        draw.pick([`${c} + ${b} * ${a}`, `${c} + ${a} * ${b}`, `(${a} * ${b}) + ${c}`, `(int)(${a} * ${b} + ${c})`]),
      ),
    () =>
      one(/\b(threadIdx|blockIdx|blockDim|gridDim)\.x\b/g, (name) =>
        draw.pick([`(int)${name}.x`, `(${name}.x)`, `static_cast<int>(${name}.x)`]),
      ),
    () =>
      one(/(?<=[^\w.#]) (2|4|8|16|32|64|128|256)\b(?!\.)/g, (number) =>
        draw.pick([
          ` (${number})`,
          ` ${Number(number) / 2} * 2`,
          ` (1 << ${Math.log2(Number(number))})`,
          ` ${number}u`,
        ]),
      ),
    () => {
      const named = one(/(?<=[^\w.#] ?)\b(2|3|4|8|16|32|48|64|128|256)\b(?![.\w])/g, () => 'SIZE');
      const [, number] = /^(\d+)/.exec(text.slice(named.indexOf('SIZE'))) ?? [];
      const declared = draw.pick([
        `#define SIZE ${number}`,
        `constexpr int SIZE = ${number};`,
        `enum { SIZE = ${number} };`,
      ]);
      return number === undefined || named === text ? text : `${declared}\n${named}`;
    },
    () =>
      one(/^( +)(if \([^{]*\)) ([^{;]+;)$/gm, (space, head, body) => `${space}${head} {\n${space}  ${body}\n${space}}`),
    () =>
      one(/^( +)(for \(.*\)) ([^{;]+;)$/gm, (space, head, body) => `${space}${head} {\n${space}  ${body}\n${space}}`),
    () =>
      one(/^( +)(for \()/gm, (space, head) => `${space}#pragma unroll ${draw.pick(['', '1', '4'])}\n${space}${head}`),
    () =>
      one(/^( +)(cuda\w+\(.*\));$/gm, (space, call) =>
        draw.pick([
          `${space}(void)${call};`,
          `${space}if (${call} != cudaSuccess) return;`,
          `${space}cudaError_t error = ${call};\n${space}if (error) return;`,
        ]),
      ),
    () => one(/ ([-+*/<>=]=?|&&) /g, (operator) => ` /* as it is */ ${operator} `),
    () =>
      one(/\bconst (\w+) \*(?:__restrict__ )?(\w+)/g, (type, name) =>
        draw.pick([
          `const ${type} *__restrict__ ${name}`,
          `${type} const *${name}`,
          `const ${type} *const ${name}`,
          `const ${type} ${name}[]`,
        ]),
      ),
    () =>
      one(
        /^( +)(\w+<<<)(.*), (\w+)(>>>)/gm,
        (space, head, grid, block, tail) =>
          `${space}const int threads = ${block};\n${space}${head}${grid}, threads${tail}`,
      ),
    () =>
      one(
        /^( +)(\w+<<<)([^,]*), (.*>>>)/gm,
        (space, head, grid, tail) => `${space}const dim3 blocks(${grid});\n${space}${head}blocks, ${tail}`,
      ),
    () => one(/^ +(\w+<<<.*;)$/gm, (launch) => `  if (n > 0) { ${launch} }`),
  ])();
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
