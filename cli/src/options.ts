// Shared by the commands: the flags of the analysis, and the destination of output.
import { Option, type Command } from 'commander';
import { replaceFile } from './replaceFile';
import { cleanOutput } from './terminalText';

export interface Terminal {
  /** Results, to standard output. */
  print(text: string): void;
  /** Remarks, to standard error. */
  note(sentence: string): void;
  readonly colour: boolean;
  /** All of standard input. */
  input?(): string;
  exitCode: number;
}

/** Values of an option that may be repeated or hold several, separated by commas. */
export function commaList(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [
    ...(previous ?? []),
    ...value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ];
}

/** Values of a repeatable option, unchanged. */
export function repeated(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

export function analyseFlags(command: Command): Command {
  return command
    .addOption(new Option('-D, --define <name=value>', 'define a macro (repeat for several)').argParser(repeated))
    .addOption(
      new Option('-I, --include-dir <folder>', 'look for included files here (repeat for several)').argParser(repeated),
    )
    .option('--gpu <name>', 'the GPU that figures are for: a name (H100), an architecture (sm_90), or auto')
    .option('--no-compile-commands', 'do not read compile_commands.json');
}

export function excludeOption(): Option {
  return new Option(
    '--exclude <pattern>',
    'do not check these files and folders; a pattern as in .gitignore, relative to the working directory ' +
      '(repeat for several)',
  ).argParser(repeated);
}

/** Prints a report, or writes it to the requested file. Throws BadUse if that fails. */
export function report(output: string, file: string | undefined, terminal: Terminal): void {
  if (file === undefined) {
    if (output !== '') terminal.print(output);
    return;
  }
  replaceFile(file, file, output === '' ? '' : `${cleanOutput(output)}\n`);
}
