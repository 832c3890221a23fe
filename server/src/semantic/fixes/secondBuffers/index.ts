// A second buffer for a kernel that overwrites elements of an array which other threads of the launch still read.
import type { AssignExpr, IndexExpr } from '../../../syntax/ast';
import { titleWith } from '../../excerpt';
import type { Edit, Refusal, RewriteFact } from '../../model';
import { append, type Fn, type LaunchSite, type Local } from '../../language';
import { isNamedOtherwise } from '../structArrays/group';
import { freshNamesOf, parenthesised } from '../writing/edits';
import type { Family, Places } from '../writing/family';
import { bufferOf, refused } from './host';

/** Which reads come after which writes is left to the trial, in which every read is of what was there before. */
export const secondBuffer: Family<'second-buffer', 'race'> = { id: 'second-buffer', on: 'race', find: secondBufferOf };

type Store = AssignExpr & { readonly target: IndexExpr };

function secondBufferOf(seen: Places['race']): RewriteFact | Refusal | undefined {
  const { fn, parameter, launchedElsewhere: isElsewhere } = seen;
  const { decl } = fn;
  const array = fn.locals.all.find((local) => local.parameter && local.parameter === decl.params[parameter]);
  if (!array) return undefined;
  const stores = storesOf(fn, array);
  if ('why' in stores) return stores;
  const sites = fn.launchSites(decl.name);
  if (isElsewhere(decl.name) || sites.length === 0 || sites.some(({ host }) => host.file !== fn.file))
    return refused('sight', 'not all launches of the kernel are in this file');
  const launchesOf = new Map<Local, LaunchSite[]>();
  for (const site of sites) {
    const passed = site.launch.args[parameter];
    const local = passed?.kind === 'name' ? site.host.local(passed) : undefined;
    if (!local?.variable) return refused('host', 'a launch passes an array that is not a variable of its function');
    append(launchesOf, local, site);
  }
  const edits = kernelEdits(fn, array, stores);
  for (const [local, launches] of launchesOf) {
    // A race is of a store that no data decide; of others it is not known.
    const buffer = bufferOf(local, launches, { parameter, kernel: decl, isEven: seen.isEven && stores.length === 1 });
    if ('why' in buffer) return buffer;
    edits.push(...buffer);
  }
  return { proof: 'run', edits, title: titleWith(array.name, (name) => `Write to a second buffer of \`${name}\``) };
}

function storesOf(fn: Fn, array: Local): readonly Store[] | Refusal {
  const { decl } = fn;
  const { type } = array.parameter!;
  const text = fn.text(array.parameter!);
  if (!decl.global || decl.className || fn.program.functions(decl.name).length !== 1 || isNamedOtherwise(fn))
    return refused('sight', 'the kernel is used in other ways than its known launches');
  if (text.includes('(') || !text.endsWith(array.name)) return refused('macros', 'a parameter comes from a macro');
  if (type.kind !== 'pointer' || type.to.kind !== 'named' || type.to.volatile || array.writes.length > 0)
    return refused('uses', `\`${array.name}\` is not just the address of the array`);
  const stores: Store[] = [];
  for (const name of array.uses) {
    const index = fn.parent(name);
    const around = index && fn.parent(index);
    const isAddress = around?.kind === 'unary' && around.op === '&';
    if (index?.kind !== 'index' || index.base !== name || isAddress || !around || /^(update|member)$/.test(around.kind))
      return refused('uses', `\`${array.name}\` is used for more than reads and writes of elements`);
    const isStore = around.kind === 'assign' && around.target === index;
    if (name.macro || index.macro || fn.text(name) !== array.name || (isStore && around.macro))
      return refused('macros', 'a use of the array comes from a macro');
    if (isStore) stores.push(around as Store);
  }
  return stores;
}

function kernelEdits(fn: Fn, array: Local, stores: readonly Store[]): Edit[] {
  const { start, end } = array.parameter!;
  const next = freshNamesOf(fn)(`${array.name}Next`);
  const declared = fn.text({ start, end: end - array.name.length }).replace(/\s+/g, ' ');
  const edits: Edit[] = [
    { at: fn.span({ start, end: start }), newText: 'const ' },
    { at: fn.span({ start: end, end }), newText: `, ${declared}${next}` },
  ];
  for (const { op, target, value } of stores) {
    edits.push({ at: fn.span(target.base), newText: next });
    if (op === '=') continue;
    const isProduct = /^[+-]/.test(op) && value.kind === 'binary' && /^[*/]$/.test(value.op);
    const operand = isProduct ? fn.text(value) : parenthesised(fn, value);
    const newText = ` = ${fn.text(target)} ${op.slice(0, -1)} ${operand}`;
    edits.push({ at: fn.span({ start: target.end, end: value.end }), newText });
  }
  return edits;
}
