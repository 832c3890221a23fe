// Which kernels and host variables share arrays of one structure: what is handed from one to the other, by launches.
import type {
  Expr,
  FunctionDecl,
  IndexExpr,
  LaunchExpr,
  MemberExpr,
  StructDecl,
  TypeSyntax,
} from '../../../syntax/ast';
import type { Refusal } from '../../model';
import { lastPart, functionsWith, type Fn, launchSitesOf, calleeName, type Local, localsOf } from '../../language';
import type { RuntimeCall } from '../../flow';
import { passedAs } from '../hostArrays';
import { refuser } from '../writing/refusals';

export const refused = refuser<'structure' | 'sight' | 'uses' | 'host' | 'copies' | 'loops' | 'macros'>(
  'struct-arrays',
);

/** A field of an element of an array: `bodies[i].x`, its name, subscript and field. */
interface FieldUse {
  readonly name: Expr;
  readonly index: IndexExpr;
  readonly member: MemberExpr;
}
/** The array as a parameter of a kernel. */
interface KernelArray {
  readonly fn: Fn;
  readonly local: Local;
  readonly uses: readonly FieldUse[];
}
/** The array as a variable of a host function, with the calls that make, fill, read and free it. */
export interface HostArray {
  readonly fn: Fn;
  readonly local: Local;
  readonly calls: readonly { readonly kind: 'make' | 'fill' | 'read' | 'free'; readonly call: RuntimeCall }[];
}
export interface ArrayGroup {
  readonly kernels: readonly KernelArray[];
  readonly hosts: readonly HostArray[];
}

/**
 * All that is handed the arrays of parameter `local` of the kernel; every use of theirs is in the result. With it go
 * the other arrays of the structure that its kernels take, where they can.
 */
export function groupOf(
  fn: Fn,
  local: Local,
  decl: StructDecl,
  elsewhere: (kernel: string) => boolean,
): ArrayGroup | Refusal {
  const all = closureOf(fn, local, decl, elsewhere, true);
  return 'why' in all ? closureOf(fn, local, decl, elsewhere, false) : all;
}

function closureOf(
  fn: Fn,
  local: Local,
  decl: StructDecl,
  elsewhere: (kernel: string) => boolean,
  withOthers: boolean,
): ArrayGroup | Refusal {
  const kernels = new Map<object, KernelArray>();
  const hosts = new Map<object, HostArray>();
  const waiting: { readonly kernel: Fn; readonly local: Local }[] = [{ kernel: fn, local }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const key = next.local.parameter!;
    if (kernels.has(key)) continue;
    const array = kernelArrayOf(next.kernel, next.local, decl, elsewhere);
    if ('why' in array) return array;
    kernels.set(key, array);
    if (withOthers)
      for (const other of next.kernel.locals.all)
        if (other.parameter && isPointerTo(decl, other.parameter.type, next.kernel))
          waiting.push({ kernel: next.kernel, local: other });
    const position = next.kernel.decl.params.indexOf(key);
    for (const site of next.kernel.launchSites(next.kernel.decl.name)) {
      const passed = site.launch.args[position];
      const handed = passed?.kind === 'name' ? site.host.locals.of(passed) : undefined;
      if (!handed?.variable) return refused('host', 'a launch passes an array that is not a variable');
      if (hosts.has(handed)) continue;
      const host = hostArrayOf(site.host, handed, decl);
      if ('why' in host) return host;
      hosts.set(handed, host.array);
      waiting.push(...host.handedOn);
    }
  }
  return { kernels: [...kernels.values()], hosts: [...hosts.values()] };
}

/** Is it a pointer to the structure, by a plain declaration? */
export function isPointerTo(decl: StructDecl, type: TypeSyntax | undefined, fn: Fn): boolean {
  if (type?.kind !== 'pointer' || type.volatile || type.to.kind !== 'named' || type.to.volatile) return false;
  const to = fn.types.resolve(type.to);
  return to.kind === 'struct' && to.decl === decl;
}

function kernelArrayOf(
  fn: Fn,
  local: Local,
  decl: StructDecl,
  elsewhere: (kernel: string) => boolean,
): KernelArray | Refusal {
  if (!fn.decl.global || fn.decl.templateParams?.length || fn.decl.className || fn.decl.externC)
    return refused('sight', 'it is also used outside plain kernels');
  if (elsewhere(fn.decl.name) || fn.program.functions(fn.decl.name).length !== 1 || isNamedOtherwise(fn))
    return refused('sight', 'the kernel is used in other ways than its known launches');
  const sites = fn.launchSites(fn.decl.name);
  if (sites.length === 0 || sites.some(({ kernel }) => kernel !== fn.decl && kernel?.key !== fn.decl.key))
    return refused('sight', 'a launch of the kernel cannot be analysed');
  if (!isPointerTo(decl, local.parameter?.type, fn) || local.writes.length > 0)
    return refused('uses', `\`${local.name}\` is not just the address of the array`);
  const uses: FieldUse[] = [];
  for (const name of local.uses) {
    const index = fn.parent(name);
    const member = index && fn.parent(index);
    if (index?.kind !== 'index' || index.base !== name || member?.kind !== 'member' || member.object !== index)
      return refused('uses', `\`${local.name}\` is used for more than a field of an element`);
    const around = fn.parent(member);
    const isAtomic = around?.kind === 'unary' && isAtomicCall(fn.parent(around));
    if (member.arrow || (around?.kind === 'unary' && around.op === '&' && !isAtomic))
      return refused('uses', 'a kernel takes the address of a field');
    const text = fn.text({ start: index.end, end: member.end });
    const isWritten = !name.macro && !index.macro && !member.macro && fn.text(name) === local.name;
    if (!isWritten || text.replace(/\s/g, '') !== `.${member.field}`)
      return refused('macros', 'a use of the array comes from a macro');
    uses.push({ name, index, member });
  }
  return { fn: fn, local, uses };
}

