// Holds findings against what the compiler made of their lines: which problems are in the code, and which are not.
import { foldPath } from '../report/lineProgram';
import type { CodeInstruction, CodeKind, MachineCode, Trait } from './machineCode';

/**
 * - `confirmed`: the code does what the finding says;
 * - `refuted`: it does not;
 * - `unseen`: the code does not decide it, or the line has none.
 */
export type VerdictState = 'confirmed' | 'refuted' | 'unseen';

export interface CompilerVerdict {
  readonly state: VerdictState;
  /** One sentence, to stand below the words of the finding. */
  readonly text: string;
}

/** A finding as far as the compiler can judge it. */
export interface JudgeableFinding {
  readonly rule: string;
  readonly message: string;
  /** First and last line, from 1. */
  readonly from: number;
  readonly to: number;
}

/** The code of one line range, in the functions that have some of it. */
interface LineCode {
  readonly instructions: readonly CodeInstruction[];
  readonly kind: CodeKind;
  /** ` (sm_90)` */
  readonly on: string;
  readonly line: string;
}

type Judge = (code: LineCode, message: string) => CompilerVerdict;

const judges: Readonly<Record<string, Judge>> = {
  'cuda/double-in-float': doubles,
  'cuda/slow-math': mathOf,
  'cuda/divergent-branch': branches,
  'cuda/atomic-contention': atomics,
  'cuda/accumulate-in-memory': sums,
  'cuda/constant-divergent': constants,
  'cuda/uncoalesced-access': accesses,
};

/** Whether code can decide findings of this kind. */
export function isJudgeable({ rule, message }: Pick<JudgeableFinding, 'rule' | 'message'>): boolean {
  return Object.hasOwn(judges, rule) && (rule !== 'cuda/uncoalesced-access' || message === 'vector-type');
}

/**
 * The verdict on each finding of `file`, in their order; undefined for those that code does not decide. A kernel that
 * is compiled several times is confirmed by any of its forms.
 */
export function judgeFindings(
  findings: readonly JudgeableFinding[],
  file: string,
  codes: readonly MachineCode[],
): (CompilerVerdict | undefined)[] {
  const path = foldPath(file);
  const lineIndexes = codes.map((code) => ({ code, lines: indexOf(code, path) }));
  return findings.map((finding) => {
    if (!isJudgeable(finding)) return undefined;
    const judge = judges[finding.rule]!;
    const verdicts = lineIndexes.flatMap(({ code, lines }) => {
      const { architecture, kind } = code;
      // Names without operands say whether a branch is left, and no more.
      if (kind === 'decoded' && finding.rule !== 'cuda/divergent-branch') return [];
      return [...lines.values()].flatMap((own) => {
        const found = new Set<CodeInstruction>();
        for (let line = finding.from; line <= finding.to; line++)
          for (const instruction of own.get(line) ?? []) found.add(instruction);
        if (found.size === 0) return [];
        const line = finding.from === finding.to ? 'this line' : 'these lines';
        return [judge({ instructions: [...found], kind, on: ` (${architecture})`, line }, finding.message)];
      });
    });
    for (const state of ['confirmed', 'unseen', 'refuted'] as const) {
      const said = verdicts.find((verdict) => verdict.state === state);
      if (said) return said;
    }
    return { state: 'unseen', text: 'Compiler: the code has no instructions of this line.' };
  });
}

/** By function, the instructions of each line of one file. */
function indexOf(code: MachineCode, path: string): Map<string, Map<number, CodeInstruction[]>> {
  const functions = new Map<string, Map<number, CodeInstruction[]>>();
  for (const { symbol, instructions } of code.functions) {
    const lines = new Map<number, CodeInstruction[]>();
    for (const instruction of instructions)
      for (const { file, line } of instruction.lines) {
        if (file !== path) continue;
        const at = lines.get(line);
        if (at) at.push(instruction);
        else lines.set(line, [instruction]);
      }
    if (lines.size > 0) functions.set(symbol, lines);
  }
  return functions;
}

function of(code: LineCode, trait: Trait): CodeInstruction[] {
  return code.instructions.filter(({ traits }) => traits.has(trait));
}

