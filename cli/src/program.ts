// The command line: commands, their errors, their exit codes.
import { Command, CommanderError } from 'commander';
import { version } from '../../package.json';
import { BadUse } from './badUse';
import descriptions from './commands.json';
import { addOptions, type Terminal } from './options';

/** The code of each command: help and short commands do not load the analysis. */
const loaders: Readonly<Record<string, () => Promise<(program: Command, terminal: Terminal) => void>>> = {
  check: async () => (await import('./check')).registerCheck,
  diff: async () => (await import('./diff/diff')).registerDiff,
  model: async () => (await import('./model')).registerModel,
  feedback: async () => (await import('./feedback')).registerFeedback,
  rules: async () => (await import('./rules')).registerRules,
  explain: async () => (await import('./rules')).registerExplain,
  report: async () => (await import('./report')).registerReport,
  resources: async () => (await import('./resources')).registerResources,
  profile: async () => (await import('./profile')).registerProfile,
  measure: async () => (await import('./measure')).registerMeasure,
  sweep: async () => (await import('./measure')).registerSweep,
  doctor: async () => (await import('./doctor')).registerDoctor,
  completion: async () => {
    const { registerCompletion } = await import('./completion');
    return (program, terminal) => registerCompletion(program, terminal, (all) => addCommands(all, terminal));
  },
  // Started by main.ts: this is for help and completion.
  server: async () => (program) => void addOptions(program.command('server'), 'server'),
  mcp: async () => (await import('./mcp/mcp')).registerMcp,
};
const commands: Readonly<Record<string, { readonly takes: string; readonly does: string }>> = descriptions;

/** Adds the commands: with their options, which takes the code of each, all of them or the named one. */
async function addCommands(program: Command, terminal: Terminal, asked?: string): Promise<void> {
  for (const [name, load] of Object.entries(loaders)) {
    if (asked === undefined || name === asked) (await load())(program, terminal);
    else program.command(name);
    program.commands.at(-1)!.description(commands[name]!.does);
  }
}

/**
 * Runs `warplens ARGS…` and returns the exit code: 0 clean, 1 findings, 2 bad use or a failure, reported in one
 * sentence.
 */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const program = new Command('warplens')
    .description('Which lines of CUDA and OpenACC code waste the GPU, and why.')
    .version(version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.print(text.trimEnd()),
      writeErr: (text) => terminal.note(text.trimEnd()),
    });
  program.configureHelp({
    subcommandTerm: (command) => `${command.name()} ${commands[command.name()]?.takes ?? '[command]'}`,
  });
  const words = args.filter((argument) => !argument.startsWith('-'));
  const asked = words[0] === 'help' ? words[1] : words[0];
  await addCommands(program, terminal, asked ?? '');
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
