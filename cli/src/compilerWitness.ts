// check --with-compiler: compiles the sources that have findings which code can decide, and adds the verdicts.
import { realpathSync } from 'node:fs';
import { extname } from 'node:path';
import { preflight } from '../../profiler/src/preflight/preflight';
import { openHost } from '../../profiler/src/transport/openHost';
import { ProfileProblem } from '../../profiler/src/transport/problem';
import { askCompiler } from '../../profiler/src/witness/askCompiler';
import type { MachineCode } from '../../profiler/src/witness/machineCode';
import { isJudgeable, judgeFindings, type CompilerVerdict } from '../../profiler/src/witness/witness';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { openWorkspace, type AnalysisSettings } from './analysis';
import type { CheckedFile } from './checkedFile';
import { displayPath, placesIn } from './source';

interface JudgedFinding extends ResolvedFinding {
  readonly compiler: CompilerVerdict;
}

/** What the compiler said of a finding; undefined where it was not asked, or decides nothing. */
export function witnessOf(finding: ResolvedFinding): CompilerVerdict | undefined {
  return (finding as Partial<JudgedFinding>).compiler;
}

export interface WitnessOptions {
  readonly analysis: AnalysisSettings;
  /** What ssh calls the host to compile on; this machine when absent. */
  readonly host?: string | undefined;
  readonly nvcc?: string | undefined;
  /** Hears in a sentence why a file has no verdicts, and what the compiler remarks on the code. */
  readonly note: (sentence: string) => void;
  readonly signal?: AbortSignal | undefined;
}

const compiled = /^\.cu$/i;

/**
 * The files with a verdict on each finding that code decides; a refuted one becomes a hint. What cannot be compiled
 * stays as it is, with one sentence. Rejects only when the signal aborts.
 */
export async function withVerdicts(
  files: readonly CheckedFile[],
  { analysis, host: destination, nvcc, note, signal }: WitnessOptions,
): Promise<readonly CheckedFile[]> {
  const asked = files.filter(({ findings }) => findings.some(isJudgeable));
  if (asked.length === 0) return files;
  const codes: MachineCode[] = [];
  const sources = asked.filter(({ path }) => compiled.test(extname(path)));
  try {
    const host = await openHost({ destination }, signal);
    try {
      const { facts } = await preflight(host, { signal, nvcc, needsNvcc: false, locksClocks: false });
      const workspace = await openWorkspace(analysis, () => {});
      for (const { path, uri } of sources) {
        try {
          const said = await askCompiler(host, facts, realpathSync(path), workspace.compilationOf(uri), signal);
          codes.push(...said.code);
          for (const remark of said.remarks) note(`${displayPath(path)}: ${remark}`);
        } catch (error) {
          if (!(error instanceof ProfileProblem) || error.kind !== 'build-failed') throw error;
          note(`${displayPath(path)}: no verdicts. ${sentenceOf(error)}`);
        }
      }
    } finally {
      await host.close();
    }
  } catch (error) {
    if (!(error instanceof ProfileProblem) || signal?.aborted) throw error;
    note(`The compiler was not asked. ${sentenceOf(error)}`);
    if (codes.length === 0) return files;
  }
  // A header has no code by itself: it counts in the sources that include it.
  return files.map((file) => judged(file, codes));
}

function judged(file: CheckedFile, codes: readonly MachineCode[]): CheckedFile {
  const own = file.findings.filter(isJudgeable);
  if (own.length === 0 || codes.length === 0) return file;
  const places = placesIn(file.text);
  const verdicts = judgeFindings(
    own.map(({ rule, message, at }) => {
      const { line, endLine } = places(at);
      return { rule, message, from: line, to: endLine };
    }),
    realpathSync(file.path),
    codes,
  );
  const byFinding = new Map(own.map((finding, at) => [finding, verdicts[at]] as const));
  return {
    ...file,
    findings: file.findings.map((finding): ResolvedFinding => {
      const compiler = byFinding.get(finding);
      if (!compiler) return finding;
      const refuted: Partial<ResolvedFinding> =
        compiler.state === 'refuted' && finding.severity !== 'error' ? { severity: 'hint' } : {};
      const said: JudgedFinding = { ...finding, ...refuted, compiler };
      return said;
    }),
  };
}

function sentenceOf({ message, nextStep }: ProfileProblem): string {
  return [/[.!?]$/.test(message) ? message : `${message}.`, nextStep].filter((part) => part !== '').join(' ');
}