function confirmed(text: string): CompilerVerdict {
  return { state: 'confirmed', text: `Compiler: ${text}` };
}
function refuted(text: string): CompilerVerdict {
  return { state: 'refuted', text: `Compiler: ${text}` };
}
function unseen(text: string): CompilerVerdict {
  return { state: 'unseen', text: `Compiler: ${text}` };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function doubles(code: LineCode): CompilerVerdict {
  const operations = of(code, 'double').length;
  const conversions = of(code, 'double-conversion').length;
  const parts = [
    ...(operations > 0 ? [counted(operations, 'double-precision instruction')] : []),
    ...(conversions > 0 ? [counted(conversions, operations > 0 ? 'conversion' : 'conversion to or from double')] : []),
  ];
  if (parts.length > 0)
    return confirmed(
      `${parts.join(' and ')} remain${operations + conversions === 1 ? 's' : ''} on ${code.line}${code.on}.`,
    );
  return refuted(`no double-precision instruction remains on ${code.line}${code.on}.`);
}

/**
 * The exact power of floats takes about 70 instructions, a reciprocal or a logarithm among them; that of -use_fast_math
 * takes three.
 */
const longPower = 24;

function mathOf(code: LineCode, message: string): CompilerVerdict {
  if (message === 'root') {
    const root = of(code, 'root').length + of(code, 'reciprocal-root').length;
    const reciprocal = of(code, 'reciprocal').length;
    if (root > 0 && reciprocal > 0) return confirmed(`a root and a division remain on ${code.line}${code.on}.`);
    return root > 0
      ? refuted(`one instruction computes root and division${code.on}.`)
      : unseen(`no root was seen on ${code.line}${code.on}.`);
  }
  if (of(code, 'power').length > 0) return confirmed(`the power function of doubles is called${code.on}.`);
  const count = code.instructions.length;
  const takes = `the power takes ${counted(count, 'instruction')} on ${code.line}${code.on}.`;
  const steps = (['exponential', 'logarithm', 'reciprocal'] as const).some((trait) => of(code, trait).length > 0);
  if (steps) return count >= longPower ? confirmed(takes) : refuted(takes);
  // Machine code can call it under another name.
  return code.instructions.some(({ text }) => /^(@\S+\s+)?call\b/i.test(text))
    ? unseen(`${code.line} calls a function${code.on}.`)
    : refuted(`no power function remains on ${code.line}${code.on}.`);
}

function branches(code: LineCode, message: string): CompilerVerdict {
  const left = of(code, 'branch').length;
  const isLoop = message.startsWith('trip-count') || message === 'exits';
  if (left > 0)
    return code.kind === 'ptx'
      ? unseen(`PTX has a branch here, which the machine code may do without${code.on}.`)
      : confirmed(
          left === 1
            ? `a conditional branch of ${code.line} remains${code.on}.`
            : `${left} conditional branches of ${code.line} remain${code.on}.`,
        );
  if (code.kind === 'decoded') return unseen(`the machine code has no branch on ${code.line}${code.on}.`);
  if (isLoop) return refuted(`the loop is unrolled; no branch remains on ${code.line}${code.on}.`);
  if (of(code, 'select').length > 0) return refuted(`the branch became a select; no divergence${code.on}.`);
  if (of(code, 'predicated').length > 0) return refuted(`the branch became predicated instructions${code.on}.`);
  return refuted(`no branch remains on ${code.line}${code.on}.`);
}

function atomics(code: LineCode): CompilerVerdict {
  const all = of(code, 'atomic').length;
  if (all === 0) return unseen(`no atomic instruction was seen on ${code.line}${code.on}.`);
  if (of(code, 'compare-and-swap').length > 0) return confirmed(`a loop of compare-and-swap remains${code.on}.`);
  if (of(code, 'vote').length > 0 && of(code, 'population').length > 0)
    return refuted(`the warp is summed first, and one lane adds${code.on}.`);
  if (code.kind === 'sass' || of(code, 'float-atomic').length > 0)
    return confirmed(`${counted(all, 'atomic instruction')}, not summed over the warp${code.on}.`);
  return unseen(`PTX has an atomic here; the machine code may sum the warp first${code.on}.`);
}

function sums(code: LineCode): CompilerVerdict {
  const stores = of(code, 'store');
  if (stores.length === 0) return unseen(`no store was seen on ${code.line}${code.on}.`);
  const inner = Math.max(...code.instructions.map(({ depth }) => depth));
  const innermost = stores.filter(({ depth }) => depth === inner).length;
  if (inner > 0)
    return innermost > 0
      ? confirmed(`each iteration stores the sum${code.on}.`)
      : refuted(`the sum is kept in a register and stored after the loop${code.on}.`);
  const added = of(code, 'arithmetic').length;
  if (stores.length > 1) return confirmed(`the unrolled loop stores the sum ${stores.length} times${code.on}.`);
  return added > 1
    ? refuted(`the sum is kept in a register and stored once${code.on}.`)
    : unseen(`no loop was seen around ${code.line}${code.on}.`);
}

function constants(code: LineCode): CompilerVerdict {
  const left = of(code, 'constant').length;
  return left > 0
    ? confirmed(`${counted(left, 'load')} from constant memory with a computed address${code.on}.`)
    : unseen(`no load from constant memory was seen on ${code.line}${code.on}.`);
}

function accesses(code: LineCode): CompilerVerdict {
  const all = of(code, 'global');
  if (all.length === 0) return unseen(`no access to global memory was seen on ${code.line}${code.on}.`);
  const widths = all.map(({ bits }) => bits ?? 0);
  const narrow = Math.min(...widths);
  return narrow >= 64
    ? refuted(`the accesses were joined: ${all.length} of up to ${Math.max(...widths)} bits${code.on}.`)
    : confirmed(`${counted(all.length, 'instruction')} of ${narrow} bits move it${code.on}.`);
}