function isAtomicCall(node: { readonly kind: string } | undefined): boolean {
  return node?.kind === 'call' && /^atomic[A-Z]/.test(calleeName(node as Expr) ?? '');
}

/** Does anything but a launch name the kernel: its address, a call of the runtime? */
export function isNamedOtherwise(fn: Fn): boolean {
  const callees = new Set<unknown>(launchSitesOf(fn).map(({ launch }) => launch.callee));
  for (const decl of functionsWith(fn.unit, [lastPart(fn.decl.name)]))
    for (const node of localsOf(decl).nodes)
      if (node.kind === 'name' && node.name.endsWith(fn.decl.name) && !callees.has(node)) return true;
  return false;
}

function hostArrayOf(
  fn: Fn,
  local: Local,
  decl: StructDecl,
): { readonly array: HostArray; readonly handedOn: { kernel: Fn; local: Local }[] } | Refusal {
  const { variable } = local;
  if (fn.decl.templateParams?.length || fn.decl.className)
    return refused('host', 'a member or template function owns the array');
  const isEmpty = !variable?.init || (variable.init.kind === 'number' && variable.init.value === 0);
  if (!variable || !isPointerTo(decl, variable.type, fn) || !isEmpty || variable.storage || local.writes.length)
    return refused('host', `\`${local.name}\` is not just the result of an allocation`);
  const calls: HostArray['calls'][number][] = [];
  const handedOn: { kernel: Fn; local: Local }[] = [];
  const seen = new Set<number>();
  for (const use of local.uses) {
    const { passed, up, isAddress, call } = passedAs(use, fn);
    if (up?.kind === 'launch') {
      if (passed !== use) return refused('host', 'a launch passes more than the array');
      const kernel = kernelOf(up, use, fn);
      if (!kernel) return refused('host', `\`${local.name}\` is passed to a launch that cannot be analysed`);
      handedOn.push(kernel);
      continue;
    }
    if (!call) return refused('host', `\`${local.name}\` is used for more than allocation, copies, launches and free`);
    // A macro may name its argument twice.
    if (seen.has(use.start)) continue;
    seen.add(use.start);
    const kind = kindOf(call, passed, isAddress, fn);
    if (typeof kind !== 'string') return kind;
    if (call.call.macro && !fn.text(call.call).startsWith(call.name))
      return refused('macros', 'a runtime call for the array comes from a macro');
    if ((kind === 'fill' || kind === 'read') && call.loops.length > 0)
      return refused('loops', 'the array is copied in a loop, where its fields would be separated on each iteration');
    calls.push({ kind, call });
  }
  if (calls.filter(({ kind }) => kind === 'make').length !== 1)
    return refused('host', `\`${local.name}\` is allocated in several places`);
  return { array: { fn, local, calls }, handedOn };
}

function kernelOf(launch: LaunchExpr, use: Expr, fn: Fn): { kernel: Fn; local: Local } | undefined {
  const site = launchSitesOf(fn).find((one) => one.launch === launch);
  const position = launch.args.indexOf(use);
  const kernel: FunctionDecl | undefined = site?.kernel;
  const file = kernel && fn.program.fileOf(kernel);
  if (!kernel || !file || position < 0) return undefined;
  const local = localsOf(kernel).all.find(({ parameter }) => parameter && parameter === kernel.params[position]);
  return local && { kernel: fn.of(kernel), local };
}

/** What a call of the runtime does with the array that is in it as `given`. */
function kindOf(
  { call, name }: RuntimeCall,
  passed: Expr,
  isAddress: boolean,
  fn: Fn,
): HostArray['calls'][number]['kind'] | Refusal {
  const at = call.args.indexOf(passed);
  if (name === 'cudaMalloc' && at === 0 && call.args.length === 2 && isAddress) return 'make';
  if (name === 'cudaFree' && at === 0 && !isAddress) return 'free';
  if (name !== 'cudaMemcpy' || call.args.length !== 4 || isAddress)
    return refused('copies', `\`${name}\` is called on the array`);
  const direction = fn.text(call.args[3]!).trim();
  if (at === 0 && direction === 'cudaMemcpyHostToDevice') return 'fill';
  if (at === 1 && direction === 'cudaMemcpyDeviceToHost') return 'read';
  return refused('copies', 'a copy of the array is not between host and GPU');
}
