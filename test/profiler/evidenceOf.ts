// Reads a recorded report, and what the rules find in its sources, for the tests of evidence.
import { pathToFileURL } from 'node:url';
import { gatherKernels, type ProfiledKernel } from '../../profiler/src/overlay/kernels';
import { bytesSource, openReport } from '../../profiler/src/report';
import type { FoundFinding } from '../../protocol/src/requests';
import { lint } from '../../server/src/lint/lint';
import { found } from '../../server/src/lsp/findings';
import { lineTable } from '../../server/src/syntax/lines';
import { memoryWorkspace } from '../support/analyseText';

/** The findings that the server would tell of a text. */
export async function findingsOf(path: string, files: ReadonlyMap<string, string>): Promise<FoundFinding[]> {
  const text = files.get(path)!;
  const workspace = await memoryWorkspace(files);
  const uri = pathToFileURL(path).href;
  await workspace.ready(uri);
  const analysed = workspace.analyse(uri, { text, version: 1 })!;
  const lines = lineTable(text);
  const reading = { model: analysed.model, lines, rangeOf: () => undefined };
  return lint(analysed.model, text, { gpu: analysed.gpu }).findings.map((finding) => found(finding, reading));
}

/** What a report holds: its kernels, and the texts of the user's own sources. */
export async function readReport(
  bytes: Uint8Array,
): Promise<{ readonly kernels: readonly ProfiledKernel[]; readonly files: ReadonlyMap<string, string> }> {
  const report = await openReport(bytesSource(bytes));
  const kernels = await gatherKernels(report, () => true);
  const files = new Map<string, string>();
  for (const { path } of report.embeddedSources)
    if (!path.startsWith('/usr/')) files.set(path, (await report.readSource(path))!);
  return { kernels: kernels!, files };
}
