// Whether the tests run under mutation testing (`node lab/mutation/mutate.mjs`): thousands of times, where a compiler takes too long.

export const mutated = process.env['WARPLENS_MUTATION'] === '1';
