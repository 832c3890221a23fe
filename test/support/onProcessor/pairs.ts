// Runs both sides of fixes on random inputs of many sizes, built by g++ against `cuda.hpp`, and compares them.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSyntax, type Syntax } from '../../../server/src/syntax';
import { readGrammarFiles } from '../../../server/src/syntax/grammarFiles';
import { localsOf } from '../../../server/src/semantic/language/scope';

/** A parameter of the host function `run`, in order. */
export type Parameter =
  /** An array of `count` elements (C++ over the sizes' names); what is written is compared. */
  | {
      readonly name: string;
      readonly type: string;
      readonly count: string;
      readonly input?: 'random' | 'zero';
      readonly below?: string;
    }
  /** One of the sizes. */
  | { readonly size: string };

export interface Pair {
  readonly name: string;
  /** CUDA text with a host function `void run(…)`. */
  readonly before: string;
  readonly after: string;
  readonly parameters: readonly Parameter[];
  /** Values for each size; every row is one run. */
  readonly sizes: readonly Readonly<Record<string, number>>[];
  /** The most by which results on inputs that are no whole numbers may differ, of the larger of 1 and their size. */
  readonly bound?: number;
  /** Whole numbers, too, are rounded on the way (a division, a contracted product), so that the bound holds for them. */
  readonly rounds?: true;
}

export interface Outcome {
  readonly name: string;
  /** Absent where both sides agree everywhere. */
  readonly problem?: string;
}

let syntax: Promise<Syntax> | undefined;

