// warplens diff: the effect of a change on each kernel's predicted traffic, and a gate on it, without a GPU.
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Comparison } from '../../../server/src/comparison/compare';
import { breachesOf, needsResources, parseGate, type Breach } from '../../../server/src/comparison/gate';
import { defaultGpu, gpuByName } from '../../../server/src/semantic/gpus';
import { configurationName, createConfigurationFiles } from '../../../server/src/workspace/configurationFile';
import { unobserved } from '../../../server/src/workspace/observedFiles';
import { placeFinder, readAnalysisFlags, uriOf, type AnalysisFlags } from '../analysis';
import { codeQualityOf } from '../codeQuality';
import { addOptions, report, type Terminal } from '../options';
import { sarifOf } from '../sarif';
import { BadUse } from '../source';
import { cleanJson } from '../terminalText';
import { compareSides } from './analyse';
import { filesOfDiff, jsonOfDiff } from './json';
import { compileSides, noResources, type Compiled } from './resources';
import { openSides, shownPath, type Sides } from './sides';
import { markdownOfDiff, textOfDiff, type Told } from './text';
import { summaryOf } from './words';

const formats = ['text', 'markdown', 'json', 'sarif', 'codequality'] as const;

interface DiffFlags extends AnalysisFlags {
  readonly format: string;
  readonly gate?: readonly string[];
  readonly resources?: boolean;
  readonly exclude?: readonly string[];
  readonly outputFile?: string;
  readonly exitZero?: boolean;
  readonly cache?: boolean;
}

export function registerDiff(program: Command, terminal: Terminal): void {
  addOptions(program.command('diff'), 'analysis', 'diff')
    .argument('<base>', 'a revision of git, a range (main...HEAD), or a folder')
    .argument('[head]', 'another revision or folder (default: the working tree)')
    .action(async (base: string, head: string | undefined, flags: DiffFlags) => {
      terminal.exitCode = await diff(base, head, flags, terminal);
    });
}

async function diff(base: string, head: string | undefined, flags: DiffFlags, terminal: Terminal): Promise<number> {
  if (!(formats as readonly string[]).includes(flags.format))
    throw new BadUse(`Unknown format "${flags.format}". Use ${formats.join(', ')}.`);
  const conditions = flags.gate === undefined ? [] : parseGate(flags.gate.join(','));
  if ('problem' in conditions) throw new BadUse(conditions.problem);
  const analysis = readAnalysisFlags(flags);
  const sides = openSides(base, head);
  const settings = {
    analysis,
    quiet: { below: [sides.top] },
    exclude: flags.exclude,
    keep: flags.cache !== false,
  };
  const {
    comparison,
    files,
    notes: unread,
  } = await compareSides(sides, settings, (sentence) => terminal.note(sentence));
  const compiled = await compiledOf(
    sides,
    comparison,
    flags.resources === true || needsResources(conditions),
    analysis,
  );
  const breaches: readonly Breach[] = [
    ...breachesOf(conditions, comparison, compiled.resourcesOf),
    ...(needsResources(conditions)
      ? compiled.failures.map((sentence) => ({ condition: conditions.find((one) => needsResources([one]))!, sentence }))
      : []),
  ];
  const notes = [...unread, ...(needsResources(conditions) ? [] : compiled.failures)];
  const told: Told = {
    comparison,
    breaches,
    resourcesOf: compiled.resourcesOf,
    labels: { before: sides.before.label, after: sides.after.label },
    summary: summaryOf(comparison, files),
    notes,
  };
  const output = outputOf(told, flags.format, sides, terminal.colour && flags.outputFile === undefined);
  report(output, flags.outputFile, terminal);
  if (flags.format === 'text') {
    for (const note of notes) terminal.note(note);
    terminal.note(told.summary);
  }
  return breaches.length > 0 && !flags.exitZero ? 1 : 0;
}

function outputOf(told: Told, format: string, sides: Sides, colour: boolean): string {
  switch (format) {
    case 'json':
      return jsonOfDiff(told);
    case 'markdown':
      return markdownOfDiff(told);
    case 'sarif':
    case 'codequality': {
      const textOf = (path: string): string | undefined => sides.after.files.read(path)?.text;
      const files = filesOfDiff(told.comparison, (path) => join(sides.top, path), textOf);
      const placeOf = placeFinder(new Map(files.map(({ path, text }) => [uriOf(path), text])));
      return cleanJson(format === 'sarif' ? sarifOf(files, placeOf, []) : codeQualityOf(files, placeOf));
    }
    default:
      return textOfDiff(told, colour);
  }
}

async function compiledOf(
  sides: Sides,
  comparison: Comparison,
  wanted: boolean,
  analysis: ReturnType<typeof readAnalysisFlags>,
): Promise<Compiled> {
  if (!wanted) return { resourcesOf: noResources, failures: [] };
  const project = createConfigurationFiles(sides.after.files, unobserved).of(join(sides.top, configurationName));
  const { computeCapability } = gpuByName(analysis.gpu ?? project?.gpu ?? '') ?? defaultGpu;
  const changed = new Set(
    sides.changed.flatMap((each) =>
      [each.before, each.after].flatMap((path) => (path === undefined ? [] : shownPath(sides.top, path))),
    ),
  );
  // A kernel in an unchanged file may include a changed header.
  const pairs = comparison.pairs.filter(
    (pair) =>
      changed.has(pair.after.at.path) ||
      changed.has(pair.before.at.path) ||
      comparison.changed.some(({ after }) => after === pair.after),
  );
  return compileSides(sides, pairs, analysis, `sm_${Math.round(computeCapability * 10)}`);
}
