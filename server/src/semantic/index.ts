// The door of the semantic layer: translation units in, models out.
import type { TranslationUnit } from '../syntax/ast';
import type { Gpu, Model } from './model';
import type { LaunchConfiguration } from './launchConfiguration';

export type { LaunchConfiguration } from './launchConfiguration';

export interface AnalysisOptions {
  readonly gpu: Gpu;
  /** Launches that other files of the workspace make of kernels this file may define, by kernel name (last part). */
  readonly launchesElsewhere?: ReadonlyMap<string, readonly LaunchConfiguration[]>;
}

/** The launches that the host code of a unit makes, for the index of a workspace. Never throws. */
export declare function collectLaunches(unit: TranslationUnit, options: AnalysisOptions): ReadonlyMap<string, readonly LaunchConfiguration[]>;

/**
 * All facts of `unit.main` (not of its headers, which are analysed as files of their own). Never throws. What was computed for a function
 * that is unchanged, under unchanged surroundings, is taken from `cache`.
 */
export declare function analyse(unit: TranslationUnit, options: AnalysisOptions, cache?: AnalysisCache): Model;

/** Opaque: what analyse may keep between versions of one file. */
export interface AnalysisCache { readonly entries: Map<string, unknown> }
export declare function createCache(): AnalysisCache;
