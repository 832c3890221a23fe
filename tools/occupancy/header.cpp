// Answers combinations on its input by the occupancy calculator of the CUDA toolkit, a line each:
//   major minor threads-of-multiprocessor shared-of-multiprocessor shared-of-block opt-in reserved
//   threads registers static dynamic allowed barriers carveout
// gives: blocks, then those that threads, blocks, registers, shared memory and barriers allow (-1: no limit).
#include <climits>
#include <cstdio>
#include <cstring>
#include <cuda_occupancy.h>

static int orNone(int blocks) { return blocks == INT_MAX ? -1 : blocks; }

int main() {
  int major, minor, threadsOfAll, threads, registers, barriers, carveout;
  size_t sharedOfAll, sharedOfBlock, optIn, reserved, fixed, dynamic, allowed;
  while (std::scanf("%d %d %d %zu %zu %zu %zu %d %d %zu %zu %zu %d %d", &major, &minor, &threadsOfAll, &sharedOfAll,
                    &sharedOfBlock, &optIn, &reserved, &threads, &registers, &fixed, &dynamic, &allowed, &barriers,
                    &carveout) == 14) {
    cudaOccDeviceProp device;
    device.computeMajor = major;
    device.computeMinor = minor;
    device.maxThreadsPerBlock = 1024;
    device.maxThreadsPerMultiprocessor = threadsOfAll;
    device.regsPerBlock = 65536;
    device.regsPerMultiprocessor = 65536;
    device.warpSize = 32;
    device.sharedMemPerBlock = sharedOfBlock;
    device.sharedMemPerMultiprocessor = sharedOfAll;
    device.numSms = 1;
    device.sharedMemPerBlockOptin = optIn;
    device.reservedSharedMemPerBlock = reserved;
    cudaOccFuncAttributes kernel;
    kernel.maxThreadsPerBlock = INT_MAX;
    kernel.numRegs = registers;
    kernel.sharedSizeBytes = fixed;
    kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
    kernel.maxDynamicSharedSizeBytes = allowed;
    kernel.numBlockBarriers = barriers;
    cudaOccDeviceState state;
    state.carveoutConfig = carveout;
    cudaOccResult result;
    std::memset(&result, 0, sizeof(result));
    cudaOccError error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, dynamic);
    if (error != CUDA_OCC_SUCCESS) std::printf("error %d\n", error);
    else
      std::printf("%d %d %d %d %d %d\n", result.activeBlocksPerMultiprocessor, result.blockLimitWarps,
                  result.blockLimitBlocks, orNone(result.blockLimitRegs), orNone(result.blockLimitSharedMem),
                  orNone(result.blockLimitBarriers));
  }
  return 0;
}
