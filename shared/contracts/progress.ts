// How far long work is: its phase, which alone says what percent that is and whether it may still be refused.

/** In the order of an import; an export has one only. */
const PHASES = {
  reading: { fromPercent: 1, toPercent: 49, isChecked: false },
  read: { fromPercent: 50, toPercent: 50, isChecked: false },
  checked: { fromPercent: 60, toPercent: 60, isChecked: true },
  applying: { fromPercent: 80, toPercent: 80, isChecked: true },
  writing: { fromPercent: 10, toPercent: 10, isChecked: true },
} as const

export type Phase = keyof typeof PHASES

/** `share` of the phase is done, where that is known; `file` is the one that is being written. */
export type Progress = { phase: Phase; share?: number; rows?: number; file?: string }

/** Never all of it: that is told by the outcome. */
export function percentOf({ phase, share = 0 }: Progress): number {
  const { fromPercent, toPercent } = PHASES[phase]
  return fromPercent + Math.floor(share * (toPercent - fromPercent))
}

/** From here on the work refuses nothing any more: its answer may begin. */
export function isChecked({ phase }: Progress): boolean {
  return PHASES[phase].isChecked
}
