// What of a file was not read, and why: from its facts, and from what its text has without facts.
import type { FunctionDecl, LaunchExpr, SourceFile } from '../../syntax/ast';
import { kernelsNamed, launchesIn, lastPart, type Program, localsOf, oncePerBody, walk } from '../language';
import type { AccessFact, KernelFact, Model, Span } from '../model';
import { calleeOf } from '../run';
import { kernelsBesideErrors } from './branches';
import type { Unread } from './model';

/** In the order of the text. `excess` says what the limit of a file left out. */
export function listUnread(program: Program, model: Model, excess: string | undefined): readonly Unread[] {
  const file = program.unit.files.find(({ uri }) => uri === model.uri);
  const found: Unread[] = [
    ...unreadAccesses(model),
    ...model.facts.kernel.flatMap((kernel) => aboutKernel(kernel, model)),
    ...(file ? [...aboutLaunches(file, program, model), ...aboutText(file)] : []),
    ...unreadFile(model.uri, excess),
  ];
  return found.sort((a, b) => a.at.start - b.at.start || a.at.end - b.at.end);
}

/** The entry of a file that exceeds the limit of work or memory; none for others. */
export function unreadFile(uri: string, excess: string | undefined): readonly Unread[] {
  if (excess === undefined) return [];
  return [{ at: { uri, start: 0, end: 0 }, what: 'file', reason: 'file-limit', detail: excess, kernels: [] }];
}

// ---- accesses -----------------------------------------------------------------------------------------------------

/**
 * Nothing bounds its figure: that of a gather is bounded by the lanes of a warp, and that of a type of unknown size is
 * the template's.
 */
function isUnbounded({ certainty, gather, assumed }: AccessFact): boolean {
  return certainty === 'unknown' && !gather && !assumed.some(({ kind }) => kind === 'type-size');
}

function unreadAccesses({ facts }: Model): readonly Unread[] {
  const byPlace = new Map<string, Unread>();
  const add = (entry: Unread): void => {
    const key = `${entry.at.start} ${entry.at.end} ${entry.reason} ${entry.detail}`;
    const known = byPlace.get(key);
    byPlace.set(key, known ? { ...known, kernels: [...new Set([...known.kernels, ...entry.kernels])] } : entry);
  };
  for (const { at, text, kernels, reason } of facts.unread)
    add({ at, what: 'access', reason, detail: oneLine(text), kernels });
  for (const fact of facts.access)
    if (isUnbounded(fact))
      add({ at: fact.at, what: 'access', reason: 'unknown-index', detail: oneLine(fact.text), kernels: fact.kernels });
  return withoutParts([...byPlace.values()]);
}

