// Which documents Warplens reads: CUDA under every id it goes by, C, C++ and Fortran.
import type { TextDocument } from 'vscode';
import { fileSchemes } from './paths';

const languages = [
  'cuda-cpp',
  'cuda',
  'cpp',
  'c',
  'fortran',
  'FortranFreeForm',
  'FortranFixedForm',
  'fortran-modern',
  'fortran_fixed-form',
];
/** Fortran for an editor that has no extension for it, and calls it plain text. */
const fortranNames = '**/*.{f,F,for,FOR,ftn,f90,F90,f95,F95,f03,F03,f08,F08}';
const fortranName = /\.(f|for|ftn|f90|f95|f03|f08)$/i;

/** Files of the open folders, wherever these lie, and texts that were never saved. */
export function documentSelector(): {
  readonly scheme: string;
  readonly language: string;
  readonly pattern?: string;
}[] {
  return [
    ...[...fileSchemes(), 'untitled'].flatMap((scheme) => languages.map((language) => ({ scheme, language }))),
    ...fileSchemes().map((scheme) => ({ scheme, language: 'plaintext', pattern: fortranNames })),
  ];
}

export function isReadable(document: TextDocument): boolean {
  return (
    [...fileSchemes(), 'untitled'].includes(document.uri.scheme) &&
    (languages.includes(document.languageId) ||
      (document.languageId === 'plaintext' && fortranName.test(document.uri.path)))
  );
}
