// The progress of long work: its phase, which alone determines the percentage and whether the work may still
// be refused. An import goes through the first four phases, in this order; an export is in the last.
export type Progress =
  /** `share` of the file is read, from 0 to 1. */
  | { phase: 'reading'; share?: number; rows?: number }
  | { phase: 'read'; rows: number }
  | { phase: 'checked' | 'applying' }
  /** The file can already be read, up to what is written. */
  | { phase: 'writing'; file: string }
export type Phase = Progress['phase']

const READ_PERCENT = 50
const PERCENT = { read: READ_PERCENT, checked: 60, applying: 80, writing: 10 }

/** Never 100: the outcome reports the end. */
export function percentOf(progress: Progress): number {
  if (progress.phase !== 'reading') return PERCENT[progress.phase]
  return 1 + Math.floor((progress.share ?? 0) * (READ_PERCENT - 2))
}

/** Everything that can be refused has been checked: the work refuses nothing any more, and its answer may begin. */
export const isChecked = ({ phase }: Progress) => phase !== 'reading' && phase !== 'read'
