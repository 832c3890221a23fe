// The names of GPUs that settings and flags may use.
import { gpus } from '../semantic/gpus';

/** The sentence for a GPU that the table does not have. */
export function unknownGpu(name: string): string {
  const names = gpus.map((gpu) => gpu.name).join(', ');
  return `Unknown GPU "${name}". Use auto, an architecture such as sm_90, or one of ${names}.`;
}
