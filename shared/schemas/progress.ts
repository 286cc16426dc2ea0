// The progress of long work. The phase alone determines the percentage, and whether the work may still be refused. An
// import goes through the first four phases in order; an export only has the last phase.
export type Progress =
  /** `share` is the part of the uploaded file that the worker has read, from 0 to 1. */
  | { phase: 'reading'; share?: number; rows?: number }
  | { phase: 'read'; rows: number }
  | { phase: 'checked' | 'applying' }
  /** The part of the file that the worker has already written can be read. */
  | { phase: 'writing'; file: string }
export type ProgressPhase = Progress['phase']

const READ_PERCENT = 50
const PERCENT_BY_PHASE = { read: READ_PERCENT, checked: 60, applying: 80, writing: 10 }

/** Returns the percentage to show. Never returns 100, because only the outcome reports the end. */
export function computePercent(progress: Progress): number {
  if (progress.phase !== 'reading') return PERCENT_BY_PHASE[progress.phase]
  return 1 + Math.floor((progress.share ?? 0) * (READ_PERCENT - 2))
}

/**
 * Whether the worker has checked everything. From then on, the work can no longer be refused, and the response may
 * begin.
 */
export const isFullyChecked = ({ phase }: Progress) => phase !== 'reading' && phase !== 'read'
