// warplens mcp: starts the server of the Model Context Protocol for one folder.
import { realpathSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { readAnalysisFlags, type AnalysisFlags } from '../analysis';
import { addOptions } from '../options';
import { BadUse } from '../source';

interface McpFlags extends AnalysisFlags {
  readonly allowMeasure?: boolean;
}

export function registerMcp(program: Command): void {
  addOptions(program.command('mcp'), 'analysis')
    .argument('[folder]', 'the folder whose files agents may ask about', '.')
    .option('--allow-measure', 'let agents build and run programs of the folder; you confirm each run')
    .action(async (folder: string, flags: McpFlags) => {
      if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
        throw new BadUse(`There is no folder "${folder}".`);
      const root = realpathSync(folder);
      const analysis = readAnalysisFlags(flags);
      // Loaded only here: no other command needs the protocol.
      const { serve } = await import('./serve');
      await serve({ root, analysis }, flags.allowMeasure === true);
    });
}
