// What the edits of a row per warp rest on, once every precondition holds.
import type { LaunchSite } from '../../language';
import type { WalkingLoop } from '../iterations/loops';
import type { MemoryWrite } from '../iterations/memory';
import type { RowPlaces } from '../threadNumbers/rows';

export interface Plan {
  readonly places: RowPlaces;
  readonly sites: readonly LaunchSite[];
  readonly shared: readonly WalkingLoop[];
  readonly writes: readonly MemoryWrite[];
  readonly wholeWarps: boolean;
  /** Loops over the grid take what fewer rows at a time leave: the launch need not change. */
  readonly strides: boolean;
}
