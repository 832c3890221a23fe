// A compiler's log as remarks, before it is known which file each belongs to.
import type { CompilerRemark } from './remark';

export interface CompilerLog {
  readonly remarks: readonly LoggedRemark[];
  /** Source files that compile commands and headings of the log name, as written, each once. */
  readonly sources: readonly string[];
}

export interface LoggedRemark {
  readonly remark: CompilerRemark;
  /** The file as the log writes it, where the log says which. */
  readonly file?: string;
  /** The heading that it is under, as printed: a function's name, in C++ with its parameters. */
  readonly unit?: string;
  /** Which heading of the log that is: remarks under one heading share it. */
  readonly heading?: number;
  /** Sources of the compile command that came last before the heading. */
  readonly compiled?: readonly string[];
}

/** Colours and links that compilers write for terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the codes open with the control character Escape.
export const terminalCodes = /\u001b\[[\d;]*[A-Za-z]|\u001b\]8;;.*?(?:\u001b\\|\u0007)/g;

const sourceFile = /^[^-=].*\.(?:c|cc|cpp|cxx|c\+\+|cu|f|for|ftn|f77|f90|f95|f03|f08)$/i;
const compilers = new RegExp(
  [
    String.raw`^(?:nvc|nvc\+\+|nvfortran|pgcc|pgc\+\+|pgCC|pgfortran|pgf77|pgf90|pgf95|mpi\w+|ftn|cc|CC|c\+\+`,
    String.raw`(?:[\w.-]+-)?(?:gcc|g\+\+|gfortran)(?:-[\d.]+)?|nvcc|ccache|sccache)$`,
  ].join('|'),
);

/** True of a name that ends as a source file's does. */
export function isSource(name: string): boolean {
  return sourceFile.test(name) && !name.includes('(');
}

/** The sources that a line of a build log compiles; undefined for a line that is not a compile command. */
export function sourcesCompiled(line: string): readonly string[] | undefined {
  const building = /Building (?:C|CXX|Fortran) object .*?\.dir\/(.+?)\.o(?:bj)?\s*$/.exec(line);
  if (building) return [building[1]!.replaceAll('__/', '../')];
  if (!/\s/.test(line.trim()) || !/[.][cfFC]/.test(line)) return undefined;
  const words = line
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/^["']|["']$/g, ''));
  if (!words.some((word) => compilers.test(word.split(/[\\/]/).at(-1)!))) return undefined;
  const named = words.filter((word, index) => isSource(word) && words[index - 1] !== '-o');
  return named.length > 0 ? named : undefined;
}
