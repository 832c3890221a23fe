// warplens feedback: a compiler's remarks, one per line with file and line, for people and problem matchers.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { openWorkspace, readAnalysisFlags, uriOf, type AnalysisFlags } from './analysis';
import { readCompilerLogFile } from './compilerFeedback';
import { addOptions, type Terminal } from './options';
import { BadUse, displayPath, findSources } from './source';

const compilerNames = { nvhpc: 'nvc', gcc: 'GCC', flang: 'flang' } as const;

export function registerFeedback(program: Command, terminal: Terminal): void {
  addOptions(program.command('feedback'), 'analysis')
    .argument(
      '<log>',
      'output of nvc -Minfo=accel or gcc -fopt-info-omp, a *.opt-record.json.gz, or - for standard input',
    )
    .argument('<paths...>', 'source files and folders that were compiled')
    .action(async (log: string, paths: string[], flags: AnalysisFlags) => {
      terminal.exitCode = await feedback(log, paths, flags, terminal);
    });
}

async function feedback(
  log: string,
  paths: readonly string[],
  flags: AnalysisFlags,
  terminal: Terminal,
): Promise<number> {
  const workspace = await openWorkspace(readAnalysisFlags(flags), (sentence) => terminal.note(sentence));
  let text: string;
  try {
    text = log === '-' ? readFileSync(0, 'utf8') : readCompilerLogFile(log);
  } catch (error) {
    if (error instanceof BadUse) throw error;
    throw new BadUse('Standard input is empty.');
  }
  const remarks = workspace.takeCompilerLog(log, text);
  if (remarks === 0)
    throw new BadUse(
      'The log has no remarks on accelerator loops. Build with -Minfo=accel (nvc, nvc++, ' +
        'nvfortran) or -fopt-info-omp (GCC).',
    );
  let placed = 0;
  for (const { path, text: source } of findSources(paths, (sentence) => terminal.note(sentence))) {
    const uri = uriOf(path);
    await workspace.ready(uri);
    for (const remark of workspace.analyse(uri, { text: source, version: 1 })?.remarks ?? []) {
      placed++;
      terminal.print(`${displayPath(path)}:${remark.line}: ${compilerNames[remark.compiler]}: ${remark.text}`);
    }
    workspace.forget(uri);
  }
  terminal.note(`${placed} of ${remarks}remarks belong to these files.`);
  return 0;
}
