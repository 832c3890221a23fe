// Blocks at the edges of a small grid, whose guards turn lanes away that those inside keep.
import { Taint, type AccessRecord, type RunResult } from '../run';
import type { Extent } from '../model';

type Block = readonly [number, number, number];
/** A block that stands for `weight` blocks of the grid. */
interface Part {
  readonly blockAt: Block;
  readonly weight: number;
}

/** Up to this share of blocks at the edges a figure is that of the blocks inside. */
const fewEdges = 0.02;
const counts = ['sectors', 'sectorsIdeal', 'wavefronts', 'wavefrontsIdeal', 'warps', 'lanes'] as const;

/** The first, the last, and one for those between along each axis; undefined where edges are few or not known. */
function partsOf({ x, y, z }: Extent): Part[] | undefined {
  const parts = [x, y, z].map((blocks): [number, number][] | undefined => {
    if (blocks === undefined || blocks < 1) return undefined;
    const inside: [number, number][] = blocks > 2 ? [[Math.floor(blocks / 2), blocks - 2]] : [];
    return [[0, 1], ...inside, ...(blocks > 1 ? ([[blocks - 1, 1]] as [number, number][]) : [])];
  });
  const [ofX, ofY, ofZ] = parts;
  if (!ofX || !ofY || !ofZ) return undefined;
  const insideShare = [x!, y!, z!].reduce((share, blocks) => (blocks > 1 ? (share * (blocks - 2)) / blocks : share), 1);
  if (insideShare > 1 - fewEdges) return undefined;
  return ofX.flatMap(([atX, forX]) =>
    ofY.flatMap(([atY, forY]) =>
      ofZ.map(([atZ, forZ]): Part => ({ blockAt: [atX, atY, atZ], weight: forX * forY * forZ })),
    ),
  );
}

/**
 * Counts each access as the mean over the blocks of the grid where some condition depends on the block. `runAt` runs
 * one block, or says that the kernel has cost enough.
 */
export function averageBlocks(result: RunResult, grid: Extent, runAt: (blockAt: Block) => RunResult | undefined): void {
  if (!result.complete || ![...result.branches.values()].some(({ taint }) => taint & Taint.block)) return;
  const parts = partsOf(grid);
  if (!parts || parts.length < 2) return;
  const runs: { readonly weight: number; readonly of: RunResult }[] = [];
  for (const { blockAt, weight } of parts) {
    const of = runAt(blockAt);
    if (!of?.complete) return;
    runs.push({ weight, of });
  }
  const all = runs.reduce((sum, { weight }) => sum + weight, 0);
  for (const [node, records] of result.accesses)
    for (const record of records) {
      if (record.shadow || record.warps === 0) continue;
      const alike = runs.map(({ weight, of }) => ({ weight, one: alikeIn(of.accesses.get(node) ?? [], record) }));
      if (alike.every(({ one }) => !one)) continue;
      const { sectors, wavefronts } = record;
      for (const name of counts)
        record[name] = alike.reduce((sum, { weight, one }) => sum + weight * (one?.[name] ?? 0), 0) / all;
      record.hangs.offEdge += record.sectors - sectors;
      record.hangs.least *= (record.sectors + record.wavefronts) / Math.max(1e-9, sectors + wavefronts);
    }
}

function alikeIn(records: readonly AccessRecord[], { mode, bytes, base, via }: AccessRecord): AccessRecord | undefined {
  return records.find(
    (each) =>
      each.mode === mode && each.bytes === bytes && each.base.name === base.name && each.via === via && !each.shadow,
  );
}
