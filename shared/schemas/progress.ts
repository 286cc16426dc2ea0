// The progress of long work: its phase, which alone determines the percentage and whether the work may still
// be refused.

type PhaseFacts = {
  fromPercent: number
  toPercent: number
  /** Everything that can be refused has been checked. */
  isChecked: boolean
}

/** An import goes through the first four, in this order; an export is in the last. */
const PHASES = {
  reading: { fromPercent: 1, toPercent: 49, isChecked: false },
  read: { fromPercent: 50, toPercent: 50, isChecked: false },
  checked: { fromPercent: 60, toPercent: 60, isChecked: true },
  applying: { fromPercent: 80, toPercent: 80, isChecked: true },
  writing: { fromPercent: 10, toPercent: 10, isChecked: true },
} as const satisfies Record<string, PhaseFacts>

export type Phase = keyof typeof PHASES

export type Progress =
  /** `share` of the file is read, from 0 to 1. */
  | { phase: 'reading'; share?: number; rows?: number }
  | { phase: 'read'; rows: number }
  | { phase: 'checked' | 'applying' }
  /** The file can already be read, up to what is written. */
  | { phase: 'writing'; file: string }

/** Never 100: the outcome reports the end. */
export function percentOf(progress: Progress): number {
  const { fromPercent, toPercent } = PHASES[progress.phase]
  const share = progress.phase === 'reading' ? (progress.share ?? 0) : 0
  return fromPercent + Math.floor(share * (toPercent - fromPercent))
}

/** From this phase on, the work refuses nothing any more: its answer may begin. */
export function isChecked({ phase }: Progress): boolean {
  return PHASES[phase].isChecked
}
