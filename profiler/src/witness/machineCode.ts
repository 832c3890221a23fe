// Code that a compiler made, PTX or a disassembly, as instructions with what each does and the source lines it is of.
import type { SourceLine } from '../../../protocol/src/lineMetrics';
import { instructionBytes, nameOfInstruction } from '../lines/instructionNames';
import { knownFamilies } from '../lines/instructionTable';
import { linesAt, readCubin } from '../report/cubin';
import { bytesSource } from '../report/byteSource';
import { readDisassembly } from '../sass/disassembly';
import { ptxOf } from '../sass/ptx';

/** `decoded`: names of the machine code without operands, where no disassembler is at hand. */
export type CodeKind = 'ptx' | 'sass' | 'decoded';

/** What an instruction does, as far as a verdict asks. */
export type Trait =
  | 'double'
  | 'double-conversion'
  | 'branch'
  | 'select'
  | 'predicated'
  | 'local'
  | 'global'
  | 'store'
  | 'constant'
  | 'atomic'
  | 'float-atomic'
  | 'compare-and-swap'
  | 'vote'
  | 'population'
  | 'arithmetic'
  | 'power'
  | 'logarithm'
  | 'exponential'
  | 'root'
  | 'reciprocal-root'
  | 'reciprocal';

export interface CodeInstruction {
  readonly text: string;
  readonly traits: ReadonlySet<Trait>;
  /** Bits that a thread moves, of an access to global memory. */
  readonly bits?: number;
  /** Loops of the function that it runs in. */
  readonly depth: number;
  /** A branch also counts for the lines that compute its condition. */
  readonly lines: readonly SourceLine[];
}

export interface CodeFunction {
  readonly symbol: string;
  readonly instructions: readonly CodeInstruction[];
}

export interface MachineCode {
  readonly kind: CodeKind;
  /** `sm_90` */
  readonly architecture: string;
  readonly functions: readonly CodeFunction[];
}

/** An instruction as it is read, with the labels before it. */
export interface RawInstruction {
  readonly text: string;
  readonly labels: readonly string[];
  readonly lines: readonly SourceLine[];
}

/** More functions than a source has kernels. */
const mostFunctions = 1000;

/** Undefined where the text is not a PTX module. */
export function codeOfPtx(text: string): MachineCode | undefined {
  const architecture = /^\s*\.target\s+(sm_\w+)/m.exec(text)?.[1];
  if (architecture === undefined) return undefined;
  const symbols = new Set(
    [...text.matchAll(/\.(?:entry|func)\b(?:\s*\([^)]*\))?\s+([\w$]+)/g)].map(([, symbol]) => symbol!),
  );
  const functions: CodeFunction[] = [];
  for (const symbol of [...symbols].slice(0, mostFunctions)) {
    const body = ptxOf(text, symbol) ?? ptxOf(withoutDeclaration(text, symbol), symbol);
    if (!body) continue;
    const raw: RawInstruction[] = [];
    let labels: string[] = [];
    for (const { text: line, lines } of body) {
      const label = /^\s*(\$?[\w$]+):\s*$/.exec(line)?.[1];
      const words = line.trim().replace(/\s*;$/, '');
      if (label !== undefined) labels.push(label);
      // The name of a called function is in a line below its call.
      else if (/^(@|[a-z]|__internal)/.test(words)) {
        raw.push({ text: words, labels, lines });
        labels = [];
      }
    }
    functions.push(functionOf('ptx', symbol, raw));
  }
  return { kind: 'ptx', architecture, functions };
}

/** A function that is used before its body has a declaration above it, which ends with a semicolon in a line below. */
function withoutDeclaration(text: string, symbol: string): string {
  const name = symbol.replace(/[$]/g, '\\$&');
  return text.replace(new RegExp(`\\.func\\b[^;{}]*?\\b${name}\\s*\\([^;{}]*\\)\\s*;`), '');
}

/**
 * Of a cubin and what a disassembler printed of it: the line table of the cubin says the lines. Throws ReportError on a
 * damaged cubin.
 */
export async function codeOfCubin(cubin: Uint8Array, disassembly: string, architecture: string): Promise<MachineCode> {
  const sections = readDisassembly(disassembly);
  const symbols = [...sections.keys()].map((section) => section.replace(/^\.text\./, ''));
  // Nothing is loaded here: any addresses do that keep the functions apart.
  const loaded = symbols.map((symbol, at) => ({ symbol, address: at * 2 ** 32, symbolIndex: -1 }));
  const read = await readCubin(bytesSource(cubin), 0, cubin.length, loaded);
  return {
    kind: 'sass',
    architecture,
    functions: symbols.map((symbol, at) =>
      functionOf(
        'sass',
        symbol,
        (sections.get(`.text.${symbol}`) ?? []).map(({ text, labels, offset }) => ({
          text,
          labels,
          lines: linesAt(read, at * 2 ** 32 + offset).map(({ file, line }) => ({ file: file.path, line })),
        })),
      ),
    ),
  };
}

