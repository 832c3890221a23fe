// cuda/launch-limits: a launch that asks for more than a block or a grid may have, so that it never starts.
import type { LaunchFact } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

type Message = 'block-depth' | 'grid-axis' | 'launch-bounds' | 'shared-memory' | 'shared-memory-at-all';

/** CUDA C++ Programming Guide, technical specifications: the same for every GPU that CUDA 13 knows. */
const mostDepth = 64;
const mostBlocksAlong = 65_535;
const sharedWithoutAsking = 49_152;
/** What a block may have with the attribute, on the GPUs that have most (9.0 and 10.0). */
const sharedAtAll = 232_448;

export default defineRule<'launch', Message>({
  meta: {
    id: 'cuda/launch-limits',
    since: '0.1.0',
    family: 'cuda',
    severity: 'error',
    fixable: 'no',
    summary: 'A launch exceeds a limit of blocks, grids, launch bounds or shared memory and never starts.',
    docs,
    messages: {
      'block-depth':
        '{count} threads along z: the launch fails. A block has at most {most} there, and `{kernel}` does ' +
        'not run.',
      'grid-axis':
        '{count} blocks along {axis}: the launch fails. A grid has at most {most} there and 2,147,483,647 ' +
        'along x, and `{kernel}` does not run.',
      'launch-bounds': '{count} threads per block: the launch fails. `__launch_bounds__` of `{kernel}` allow {most}.',
      'shared-memory':
        '{count} bytes of dynamic shared memory: the launch fails. Above {most} bytes `{kernel}` needs ' +
        '`cudaFuncSetAttribute` with `cudaFuncAttributeMaxDynamicSharedMemorySize`, and no known code ' +
        'calls it.',
      'shared-memory-at-all':
        '{count} bytes of shared memory: the launch fails on every GPU. No block of `{kernel}` can have ' +
        'more than {most} bytes.',
    },
    example: { count: '65,536', axis: 'y', most: '65,535', kernel: 'scale' },
  },
  on: 'launch',
  *check(fact): Generator<Finding<Message>> {
    if (fact.unsure) return;
    const kernel = excerpt(fact.kernelName, 40);
    const beyond = (
      message: Message,
      at: LaunchFact['at'],
      count: number,
      most: number,
      axis = '',
    ): Finding<Message> => ({
      at,
      message,
      confidence: 'proven',
      data: { kernel, count: written(count), most: written(most), axis },
      related: fact.kernelAt ? [{ at: fact.kernelAt, text: `\`${kernel}\` is defined here` }] : [],
    });
    const { x, y, z } = fact.block;
    if (fact.blockExact && z !== undefined && z > mostDepth) yield beyond('block-depth', fact.blockAt, z, mostDepth);
    for (const axis of ['y', 'z'] as const) {
      const blocks = fact.grid[axis];
      if (blocks !== undefined && blocks > mostBlocksAlong)
        yield beyond('grid-axis', fact.gridAt, blocks, mostBlocksAlong, axis);
    }
    const threads = fact.blockExact && x && y && z ? x * y * z : 0;
    if (fact.mostThreads !== undefined && threads > fact.mostThreads && threads <= 1024)
      yield beyond('launch-bounds', fact.blockAt, threads, fact.mostThreads);
    const { sharedBytes = 0, sharedAt = fact.at } = fact;
    if (sharedBytes > sharedAtAll) yield beyond('shared-memory-at-all', sharedAt, sharedBytes, sharedAtAll);
    else if (sharedBytes > sharedWithoutAsking && !fact.sharedMayBeRaised)
      yield beyond('shared-memory', sharedAt, sharedBytes, sharedWithoutAsking);
  },
});

/** With a comma at each thousand. */
function written(count: number): string {
  return count.toLocaleString('en-US');
}