/** `a[i]` of `a[i][j]` and `a.row(i)` of `a.row(i)[j]` are on the way to one access. */
function withoutParts(list: readonly Unread[]): readonly Unread[] {
  const farthest = new Map<number, number>();
  for (const { at } of list) farthest.set(at.start, Math.max(at.end, farthest.get(at.start) ?? 0));
  return list.filter(({ at }) => at.end === farthest.get(at.start));
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

// ---- kernels ------------------------------------------------------------------------------------------------------

function aboutKernel(kernel: KernelFact, { facts }: Model): readonly Unread[] {
  const { nameAt: at, name } = kernel;
  const entry = (reason: Unread['reason'], detail: string): Unread => ({
    at,
    what: 'kernel',
    reason,
    detail,
    kernels: [name],
  });
  const unset = unsetEverywhere(kernel);
  const its = facts.access.filter(({ kernels }) => kernels.includes(name));
  const lost = facts.unread.some(({ kernels }) => kernels.includes(name));
  const rests = its.length === 0 || lost || its.some((access) => restsOn(access, unset));
  return [
    ...(kernel.notAnalysed === undefined ? [] : [entry('stopped', kernel.notAnalysed)]),
    ...(unset.length > 0 && rests ? [entry('template-parameters', unset.join(', '))] : []),
  ];
}

/** Template parameters that none of the launches sets. */
function unsetEverywhere({ shapes }: KernelFact): readonly string[] {
  return (shapes[0]?.unset ?? []).filter((name) => shapes.every(({ unset }) => unset?.includes(name)));
}

/** Does a figure depend on the size of a type, or on a number, that nothing sets? */
function restsOn({ assumed }: AccessFact, unset: readonly string[]): boolean {
  return assumed.some((one) => {
    const about = one.kind === 'type-size' ? one.type : one.kind === 'stride' ? one.name : undefined;
    return about !== undefined && wordsOf(about).some((word) => unset.includes(word));
  });
}

function wordsOf(text: string): readonly string[] {
  return text.match(/[A-Za-z_]\w*/g) ?? [];
}

// ---- launches -----------------------------------------------------------------------------------------------------

function aboutLaunches(file: SourceFile, program: Program, model: Model): readonly Unread[] {
  const facts = new Map(model.facts.launch.map((fact) => [`${fact.at.start} ${fact.at.end}`, fact]));
  const written = new Set(
    model.facts.launch.flatMap(({ through }) => (through?.uri === file.uri ? [`${through.start} ${through.end}`] : [])),
  );
  const found: Unread[] = [];
  const add = (at: Span, reason: Unread['reason'], detail: string, kernel?: string): void => {
    found.push({ at, what: 'launch', reason, detail: oneLine(detail), kernels: kernel === undefined ? [] : [kernel] });
  };
  for (const fn of file.functions)
    for (const node of fn.body ? launchesIn(fn) : []) {
      const at = { uri: file.uri, start: fn.base + node.start, end: fn.base + node.end };
      const key = `${at.start} ${at.end}`;
      if (written.has(key)) continue;
      written.add(key);
      const fact = facts.get(key);
      if (fact?.kernelAt) continue;
      const callee = calleeOf(node.callee);
      const text = file.text.slice(fn.base + node.callee.start, fn.base + node.callee.end);
      const name = lastPart(fact?.kernelName ?? callee?.name ?? '');
      if (!callee || (isVariable(node, fn) && !program.functions(name).some(({ global }) => global)))
        add(at, 'kernel-by-value', text);
      else if (!program.functions(name).some(({ global }) => global)) add(at, 'kernel-not-found', text);
      else if (!fact && kernelsNamed(program, name).length > 0) add(at, 'launch-not-reached', text, name);
    }
  for (const { at, kernelAt, kernelName, block, blockText } of facts.values()) {
    if (kernelAt && block.x === undefined) add(at, 'unknown-block', blockText, lastPart(kernelName));
    // A call of the runtime's launch function; of a declared kernel the file that defines it knows the launch.
    else if (!kernelAt && !written.has(`${at.start} ${at.end}`) && !isDeclared(kernelName, program))
      add(at, 'kernel-not-found', kernelName);
  }
  for (const kernel of model.facts.kernel) {
    const told = unsetEverywhere(kernel);
    const open = new Map<string, { readonly at: Span; readonly names: Set<string> }>();
    for (const { unset = [], launchAt } of kernel.shapes) {
      if (launchAt?.uri !== file.uri) continue;
      const key = `${launchAt.start} ${launchAt.end}`;
      const { names } = open.get(key) ?? { names: new Set<string>() };
      for (const name of unset) if (!told.includes(name)) names.add(name);
      open.set(key, { at: launchAt, names });
    }
    for (const { at, names } of open.values())
      if (names.size > 0) add(at, 'template-arguments', [...names].join(', '), kernel.name);
  }
  return found;
}

function isDeclared(kernelName: string, program: Program): boolean {
  return program.functions(lastPart(kernelName)).some(({ global }) => global);
}

/** A local variable, a parameter or a template parameter of the function around the launch. */
function isVariable({ callee }: LaunchExpr, fn: FunctionDecl): boolean {
  const name = calleeOf(callee);
  if (!name) return true;
  return localsOf(fn).of(name) !== undefined || (fn.templateParams?.some((param) => param.name === name.name) ?? false);
}

// ---- text without facts -------------------------------------------------------------------------------------------

function aboutText(file: SourceFile): readonly Unread[] {
  const found: Unread[] = [];
  const { uri, text } = file;
  const within = new Set<SourceFile['errors'][number]>();
  for (const fn of file.functions) {
    const { body } = fn;
    if (!body) continue;
    const [start, end] = [fn.base + fn.start, fn.base + fn.end];
    const nameAt = { uri, start: fn.base + fn.nameStart, end: fn.base + fn.nameStart + fn.name.length };
    const what = fn.global ? 'kernel' : 'function';
    const kernels = fn.global ? [fn.name] : [];
    const errors = file.errors.filter((error) => error.start >= start && error.end <= end);
    for (const error of errors) within.add(error);
    if (errors.length > 0 && (fn.global || fn.device || launchesIn(fn).length > 0))
      found.push({ at: nameAt, what, reason: 'syntax-errors', detail: fn.name, kernels });
    if (!fn.global && !fn.device && asksForThread({ ...fn, body }))
      found.push({ at: nameAt, what: 'function', reason: 'unknown-qualifiers', detail: fn.name, kernels: [] });
  }
  for (const error of file.errors) {
    if (within.has(error) || (error.start === 0 && error.end === text.length)) continue;
    for (const { start, end } of kernelWords(text, error.start, error.end))
      found.push({ at: { uri, start, end }, what: 'kernel', reason: 'syntax-errors', detail: '', kernels: [] });
  }
  for (const { at, error } of kernelsBesideErrors(file))
    found.push({ at, what: 'kernel', reason: 'inactive-branch', detail: error, kernels: [] });
  return found;
}

function kernelWords(text: string, from: number, to: number): { readonly start: number; readonly end: number }[] {
  return [...text.slice(from, to).matchAll(/\b__global__\b/g)].map(({ index, 0: { length } }) => ({
    start: from + index,
    end: from + index + length,
  }));
}

/** Does it read `threadIdx` or `blockIdx`, outside of the lambdas in it? */
const asksForThread = oncePerBody((fn): boolean => {
  let found = false;
  const locals = localsOf(fn);
  walk(fn.body, (node) => {
    if (node.kind === 'lambda') return false;
    if (node.kind === 'name' && /^(?:thread|block)Idx$/.test(node.name) && !locals.of(node)) found = true;
    return !found;
  });
  return found;
});
