// The door of the OpenACC analysis: procedures in, facts out.
import { spanIn } from '../span';
import type { ProcedureFile } from '../../syntax/procedures';
import type { Gpu, Reason } from '../model';
import type { AccFactKinds } from './model';
import { dataFacts, noDataFacts } from './facts/dataFacts';
import { mappingFacts, noMappingFacts } from './facts/mappingFacts';
import { misplacedIn, unsuitedIn } from './facts/conformance';
import { constructProblems } from './facts/constructs';
import { copyProblemsOf, undeclaredIn } from './facts/deviceCopies';
import { lookalikesOf } from './facts/lookalikes';
import type { CompilerRemark } from './feedback/remark';
import { sourcesOf } from './analysis/scope';

export { type CompilerLog, type FeedbackFile, carryOver, readCompilerLog, remarksFor } from './feedback';
export { keepColumns, withinColumns } from './facts/columns';
export { beforeTemplate, proceduresOf } from './fromC';
export type { CompilerRemark } from './feedback/remark';
export type { AccFactKinds } from './model';

export interface AccOptions {
  readonly gpu: Gpu;
  /** What a compiler said of loops of this file. */
  readonly feedback?: readonly CompilerRemark[];
  /** The build asks for managed or unified memory: arrays move by themselves, and stay. */
  readonly managedMemory?: boolean | undefined;
  /** The build asks for the cores of the host: there are no lanes, and nothing moves. */
  readonly hostTarget?: boolean | undefined;
  /** Whose OpenACC the build uses; where it is not known, what nvc does is assumed. */
  readonly accCompiler?: 'gcc' | 'nvhpc' | undefined;
}

export type AccFacts = { readonly [K in keyof AccFactKinds]: readonly AccFactKinds[K][] } & {
  readonly notes: readonly Reason[];
};

/** What a file without directives gives. */
export const noAccFacts: AccFacts = { 'acc-directive': [], ...noMappingFacts, ...noDataFacts, notes: [] };

const doConcurrent = /(?<=^[ \t]*(?:\w+[ \t]*:[ \t]*)?)do[ \t]+concurrent\b/gim;

/** The facts of a file. `others` are files whose procedures and globals it can see. Never throws. */
export function analyseDirectives(
  file: ProcedureFile,
  others: readonly ProcedureFile[],
  options: AccOptions,
): AccFacts {
  const notes: Reason[] = [];
  // One part that fails costs its own facts only.
  const part = <T extends object>(compute: () => T, nothing: T): T => {
    try {
      return compute();
    } catch (error) {
      notes.push({
        at: { uri: file.uri, start: 0, end: 0 },
        text: `A part of the OpenACC analysis stopped: ${error instanceof Error ? error.message : String(error)}.`,
      });
      return nothing;
    }
  };
  const sources = sourcesOf(file, others);
  const scopes = sources.scopes.filter((scope) => scope.file === file);
  const concurrent = [...file.text.matchAll(doConcurrent)];
  if (file.language === 'fortran' && concurrent.length > 0) {
    const [{ index: start, 0: words }] = concurrent as [RegExpExecArray];
    const what =
      concurrent.length === 1 ? 'A `do concurrent` loop is' : `${concurrent.length} \`do concurrent\` loops are`;
    notes.push({ at: { uri: file.uri, start, end: start + words.length }, text: `${what} not analysed (no rule).` });
  }
  return {
    'acc-directive': [
      ...file.directives,
      ...[
        ...lookalikesOf(file),
        ...scopes.flatMap((scope) => [...misplacedIn(scope), ...constructProblems(scope)]),
        ...unsuitedIn(file, scopes),
        ...(isWithoutTransfers(options) || isForManagedMemory(file, others)
          ? []
          : [...undeclaredIn(scopes), ...scopes.flatMap(copyProblemsOf)]),
      ].map((problem) => ({ ...problem.at, problems: [problem] })),
    ].map((directive) => ({
      kind: 'acc-directive',
      at: spanIn(file, directive),
      problems: directive.problems.map(({ code, at: place, data, fix, relatedAt }) => ({
        code,
        at: spanIn(file, place),
        data,
        ...(relatedAt && { relatedAt }),
        ...(fix && {
          fix: { ...fix, edits: fix.edits.map((edit) => ({ at: spanIn(file, edit.at), newText: edit.newText })) },
        }),
      })),
    })),
    ...(options.hostTarget ? noMappingFacts : part(() => mappingFacts(file, sources, options), noMappingFacts)),
    ...part(
      () =>
        dataFacts(file, sources, isWithoutTransfers(options) || isForManagedMemory(file, others), options.accCompiler),
      noDataFacts,
    ),
    notes,
  };
}

function isWithoutTransfers({ managedMemory, hostTarget }: AccOptions): boolean {
  return managedMemory === true || hostTarget === true;
}

/**
 * `attributes(managed) :: p` of CUDA Fortran, behind a sentinel (`!@cuf`) too, and `real, managed :: p(:)`; `device`
 * says that an array is on the GPU and nowhere else.
 */
const managedAttribute =
  /^[ \t]*(?:!@cuf[ \t]+)?attributes[ \t]*\([ \t]*(?:(?:managed|unified)[ \t]*\)|device[ \t]*\)[ \t]*::)/im;
const managedDeclaration = /^[^!\n]*,[ \t]*(?:managed|device)\b[^!\n]*::/im;

/** CUDA takes the pointers of managed memory only. */
const managedCall = /^(?![ \t]*(?:!|\/\/|\*)).*\bcudaMem(?:PrefetchAsync|Advise)\w*[ \t]*\(/im;

/**
 * A file whose arrays are declared for managed memory, or are moved ahead of their use there or in what it uses: the
 * build that takes its directives moves them as they are touched.
 */
function isForManagedMemory({ language, text }: ProcedureFile, others: readonly ProcedureFile[]): boolean {
  return (
    (language === 'fortran' && (managedAttribute.test(text) || managedDeclaration.test(text))) ||
    [text, ...others.map((other) => other.text)].some((each) => managedCall.test(each))
  );
}
