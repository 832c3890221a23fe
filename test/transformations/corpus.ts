// The programs that are transformed: the samples and what the rules report.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { registry } from '../../server/src/rules/registry';
import { mistakeRules } from '../support/accCompilers';
import { readFixture } from '../support/fixtureFile';
import { programOf } from '../support/renaming';
import { readSampleFiles, samplesFolder } from '../support/sampleFiles';

export interface Source {
  /** Its path below the samples, or the folder of rules. */
  readonly name: string;
  readonly path: string;
  readonly text: string;
  readonly beside: ReadonlyMap<string, string>;
}

const rules = join(__dirname, '../../server/src/rules');

/** A fixture without its carets; nothing belongs to it. */
function fixtureSource(path: string): Source {
  const { text } = readFixture(readFileSync(path, 'utf8'));
  return { name: path.slice(rules.length + 1), path, text, beside: new Map() };
}

export function sourcesOf(): readonly Source[] {
  const samples = readSampleFiles(/\.(cuh?|h)$/);
  const fixtures = registry.flatMap(({ meta }) =>
    readdirSync(join(rules, meta.id))
      .filter((name) => /^bad.*(?<!\.fixed)\.cu$/.test(name))
      .map((name) => join(rules, meta.id, name)),
  );
  return [
    ...[...samples]
      .filter(([path]) => path.endsWith('.cu') && !path.endsWith('.fixed.cu'))
      .map(([path, text]) => {
        const beside = programOf(path, (each) => samples.get(each));
        beside.delete(path);
        return { name: path.slice(samplesFolder.length + 1), path, text, beside };
      }),
    ...fixtures.map(fixtureSource),
  ];
}

/** The programs of OpenACC: what its rules report, and what they must not. */
export function directiveSourcesOf(): readonly Source[] {
  const ending = /\.(?:c|cpp|f90|f)$/;
  const samples = readSampleFiles(/\.(?:c|f90|h|inc)$/);
  const fixtures = registry
    .filter(({ meta }) => meta.id.startsWith('acc/') && !mistakeRules.has(meta.id))
    .flatMap(({ meta }) =>
      readdirSync(join(rules, meta.id))
        .filter((name) => ending.test(name) && !name.includes('.fixed.'))
        .map((name) => join(rules, meta.id, name)),
    );
  return [
    ...[...samples]
      .filter(([path]) => ending.test(path) && !path.includes('.fixed.'))
      .map(([path, text]) => {
        const beside = new Map(samples);
        beside.delete(path);
        return { name: path.slice(samplesFolder.length + 1), path, text, beside };
      }),
    ...fixtures.map(fixtureSource),
  ];
}
