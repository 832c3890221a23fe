// A change of one file as a unified diff that `git apply` and `patch` take.
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff';

export function patchOf(name: string, before: string, after: string): string {
  const options = { context: 3, headerOptions: FILE_HEADERS_ONLY };
  return createTwoFilesPatch(`a/${name}`, `b/${name}`, before, after, undefined, undefined, options).replace(/\n$/, '');
}