/**
 * The same without a disassembly, of functions whose symbols are known; undefined where the encoding of the GPU is not.
 * Throws ReportError on a damaged cubin.
 */
export async function codeByNames(
  cubin: Uint8Array,
  symbols: readonly string[],
  architecture: string,
): Promise<MachineCode | undefined> {
  const capability = Number(/^sm_(\d+)\d/.exec(architecture)?.[1]);
  if (!knownFamilies.has(capability)) return undefined;
  const loaded = symbols.map((symbol, at) => ({ symbol, address: at * 2 ** 32, symbolIndex: -1 }));
  const { functions } = await readCubin(bytesSource(cubin), 0, cubin.length, loaded).then((read) => ({
    functions: read.functions.map((code) => {
      const raw: RawInstruction[] = [];
      for (let offset = 0; code.codeAt !== undefined && offset < code.size; offset += instructionBytes) {
        const at = code.codeAt + offset;
        // Bits 12 to 14 name the guard; 7 is always true.
        const guard = (cubin[at + 1]! >> 4) & 7;
        const name = nameOfInstruction(cubin, at, capability) ?? '?';
        raw.push({
          text: guard === 7 ? name : `@P${guard} ${name}`,
          labels: [],
          lines: linesAt(read, code.address + offset).map(({ file, line }) => ({ file: file.path, line })),
        });
      }
      return functionOf('decoded', code.symbol, raw);
    }),
  }));
  return { kind: 'decoded', architecture, functions };
}

export function functionOf(kind: CodeKind, symbol: string, raw: readonly RawInstruction[]): CodeFunction {
  const depths = depthsOf(raw);
  /** Lines of the instructions that last wrote each predicate, those of its conditions included. */
  const writers = new Map<string, readonly SourceLine[]>();
  const instructions = raw.map((one, at): CodeInstruction => {
    const { guard, words } = partsOf(one.text);
    const { traits, bits } = kind === 'ptx' ? ptxTraits(words) : sassTraits(words);
    const isJump = traits.has('branch');
    if (isJump && guard === undefined) traits.delete('branch');
    if (!isJump && guard !== undefined) traits.add('predicated');
    const written =
      kind === 'ptx' ? /^\S*pred\s+(%p\d+)|^setp\S*\s+(%p\d+)/ : /^\S*SETP\S*\s+(U?P\d)|^PLOP3\S*\s+(P\d)/;
    const target = written.exec(words)?.slice(1).find(Boolean);
    if (target !== undefined) {
      const used = words.slice(words.indexOf(target) + target.length).match(/%p\d+|\bU?P\d\b/g) ?? [];
      writers.set(target, united([one.lines, ...used.map((name) => writers.get(name) ?? [])]));
    }
    return {
      text: one.text,
      traits,
      ...(bits === undefined ? {} : { bits }),
      depth: depths[at]!,
      lines: isJump && guard !== undefined ? united([one.lines, writers.get(guard) ?? []]) : one.lines,
    };
  });
  return { symbol, instructions };
}

/** How many loops each instruction is in: a branch back to a label makes one. */
function depthsOf(raw: readonly RawInstruction[]): number[] {
  const places = new Map(raw.flatMap(({ labels }, at) => labels.map((label) => [label, at] as const)));
  /** By the first instruction of each loop, its last. */
  const loops = new Map<number, number>();
  raw.forEach(({ text }, at) => {
    if (!/\b(bra|BRA)\b/.test(text)) return;
    for (const name of text.match(/\$?[.$]?L[\w$.]+/g) ?? []) {
      const to = places.get(name);
      // After its end a kernel has a branch to itself.
      if (to !== undefined && to < at) loops.set(to, Math.max(loops.get(to) ?? 0, at));
    }
  });
  const depths = raw.map(() => 0);
  for (const [from, to] of loops) for (let at = from; at <= to; at++) depths[at]!++;
  return depths;
}

function partsOf(text: string): { readonly guard: string | undefined; readonly words: string } {
  const match = /^@!?(%?U?[pP]\d+)\s+(.*)$/s.exec(text);
  return { guard: match?.[1], words: match ? match[2]! : text };
}

interface Traits {
  readonly traits: Set<Trait>;
  readonly bits?: number;
}

