// How often the file system is asked where includes lead.
import assert from 'node:assert/strict';
import type { FileSystem } from '../../server/src/workspace/fileSystem';
import { createIncludes } from '../../server/src/workspace/includes';
import { createObserver } from '../../server/src/workspace/observedFiles';

/** The questions that looking for one include from two units of one folder's header takes, one after the other. */
function questions(isStill: boolean, between: (changed: () => void) => void = () => {}): readonly number[] {
  let asked = 0;
  const observer = createObserver(() => {});
  const fileSystem: FileSystem = {
    isStill,
    read: () => undefined,
    list: () => undefined,
    version(path) {
      asked++;
      observer.note(`exists ${path}`, () => 'yes');
      return path === '/library/b.h' ? 1 : undefined;
    },
  };
  const includes = createIncludes(fileSystem, observer, undefined);
  const found = ['/p/one.cu', '/q/two.cu'].map((unit) => {
    const before = asked;
    const { value, asked: heard } = observer.watch(() =>
      includes.from(['/other', '/library'])('b.h', true, '/library/a.h', unit),
    );
    assert.equal(value?.path, '/library/b.h');
    assert.deepEqual([...heard.answers.keys()], ['exists /other/b.h', 'exists /library/b.h']);
    between(() => includes.changed());
    return asked - before;
  });
  return found;
}

describe('where includes lead', () => {
  it('is asked once for all units where files change only when somebody says so', () =>
    assert.deepEqual(questions(true), [2, 0]));
  it('is asked again after a change', () =>
    assert.deepEqual(
      questions(true, (changed) => changed()),
      [2, 2],
    ));
  it('is asked for each unit where files change by themselves', () => assert.deepEqual(questions(false), [2, 2]));
});
