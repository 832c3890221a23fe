// warplens doctor: what checks and profiles find of a project and of a machine, each with the next step.
import type { Command } from 'commander';
import { version } from '../../package.json';
import { type CheckRow, showChecks } from '../../profiler/src/preflight/checks';
import { preflight } from '../../profiler/src/preflight/preflight';
import { openHost } from '../../profiler/src/transport/openHost';
import { ProfileProblem } from '../../profiler/src/transport/problem';
import { findCompileCommands } from '../../server/src/workspace/compileCommands';
import { configurationName } from '../../server/src/workspace/configurationFile';
import { isIncludeNote } from '../../server/src/workspace/includeNotes';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { openWorkspace, uriOf } from './analysis';
import { resultsOf } from './checkResults';
import { BadUse } from './badUse';
import { addOptions, type Terminal } from './options';
import type { RunFlags } from './profile';
import { displayPath, findSources, type Source } from './source';

type HostFlags = Pick<RunFlags, 'host' | 'launcher'>;

export function registerDoctor(program: Command, terminal: Terminal): void {
  addOptions(program.command('doctor'), 'doctor')
    .argument('[folder]', 'the project', '.')
    .action(async (folder: string, flags: HostFlags) => {
      const name = `Warplens ${version}, Node ${process.versions.node}`;
      terminal.print(`${name}\n\nThe project: ${displayPath(folder)}`);
      terminal.print(showChecks(await projectChecks(folder)));
      terminal.print('For profiles and measured fixes; checks need none of it:');
      terminal.print(showChecks(await machineChecks(flags)).trimEnd());
    });
}

async function projectChecks(folder: string): Promise<CheckRow[]> {
  const rows: CheckRow[] = [];
  const add = (name: string, text: string, nextStep?: string): void => {
    rows.push({ name, verdict: nextStep === undefined ? 'good' : 'note', text, ...(nextStep && { nextStep }) });
  };
  const skipped: string[] = [];
  const sources = findSources([folder], (sentence) => skipped.push(sentence), {
    unreadable: (_, sentence) => skipped.push(sentence),
  });
  const [first] = sources;
  if (!first) {
    const found = skipped[0] ?? `No CUDA or OpenACC sources in "${folder}".`;
    add('sources', found, 'Name the folder that has them: warplens doctor FOLDER');
    return rows;
  }
  const files = (count: number): string => `${count} ${count === 1 ? 'file' : 'files'}`;
  add('sources', `${files(sources.length)} with CUDA or OpenACC`);
  for (const sentence of skipped.slice(0, 3)) add('sources', sentence, 'Save it as UTF-8 text, or exclude it.');
  const complaints: string[] = [];
  const workspace = await openWorkspace({}, (sentence) => complaints.push(sentence));
  const uri = uriOf(first.path);
  const configuration = workspace.configurationOf(uri);
  add('settings', configuration ? displayPath(configuration.path) : `no ${configurationName}: the defaults hold`);
  const database = findCompileCommands(nodeFileSystem, first.path, (sentence) => complaints.push(sentence));
  if (database) {
    const listed = sources.filter(({ path }) => database.lists(path)).length;
    const text = `${displayPath(database.path)} lists ${listed} of ${files(sources.length)}`;
    add('build', text, listed === 0 ? 'Generate it again: it is of another folder, or out of date.' : undefined);
  } else
    add(
      'build',
      'There is no compile_commands.json: flags come from a Makefile beside each file, if there is one.',
      'cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, or `bear -- make`',
    );
  add('gpu', `Figures are for ${workspace.gpuOf(uri).name}; --gpu or "gpu" in ${configurationName} chooses another`);
  // A project's first sources include what all do.
  const read = sources.slice(0, 20);
  const missing = await missingHeaders(read, folder);
  if (missing.length === 0) add('headers', `all found of ${files(read.length)}`);
  else
    add('headers', missing.slice(0, 4).join(' '), `-I FOLDER, or "includeFolders" in ${configurationName}, for theirs`);
  for (const sentence of new Set(complaints)) add('settings', sentence, 'Correct the file.');
  return rows;
}

async function missingHeaders(sources: readonly Source[], folder: string): Promise<string[]> {
  const settings = { analysis: {}, quiet: { below: [folder] }, feedback: [] };
  const results = await resultsOf(sources, settings, { cache: true });
  const notes = results.flatMap((result, at) =>
    result.notes
      .filter(({ text }) => isIncludeNote(text))
      .map(({ text, line }) => [text, `${displayPath(sources[at]!.path)}:${line}: ${text}`] as const),
  );
  // The first place of each header.
  return [...new Map([...notes].reverse()).values()].reverse();
}

async function machineChecks({ host: destination, launcher }: HostFlags): Promise<CheckRow[]> {
  try {
    const host = await openHost({ destination, launcher });
    try {
      const { facts, checks } = await preflight(host, { needsNvcc: true, locksClocks: false });
      const others = [
        ['nvdisasm', facts.nvdisasm, 'SASS beside the source'],
        ['sanitizer', facts.sanitizer, 'errors found by running'],
        ['nsys', facts.nsys, 'timelines'],
      ] as const;
      const rows = others.map(([name, path, purpose]): CheckRow => {
        if (path) return { name, verdict: 'good', text: path };
        return { name, verdict: 'note', text: `not found: it serves ${purpose}`, nextStep: 'It is part of CUDA.' };
      });
      return [...checks, ...rows];
    } finally {
      await host.close();
    }
  } catch (error) {
    if (!(error instanceof ProfileProblem)) throw error;
    if (error.kind === 'bad-setting') throw new BadUse(`${error.message} ${error.nextStep}`);
    return [{ name: 'host', verdict: 'bad', text: error.message, nextStep: error.nextStep }];
  }
}
