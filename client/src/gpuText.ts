// Which texts may be code for a GPU: what is plain C needs no server.

/** What code for a GPU has in it, or a file that brings some in. */
const gpuText =
  /cuda|CUDA|Cuda|__(?:global|device|host|shared|constant)__|<<<|\bacc[_\s]|\bACC|_ACC|OpenACC|_Pragma|\.cuh\b/;

/** Whether a document may be code for a GPU: CUDA and Fortran are, C and C++ if their text says so. */
export function mayBeGpuCode(languageId: string, text: string): boolean {
  return (languageId !== 'c' && languageId !== 'cpp') || gpuText.test(text);
}
