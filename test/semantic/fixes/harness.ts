// Parses a text for the tests of the pattern finders, applies edits, and asks nvcc where there is one.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FunctionDecl, TranslationUnit } from '../../../server/src/syntax';
import type { Edit } from '../../../server/src/semantic/model';
import { Fn } from '../../../server/src/semantic/language/fn';
import type { AnySyntax } from '../../../server/src/semantic/language/statements';
import { verified } from '../../../server/src/semantic';
import { fixIn, readIn } from '../../fixes/variations';
import { testSyntax } from '../../support/analyseText';
import { mutated } from '../../support/mutated';

export async function parse(text: string): Promise<TranslationUnit> {
  return (await testSyntax()).parse(
    'file:///test.cu',
    text,
    0,
    { defines: {}, computeCapability: 90 },
    { resolve: () => undefined },
  );
}

/** The context of the function of that name, or of the first kernel. */
export async function contextOf(text: string, name?: string, known: Partial<Fn> = {}): Promise<Fn> {
  const unit = await parse(text);
  const fn = unit.main.functions.find(
    (candidate: FunctionDecl) => !!candidate.body && (name ? candidate.name === name : candidate.global),
  );
  if (!fn) throw new Error('no such function');
  return new Fn(unit, unit.main, fn, known);
}

export function nodesOf<K extends AnySyntax['kind']>(fn: Fn, kind: K): Extract<AnySyntax, { kind: K }>[] {
  return fn.locals.nodes.filter((node): node is Extract<AnySyntax, { kind: K }> => node.kind === kind);
}

/** The text after the edits; throws where two of them overlap. */
export function applied(text: string, edits: readonly Edit[]): string {
  let out = text;
  let last = Infinity;
  for (const edit of [...edits].sort((left, right) => right.at.start - left.at.start)) {
    if (edit.at.end > last) throw new Error(`edits overlap at ${edit.at.start}`);
    last = edit.at.start;
    out = out.slice(0, edit.at.start) + edit.newText + out.slice(edit.at.end);
  }
  return out;
}

/** Is a fix of that title offered, after a run of both texts? */
export async function isProven(text: string, title: RegExp): Promise<boolean> {
  return !!(await fixIn(await readIn(text), text, title));
}

const hasNvcc = !mutated && spawnSync('nvcc', ['--version']).status === 0;

/** What nvcc says against the text; empty where it compiles without a warning, undefined where there is no nvcc. */
export function compilerComplaints(text: string): string | undefined {
  if (!hasNvcc) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'warplens-'));
  try {
    writeFileSync(join(folder, 'test.cu'), text);
    execFileSync('nvcc', ['-ptx', '-arch=sm_90', '-o', join(folder, 'test.ptx'), join(folder, 'test.cu')], {
      stdio: 'pipe',
    });
    return '';
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Whether a run of both texts finds no result that differs. */
export async function keepsResults(text: string, after: string): Promise<boolean> {
  return !('differs' in verified((await readIn(text)).model, (await readIn(after)).model));
}
