// The command line: commands, their errors, their exit codes.
import { Command, CommanderError } from 'commander';
import { version } from '../../package.json';
import { registerCheck } from './check';
import { registerDiff } from './diff/diff';
import { registerFeedback } from './feedback';
import { registerMcp } from './mcp/mcp';
import { registerMeasure } from './measure';
import { registerModel } from './model';
import type { Terminal } from './options';
import { registerProfile } from './profile';
import { registerReport } from './report';
import { registerResources } from './resources';
import { registerRules } from './rules';
import { BadUse } from './source';

/**
 * Runs `warplens ARGS…` and returns the exit code: 0 clean, 1 findings, 2 bad use or a failure, reported in one
 * sentence.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command('warplens')
    .description('Which lines of CUDA code waste the GPU, and why.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
    });
  registerCheck(program, terminal);
  registerDiff(program, terminal);
  registerModel(program, terminal);
  registerFeedback(program, terminal);
  registerRules(program, terminal);
  registerReport(program);
  registerResources(program, terminal);
  registerProfile(program);
  registerMeasure(program);
  registerMcp(program);
  for (const command of program.commands) command.exitOverride().configureOutput(program.configureOutput());
  try {
    await program.parseAsync(args, { from: 'user' });
    // The report command sets the exit code of the process.
    return terminal.exitCode || Number(process.exitCode ?? 0);
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
    terminal.note(
      'warplens: ' +
        `${error instanceof BadUse ? error.message : `failed: ${error instanceof Error ? error.message : String(error)}`}`,
    );
    return 2;
  }
}
