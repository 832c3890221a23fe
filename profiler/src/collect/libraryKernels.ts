/** Libraries whose kernels wait for those of other GPUs: run again alone, or one after the other, they never end. */
export const kernelsThatWait: readonly { readonly library: string; readonly kernels: string }[] = [
  // ncclKernel_… before NCCL 2.19, ncclDevKernel_… since.
  { library: 'NCCL', kernels: 'nccl' },
];

/** Ends with 0 if the file `$1` names the text `$2`. */
export const namesScript = 'grep -qaF -- "$2" "$1"';

/** The filter that leaves out kernels whose names begin so. */
export function without(kernels: readonly string[]): string {
  return `regex:^(?!${kernels.join('|')}).*`;
}
