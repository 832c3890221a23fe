// Facts of reads of memory that nothing set: of global memory where the host's text shows all that is done with it.
import type { Expr, Stmt } from '../../syntax/ast';
import { putAfter, loopsAround, runtimeCallsOf, type RuntimeCall } from '../flow';
import { Fn, isStable, namesIn, type Program, type TypeTable, some, withoutCasts } from '../language';
import { beginAlike, type Edit, type UnsetFact } from '../model';
import { type WrongAccess, wrongFacts } from '../races';
import type { LaunchConfiguration, LaunchRecord, Locator } from '../run';
import { untaken } from '../steps';
import type { KernelRun } from './kernelRuns';
import type { FoundLaunch } from './launches';

/** Steps to read what a host function does with one piece of memory. */
const mostSteps = 100_000;

interface Seen {
  readonly uri: string;
  readonly program: Program;
  readonly types: TypeTable;
  readonly locate: Locator;
  readonly launches: readonly FoundLaunch[];
}
type Memory = NonNullable<ReturnType<typeof memoryOf>>;

export function unsetFacts(run: KernelRun, known: readonly LaunchConfiguration[], seen: Seen): UnsetFact[] {
  return run.wrong.flatMap((one): UnsetFact[] => {
    const { given } = one;
    const [fact] = wrongFacts({ ...run, wrong: [one] }, seen.locate, seen.uri);
    if (fact?.kind !== 'unset') return [];
    if (!given) return [fact];
    const launchAt = known[given.launch]?.at;
    const found = seen.launches.find(({ configuration }) => beginAlike(configuration.at, launchAt));
    // Calls of the host are looked for by other kinds as well, and kept.
    const shown = untaken(mostSteps, () => {
      const memory = found && memoryOf(found.record, given.parameter, seen);
      return memory && { memory, fix: fixOf(memory, given) };
    });
    if (!shown || !launchAt) return [];
    const { fix } = shown;
    const { host, local, allocation } = shown.memory;
    const global = { launchAt, allocationAt: host.span(allocation.call), set: given.set };
    return [{ ...fact, array: local.name, global, ...(fix ? { fix } : {}) }];
  });
}

/** The memory of an argument, where nothing is done with it but allocation, copies, launches and free. */
function memoryOf({ node, fn, through, unsure }: LaunchRecord, parameter: number, seen: Seen) {
  const { program, types } = seen;
  const file = program.fileOf(fn);
  if (node.kind !== 'launch' || through || unsure || !file) return undefined;
  const host = new Fn(program.unit, file, fn, { program, types });
  const arg = node.args[parameter];
  const local = arg && host.local(withoutCasts(arg));
  if (!local?.variable || local.variable.storage || local.writes.length > 0) return undefined;
  const allocations: RuntimeCall[] = [];
  const memsets: RuntimeCall[] = [];
  for (const use of local.uses) {
    let passed: Expr = use;
    let up = host.parent(passed);
    let isAddress = false;
    for (; up?.kind === 'cast' || (up?.kind === 'unary' && up.op === '&'); up = host.parent(passed)) {
      isAddress ||= up.kind === 'unary';
      passed = up;
    }
    if ([...host.around(use)].some(({ kind }) => kind === 'lambda')) return undefined;
    if (up?.kind === 'launch' && !isAddress && up.args.includes(passed)) continue;
    const call = up?.kind === 'call' ? runtimeCallsOf(host).find((one) => one.call === up) : undefined;
    const at = call?.call.args.indexOf(passed);
    if (!call || (at !== 0 && at !== 1) || call.through !== undefined) return undefined;
    const isSet = /^cudaMem(set|cpy)(Async)?$/.test(call.name);
    if (at === 0 && isAddress && /^cudaMalloc(Async)?$/.test(call.name)) allocations.push(call);
    else if (isAddress || !(isSet || (at === 0 && /^cudaFree(Async)?$/.test(call.name)))) return undefined;
    else if (at === 0 && isSet) {
      // What a loop of unknown length sets by parts is not followed.
      if (loopsAround(call.call, host).some((loop) => !host.isInside(node, loop))) return undefined;
      if (call.name.startsWith('cudaMemset')) memsets.push(call);
    }
  }
  const [allocation] = allocations;
  return allocation && allocations.length === 1 ? { host, local, allocation, memsets } : undefined;
}

/** A `cudaMemset` of too few bytes gets the size; memory that a kernel adds to gets a new one. */
function fixOf(
  { host, local, allocation, memsets }: Memory,
  { adds, set }: NonNullable<WrongAccess['given']>,
): { readonly edits: readonly Edit[]; readonly title: string } | undefined {
  const size = allocation.call.args[1];
  if (!size || !isAsWritten(size, host)) return undefined;
  const [memset] = memsets;
  const bytes = host.text(size);
  if (set > 0) {
    const count = memsets.length === 1 ? memset?.call.args[2] : undefined;
    if (!count || !isAsWritten(count, host) || !isAlikeAt(size, memset!.statement, host)) return undefined;
    return { edits: [{ at: host.span(count), newText: bytes }], title: `Set all bytes of \`${local.name}\`` };
  }
  if (!adds || memsets.length > 0 || allocation.name !== 'cudaMalloc') return undefined;
  const { written } = allocation;
  if (!host.text(written).trimEnd().endsWith(';')) return undefined;
  const edit = putAfter(host, written.end, written.start, [`cudaMemset(${local.name}, 0, ${bytes});`]);
  return edit && { edits: [edit], title: `Set \`${local.name}\` to zero after its allocation` };
}

/** Not the text of a macro. */
function isAsWritten(expr: Expr, host: Fn): boolean {
  const text = host.text(expr);
  return text.length > 0 && [...namesIn(expr)].every((name) => text.includes(name));
}

/** Do the variables of an expression have the same values at another statement? */
function isAlikeAt(expr: Expr, at: Stmt, host: Fn): boolean {
  return !some(expr, (node) => {
    const local = node.kind === 'name' ? host.local(node) : undefined;
    return !!local && !(isStable(local) && (!local.scope || host.isInside(at, local.scope)));
  });
}
