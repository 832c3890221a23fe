// Shared by the commands: the flags of the analysis, and the destination of output.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { Option, type Command } from 'commander';
import { BadUse } from './badUse';
import { createFile, replaceFile } from './replaceFile';
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
  writeWhole(file, output === '' ? '' : `${cleanOutput(output)}\n`);
}

/** Writes a file that nothing else is known of: all of it, or what was there stays. Throws BadUse if that fails. */
export function writeWhole(file: string, text: string): void {
  const bytes = Buffer.from(text, 'utf8');
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    if (!found) createFile(file, bytes);
    else if (found.isFile()) replaceFile(file, readFileSync(file), bytes);
    else writeFileSync(file, bytes);
  } catch (error) {
    throw new BadUse(`${file} cannot be written (${whyNotWritten(error)}).`);
  }
}

/** What the system reports, in words where a next step follows from it. */
export function whyNotWritten(error: unknown): string {
  const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
  const reasons: Readonly<Record<string, string>> = {
    ENOSPC: 'the disk is full',
    EDQUOT: 'the disk is full',
    EFBIG: 'it would be larger than the limit on files',
    ENOENT: 'its folder does not exist',
  };
  return reasons[code] ?? code;
}
