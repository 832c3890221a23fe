// What the model makes of loops over shared memory, and what nvcc made of them as recorded by lab/fuzz/unrolling.ts.
import { join } from 'node:path';
import { memoryUri, memoryWorkspace } from '../../support/analyseText';

/** Instructions of the line that `// @` marks, for each store of the line that `// result` marks. */
export interface LoopCase {
  readonly name: string;
  readonly text: string;
  readonly mode: 'load' | 'store';
  readonly instructions: number;
}
export const loopFile = join(__dirname, 'unrolling.json');

export async function modelled({ text, mode: of }: LoopCase): Promise<number> {
  const workspace = await memoryWorkspace(new Map([['/memory/loop.cu', text]]));
  const accesses = workspace.analyse(memoryUri('loop.cu'))!.model.facts.access;
  const total = (line: string, space: string, wanted: string): number =>
    accesses
      .filter((access) => access.space === space && access.mode === wanted)
      .filter(({ at }) => text.slice(at.start, text.indexOf('\n', at.start)).endsWith(line))
      .reduce((sum, { executions }) => sum + executions, 0);
  return total('// @', 'shared', of) / total('// result', 'global', 'store');
}
