// What package.json offers: no command that needs a report or a step before there is one, and texts by key.
import { deepStrictEqual, match, ok } from 'node:assert/strict';
import { keyedManifest, keysIn, manifest, manifestTexts, type Texts, withKeys } from '../../tools/manifest';

const commands = manifest.contributes.commands as readonly { readonly command: string; readonly enablement?: string }[];
const palette = new Map(
  (manifest.contributes.menus.commandPalette as readonly { command: string; when: string }[]).map(
    ({ command, when }) => [command, when],
  ),
);
const isOffered = (needs: RegExp, { command, enablement = '' }: (typeof commands)[number]): boolean =>
  !needs.test(`${enablement} ${palette.get(command) ?? ''}`);

describe('the manifest', () => {
  it('has a text in package.nls.json for each key, and only keys for texts', () => {
    deepStrictEqual(keysIn(keyedManifest).sort(), Object.keys(manifestTexts).sort());
    const withoutKey: Texts = {};
    withKeys(keyedManifest.contributes, 'contributes', withoutKey);
    deepStrictEqual(withoutKey, {});
    for (const { name } of keyedManifest.contributes.views.warplens) match(name, /^%view\.[\w.]+%$/);
  });

  it('hides commands for steps while there are none', () => {
    const forSteps = commands.filter(({ command }) => command.startsWith('warplens.history.'));
    ok(forSteps.length >= 10);
    deepStrictEqual(
      forSteps.filter((each) => isOffered(/warplens\.stepsKept/, each)),
      [],
    );
  });

  it('hides commands for what a report shows while none is open', () => {
    const forReports = ['nextHottest', 'previousHottest', 'chooseMetric', 'chooseKernel', 'showSass', 'clear'];
    const forComparisons = ['nextChange', 'previousChange'];
    const named = (names: readonly string[]): typeof commands =>
      commands.filter(({ command }) => names.includes(command.replace('warplens.profile.', '')));
    deepStrictEqual(
      [named(forReports).length, named(forComparisons).length],
      [forReports.length, forComparisons.length],
    );
    deepStrictEqual(
      [
        ...named(forReports).filter((each) => isOffered(/warplens\.profileShown/, each)),
        ...named(forComparisons).filter((each) => isOffered(/warplens\.profileCompared/, each)),
      ],
      [],
    );
  });

  it('names an entry of a profile configuration for each deprecated setting', () => {
    const settings = manifest.contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
    const deprecated = settings.filter(([, setting]) => 'markdownDeprecationMessage' in setting);
    const [, configurations] = settings.find(([key]) => key === 'warplens.profile.configurations')!;
    const entries = Object.keys((configurations as { items: { properties: object } }).items.properties);
    ok(deprecated.length > 0);
    for (const [key, setting] of deprecated) {
      const entry = /^Set `(\w+)` in /.exec(
        (setting as { markdownDeprecationMessage: string }).markdownDeprecationMessage,
      )!;
      ok(entries.includes(entry[1]!), key);
      deepStrictEqual(`warplens.profile.${entry[1]}`, key);
    }
  });
});
