// The calls of the CUDA API in a document's host code, for what a timeline says of them.
import type { ModelParameters, TextRange } from './requests';

/** `null` when the server does not read that file. */
export type HostCallsParameters = ModelParameters;
export interface HostCallsAnswer {
  /** Of the document that was read. */
  readonly version: number;
  /** In the order of the text. */
  readonly calls: readonly HostCallPlace[];
}
export interface HostCallPlace {
  /** `cudaMalloc`; `cudaLaunchKernel` for a launch. */
  readonly name: string;
  /** Name of the kernel of a launch, without types. */
  readonly kernel?: string;
  readonly range: TextRange;
  /** Name of the function around it, where that is known. */
  readonly function?: string;
}
export const hostCallsRequest = 'warplens/hostCalls';
