// From which figures on a measured line is worth a mark or a word: the same for the editor, the report page and the command line.

/** Lines below this share of their kernel are not marked: below it sampling is noise, and the editor stays calm. */
export const leastShare = 0.01;
/** From this ratio to the ideal on an access is said to exceed it. */
export const leastRatio = 1.05;
/** Divergent branches for each instruction of the line from which on they are worth a word. */
export const leastDivergence = 0.001;
/** Lines from this part of the hottest one's share are drawn warm. */
export const hotPart = 0.3;
/** Fewer active threads of 32 than this, on average, are worth a word beside a line. */
export const fewThreads = 24;
/** Below this part of the hottest line one without a finding is not worth a row among the problems. */
export const leastPartOfHottest = 0.05;
/** A change of a time, up or down, that two runs of the same program have too. */
export const leastGain = 0.05;
