// warplens mcp: starts the server of the Model Context Protocol for one folder.
import { realpathSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { readAnalysisFlags, type AnalysisFlags } from '../analysis';
import { analyseFlags } from '../options';
import { BadUse } from '../source';

interface McpFlags extends AnalysisFlags {
  readonly allowMeasure?: boolean;
}

export function registerMcp(program: Command): void {
  analyseFlags(program.command('mcp'))
    .description('Serve coding agents: findings, figures of kernels, reports and comparisons, over standard input')
    .argument('[folder]', 'the folder whose files may be asked about', '.')
    .option('--allow-measure', 'let agents build and run programs of the folder, each time after you agreed')
    .action(async (folder: string, flags: McpFlags) => {
      if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
        throw new BadUse(`There is no folder "${folder}".`);
      const root = realpathSync(folder);
      const analysis = readAnalysisFlags(flags);
      // Loaded here alone: no other command needs the protocol.
      const { serve } = await import('./serve');
      await serve({ root, analysis }, flags.allowMeasure === true);
    });
}
