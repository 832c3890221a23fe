// The four walks in a browser, where no machine profiles: each recorded report is laid over its file.
import * as assert from 'node:assert/strict';
import { commands, extensions } from 'vscode';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import { activateExtension, closeAll, extensionId, inWorkspace } from '../host/support';
import { playChapter } from '../host/walkPlayer';
import { walks } from '../host/walkStories';

describe('walks', function () {
  this.timeout(60_000);
  let profile: ProfileApi;
  before(async () => {
    await activateExtension();
    ({ profile } = extensions.getExtension(extensionId)!.exports as { profile: ProfileApi });
  });
  afterEach(async () => {
    await commands.executeCommand('warplens.profile.clear');
    await closeAll();
  });

  for (const { title, chapters } of walks)
    describe(title, () => {
      for (const chapter of chapters)
        it(chapter.title, () =>
          playChapter(chapter, async (_, report) => {
            await commands.executeCommand('warplens.profile.layOver', inWorkspace(`samples/profiles/${report}`));
            assert.equal((profile.store.active ?? profile.timelines.active)?.name, report);
          }),
        );
    });
});
