// Facts in short words, for hovers, lenses and the dump of a model.
import { counted, excerpt, figure, rangeText, ratioRangeText } from '../rules/wording';
import type { AccessFact, BranchFact, Extent, KernelShape, LaunchFact, Variance } from '../semantic/model';
import { figureRange, idealRange, ratioRange } from '../semantic/figures';

export { counted as count, figure };

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
  const { laneStride, unknownStride, gather } = access;
  const ratio = ratioRange(access);
  if (ratio) {
    const range = figureRange(access);
    const unit = `${access.space === 'shared' ? 'wavefront' : 'sector'}${range[1] === 1 ? '' : 's'}`;
    clauses.push(`${rangeText(range)} ${unit}, ideal ${rangeText(idealRange(access))} (${ratioRangeText(ratio)})`);
  }
  // A stride that depends on an unknown value was chosen for the count, and is not shown.
  if (unknownStride !== undefined)
    clauses.push(
      unknownStride === '?'
        ? 'unknown stride between lanes'
        : `stride ${code(unknownStride, 40)} between lanes (value unknown)`,
    );
  else if (laneStride !== undefined)
    clauses.push(
      laneStride === 0 ? 'one address for all lanes' : `${counted(Math.abs(laneStride), 'byte')} between lanes`,
    );
  if (gather) clauses.push(`gathered by ${code(gather.text, 40)}, depending on data`);
  return clauses;
}

export function branchClauses(branch: BranchFact): string[] {
  const guard = branch.boundaryGuard ? 'boundary guard, ' : '';
  const clauses = [`${guard}${varianceText[branch.variance]}${branch.dataDependent ? ', depends on data' : ''}`];
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
    `block ${extentText(launch.block)}${warps === undefined ? '' : ` (${counted(warps, 'warp')})`}`,
    `grid ${extentText(launch.grid)}`,
  ];
  if (launch.sharedBytes !== undefined && launch.sharedBytes > 0)
    clauses.push(`${counted(launch.sharedBytes, 'byte')} of dynamic shared memory`);
  return clauses;
}

function percent(share: number): string {
  return `${figure(share * 100)} %`;
}
