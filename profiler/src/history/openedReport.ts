/** An opened report as a step: of the series whose sources are of the same program, once for each content. */

import { randomBytes } from 'node:crypto';
import { basename, dirname, join } from 'node:path';

import { carryLines } from '../lines/carryOver';
import { nameOf, renamedResemblance, resemblance } from '../lines/sourceMapping';
import { openReport, measureReport } from '../report';
import { disassemblyPath } from '../sass/keptDisassembly';
import { copyContent, haveSameContent, modifiedAt } from '../transport/fileContent';
import { openFileSource } from '../transport/fileByteSource';
import { freeReportName, giveFreeName, whileLocked } from '../transport/resultFile';
import { isKernelSource, type SourceText } from './change';
import { addStep, readHistory, reportPath, textsOf } from './stepStore';
import { kernelsOf, seriesNameOf, type Step } from './steps';

/**
 * Keeps a copy of a report as a step. Undefined where the history has its content, and where it has no kernels.
 *
 * @param sources as they were built, the one with the most samples first
 */
export async function addOpenedReport(
  store: string,
  report: string,
  sources: readonly SourceText[],
  folder: string,
): Promise<Step | undefined> {
  const { steps, broken } = await readHistory(store);
  if (broken || (await holdsContent(store, steps, report))) return undefined;
  const file = await openFileSource(report);
  const measured = await openReport(file)
    .then(measureReport)
    .finally(() => file.close());
  if (measured.kernels.length === 0) return undefined;
  const device = measured.device?.name;
  const series = await seriesFor(store, steps, sources, device, basename(report));
  const copy = join(store, `.${randomBytes(6).toString('hex')}.fetched`);
  const stem = basename(report).replace(/\.[^.]*$/, '');
  const name = await whileLocked(join(store, 'reports'), async () => {
    await copyContent(report, copy);
    return giveFreeName(copy, (taken) => freeReportName(taken, stem));
  });
  await copyContent(disassemblyPath(report), disassemblyPath(join(store, name))).catch(() => undefined);
  return addStep(
    store,
    {
      time: (await modifiedAt(report)).toISOString(),
      host: '',
      ...(device !== undefined && { device }),
      report: name,
      program: '',
      buildCommand: '',
      collectCommand: '',
      folders: [],
      kernels: kernelsOf(measured),
      notes: [`Opened report ${basename(report)}.`],
      series,
    },
    sources,
    folder,
  );
}

async function holdsContent(store: string, steps: readonly Step[], report: string): Promise<boolean> {
  if (dirname(report) === store) return true;
  for (const step of steps) {
    const path = reportPath(store, step);
    if (path !== undefined && (await haveSameContent(path, report))) return true;
  }
  return false;
}

/** The series on the same GPU with a step of the most similar sources; a new one where none is similar enough. */
async function seriesFor(
  store: string,
  steps: readonly Step[],
  sources: readonly SourceText[],
  device: string | undefined,
  report: string,
): Promise<string> {
  let best: { readonly series: string; readonly kept: number } | undefined;
  const seen = new Set<string>();
  for (const step of steps) {
    const content = [seriesNameOf(step), ...step.sources.map(({ sha256 }) => sha256)].join();
    if (step.device !== device || seen.has(content)) continue;
    seen.add(content);
    const before = await textsOf(store, step);
    const kept = keptOf(before, sources);
    const isThere = before.some((one) => isKernelSource(one) && sources.some(({ path }) => path === one.path));
    if (kept >= (isThere ? resemblance : renamedResemblance) && kept > (best?.kept ?? 0))
      best = { series: seriesNameOf(step), kept };
  }
  if (best) return best.series;
  // Series are kept by name: two programs whose files have one name are two series.
  const taken = new Set(steps.map(seriesNameOf));
  const name = nameOf((sources.find(isKernelSource) ?? sources[0])?.path ?? report);
  for (let count = 1; ; count++) {
    const free = count === 1 ? name : `${name} (${count})`;
    if (!taken.has(free)) return free;
  }
}

/** How much of a program's sources with kernels is in those of another, from 0 to 1. Other files do not count. */
function keptOf(before: readonly SourceText[], after: readonly SourceText[]): number {
  const later = after.filter(isKernelSource);
  let all = 0;
  let kept = 0;
  for (const { text } of before.filter(isKernelSource)) {
    all += text.length;
    kept += text.length * Math.max(0, ...later.map((other) => carryLines(text, other.text).kept));
  }
  return all === 0 ? 0 : kept / all;
}
