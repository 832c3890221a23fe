// What one launch tells about the kernel it starts: shapes, template arguments and the arguments that are constants.
import type { TemplateArg } from '../../syntax/ast';
import type { Extent, HostLoops, Span } from '../model';
import type { Launching, Bindings, Type } from '../language';
import type { PassedValue, Room } from './passedValueShape';

/** Bytes to which allocations are aligned (CUDA C++ Programming Guide, device memory accesses). */
export const alignmentPeriod = 256;

export interface LaunchSample {
  /** By name, as the host has it. */
  readonly numbers: readonly (readonly [string, number])[];
  readonly launch: LaunchConfiguration;
  /** Of pointer arguments, the memory whose size these numbers alone decide. */
  readonly rooms: readonly (Room | undefined)[];
}

export interface LaunchConfiguration extends Launching {
  readonly kernelName: string; // last part of the name
  readonly block: Extent;
  readonly grid: Extent;
  readonly blockExact: boolean;
  readonly gridExact: boolean;
  /** The grid with numbers in the place of what is not known. */
  readonly gridSample: Extent;
  /** A fingerprint of the configuration, equal for launches that give the same analysis. */
  readonly key: string;
  readonly at: Span;
  /** Found with the launch; no run depends on them. */
  readonly hostLoops?: HostLoops;
  /** Template arguments by position: a number, or a type's name. */
  readonly templateArgs: readonly (number | string)[];
  readonly templateSyntax?: readonly TemplateArg[];
  /** Values of the kernel's arguments by position, where they are constants. */
  readonly args: readonly (number | undefined)[];
  /** Of pointer arguments, the bytes before what they point to, modulo `alignmentPeriod`; absent if unknown. */
  readonly argOffsets?: readonly (number | undefined)[];
  /** Of pointer arguments, the memory that they lead into, where its size is known. */
  readonly argRooms?: readonly (Room | undefined)[];
  /** Of pointer arguments, the bytes from the start of new memory that are set before the launch. */
  readonly argSet?: readonly (number | undefined)[];
  /** Element types of pointer arguments and types of the others by position, where known (`float *`, `int`). */
  readonly argTypes: readonly (string | undefined)[];
  /** The arguments by position, with the fields of structures and what lambdas capture. */
  readonly passed?: readonly PassedValue[];
  readonly argTypeValues?: readonly Type[];
  /** What the template parameters of the launching function stand for. */
  readonly bindings?: Bindings;
  readonly sharedBytes?: number;
  /** What it is for some numbers of the integers that the sizes of its memory are computed from. */
  readonly samples?: readonly LaunchSample[];
}
