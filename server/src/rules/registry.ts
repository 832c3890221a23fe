// Every rule there is. Printed by tools/generate.ts from the folders beside this file: do not edit.
import type { FactKind } from '../semantic/model';
import type { Rule } from './rule';
import cudaAllocInLoop from './cuda/alloc-in-loop/rule';
import cudaBankConflict from './cuda/bank-conflict/rule';
import cudaBarrierInDivergentCode from './cuda/barrier-in-divergent-code/rule';
import cudaBlockShape from './cuda/block-shape/rule';
import cudaDivergentBranch from './cuda/divergent-branch/rule';
import cudaDoubleInFloat from './cuda/double-in-float/rule';
import cudaSharedSweepReduction from './cuda/shared-sweep-reduction/rule';
import cudaSyncInLoop from './cuda/sync-in-loop/rule';
import cudaUncoalescedAccess from './cuda/uncoalesced-access/rule';

export const registry: readonly { [K in FactKind]: Rule<K, string> }[FactKind][] = [
  cudaAllocInLoop,
  cudaBankConflict,
  cudaBarrierInDivergentCode,
  cudaBlockShape,
  cudaDivergentBranch,
  cudaDoubleInFloat,
  cudaSharedSweepReduction,
  cudaSyncInLoop,
  cudaUncoalescedAccess,
];
