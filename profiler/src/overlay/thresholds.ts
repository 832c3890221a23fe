// From which figures on a measured line is worth a mark or a word: the same for the editor, the report page and the
// command line.

/** Lines below this share of their kernel are not marked: below it sampling is noise, and the editor stays calm. */
export const leastShare = 0.01;
/** From this ratio to the ideal on an access is said to exceed it. */
export const leastRatio = 1.05;
/** Divergent branches per instruction of the line from which on they are shown. */
export const leastDivergence = 0.001;
/** Lines from this part of the hottest one's share are drawn warm. */
export const hotPart = 0.3;
/** Fewer active threads of 32 than this, on average, are shown beside a line. */
export const fewThreads = 24;
/** Below this part of the hottest line one without a finding is not worth a row among the problems. */
export const leastPartOfHottest = 0.05;
/** A change of a time, up or down, that two runs of the same program have too. */
export const leastGain = 0.05;

/**
 * What two runs of the same code differ by, and what is therefore no change of a line. Measured on pairs of runs of
 * programs of HeCBench
 * (docs/measurements/comparison.md).
 */
export const changeNoise = {
  /** Standard errors by which a share of samples has to differ. */
  errors: 4,
  /** How much wider than counts alone the samples of a line scatter. */
  spread: 1.5,
  /** Part of a share by which the order of warps moves it, whatever the number of samples. */
  scheduling: 0.01,
  /** Part of a launch's time by which runs differ. */
  duration: 0.03,
  /** Nanoseconds by which the shortest launches differ. */
  clockNs: 250,
  /** Part of a counter by which programs that are not deterministic differ. */
  count: 0.01,
  /** Part of the kernel below which a difference is not worth a mark. */
  leastShare: 0.01,
} as const;
