// Every rule there is. Printed by tools/generate.ts from the folders beside this file: do not edit.
import type { FactKind } from '../semantic/model';
import type { Rule } from './rule';
import cudaBankConflict from './cuda/bank-conflict/rule';
import cudaBarrierInDivergentCode from './cuda/barrier-in-divergent-code/rule';
import cudaBlockShape from './cuda/block-shape/rule';
import cudaDivergentBranch from './cuda/divergent-branch/rule';
import cudaUncoalescedAccess from './cuda/uncoalesced-access/rule';

export const registry: readonly { [K in FactKind]: Rule<K, string> }[FactKind][] = [
  cudaBankConflict,
  cudaBarrierInDivergentCode,
  cudaBlockShape,
  cudaDivergentBranch,
  cudaUncoalescedAccess,
];
