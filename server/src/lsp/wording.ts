// Facts in short words, for hovers, lenses and the dump of a model.
import { counted, excerpt, figure, ratioText } from '../rules/wording';
import type { AccessFact, BranchFact, Extent, KernelShape, LaunchFact, Variance } from '../semantic/model';

export { figure };

/** `8.0×` of a value over its ideal. */
export function ratioOf(value: number, ideal: number): string {
  return ratioText(value / ideal);
}

export function count(number: number, one: string, many?: string): string {
  return counted(number, one, many);
}

/** `256`, `32×8`, `?×8×1`: parts that nothing fixes are question marks, trailing ones are left out. */
export function extentText({ x, y, z }: Extent): string {
  const parts = [x, y, z];
  while (parts.length > 1 && parts.at(-1) === 1) parts.pop();
  return parts.map((part) => part ?? '?').join('×');
}

export function blockText({ block: [x, y, z] }: Pick<KernelShape, 'block'>): string {
  return extentText({ x, y, z });
}

/** Warps of a block of known size. */
export function warpsOf({ x, y, z }: Extent, warpSize: number): number | undefined {
  return x === undefined || y === undefined || z === undefined ? undefined : Math.ceil((x * y * z) / warpSize);
}

export const varianceText: Readonly<Record<Variance, string>> = {
  constant: 'the same in every launch',
  'grid-uniform': 'the same for the whole grid',
  'block-uniform': 'the same for all threads of a block',
  'warp-uniform': 'the same for all lanes of a warp',
  'thread-varying': 'different between the lanes of a warp',
};

/** Code in Markdown, on one line, whatever backticks it holds. */
export function code(text: string, longest = 80): string {
  const short = excerpt(text, longest);
  return short.includes('`') ? `\`\` ${short} \`\`` : `\`${short}\``;
}

/** What an access costs, in a few clauses. */
export function accessClauses(access: AccessFact): string[] {
  const clauses: string[] = [];
  const { sectors, sectorsIdeal, wavefronts, wavefrontsIdeal, laneStride, unknownStride, gather } = access;
  if (sectors !== undefined && sectorsIdeal !== undefined && sectorsIdeal > 0)
    clauses.push(
      `${figure(sectors)} ${sectors === 1 ? 'sector' : 'sectors'}, ideal ${figure(sectorsIdeal)} (${ratioOf(sectors, sectorsIdeal)})`,
    );
  if (wavefronts !== undefined && wavefrontsIdeal !== undefined && wavefrontsIdeal > 0)
    clauses.push(
      `${figure(wavefronts)} ${wavefronts === 1 ? 'wavefront' : 'wavefronts'}, ideal ` +
        `${figure(wavefrontsIdeal)} (${ratioOf(wavefronts, wavefrontsIdeal)})`,
    );
  // A stride that depends on an unknown value was chosen for the count, and is not shown.
  if (unknownStride !== undefined)
    clauses.push(
      unknownStride === '?'
        ? 'unknown stride between lanes'
        : `stride ${code(unknownStride, 40)} between lanes (value unknown)`,
    );
  else if (laneStride !== undefined)
    clauses.push(
      laneStride === 0 ? 'one address for all lanes' : `${count(Math.abs(laneStride), 'byte')} between lanes`,
    );
  if (gather)
    clauses.push(
      `gathered by ${code(gather.text, 40)}: up to ${figure(gather.sectorsAtMost)} sectors, depending on data`,
    );
  return clauses;
}

export function branchClauses(branch: BranchFact): string[] {
  const clauses = [
    `${branch.boundaryGuard ? 'boundary guard, ' : ''}${varianceText[branch.variance]}${branch.dataDependent ? ', depends on data' : ''}`,
  ];
  if (branch.singleLane) clauses.push('taken by one lane');
  if (branch.splitShare !== undefined && branch.variance === 'thread-varying')
    clauses.push(`splits ${percent(branch.splitShare)} of the warps`);
  if (branch.lostShare !== undefined && branch.lostShare > 0)
    clauses.push(`leaves ${percent(branch.lostShare)} of the lanes idle`);
  return clauses;
}

export function launchClauses(launch: LaunchFact, warpSize: number): string[] {
  const warps = warpsOf(launch.block, warpSize);
  const clauses = [
    `block ${extentText(launch.block)}${warps === undefined ? '' : ` (${count(warps, 'warp')})`}`,
    `grid ${extentText(launch.grid)}`,
  ];
  if (launch.sharedBytes !== undefined && launch.sharedBytes > 0)
    clauses.push(`${count(launch.sharedBytes, 'byte')} of dynamic shared memory`);
  return clauses;
}

function percent(share: number): string {
  return `${figure(share * 100)} %`;
}
