// What the generators of fix variations share: a seeded draw, and a text that is fixed as the editor would fix it.
import { createHash } from 'node:crypto';
import { applyEdits } from '../../server/src/workspace/edits';
import { verified } from '../../server/src/semantic';
import type { Model } from '../../server/src/semantic/model';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { lint } from '../../server/src/lint/lint';
import { lex, type Token } from '../../server/src/syntax/tokens';
import { memoryUri, memoryWorkspace } from '../support/analyseText';
import type { Workspace } from '../../server/src/workspace/workspace';
import { mutated } from '../support/mutated';
import type { Pair } from '../support/onProcessor/pairs';

/** A program with a host function `run`, and what it is run with. */
export type Variation = Omit<Pair, 'after' | 'before'> & {
  readonly text: string;
  /** What the fixed text is compared with, where the text itself is not defined for all sizes. */
  readonly reference?: string;
};

/** Elements and repetitions that host code is run with. */
export const sizesOfSteps = [
  { n: 0, steps: 2 },
  { n: 1, steps: 3 },
  { n: 33, steps: 0 },
  { n: 64, steps: 1 },
  { n: 100, steps: 5 },
];

/** What kernels of one thread a block are run with: `v` of n elements, `w` of n rows. */
export function runsOf(type: string, columns: number): Pick<Variation, 'parameters' | 'sizes'> {
  return {
    parameters: [{ name: 'v', type, count: 'n' }, { name: 'w', type, count: `n * ${columns}` }, { size: 'n' }],
    sizes: [1, 2, 31, 33, 255, 256, 257, 600].map((n) => ({ n })),
  };
}

export interface Draw {
  /** 0 … count - 1. */
  below(count: number): number;
  pick<T>(of: readonly T[]): T;
  chance(part: number): boolean;
}

/** mulberry32: the same seed gives the same variations on every machine. */
export function drawFrom(seed: number): Draw {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (count: number): number => Math.floor(next() * count);
  return { below, pick: (of) => of[below(of.length)]!, chance: (part) => next() < part };
}

let workspace: Promise<Workspace> | undefined;
let version = 0;

interface Read {
  readonly model: Model;
  readonly findings: readonly ResolvedFinding[];
  /** Why calls of the runtime stay in their loops; rules say nothing of those. */
  readonly stays: readonly string[];
}

export async function readIn(text: string): Promise<Read> {
  if (mutated) workspace = undefined;
  workspace ??= memoryWorkspace(new Map());
  const opened = await workspace;
  const uri = memoryUri('variation.cu');
  await opened.ready(uri);
  const analysed = opened.analyse(uri, { text, version: ++version })!;
  const calls = analysed.model.facts['runtime-call'];
  return {
    model: analysed.model,
    findings: lint(analysed.model, text, { gpu: analysed.gpu }).findings,
    stays: calls.flatMap(({ name, hoist, wait }) =>
      [hoist?.why, wait?.why].flatMap((why) => (why === undefined ? [] : [`${name} stays (${why})`])),
    ),
  };
}

/** The first fix whose title the family names; undefined where none is offered. */
export async function fixedBy(text: string, family: RegExp): Promise<Fixed | undefined> {
  return fixIn(await readIn(text), text, family);
}

export interface Fixed {
  readonly title: string;
  readonly after: string;
}

/** The first fix whose title the family names, and that a run of both texts proves where it asks for one. */
export async function fixIn({ findings, model }: Read, text: string, family: RegExp): Promise<Fixed | undefined> {
  for (const finding of findings)
    for (const { title, edits, proof } of finding.fixes)
      if (family.test(title)) {
        const after = applyEdits(text, edits, memoryUri('variation.cu'));
        if (after === undefined) throw new Error(`the edits of "${title}" conflict in\n${text}`);
        if (!proof || 'same' in verified(model, (await readIn(after)).model)) return { title, after };
      }
  return undefined;
}

/** What records keep of a fix: the programs of both sides, whatever their layout. */
export function hashOf(text: string, { title, after }: Fixed): string {
  const written = `${programOf(text)}\n=>\n${title}\n${programOf(after)}`;
  return createHash('sha256').update(written).digest('hex').slice(0, 12);
}

/** The tokens of a text. A directive is a line, in which `F(a)` and `F (a)` differ; so do `>>` and `> >` anywhere. */
function programOf(text: string): string {
  let program = '';
  let isDirective = false;
  let before: Token | undefined;
  for (const token of lex(text).tokens) {
    const wasDirective = isDirective;
    if (token.lineStart) isDirective = token.text === '#';
    const isNewLine = token.lineStart && (isDirective || wasDirective);
    const isJoined = !token.space && (isDirective || (before?.text === '>' && /^[>=]/.test(token.text)));
    program += (isNewLine ? '\n' : isJoined ? '' : ' ') + token.text;
    before = token;
  }
  return program;
}
