/**
 * Compiler output → errors on their lines: nvcc's front end, its host compiler, ptxas, the linkers, NVIDIA's HPC
 * compilers, gfortran.
 */

export interface CompilerMessage {
  readonly severity: 'error' | 'warning' | 'note';
  /** File as the compiler wrote it; absent for messages of a linker or of ptxas that name none. */
  readonly file?: string;
  /** From 1. */
  readonly line?: number;
  /** From 1, in characters; absent when the compiler gave none that fits the source. */
  readonly column?: number;
  readonly message: string;
  /** The tool's own number for it, e.g. `20` or `177-D`. */
  readonly code?: string;
}

/**
 * Reads what a build printed. `sourceLine` gives a line of a file (1-based) without its end, when it is at hand: nvcc
 * shows the line with its own macros expanded, so its caret only counts where the shown text is the written one.
 */
export function readCompilerOutput(
  text: string,
  sourceLine: (file: string, line: number) => string | undefined = () => undefined,
): CompilerMessage[] {
  const lines = text.split(/\r?\n/);
  const messages: CompilerMessage[] = [];
  const seen = new Set<string>();
  const add = (message: CompilerMessage) => {
    // A file compiled for several architectures says everything several times.
    const key = JSON.stringify(message);
    if (seen.has(key)) return;
    seen.add(key);
    messages.push(message);
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!;

    // file.cu(12): error: … and file.cu(12): error #20: …, with the source line and a caret below.
    let match = /^(.+?)\((\d+)\): (catastrophic error|internal error|error|warning|remark)(?: #([\w-]+))?: (.*)$/.exec(
      line,
    );
    if (match) {
      const file = match[1]!;
      const number = Number(match[2]);
      let message = match[5]!;
      let column: number | undefined;
      for (let below = at + 1; below < Math.min(at + 12, lines.length); below++) {
        if (/^\s*\^\s*$/.test(lines[below]!)) {
          column = columnOfCaret(lines[below - 1]!, lines[below]!.indexOf('^'), sourceLine(file, number));
          // The text between the message and the shown line continues the message.
          const more = lines
            .slice(at + 1, below - 1)
            .map((one) => one.trim())
            .filter((one) => one !== '');
          if (more.length > 0) message += ` ${more.join(' ')}`;
          at = below;
          break;
        }
        if (lines[below]!.trim() === '') break;
      }
      add({
        severity: severityOf(match[3]!),
        file,
        line: number,
        ...(column !== undefined && { column }),
        message,
        ...(match[4] !== undefined && { code: match[4] }),
      });
      continue;
    }

    // GCC and clang: file:12:5: error: …
    match = /^([^\s:][^:]*):(\d+):(?:(\d+):)? (fatal error|error|warning|note): (.*)$/.exec(line);
    if (match) {
      const column = match[3] === undefined ? undefined : Number(match[3]);
      add({
        severity: severityOf(match[4]!),
        file: match[1]!,
        line: Number(match[2]),
        ...(column !== undefined && { column }),
        message: match[5]!,
      });
      continue;
    }

    // gfortran: file.f90:5:3: alone on a line, then the source, a marker, and the message.
    match = /^([^\s:][^:]*):(\d+):(\d+):$/.exec(line);
    if (match) {
      for (let below = at + 1; below < Math.min(at + 8, lines.length); below++) {
        const said = /^(Fatal Error|Error|Warning): (.*)$/.exec(lines[below]!);
        if (!said) continue;
        add({
          severity: severityOf(said[1]!),
          file: match[1]!,
          line: Number(match[2]),
          column: Number(match[3]),
          message: said[2]!,
        });
        at = below;
        break;
      }
      continue;
    }

    // NVC++-S-0155-… (file.cpp: 12), NVFORTRAN-S-0034-… (file.f90: 5); S and F are errors, W warnings, I notes.
    match = /^NV(?:C|C\+\+|FORTRAN)-([A-Z])-(\d+)-(.*?)\s*\((.+?)(?:: (\d+))?\)$/.exec(line);
    if (match) {
      const severity = match[1] === 'W' ? 'warning' : match[1] === 'I' ? 'note' : 'error';
      add({
        severity,
        file: match[4]!,
        ...(match[5] !== undefined && { line: Number(match[5]) }),
        message: match[3]!,
        code: match[2]!,
      });
      continue;
    }

    // ptxas /tmp/x.ptx, line 12; error   : … is about a temporary file; ptxas error   : … names an entry function.
    match = /^ptxas (?:\S+, line \d+; )?(fatal|error|warning)\s*: (.*)$/.exec(line);
    if (match) {
      if (!/Ptx assembly aborted/.test(match[2]!))
        add({ severity: severityOf(match[1]!), message: `ptxas: ${match[2]!}` });
      continue;
    }
    match = /^(nvlink|nvcc|cudafe\+\+|fatbinary)\s+(fatal|error|warning)\s*: (.*)$/.exec(line);
    if (match) {
      add({ severity: severityOf(match[2]!), message: `${match[1]}: ${match[3]!}` });
      continue;
    }
    match = /^(cc1(?:plus)?|as): (fatal error|error): (.*)$/.exec(line);
    if (match) {
      add({ severity: 'error', message: `${match[1]}: ${match[3]!}` });
      continue;
    }
    match = /(?:undefined reference to|multiple definition of) [`'‘].*|cannot find -l\S+/.exec(line);
    if (match) {
      add({ severity: 'error', message: `ld: ${match[0]}` });
      continue;
    }
    match = /^make(?:\[\d+\])?: \*\*\* (No rule to make target .*|No targets.*)$/.exec(line);
    if (match) add({ severity: 'error', message: `make: ${match[1]!}` });
  }
  return messages;
}

/** `: ` and the first line about an error that no known compiler printed, else the last line; else a full stop. */
export function errorLine(printed: string): string {
  const lines = printed.split(/\r?\n/).filter((line) => /\S/.test(line) && !/^g?make(?:\[\d+\])?: /.test(line));
  const line = lines.find((one) => /\b(?:error|fatal)\b/i.test(one)) ?? lines.at(-1);
  return line === undefined ? '.' : `: ${line.trim()}`;
}

/** Libraries of the toolkit by what their functions begin with. */
const libraries: readonly (readonly [RegExp, string])[] = [
  [/^cublasLt/, 'cublasLt'],
  [/^cublas/, 'cublas'],
  [/^cufft/, 'cufft'],
  [/^curand/, 'curand'],
  [/^cusparse/, 'cusparse'],
  [/^cusolver/, 'cusolver'],
  [/^nvrtc/, 'nvrtc'],
  [/^nvml/, 'nvidia-ml'],
  [/^nccl/, 'nccl'],
  [/^cu[A-Z]/, 'cuda'],
  [/^omp_|^GOMP_/, 'gomp'],
];

/** The `-l` arguments whose libraries have the functions that a linker did not find. */
export function librariesFor(messages: readonly CompilerMessage[]): readonly string[] {
  const wanted = messages.flatMap(({ message }) => {
    const name = /ndefined reference to [`'‘]([\w:]+)/.exec(message)?.[1];
    return name === undefined ? [] : (libraries.find(([start]) => start.test(name))?.[1] ?? []);
  });
  return [...new Set(wanted)].map((library) => `-l${library}`);
}

function severityOf(word: string): CompilerMessage['severity'] {
  const lower = word.toLowerCase();
  if (lower === 'warning') return 'warning';
  return lower === 'note' || lower === 'remark' ? 'note' : 'error';
}

/** The front end shows the line two columns to the right, its own macros expanded up to the caret. */
function columnOfCaret(shown: string, caret: number, written: string | undefined): number | undefined {
  const indent = 2;
  if (caret < indent) return undefined;
  const text = shown.slice(indent).trimEnd();
  if (written === undefined) return /__attribute__|__builtin/.test(text) ? undefined : caret - indent + 1;
  if (text === written.trimEnd()) return caret - indent + 1;
  const behind = shown.slice(caret).trimEnd();
  if (behind === '' || !written.trimEnd().endsWith(behind)) return undefined;
  return written.trimEnd().length - behind.length + 1;
}
