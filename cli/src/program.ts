// The command line: commands, their errors, their exit codes.
import { Command, CommanderError, Help } from 'commander';
import { version } from '../../package.json';
import { BadUse } from './badUse';
import type { Terminal } from './options';

/** Loaded when they are asked for: help and short commands do not parse the analysis. */
const commands: readonly {
  readonly term: string;
  readonly description: string;
  readonly load: () => Promise<(program: Command, terminal: Terminal) => void>;
}[] = [
  {
    term: 'check [options] <paths...>',
    description:
      'Report the lines that waste the GPU. Exit code 0: no warnings or errors; 1: warnings or errors; 2: bad use, ' +
        'input that cannot be read, or no sources.',
    load: async () => (await import('./check')).registerCheck,
  },
  {
    term: 'diff [options] <base> [head]',
    description:
      'Compare the predicted memory traffic of the kernels of two versions, without a GPU. Exit code 0: the gate ' +
        'passes, or there is none; 1: it fails; 2: bad use.',
    load: async () => (await import('./diff/diff')).registerDiff,
  },
  {
    term: 'model [options] <file>',
    description:
      'Print the kernels, launches and memory accesses of a file with their sectors and wavefronts, and the ' +
        'OpenACC loops with their levels and iterations',
    load: async () => (await import('./model')).registerModel,
  },
  {
    term: 'feedback [options] <log> <paths...>',
    description:
      'Print the remarks of a compiler on OpenACC loops as FILE:LINE: COMPILER: SENTENCE. nvc names functions but ' +
        'no files in its messages: name the sources.',
    load: async () => (await import('./feedback')).registerFeedback,
  },
  {
    term: 'rules [options]',
    description: 'List the rules',
    load: async () => (await import('./rules')).registerRules,
  },
  {
    term: 'explain <id>',
    description: 'Print the page of a rule',
    load: async () => (await import('./rules')).registerExplain,
  },
  {
    term: 'report [options] <report>',
    description:
      'show what an Nsight Compute report (.ncu-rep) measured on each line, or a timeline of Nsight Systems; needs ' +
        'no NVIDIA software',
    load: async () => (await import('./report')).registerReport,
  },
  {
    term: 'resources [options] <files...>',
    description:
      'Print the registers, local and shared memory of the kernels of built programs as JSON, or compare them with ' +
        'a kept file. Exit code 0: equal; 1: a kernel takes more, or the file is out of date; 2: bad use.',
    load: async () => (await import('./resources')).registerResources,
  },
  {
    term: 'profile [options] [files...]',
    description: 'build and run a program under Nsight Compute, here or on a GPU host, and show which lines cost what',
    load: async () => (await import('./profile')).registerProfile,
  },
  {
    term: 'measure [options] <place...>',
    description:
      'measure the gain of a fix: build and run the program with and without it in scratch copies, compare the ' +
        'outputs, time the kernels',
    load: async () => (await import('./measure')).registerMeasure,
  },
  {
    term: 'sweep [options] <place...>',
    description:
      'measure values of a number in a line: a block size, num_workers or vector_length, an integer constant',
    load: async () => (await import('./measure')).registerSweep,
  },
  {
    term: 'mcp [options] [folder]',
    description: 'Serve coding agents: findings, kernel figures, reports and comparisons, over standard input',
    load: async () => (await import('./mcp/mcp')).registerMcp,
  },
];

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
  const terms = new Map(commands.map(({ term }) => [term.split(' ')[0], term]));
  program.configureHelp({
    subcommandTerm: (command) => terms.get(command.name()) ?? new Help().subcommandTerm(command),
  });
  const words = args.filter((argument) => !argument.startsWith('-'));
  const asked = words[0] === 'help' ? words[1] : words[0];
  for (const { term, description, load } of commands) {
    const name = term.split(' ')[0]!;
    if (name === asked) (await load())(program, terminal);
    else program.command(name);
    program.commands.at(-1)!.description(description);
  }
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
