// Writes the one kernel that does what two elementwise kernels do, and launches it in place of them.
import { titleWith } from '../../excerpt';
import type { BlockStmt, FunctionDecl, IfStmt, Node, ParamDecl } from '../../../syntax/ast';
import type { Edit } from '../../span';
import { type Fn, localsOf, sameExpr, statementsOf } from '../../language';
import { deletionOf } from '../writing/edits';
import { isOnlyDefinition, isPointer, type LaunchedElementwise } from './elementwise';
import type { Recut } from '../model';
import { hasMacro } from '../../program';

/** A parameter of the fused kernel: its declaration, and what the launch passes. */
interface Parameter {
  readonly name: string;
  text: string;
  readonly argument: string;
}

/** The edits, or why there are none: a clause that follows on "no fix is offered:". */
export function fusedOf(a: LaunchedElementwise, b: LaunchedElementwise, host: Fn): Recut | string {
  const file = host.file.uri;
  if ([a, b].some(({ fn }) => fn.file.uri !== file)) return 'a kernel is defined in another file';
  const ends = Math.max(...[a, b].map(({ kernel }) => kernel.base + kernel.end));
  if (ends > host.decl.base + host.decl.start) return 'a kernel is defined after its launch';
  if ([a, b].some(({ launch, statement }) => statement.kind !== 'expr' || statement.expr !== launch))
    return 'a launch is in a lambda';
  for (const { kernel, fn, launch, does } of [a, b]) {
    if (fn.decl !== kernel || !isOnlyDefinition(kernel, fn) || !isPlainHead(kernel, fn))
      return `\`${kernel.name}\` is a template, a member or bounded`;
    if (hasMacro(launch) || launch.callee.kind !== 'name' || launch.callee.templateArgs)
      return 'a launch comes from a macro or has template arguments';
    if (does.accesses.some(({ place }) => place?.index.includes('each ')))
      return `\`${kernel.name}\` contains its own grid-stride loop`;
  }
  const bodyOfFirst = bodyOf(a);
  const bodyOfSecond = bodyOf(b);
  if (bodyOfFirst === undefined) return `\`${a.kernel.name}\` returns early in more than one place`;
  const name = `${a.kernel.name}_${b.kernel.name}`;
  if (host.unit.files.some(({ text }) => new RegExp(`\\b${name}\\b`).test(text))) return `\`${name}\` is already used`;

  const parameters: Parameter[] = a.kernel.params.map((param, at) => ({
    name: param.name,
    text: a.fn.text(param),
    argument: host.text(a.launch.args[at]!),
  }));
  const renamed = new Map<ParamDecl, string>();
  for (const [at, param] of b.kernel.params.entries()) {
    const passed = b.launch.args[at]!;
    const same = a.launch.args.findIndex(
      (arg, of) =>
        sameExpr(arg, passed) &&
        isSameType(a.kernel.params[of]!, a.fn, param, b.fn) &&
        isKept(a.kernel.params[of]!, a.kernel),
    );
    if (same >= 0) {
      const one = parameters[same]!;
      renamed.set(param, one.name);
      // Written by one of them is written.
      if (/\bconst\b/.test(one.text) && !/\bconst\b/.test(b.fn.text(param))) one.text = declared(b.fn, param, one.name);
      continue;
    }
    if (isPointer(param) && a.launch.args.some((arg) => sameExpr(arg, passed)))
      return `\`${host.text(passed)}\` has a different type in each kernel`;
    let unique = param.name;
    const taken = new Set(parameters.map((each) => each.name));
    const words = new Set(`${bodyOfFirst} ${bodyOfSecond}`.match(/[A-Za-z_]\w*/g));
    for (let suffix = 2; taken.has(unique) || (unique !== param.name && words.has(unique)); suffix++)
      unique = `${param.name}${suffix}`;
    renamed.set(param, unique);
    parameters.push({ name: unique, text: declared(b.fn, param, unique), argument: host.text(passed) });
  }
  const second = withNames(b, renamed);
  if (second === undefined) return 'a macro uses a name that would change';
  const names = new Set(parameters.map((each) => each.name));
  const captured = [capturedBy(a, names, new Map()), capturedBy(b, names, renamed)].find((each) => each !== undefined);
  if (captured !== undefined) return `\`${captured}\` means something else in one of the kernels`;

  const newline = host.newline;
  const unit = b.fn.indentStep;
  const indented = (body: string): string => {
    const lines = body
      .replace(/^\s*?\n/, '')
      .replace(/\s+$/, '')
      .split(/\r?\n/);
    return [`${unit}{`, ...lines.map((line) => (line.trim() === '' ? line : unit + line)), `${unit}}`].join(newline);
  };
  const oneLine = (body: string): string => (body.includes('\n') ? body : `\n${unit}${body.trim()}\n`);
  const kernel =
    `${newline}${newline}${head(b.kernel, b.fn)}${name}(${parameters.map(({ text }) => text).join(', ')}) {` +
    `${newline}${indented(oneLine(bodyOfFirst))}${newline}${indented(oneLine(second))}${newline}}`;
  const last = a.kernel.base + a.kernel.end === ends ? a.kernel : b.kernel;
  const { callee, args } = a.launch;
  const edits: Edit[] = [
    { at: { uri: file, start: last.base + last.end, end: last.base + last.end }, newText: kernel },
    { at: host.span(callee), newText: name },
    {
      at: host.span({ start: args[0]!.start, end: args.at(-1)!.end }),
      newText: parameters.map(({ argument }) => argument).join(', '),
    },
    deletionOf(host, b.statement),
  ];
  return {
    edits,
    title: titleWith(name, (kernel) => `Fuse into one kernel, \`${kernel}\` (arrays must not overlap)`),
  };
}

