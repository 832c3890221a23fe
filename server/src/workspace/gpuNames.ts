// The names of GPUs that settings and flags may use.
import { gpus } from '../semantic/gpus';

export const gpuNames = gpus.map(({ name }) => name);

/** What to name instead of a GPU that the table does not have. */
export const knownGpus = `Use auto, an architecture such as sm_90, or one of ${gpuNames.join(', ')}.`;

/** The sentence for such a GPU. */
export function unknownGpu(name: string): string {
  return `Unknown GPU "${name}". ${knownGpus}`;
}

/** What `gpuByName` takes, `auto` and nothing, as the pattern of a JSON schema, which knows no flag for case. */
export function gpuPattern(): string {
  const eitherCase = (text: string): string =>
    text.replace(/[a-z]/gi, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`);
  const gap = '[\\s_-]*';
  const name = (text: string): string =>
    eitherCase(text.split(/\s+|(?<=\d)(?=[a-z])|(?<=[a-z])(?=\d)/i).join('~')).replaceAll('~', gap);
  const capabilities = [...new Set(gpus.map(({ computeCapability }) => computeCapability.toFixed(1).split('.')))];
  const values = new Set(capabilities.map(([major, minor]) => `${major}\\.?${minor}`));
  const architecture = `(?:${name('sm')}|${name('compute')})?${gap}(?:${[...values].join('|')})[af]?`;
  const maker = `(?:${eitherCase('nvidia')}|${eitherCase('geforce')}|[\\s_-])*`;
  const names = gpuNames.map(name).join('|');
  return `^(?:auto|${maker}(?:${names}|${architecture})${gap})?$`;
}
