// What an SVG or a PDF becomes: a picture that every browser shows, and none executes.
import { type Message, message } from '../../shared/messages/message.ts'
import { invalid, type Refusal } from '../../shared/messages/refusal.ts'

import type { MachineFault } from '../runtime/machine-faults.ts'

export type PictureSize = { width: number; height: number }
export type ConvertedPicture = PictureSize & { data: Buffer }

/** What the process that converts says besides the picture. */
export type PictureMessage =
  | ({ kind: 'done' } & PictureSize)
  | { kind: 'refused'; problem: Message }
  | ({ kind: 'fault' } & MachineFault)

export const refusePicture = (problem: Message): Refusal => invalid({ file: [problem] })

const LONG_SIDE_PX = 3_200
const SHORT_SIDE_PX = 32

/** Drawings have no pixels of their own. */
export function fitSize({ width, height }: PictureSize, longSidePx = LONG_SIDE_PX): PictureSize {
  const scale = longSidePx / Math.max(width, height)
  const fitted = { width: Math.round(width * scale), height: Math.round(height * scale) }
  // Also refuses what is no number.
  if (!(Math.min(fitted.width, fitted.height) >= SHORT_SIDE_PX))
    throw refusePicture(
      message`The floor plan is far too narrow: one side is more than a hundred times the other.`,
    )
  return fitted
}
