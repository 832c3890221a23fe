// Which documents are read: CUDA always, C and C++ where the text holds device code, Fortran where it holds directives,
// and nothing that no person wrote.
import { isFortran } from '../workspace/fortran';

/**
 * A file of hand-written code is far shorter; reading more on each keystroke would hold the editor up. UTF-16 units.
 */
export const longestDocument = 1024 * 1024;

const cudaLanguages = new Set(['cuda-cpp', 'cuda', 'cu']);
const cudaNames = /\.cuh?$/i;
const hostNames = /\.(h|hh|hpp|hxx|inl|c|cc|cpp|cxx)$/i;
const deviceCode = /__global__|__device__|__shared__|__launch_bounds__|<<<|cudaLaunchKernel|cudaMalloc|\bthreadIdx\b/;
const pragma = /#\s*pragma\s+acc\b|\b_Pragma\s*\(\s*"\s*acc\b/;

/** A directive of OpenACC in either source form. */
const fortranDirective = /^[ \t]*[!cC*]\$acc/im;

export type Service = 'read' | 'refused' | 'foreign';

/**
 * `foreign` documents get no answer at all; `refused` ones would be read if it were not for their contents, and `why`
 * says what to do.
 */
export function serviceOf(
  uri: string,
  languageId: string,
  text: string,
): { readonly service: Service; readonly why?: string } {
  const fortran = isFortran(uri.replace(/[?#].*$/, ''), languageId);
  const cuda = cudaLanguages.has(languageId) || cudaNames.test(uri);
  if (!cuda && !fortran && !hostNames.test(uri) && languageId !== 'cpp' && languageId !== 'c')
    return { service: 'foreign' };
  if (!cuda && !(fortran ? fortranDirective.test(text) : deviceCode.test(text) || pragma.test(text)))
    return { service: 'foreign' };
  if (text.length > longestDocument) {
    return {
      service: 'refused',
      why:
        `This file is too large to analyse at each keystroke (${(text.length / 1024 / 1024).toFixed(1)} MB of ` +
        `at most ${longestDocument / 1024 / 1024}). Move its kernels to another file, or run \`warplens ` +
        `check\` over it.`,
    };
  }
  if (text.slice(0, 65536).includes('\0'))
    return {
      service: 'refused',
      why: 'This file contains binary data and was not read. If it is source code, save it as UTF-8.',
    };
  return { service: 'read' };
}
