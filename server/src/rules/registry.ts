// Every rule there is. Printed by tools/generate.ts from the folders beside this file: do not edit.
import type { FactKind } from '../semantic/model';
import type { Rule } from './rule';
import accAliasingKernels from './acc/aliasing-kernels/rule';
import accBlockLimit from './acc/block-limit/rule';
import accClauseArgument from './acc/clause-argument/rule';
import accClauseNotAllowed from './acc/clause-not-allowed/rule';
import accDataClause from './acc/data-clause/rule';
import accDeviceCopy from './acc/device-copy/rule';
import accDirectiveForm from './acc/directive-form/rule';
import accLoopRace from './acc/loop-race/rule';
import accMissingCollapse from './acc/missing-collapse/rule';
import accMissingDataRegion from './acc/missing-data-region/rule';
import accMissingMapping from './acc/missing-mapping/rule';
import accMissingReduction from './acc/missing-reduction/rule';
import accMissingRoutine from './acc/missing-routine/rule';
import accMissingWait from './acc/missing-wait/rule';
import accMissingWorkers from './acc/missing-workers/rule';
import accSyncInLoop from './acc/sync-in-loop/rule';
import accUncoalescedVector from './acc/uncoalesced-vector/rule';
import accUnknownName from './acc/unknown-name/rule';
import accUpdateInLoop from './acc/update-in-loop/rule';
import accVectorLength from './acc/vector-length/rule';
import cudaAccumulateInMemory from './cuda/accumulate-in-memory/rule';
import cudaAllocInLoop from './cuda/alloc-in-loop/rule';
import cudaAtomicContention from './cuda/atomic-contention/rule';
import cudaBankConflict from './cuda/bank-conflict/rule';
import cudaBarrierInDivergentCode from './cuda/barrier-in-divergent-code/rule';
import cudaBlockShape from './cuda/block-shape/rule';
import cudaBytesInFlight from './cuda/bytes-in-flight/rule';
import cudaCompareAndSwap from './cuda/compare-and-swap/rule';
import cudaConstantDivergent from './cuda/constant-divergent/rule';
import cudaDebugBuild from './cuda/debug-build/rule';
import cudaDefaultStream from './cuda/default-stream/rule';
import cudaDivergentBranch from './cuda/divergent-branch/rule';
import cudaDoubleInFloat from './cuda/double-in-float/rule';
import cudaFusableKernels from './cuda/fusable-kernels/rule';
import cudaGlobalOutOfBounds from './cuda/global-out-of-bounds/rule';
import cudaGlobalRace from './cuda/global-race/rule';
import cudaHostMemory from './cuda/host-memory/rule';
import cudaLaunchInLoop from './cuda/launch-in-loop/rule';
import cudaLaunchLimits from './cuda/launch-limits/rule';
import cudaLocalArray from './cuda/local-array/rule';
import cudaMatrixProduct from './cuda/matrix-product/rule';
import cudaMisalignedAccess from './cuda/misaligned-access/rule';
import cudaRepeatedScan from './cuda/repeated-scan/rule';
import cudaSharedOutOfBounds from './cuda/shared-out-of-bounds/rule';
import cudaSharedRace from './cuda/shared-race/rule';
import cudaSharedSweepReduction from './cuda/shared-sweep-reduction/rule';
import cudaSlowMath from './cuda/slow-math/rule';
import cudaSyncInLoop from './cuda/sync-in-loop/rule';
import cudaUncoalescedAccess from './cuda/uncoalesced-access/rule';
import cudaUninitializedGlobal from './cuda/uninitialized-global/rule';
import cudaUninitializedShared from './cuda/uninitialized-shared/rule';

export const registry: readonly { [K in FactKind]: Rule<K, string> }[FactKind][] = [
  accAliasingKernels,
  accBlockLimit,
  accClauseArgument,
  accClauseNotAllowed,
  accDataClause,
  accDeviceCopy,
  accDirectiveForm,
  accLoopRace,
  accMissingCollapse,
  accMissingDataRegion,
  accMissingMapping,
  accMissingReduction,
  accMissingRoutine,
  accMissingWait,
  accMissingWorkers,
  accSyncInLoop,
  accUncoalescedVector,
  accUnknownName,
  accUpdateInLoop,
  accVectorLength,
  cudaAccumulateInMemory,
  cudaAllocInLoop,
  cudaAtomicContention,
  cudaBankConflict,
  cudaBarrierInDivergentCode,
  cudaBlockShape,
  cudaBytesInFlight,
  cudaCompareAndSwap,
  cudaConstantDivergent,
  cudaDebugBuild,
  cudaDefaultStream,
  cudaDivergentBranch,
  cudaDoubleInFloat,
  cudaFusableKernels,
  cudaGlobalOutOfBounds,
  cudaGlobalRace,
  cudaHostMemory,
  cudaLaunchInLoop,
  cudaLaunchLimits,
  cudaLocalArray,
  cudaMatrixProduct,
  cudaMisalignedAccess,
  cudaRepeatedScan,
  cudaSharedOutOfBounds,
  cudaSharedRace,
  cudaSharedSweepReduction,
  cudaSlowMath,
  cudaSyncInLoop,
  cudaUncoalescedAccess,
  cudaUninitializedGlobal,
  cudaUninitializedShared,
];
