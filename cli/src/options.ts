// Shared by the commands: the flags of the analysis, and the destination of output.
import { InvalidArgumentError, Option, type Command } from 'commander';
import { splitWords } from '../../profiler/src/transport/quoting';
import texts from './options.json';
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

interface OptionText {
  readonly flags: string;
  readonly does: string;
  readonly default?: string | number | readonly string[];
  readonly takes?: keyof typeof parsers;
  readonly hidden?: boolean;
}

/** Adds the options of groups in `options.json`. */
export function addOptions(command: Command, ...groups: readonly (keyof typeof texts)[]): Command {
  for (const { flags, does, default: usual, takes, hidden } of groups.flatMap(
    (group): OptionText[] => texts[group] as OptionText[],
  )) {
    const option = new Option(flags, does).hideHelp(hidden === true);
    if (usual !== undefined) option.default(usual);
    command.addOption(
      takes ? option.argParser<unknown>(parsers[takes] as (value: string, before: unknown) => unknown) : option,
    );
  }
  return command;
}

/** What the values of options are: refused ones throw InvalidArgumentError. */
const parsers = {
  /** Of an option that may be repeated, unchanged. */
  each: (value: string, before: readonly string[] = []) => [...before, value],
  /** Of one that may be repeated or hold several, separated by commas. */
  list: (value: string, before: readonly string[] = []) => [...before, ...commaList(value)],
  words(text: string): string[] {
    try {
      return splitWords(text);
    } catch (error) {
      throw new InvalidArgumentError((error as Error).message);
    }
  },
  count(text: string): number {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < 1) throw new InvalidArgumentError('Use a whole number above 0.');
    return value;
  },
  share(text: string): number {
    const value = Number(text);
    if (!(value >= 0 && value < 1)) throw new InvalidArgumentError('Use a number from 0 to below 1, such as 1e-6.');
    return value;
  },
  numbers(text: string): number[] {
    const values = commaList(text).map(Number);
    if (values.some((value) => !Number.isSafeInteger(value) || value < 1))
      throw new InvalidArgumentError('Use whole numbers above 0, separated by commas.');
    return [...new Set(values)];
  },
};

export function commaList(text: string): string[] {
  return text.split(',').flatMap((part) => part.trim() || []);
}

/** Prints a report, or writes it to the requested file. Throws BadUse if that fails. */
export function report(output: string, file: string | undefined, terminal: Terminal): void {
  if (file === undefined) {
    if (output !== '') terminal.print(output);
    return;
  }
  replaceFile(file, file, output === '' ? '' : `${cleanOutput(output)}\n`);
}
