// The host's part: the second buffer lives as long as the array, and each launch gets both.
import type { Expr, FunctionDecl, Stmt } from '../../../syntax/ast';
import type { Edit, Refusal } from '../../model';
import { type HostLoop, loopsAround, type RuntimeCall, writesIn } from '../../flow';
import { type Fn, isStable, isStatement, launchOf, launchSiteAt, type LaunchSite, type Local } from '../../language';
import { sameExpr, some, writtenAround } from '../../language';
import { isMadeOf, passedAs } from '../hostArrays';
import { freshNamesOf } from '../writing/edits';
import { refuser } from '../writing/refusals';

export const refused = refuser<'sight' | 'uses' | 'host' | 'size' | 'macros'>('second-buffer');

interface Launched {
  readonly parameter: number;
  readonly kernel: FunctionDecl;
  /** Launches with equal arguments write equal elements. */
  readonly isEven: boolean;
}
interface Call {
  readonly call: RuntimeCall;
  readonly use: Expr;
}

/** The edits of the function that allocates an array and launches the kernel on it. */
export function bufferOf(
  local: Local,
  sites: readonly LaunchSite[],
  { parameter, kernel, isEven }: Launched,
): readonly Edit[] | Refusal {
  const { host } = sites[0]!;
  const { name } = local;
  const declaration = host.parent(local.variable!);
  if (declaration?.kind !== 'decl' || declaration.macro || local.variable!.storage || local.writes.length > 0)
    return refused('host', `\`${name}\` is not just the result of an allocation`);
  const text = host.text(host.decl);
  if (/^[ \t]*#[ \t]*(?:if|el|endif)/m.test(text) || host.decl.templateParams?.length)
    return refused('host', 'conditions of the preprocessor or a template give the host code several forms');
  const makes: Call[] = [];
  const frees: Call[] = [];
  const writes: Expr[] = [];
  for (const use of local.uses) {
    const { passed, up, isAddress, call } = passedAs(use, host);
    const at = call?.call.args.indexOf(passed);
    const called = call && at !== undefined && isAddress === /^cudaMalloc/.test(call.name) ? call.name : '';
    const type = up?.kind === 'launch' && launchSiteAt(host, up).kernel?.params[up.args.indexOf(passed)]?.type;
    const isOfKernel = sites.some(({ launch }) => launch === up);
    const isKnown = isOfKernel || type || (up?.kind === 'index' && up.base === use);
    if (at === 0 && /^cudaMalloc(Managed)?$/.test(called)) makes.push({ call: call!, use });
    else if (at === 0 && called === 'cudaFree') frees.push({ call: call!, use });
    else if ((!isKnown || isAddress) && !/^cudaMem(cpy|set)(Async)?$/.test(called))
      return refused('host', `\`${name}\` is used for more than allocation, copies, launches and free`);
    else if (!isOfKernel && at !== 1 && !(type && type.kind === 'pointer' && 'const' in type.to && type.to.const))
      writes.push(use);
    if ([...host.around(use)].some(({ kind }) => kind === 'lambda'))
      return refused('host', `a lambda uses \`${name}\``);
  }
  const [make] = makes;
  if (!make || makes.length > 1) return refused('host', `\`${name}\` is not allocated once where it is launched`);
  const calls = [make, ...frees];
  if (!calls.every((each) => isRepeatable(each, local, host)))
    return refused('macros', `a call that allocates or frees \`${name}\` is not a separate statement`);
  const size = make.call.call.args[1]!;
  const isPassed = (arg: Expr): boolean => some(arg, (node) => node.kind === 'name' && host.local(node) === local);
  const launches: { readonly site: LaunchSite; readonly statement: Stmt; readonly loop?: HostLoop }[] = [];
  for (const site of sites) {
    const { launch } = site;
    const statement = [...host.around(launch)].find(isStatement);
    const isPlain = statement?.kind === 'expr' && launchOf(statement) === launch && !statement.macro;
    const isWhole = site.kernel?.key === kernel.key && launch.args.length === kernel.params.length;
    if (!isPlain || !isWhole || launch.args.filter(isPassed).length !== 1)
      return refused('host', 'a launch of the kernel is not a separate statement that passes the array once');
    const isSized = (at: Stmt): boolean =>
      isMadeOf(size, host, (one) => isStable(one) && (!one.scope || host.isInside(at, one.scope)));
    if (!isSized(statement)) return refused('size', `the size of \`${name}\` is not known at a launch`);
    const [loop] = loopsAround(launch, host);
    const isCaptured = /\bcudaStreamBeginCapture\b/.test(text);
    const isSwapped = loop && isEven && !isCaptured && isSized(loop) && isAlikeIn(loop, site, sites, parameter);
    const isWritten = loop && [...writes, ...calls.map(({ use }) => use)].some((use) => host.isInside(use, loop));
    launches.push({ site, statement, ...(isSwapped && !isWritten && !loop.macro ? { loop } : {}) });
  }

  const isSwapped = launches.some(({ loop }) => loop);
  const suffix = isSwapped ? 'Next' : 'Old';
  const second = freshNamesOf(host)(name.includes('_') ? `${name}_${suffix.toLowerCase()}` : `${name}${suffix}`);
  const type = /^[^*]*/.exec(host.text(declaration))![0].trimEnd();
  const edits = [after(declaration, `${type} *${second};`)];
  for (const { call, use } of calls) {
    const { statement, written } = call;
    const again = host.text({ ...written, end: use.start }) + second + host.text({ start: use.end, end: written.end });
    if (statement.macro) edits.push(after(written, again));
    else edits.push(...writtenAround(host, statement, { before: [], after: [again] }));
  }
  for (const [at, { site, statement, loop }] of launches.entries()) {
    const { args, config } = site.launch;
    const [async, stream] = config[3] ? ['Async', `, ${host.text(config[3])}`] : ['', ''];
    const parts = `${second}, ${name}, ${host.text(size)}, cudaMemcpyDeviceToDevice${stream}`;
    const before = loop && launches.findIndex((one) => one.loop === loop) < at ? [] : [`cudaMemcpy${async}(${parts});`];
    edits.push({ at: host.span(args[parameter]!), newText: [name, second].sort(byAge).join(', ') });
    const swap = isSwapped ? [`std::swap(${name}, ${second});`] : [];
    if (loop && before.length > 0) edits.push(...writtenAround(host, loop, { before }));
    edits.push(...writtenAround(host, statement, { before: loop ? [] : before, after: swap }));
  }
  return edits;

  /** The buffer that is read comes first. */
  function byAge(one: string): number {
    return (one === second) === isSwapped ? 1 : -1;
  }
  function after(place: { readonly start: number; readonly end: number }, line: string): Edit {
    return {
      at: host.span({ start: place.end, end: place.end }),
      newText: host.newline + host.indent(place.start) + line,
    };
  }
}

/** Is the call a statement that can be made once more with another variable? */
function isRepeatable({ call: { statement, written }, use }: Call, { name }: Local, host: Fn): boolean {
  const isWhole = statement.macro
    ? host.parent(statement)?.kind === 'block'
    : statement.kind === 'expr' && statement.expr.kind === 'call';
  const isIn = written.start <= use.start && use.end <= written.end && host.text(use) === name;
  return isWhole && isIn && host.text(written).trimEnd().endsWith(';');
}

/** Are all launches in a loop the same on each iteration, and as this one, but for the array? */
function isAlikeIn(loop: HostLoop, { launch, host }: LaunchSite, sites: readonly LaunchSite[], parameter: number) {
  const isKept = (local: Local): boolean =>
    !writesIn(local, loop, host) &&
    !(local.variable && host.isInside(local.variable, loop)) &&
    local.uses.every((use) => host.parent(use)?.kind !== 'member' || !host.isInside(use, loop));
  const partsOf = ({ config, args }: typeof launch): readonly Expr[] => [...config, ...args.toSpliced(parameter, 1)];
  return sites.every(({ launch: other }) => {
    if (!host.isInside(other, loop)) return true;
    const [parts, others] = [partsOf(launch), partsOf(other)];
    return (
      parts.length === others.length &&
      others.every((part, at) => isMadeOf(part, host, isKept) && sameExpr(part, parts[at]!))
    );
  });
}
