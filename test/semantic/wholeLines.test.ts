// Lines that a removal takes, and the blank lines that would be left over.
import { equal } from 'node:assert/strict';
import { wholeLines } from '../../server/src/syntax/lines';

const without = (text: string): string => {
  const start = text.indexOf('gone;');
  const { start: from, end } = wholeLines(text, { start, end: start + 'gone;'.length })!;
  return text.slice(0, from) + text.slice(end);
};

describe('whole lines', () => {
  for (const [name, before, after] of [
    ['a blank line above the end of a block goes', '{\n  a;\n\n  gone;\n}\n', '{\n  a;\n}\n'],
    ['a blank line below before the end of a block goes', '{\n  a;\n  gone;\n\n}\n', '{\n  a;\n}\n'],
    ['a blank line below behind the start of a block goes', '{\n  gone;\n\n  a;\n}\n', '{\n  a;\n}\n'],
    ['of blank lines on both sides one stays', 'a;\n\ngone;\n\nb;\n', 'a;\n\nb;\n'],
    ['a blank line above a statement stays', 'a;\n\ngone;\nb;\n', 'a;\n\nb;\n'],
  ] as const)
    it(name, () => equal(without(before), after));
});
