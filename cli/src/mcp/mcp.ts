// warplens mcp: starts the server of the Model Context Protocol for one folder.
import { realpathSync, statSync } from 'node:fs';
import type { Command } from 'commander';
import { readAnalysisFlags, type AnalysisFlags } from '../analysis';
import { addOptions, type Terminal } from '../options';
import { BadUse } from '../source';

interface McpFlags extends AnalysisFlags {
  readonly allowMeasure?: boolean;
  readonly register?: string;
  readonly unregister?: string;
}

export function registerMcp(program: Command, terminal: Terminal): void {
  addOptions(program.command('mcp'), 'mcp', 'analysis')
    .argument('[folder]', 'the folder whose files agents may ask about', '.')
    .action(async (folder: string, flags: McpFlags) => {
      if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
        throw new BadUse(`There is no folder "${folder}".`);
      const root = realpathSync(folder);
      const { register, unregister } = flags;
      if (register !== undefined || unregister !== undefined) {
        const { changeRegistration } = await import('./register');
        if (unregister !== undefined) terminal.print(changeRegistration(root, unregister, false));
        if (register !== undefined) terminal.print(changeRegistration(root, register, true));
        return;
      }
      const analysis = readAnalysisFlags(flags);
      // Loaded only here: no other command needs the protocol.
      const { serve } = await import('./serve');
      await serve({ root, analysis }, flags.allowMeasure === true);
    });
}