function ptxTraits(words: string): Traits {
  const opcode = words.split(/\s/)[0]!;
  const parts = opcode.split('.');
  const name = parts[0]!;
  const traits = new Set<Trait>();
  const has = (part: string): boolean => parts.includes(part);
  if (/^(add|sub|mul|fma|mad|div|sqrt|rcp|rsqrt|min|max|abs|neg|setp|set|testp)$/.test(name)) {
    if (has('f64')) traits.add('double');
    if (name !== 'setp' && name !== 'set') traits.add('arithmetic');
  }
  if (name === 'cvt' && has('f64')) traits.add('double-conversion');
  // Branches that are uniform for the compiler split no warp.
  if (name === 'bra' && !has('uni')) traits.add('branch');
  if (name === 'selp' || name === 'slct') traits.add('select');
  if ((name === 'ld' || name === 'st') && has('local')) traits.add('local');
  if (name === 'st' && !has('param') && !has('local')) traits.add('store');
  if (name === 'ld' && has('const') && /\[%r/.test(words)) traits.add('constant');
  if (name === 'atom' || name === 'red') {
    traits.add('atomic');
    if (has('cas')) traits.add('compare-and-swap');
    else if (parts.some((part) => /^b?f\d/.test(part))) traits.add('float-atomic');
  }
  if (/^(vote|match|redux)$/.test(name)) traits.add('vote');
  if (name === 'popc') traits.add('population');
  if (name === 'lg2') traits.add('logarithm');
  if (name === 'ex2') traits.add('exponential');
  if (name === 'sqrt') traits.add('root');
  if (name === 'rsqrt') traits.add('reciprocal-root');
  if (name === 'rcp' || (name === 'div' && parts.some((part) => /^f\d/.test(part)))) traits.add('reciprocal');
  if (/^__internal_accurate_pow/.test(name)) traits.add('power');
  if ((name !== 'ld' && name !== 'st') || !has('global')) return { traits };
  traits.add('global');
  const count = Number(parts.map((part) => /^v(\d)$/.exec(part)?.[1]).find(Boolean) ?? 1);
  const size = Number(/^[a-z]+(\d+)$/.exec(parts.at(-1)!)?.[1] ?? 0);
  return { traits, bits: count * size };
}

function sassTraits(words: string): Traits {
  const parts = words.split(/\s/)[0]!.split('.');
  const name = parts[0]!;
  const traits = new Set<Trait>();
  const has = (part: string): boolean => parts.includes(part);
  if (/^D(ADD|MUL|FMA|SETP|MNMX|SET)$/.test(name) || (name === 'MUFU' && parts.some((part) => /64H?$/.test(part))))
    traits.add('double');
  if (/^(F2F|I2F|F2I|FRND)$/.test(name) && has('F64')) traits.add('double-conversion');
  if (/^(FADD|FMUL|FFMA|DADD|DMUL|DFMA|IADD3|IMAD|HADD2|HFMA2|VIADD)$/.test(name)) traits.add('arithmetic');
  if (/^(BRA|BRX|EXIT)$/.test(name) && !has('U')) traits.add('branch');
  if (/^U?(SEL|FSEL)$/.test(name)) traits.add('select');
  if (name === 'LDL' || name === 'STL') traits.add('local');
  if (/^(STG|STS|ST)$/.test(name)) traits.add('store');
  if (name === 'LDC' && /c\[0x3\]\[[^\]]*R\d/.test(words)) traits.add('constant');
  if (/^(ATOMG|ATOMS|ATOM|RED|REDG|REDS)$/.test(name)) {
    traits.add('atomic');
    if (has('CAS') || has('CAST')) traits.add('compare-and-swap');
    else if (parts.some((part) => /^B?F\d/.test(part))) traits.add('float-atomic');
  }
  if (/^(VOTE|VOTEU|MATCH|REDUX|CREDUX)$/.test(name)) traits.add('vote');
  if (name === 'POPC' || name === 'UPOPC') traits.add('population');
  if (name === 'MUFU') {
    if (has('LG2')) traits.add('logarithm');
    if (has('EX2')) traits.add('exponential');
    if (has('SQRT')) traits.add('root');
    if (parts.some((part) => part.startsWith('RSQ'))) traits.add('reciprocal-root');
    if (parts.some((part) => part.startsWith('RCP'))) traits.add('reciprocal');
  }
  if (name === 'CALL' && /accurate_pow/.test(words)) traits.add('power');
  if (name !== 'LDG' && name !== 'STG') return { traits };
  traits.add('global');
  const bits = parts.map((part) => /^(?:[US]?(8|16)|(64|128|256))$/.exec(part)).find(Boolean);
  return { traits, bits: Number(bits?.[1] ?? bits?.[2] ?? 32) };
}

function united(lists: readonly (readonly SourceLine[])[]): readonly SourceLine[] {
  const found = new Map<string, SourceLine>();
  for (const list of lists) for (const line of list) found.set(`${line.line} ${line.file}`, line);
  return [...found.values()];
}