/** Plain C++: launches as calls, dynamic shared memory as a pointer, no includes. */
export async function plainText(text: string): Promise<string> {
  syntax ??= createSyntax(readGrammarFiles());
  const unit = (await syntax).parse(
    'file:///pair.cu',
    text,
    0,
    { defines: {}, computeCapability: 90 },
    { resolve: () => undefined },
  );
  const edits: { readonly start: number; readonly end: number; readonly newText: string }[] = [];
  for (const fn of unit.main.functions)
    for (const node of localsOf(fn).nodes) {
      if (node.kind !== 'launch') continue;
      const part = (one: { readonly start: number; readonly end: number }): string =>
        text.slice(fn.base + one.start, fn.base + one.end);
      const [grid, block, shared] = node.config;
      // Evaluated where the launch stands, whenever the kernel runs; a 0 stays a null pointer.
      const given = node.args.map((arg, at) =>
        arg.kind === 'number' || /^(NULL|nullptr)$/.test(part(arg)) ? { text: part(arg) } : { text: `given${at}`, arg },
      );
      const captured = given.flatMap(({ text: name, arg }) => (arg ? [`, ${name} = (${part(arg)})`] : []));
      edits.push({
        start: fn.base + node.start,
        end: fn.base + node.end,
        newText:
          `processor::enqueue([grid = dim3${braced(part(grid!))}, block = dim3${braced(part(block!))}, ` +
          `shared = size_t(${shared ? part(shared) : '0'})${captured.join('')}] { ` +
          `processor::launch(grid, block, shared, [&] { ` +
          `${part(node.callee)}(${given.map(({ text: name }) => name).join(', ')}); }); })`,
      });
    }
  let out = text;
  for (const edit of edits.sort((a, b) => b.start - a.start))
    out = out.slice(0, edit.start) + edit.newText + out.slice(edit.end);
  return out
    .replace(/^\s*#\s*include.*$/gm, '')
    .replace(
      /extern\s+__shared__\s+(?:__align__\(\d+\)\s+)?([\w: ]+?)\s+(\w+)\s*\[\s*\]\s*;/g,
      '$1 *$2 = reinterpret_cast<$1 *>(processor::dynamicShared);',
    );
}
function braced(text: string): string {
  return text.startsWith('{') ? text : `(${text})`;
}

function driverOf(pair: Pair, index: number, seed: number): string {
  const arrays = pair.parameters.filter((one): one is Extract<Parameter, { name: string }> => 'name' in one);
  const names = [...new Set(pair.sizes.flatMap((each) => Object.keys(each)))];
  const lines: string[] = [];
  const call = (side: string): string =>
    `${side}${index}::run(${pair.parameters.map((one) => ('name' in one ? `${one.name}_${side}.data()` : one.size)).join(', ')});`;
  lines.push(
    `static const int sizes[][${Math.max(1, names.length)}] = {${pair.sizes.map((each) => `{${names.map((name) => each[name] ?? 0).join(', ')}}`).join(', ')}};`,
    `for (int run = 0; run < ${2 * pair.sizes.length}; run++) {`,
    '  const bool whole = run % 2;',
    ...names.map((name, at) => `  const int ${name} = sizes[run / 2][${at}];`),
    '  char where[200];',
    `  std::snprintf(where, sizeof where, "${names.map((name) => `${name} %d`).join(', ')}%s"${names.map((name) => `, ${name}`).join('')}, whole ? ", whole" : "");`,
  );
  for (const [at, { name, type, count, input = 'random', below }] of arrays.entries())
    lines.push(
      // Arrays of one type that began equal would hide a copy that is left out.
      `  processor::Draw draw_${name}(${seed * 1009 + index} + 31 * run + 7919 * ${at});`,
      `  const auto ${name}_start = harness::filled<${type}>(size_t(${count}), draw_${name}, ${input === 'zero' ? 'harness::zero' : 'whole ? harness::whole : harness::real'}, ${below ?? '0'});`,
      `  auto ${name}_before = ${name}_start;`,
    );
  lines.push(`  processor::order = processor::Draw(${seed} + run); ${call('before')} processor::finish();`);
  lines.push('  for (int again = 0; again < 2; again++) {');
  for (const { name } of arrays) lines.push(`    auto ${name}_after = ${name}_start;`);
  lines.push(
    `    processor::order = processor::Draw(${seed} + run + 17 * again + 5); processor::lazy = again; ` +
      `${call('after')} processor::finish(); processor::lazy = false;`,
  );
  for (const { name } of arrays)
    lines.push(
      `    if (!harness::agree("${name}", where, ${name}_before, ${name}_after, whole ? ${pair.rounds ? (pair.bound ?? 0) : 0} : ${pair.bound ?? 0})) return 1;`,
    );
  lines.push('  }', '}');
  return `static int drive${index}() {\n${lines.join('\n')}\nreturn 0;\n}\n`;
}

const harness = `
#include <unistd.h>
#include <sys/resource.h>
#include <sys/wait.h>
namespace harness {
enum Kind { zero, whole, real };
template <typename T> T drawn(processor::Draw &draw, Kind kind, long below) {
  if (kind == zero) return T(0);
  if (below > 0) return T(draw.below(unsigned(below)));
  if (kind == whole || std::is_integral<T>::value) return T(std::is_unsigned<T>::value ? int(draw.below(9)) : int(draw.below(9)) - 4);
  return T(float(draw.below(2000001)) / 1000000.0f - 1.0f);
}
/** Memory with exactly the bytes that are asked for, so that the address sanitiser sees what lies beyond. */
template <typename T> struct Array {
  T *memory = nullptr;
  size_t count = 0;
  explicit Array(size_t count) : count(count) {
    void *bytes = nullptr;
    if (posix_memalign(&bytes, 256, count ? count * sizeof(T) : 1)) processor::stop("no memory");
    memory = static_cast<T *>(bytes);
  }
  Array(const Array &other) : Array(other.count) { if (count) std::memcpy((void *)memory, (const void *)other.memory, count * sizeof(T)); }
  ~Array() { std::free(memory); }
  T *data() const { return memory; }
};
template <typename T> Array<T> filled(size_t count, processor::Draw &draw, Kind kind, long below) {
  Array<T> array(count);
  for (size_t at = 0; at < count; at++) array.memory[at] = drawn<T>(draw, kind, below);
  return array;
}
template <typename T> double number(T value) { return double(value); }
template <typename T>
bool agree(const char *name, const char *where, const Array<T> &before, const Array<T> &after, double bound) {
  for (size_t at = 0; at < before.count; at++) {
    const T &a = before.memory[at], &b = after.memory[at];
    if (std::memcmp((const void *)&a, (const void *)&b, sizeof(T)) == 0) continue;
    if (!std::is_integral<T>::value) {
      const double x = number(a), y = number(b);
      if (x == y || (x != x && y != y)) continue;
      if (std::fabs(x - y) <= bound * std::max(1.0, std::max(std::fabs(x), std::fabs(y)))) continue;
    }
    std::printf("%s[%zu] is %.9g before and %.9g after (%s)\\n", name, at, number(a), number(b), where);
    return false;
  }
  return true;
}
inline void apart(int number, int (*drive)()) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit seconds{4, 4};
    setrlimit(RLIMIT_CPU, &seconds);
    std::printf("begin %d\\n", number);
    const int result = drive();
    std::printf(result == 0 ? "agree %d\\n" : "differ %d\\n", number);
    std::fflush(stdout);
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (!(WIFEXITED(status) && WEXITSTATUS(status) == 0)) std::printf("failed %d\\n", number);
}
} // namespace harness
`;

const header = readFileSync(join(__dirname, 'cuda.hpp'), 'utf8');
/** This many pairs go into one program: g++ reads its headers once for all of them. */
const inOne = 25;

export function hasCompiler(): boolean {
  return spawnSync('g++', ['--version']).status === 0;
}

/** The result of each pair, in order. Programs that g++ refuses are bisected, pair by pair. */
export async function runPairs(pairs: readonly Pair[], seed = 1): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (let from = 0; from < pairs.length; from += inOne)
    outcomes.push(...(await runProgram(pairs.slice(from, from + inOne), seed)));
  return outcomes;
}