function head({ start, nameStart }: FunctionDecl, fn: Fn): string {
  return fn.text({ start, end: nameStart });
}

function isPlainHead(kernel: FunctionDecl, fn: Fn): boolean {
  return (
    !kernel.templateParams?.length &&
    !kernel.className &&
    !kernel.launchBounds?.length &&
    kernel.qualifiedName === kernel.name &&
    /^\s*(static\s+)?__global__\s+void\s+$/.test(head(kernel, fn)) &&
    kernel.params.every((param) => param.name !== '' && !param.init)
  );
}

/** Is the parameter at the end of the kernel what it was handed? */
function isKept(param: ParamDecl, kernel: FunctionDecl): boolean {
  const local = localsOf(kernel).all.find(({ parameter }) => parameter === param);
  return !!local && local.writes.length === 0 && !local.addressTaken;
}

/** The parameter's declaration under another name. */
function declared(fn: Fn, param: ParamDecl, name: string): string {
  const text = fn.text(param);
  const at = param.nameStart - param.start;
  return text.slice(0, at) + name + text.slice(at + param.name.length);
}

function isSameType(one: ParamDecl, fn: Fn, other: ParamDecl, otherFn: Fn): boolean {
  const bare = (param: ParamDecl, of: Fn): string =>
    declared(of, param, '')
      .replace(/\b(const|__restrict__|__restrict|restrict)\b/g, '')
      .replace(/\s+/g, '');
  return bare(one, fn) === bare(other, otherFn);
}

/** The text between the braces, where nothing of it keeps what comes after it from running. */
function bodyOf({ kernel, fn, does }: LaunchedElementwise): string | undefined {
  const body = kernel.body!;
  const inner = { start: body.start + 1, end: body.end - 1 };
  if (!does.hasReturn) return fn.text(inner);
  const guard = onlyGuard(body, fn);
  if (!guard) return undefined;
  const condition = fn.text(guard.cond).trim();
  const indent = fn.indent(guard.start);
  const rest = fn.text({ start: guard.end, end: inner.end }).replace(/\s+$/, '');
  return (
    `${fn.text({ start: inner.start, end: guard.start })}if (!(${condition})) {` +
    `${rest.replace(/\n(?=[ \t]*[^\s#])/g, `\n${fn.indentStep}`)}${fn.newline}${indent}}${fn.newline}`
  );
}

/** `if (i >= n) return;`, where it is the one return of the function and is in its own block. */
function onlyGuard(body: BlockStmt, fn: Fn): IfStmt | undefined {
  const returns = fn.locals.nodes.filter(({ kind }) => kind === 'return');
  const guards = body.body.filter((statement): statement is IfStmt => {
    if (statement.kind !== 'if' || statement.else || statement.init) return false;
    const inside = statementsOf(statement.then);
    return inside.length === 1 && inside[0]!.kind === 'return';
  });
  const one = guards.length === 1 && returns.length === 1 ? guards[0] : undefined;
  return one && !hasMacro(one) ? one : undefined;
}

/** The second body with its parameters called as those of the fused kernel. */
function withNames(b: LaunchedElementwise, renamed: ReadonlyMap<ParamDecl, string>): string | undefined {
  const { fn, kernel } = b;
  const locals = localsOf(kernel);
  const places: (Node & { readonly to: string })[] = [];
  for (const node of locals.nodes) {
    const param = node.kind === 'name' ? locals.of(node)?.parameter : undefined;
    const to = param && renamed.get(param);
    if (node.kind !== 'name' || to === undefined || to === node.name) continue;
    if (node.macro || fn.text(node) !== node.name) return undefined;
    places.push({ start: node.start, end: node.end, to });
  }
  const { start, end } = kernel.body!;
  let text = '';
  let at = start + 1;
  for (const place of places.sort((one, other) => one.start - other.start)) {
    text += fn.text({ start: at, end: place.start }) + place.to;
    at = place.end;
  }
  return text + fn.text({ start: at, end: end - 1 });
}

/** A name of the fused kernel's parameters that one of the bodies has for something other than its own variable. */
function capturedBy(
  { kernel }: LaunchedElementwise,
  names: ReadonlySet<string>,
  renamed: ReadonlyMap<ParamDecl, string>,
): string | undefined {
  const locals = localsOf(kernel);
  // A local variable of the same name hides the parameter.
  const hidden = new Set(locals.all.flatMap(({ variable }) => (variable ? [variable.name] : [])));
  for (const [param, to] of renamed) if (to !== param.name && hidden.has(to)) return to;
  for (const node of locals.nodes) {
    if (node.kind !== 'name' || locals.of(node) || !names.has(node.name)) continue;
    return node.name;
  }
  return undefined;
}
