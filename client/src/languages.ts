// Which documents Warplens reads: CUDA under every id it goes by, and C and C++, where the server looks for device code.
import type { TextDocument } from 'vscode';

const languages = ['cuda-cpp', 'cuda', 'cpp', 'c'];
const schemes = ['file', 'untitled'];

export const documentSelector: readonly { readonly scheme: string; readonly language: string }[] =
  schemes.flatMap((scheme) => languages.map((language) => ({ scheme, language })));

export function isReadable(document: TextDocument): boolean {
  return languages.includes(document.languageId) && schemes.includes(document.uri.scheme);
}
