// What a release says of itself comes from the changelog's newest section, and from no other.
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { newestSection, notesOf } from '../../tools/release';

const changelog = '# Changelog\n\n## 0.2.0 (2026-12-01)\n\n### Added\n\n- A thing.\n\n## 0.1.0\n\n- First version.\n';

describe('release notes', () => {
  it('are the newest section of the changelog', () => {
    deepStrictEqual(newestSection(changelog), { version: '0.2.0', text: '### Added\n\n- A thing.' });
    deepStrictEqual(newestSection('## [v1.0.0-rc.1]\n- One.\n'), { version: '1.0.0-rc.1', text: '- One.' });
    strictEqual(newestSection('# Changelog\n'), undefined);
    strictEqual(notesOf(changelog, '0.2.0'), '# Warplens 0.2.0\n\n### Added\n\n- A thing.\n');
  });

  it('say what to do where the changelog does not fit the version', () => {
    const problem = (text: string, version: string): string => (notesOf(text, version) as { problem: string }).problem;
    match(problem(changelog, '0.3.0'), /is 0\.2\.0, but package\.json has 0\.3\.0/);
    match(problem('# Changelog\n', '0.1.0'), /has no section/);
    match(problem('## 0.1.0\n\n## 0.0.9\n- Old.\n', '0.1.0'), /is empty/);
  });
});
