// The contents of a picture's folder before its window opens: recorded reports, steps of a history, a program to
// measure.
import { join } from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import { bytesSource, openReport } from '../../profiler/src/report';
import { profile as runProfile } from '../../profiler/src/session/profileSession';
import { makeReplayHost } from '../../test/profiler-host/replayFolder';

const root = join(__dirname, '..', '..');

/** What nvc says of the second stage, as a log in the workspace that a setting names. */
export const feedbackLog = (file: string, lines: readonly [number, string][]): string =>
  [
    `nvc -fast -acc -Minfo=accel -c ${file}`,
    'multiply:',
    ...lines.map(([line, text]) => `${String(line).padStart(7)}, ${text}`),
    '',
  ].join('\n');

/** Three stages of one program as steps, by their recorded reports. */
export async function walkStages(folder: string): Promise<void> {
  const host = makeReplayHost();
  const path = process.env.PATH;
  process.env.PATH = `${host.tools}:${path}`;
  host.play('named');
  try {
    for (const stage of ['1-row-per-thread', '2-coalesced', '3-shuffle']) {
      host.keepReport(stage, readFileSync(join(root, 'samples', 'profiles', `${stage}.ncu-rep`)));
      writeFileSync(
        join(folder, 'average.cu'),
        readFileSync(join(root, 'samples', 'ado', `${stage}.cu`), 'utf8').replace(
          '"problem.cuh"',
          '"samples/ado/problem.cuh"',
        ),
      );
      await runProfile({
        host: { scratchIn: host.scratchIn },
        store: join(folder, '.warplens', 'profiles'),
        collect: { mostKernels: 100, timeLimitSeconds: 60, clocks: 'none', arguments: [] },
        build: {
          files: [],
          flags: [],
          folder,
          command: `printf '#!/bin/sh\\n# replays ${stage}\\n' >average; chmod +x average`,
          program: 'average',
        },
      });
    }
  } finally {
    process.env.PATH = path;
    host.remove();
  }
}

/** A machine whose ncu gives recorded reports. */
export function prepareTrial(): ReturnType<typeof makeReplayHost> {
  const host = makeReplayHost();
  for (const name of ['unpadded-tile', 'unpadded-tile.fixed'])
    host.keepReport(name, readFileSync(join(root, 'samples', 'profiles', `${name}.ncu-rep`)));
  host.play('named');
  return host;
}

/** A build without a compiler: it says which recorded report the program is, by the contents of the source. */
export function trialSettings(scratch: string): object {
  const build =
    "r=; s='result 1073741824'; grep -q 'tileSize + 1\\|tileSize = 64' transpose/unpadded-tile.cu && " +
    "r=.fixed; grep -q tileSize.=.8 transpose/unpadded-tile.cu && s='result 0'; grep -q shfl " +
    "reduction/shared-sweep.cu && s='result 1073741825'; grep -q tileSize.=.128 transpose/unpadded-tile.cu " +
    "&& { echo 'transpose/unpadded-tile.cu(8): error: too much shared data'; exit 1; }; sleep 1; { echo " +
    '\'#!/bin/sh\'; echo "# replays unpadded-tile$r"; echo "echo $s"; echo \'echo time 0.0850 ms\'; } >prog; ' +
    'chmod +x prog';
  return {
    'warplens.profile.host': 'local',
    'warplens.profile.scratch': scratch,
    'warplens.profile.configurations': [{ name: 'samples', build, program: './prog', folder: 'samples' }],
  };
}

export async function unpackProfile(folder: string): Promise<void> {
  const bytes = brotliDecompressSync(
    readFileSync(join(root, 'test', 'profiler', 'reports', 'patterns-full.ncu-rep.br')),
  );
  writeFileSync(join(folder, 'patterns.ncu-rep'), bytes);
  const report = await openReport(bytesSource(new Uint8Array(bytes)));
  const path = report.embeddedSources.map((source) => source.path).find((name) => name.endsWith('/patterns.cu'))!;
  writeFileSync(join(folder, 'patterns.cu'), (await report.readSource(path))!);
}
