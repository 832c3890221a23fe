// What the commands share: the flags of the analysis, and the terminal they write to.
import { Option, type Command } from 'commander';

export interface Terminal {
  /** Results, to standard output. */
  print(text: string): void;
  /** Remarks, to standard error. */
  note(sentence: string): void;
  readonly colour: boolean;
  exitCode: number;
}

/** Values of an option that may be repeated or hold several, parted by commas. */
export function commaList(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [
    ...(previous ?? []),
    ...value
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ];
}

/** Values of an option that may be repeated, taken as they are. */
export function repeated(value: string, previous: readonly string[] | undefined): readonly string[] {
  return [...(previous ?? []), value];
}

export function analyseFlags(command: Command): Command {
  return command
    .addOption(new Option('-D, --define <name=value>', 'define a macro (repeat for several)').argParser(repeated))
    .addOption(
      new Option('-I, --include-dir <folder>', 'look for included files here (repeat for several)').argParser(repeated),
    )
    .option('--gpu <name>', 'the GPU that figures are for: a name (H100), an architecture (sm_90), or auto', 'auto')
    .option('--no-compile-commands', 'do not read compile_commands.json');
}
