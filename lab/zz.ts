import { readFileSync } from 'node:fs';
import { createSyntax } from '/work/wt/instances/server/src/syntax';
import { readGrammarFiles } from '/work/wt/instances/server/src/syntax/grammarFiles';
import { createWorkspace } from '/work/wt/instances/server/src/workspace/workspace';
import { memoryFileSystem } from '/work/wt/instances/test/support/analyseText';
import { lint } from '/work/wt/instances/server/src/lint/lint';
(async () => {
  const syntax = await createSyntax(readGrammarFiles('/work/wt/instances/server/src/syntax'));
  const text = readFileSync(process.argv[2]!, 'utf8');
  const w = createWorkspace({ fileSystem: memoryFileSystem(new Map([['/x.cu', text]])), syntax });
  const { model, gpu } = w.analyse('file:///x.cu', { text, version: 1 })!;
  const line = (o: number) => text.slice(0, o).split('\n').length;
  for (const f of lint(model, text, { gpu }).findings) console.log(line(f.at.start), f.rule, f.message, f.severity, JSON.stringify(f.data), f.fixes?.map((x: any) => x.title));
  for (const a of model.facts.access) console.log(line(a.at.start), a.mode, a.array.name, a.sectors, a.sectorsIdeal, a.certainty, a.accumulates, a.kernels);
  for (const n of model.notes) console.log(n.text);
})();
