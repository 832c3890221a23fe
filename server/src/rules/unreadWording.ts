// The wording of what was not read of a file.
import { excerpt } from '../semantic/excerpt';
import type { AccessFact, Unread } from '../semantic/model';

const longest = 60;

/** Why something was not read, and what helps where something does. */
export function unreadText({ reason, detail }: Pick<Unread, 'reason' | 'detail'>): string {
  const code = `\`${excerpt(detail, longest)}\``;
  switch (reason) {
    case 'jump':
      return `${code} is not followed: races behind it are not seen`;
    case 'unknown-call':
      return `${code} calls a function without a known definition: its accesses are not counted`;
    case 'unknown-type':
      return `${code} goes through a type without a known definition: its address is unknown`;
    case 'unknown-pointer':
      return `${code} goes through a pointer of unknown origin: its address is unknown`;
    case 'unknown-index':
      return `${code} has lanes at unknown distances: its figure is not reliable`;
    case 'inline-assembly':
      return `${code} moves memory in inline assembly: its accesses are not counted`;
    case 'template-parameters':
      return `No launch or instantiation here gives ${detail} a known type or value: figures are missing or assumed`;
    case 'stopped':
      return `Analysed in part: ${detail}`;
    case 'syntax-errors':
      return detail === ''
        ? 'A kernel that could not be parsed'
        : `The body of ${code} has parts that could not be parsed: check for missing macros`;
    case 'inactive-branch':
      return `A kernel that is not compiled, because of #error ${excerpt(detail, longest)}: define what it asks for`;
    case 'unknown-qualifiers':
      return `${code} reads its thread index, but no qualifier marks it as device code: a macro may be missing`;
    case 'kernel-not-found':
      return `The kernel ${code} is not defined or declared here`;
    case 'kernel-by-value':
      return `The kernel is the value of ${code}, which is unknown`;
    case 'template-arguments':
      return `The launch gives ${detail} no known type or value`;
    case 'unknown-block':
      return `The block ${code} is unknown`;
    case 'launch-not-reached':
      return `The code around the launch of ${code} was not followed: the macro or function that runs it is unknown`;
    case 'file-limit':
      return detail;
  }
}

const nouns = {
  file: ['file', 'files'],
  kernel: ['kernel', 'kernels'],
  function: ['function', 'functions'],
  launch: ['launch', 'launches'],
  access: ['access', 'accesses'],
} as const;

/** `2 kernels, 5 launches and 14 accesses`; empty for an empty list. */
export function unreadCounts(list: readonly Pick<Unread, 'what'>[]): string {
  const parts = Object.entries(nouns).flatMap(([what, [one, many]]) => {
    const number = list.filter((each) => each.what === what).length;
    return number === 0 ? [] : [`${number} ${number === 1 ? one : many}`];
  });
  const last = parts.pop();
  return parts.length > 0 ? `${parts.join(', ')} and ${last}` : (last ?? '');
}

/** `3 of 12 accesses not read`, of one kernel; undefined where all are. */
export function unreadShare(
  kernel: string,
  accesses: readonly AccessFact[],
  list: readonly Unread[],
): string | undefined {
  const placeOf = ({ at }: Pick<Unread, 'at'>): string => `${at.start} ${at.end}`;
  const lost = new Set(list.filter((one) => one.what === 'access' && one.kernels.includes(kernel)).map(placeOf));
  if (lost.size === 0) return undefined;
  // An inlined function may have accesses of both kinds at its call.
  const isLost = (one: AccessFact): boolean =>
    lost.has(placeOf(one)) && (one.sectors ?? one.wavefronts ?? one.gather) === undefined;
  const read = accesses.filter((one) => one.kernels.includes(kernel) && !isLost(one));
  return `${lost.size} of ${lost.size + new Set(read.map(placeOf)).size} accesses not read`;
}
