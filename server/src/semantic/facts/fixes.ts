// Asks the families of fixes that look at places of a kind, in the order of their list.
import type { FunctionDecl } from '../../syntax/ast';
import { stepsOf } from '../steps';
import type { FixFacts } from '../kernels';
import { type Fn, once } from '../language';
import type { FixFamily, Refusal, RewriteFact } from '../model';
import { type AccessFamily, attempt, type Family, type Places, type Seen, withoutUnused } from '../fixes';
import { families } from './families';

type Found = RewriteFact | Refusal | undefined;
type Of<On extends keyof Places> = Family<string, On> & Partial<Pick<AccessFamily<string>, 'to' | 'causes'>>;

export function createFixFacts(
  contextOf: (fn: FunctionDecl) => Fn | undefined,
  launchedElsewhere: (kernel: string) => boolean,
): FixFacts {
  /** What is said of a function or kernel as a whole, by family: it is not found again for each of its places. */
  const whole = once((_: Fn) => new Map<string, Found>());
  function keptIn(context: Fn, key: string, find: () => Found): Found {
    const known = whole(context);
    if (!known.has(key)) known.set(key, find());
    return known.get(key);
  }

  return {
    contextOf,
    at(on, fn, kernel, place) {
      const context = contextOf(fn);
      if (!context) return {};
      const elsewhere = launchedElsewhere(kernel.name);
      const fixes: Record<string, RewriteFact> = {};
      const refusals: Refusal[] = [];
      const base: Seen = { fn: context, elsewhere, launchedElsewhere, fixes };
      const seen = { ...base, ...place } as Places[typeof on];
      for (const family of families.filter((each) => each.on === on) as unknown as Of<typeof on>[]) {
        if (!looksAt(family, seen)) continue;
        const inside = family.of === 'kernel' ? contextOf(kernel) : context;
        const found =
          family.of === 'function' || family.of === 'kernel'
            ? inside &&
              keptIn(inside, `${family.id} ${elsewhere}`, () => attempt(() => family.find({ ...base, fn: inside })))
            : attempt(() => family.find(seen));
        if (found && 'edits' in found) {
          const edits = finished(inside ?? context)(found.edits);
          if (edits) {
            stepsOf(edits); // Each place lists all edits of a fix that it shares.
            fixes[family.id] = edits === found.edits ? found : { ...found, edits };
          } else refusals.push({ family: family.id as FixFamily, precondition: 'conditions', why: otherBuilds });
        } else if (found && (family.isNear?.(seen, found) ?? true)) refusals.push(found);
      }
      return {
        ...(Object.keys(fixes).length > 0 ? { fixes } : {}),
        ...(refusals.length > 0 ? { refusals } : {}),
      };
    },
  };
}

/** One for all places that share edits; undefined where they cross conditions. */
const finished = once((at: Fn) =>
  once((edits: RewriteFact['edits']) =>
    crossConditions(edits, at) ? undefined : withoutUnused(at, { edits, title: '' }).edits,
  ),
);

const otherBuilds = 'a condition of the preprocessor between its edits gives other builds a text that is not read';

function crossConditions(edits: RewriteFact['edits'], { file, decl }: Fn): boolean {
  const own = edits.filter(({ at }) => at.uri === file.uri && at.start >= decl.base && at.end <= decl.base + decl.end);
  const start = Math.min(...own.map(({ at }) => at.start));
  const between = file.text.slice(start, Math.max(start, ...own.map(({ at }) => at.end)));
  return /^[ \t]*#[ \t]*(?:if|el|endif)/m.test(between);
}

function looksAt<On extends keyof Places>({ to = ['global'], causes, when }: Of<On>, seen: Places[On]): boolean {
  const isOf = !('to' in seen) || (to.includes(seen.to) && (causes?.includes(seen.fact.cause) ?? true));
  return isOf && (when?.(seen) ?? true);
}