/** Whether g++ takes each text; none is run. */
export async function areAccepted(texts: readonly string[]): Promise<boolean[]> {
  const folder = mkdtempSync(join(tmpdir(), 'warplens-texts-'));
  try {
    const source = join(folder, 'texts.cpp');
    writeFileSync(
      source,
      [header, ...(await Promise.all(texts.map((text, at) => sideOf(`before${at}`, text))))].join('\n'),
    );
    const { stderr } = spawnSync('g++', ['-std=c++17', '-fsyntax-only', '-w', source], { encoding: 'utf8' });
    return texts.map((_, at) => !new RegExp(`^before${at}\\.cu:[\\d:]+ error`, 'm').test(stderr));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A text in a separate namespace; the compiler says by its name whose text it refuses. */
async function sideOf(name: string, text: string): Promise<string> {
  const plain = await plainText(text);
  const macros = [...plain.matchAll(/^\s*#\s*define\s+(\w+)/gm)].map((match) => `#undef ${match[1]}`);
  return [`#line 1 "${name}.cu"`, `namespace ${name} {`, plain, '}', ...macros].join('\n');
}

async function runProgram(pairs: readonly Pair[], seed: number): Promise<Outcome[]> {
  const parts: string[] = [header, harness];
  for (const [index, pair] of pairs.entries()) {
    for (const side of ['before', 'after'] as const) parts.push(await sideOf(`${side}${index}`, pair[side]));
    parts.push(`#line 1 "driver${index}.cpp"`, driverOf(pair, index, seed));
  }
  parts.push(
    `int main() {\n${pairs.map((_, index) => `harness::apart(${index}, drive${index});`).join('\n')}\nreturn 0;\n}`,
  );
  const folder = mkdtempSync(join(tmpdir(), 'warplens-pairs-'));
  try {
    const source = join(folder, 'pairs.cpp');
    const program = join(folder, 'pairs');
    writeFileSync(source, parts.join('\n'));
    const built = spawnSync(
      'g++',
      [
        '-std=c++17',
        '-O1',
        '-fsanitize=address,bounds',
        '-fno-sanitize-recover=bounds',
        '-w',
        '-fno-strict-aliasing',
        source,
        '-o',
        program,
      ],
      { encoding: 'utf8' },
    );
    if (built.status !== 0) {
      const said = (at: number): string[] =>
        built.stderr.split('\n').filter((line) => new RegExp(`^[a-z]+${at}\\.\\w+:[\\d:]+ error`).test(line));
      const apart = pairs.map((_, at) => said(at));
      const rest = pairs.filter((_, at) => apart[at]!.length === 0);
      if (rest.length === pairs.length) throw new Error(built.stderr.slice(0, 2000));
      const others = rest.length > 0 ? await runProgram(rest, seed) : [];
      return pairs.map(({ name }, at) =>
        apart[at]!.length === 0 ? others.shift()! : { name, problem: `g++ refuses it:\n${apart[at]!.join('\n')}` },
      );
    }
    const output = execFileSync(program, {
      encoding: 'utf8',
      env: { ...process.env, ASAN_OPTIONS: 'detect_leaks=0:detect_stack_use_after_return=0' },
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 26,
    });
    return pairs.map(({ name }, index) => {
      if (new RegExp(`^agree ${index}$`, 'm').test(output)) return { name };
      const said = output
        .split(`begin ${index}\n`)[1]
        ?.split(/^(?:differ|failed) \d+$/m)[0]
        ?.trim();
      return { name, problem: said || 'it ended without output: an address beyond an array, or no end within 4 s' };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
