// The result of converting an SVG or a PDF: a picture that every browser shows without running code in it.
import { type Message, message } from '../../shared/messages/message.ts'
import { invalidFields, type Refusal } from '../../shared/messages/refusal.ts'

import type { MachineFault } from '../runtime/machine-faults.ts'

export type PictureSize = { width: number; height: number }
export type ConvertedPicture = PictureSize & { data: Buffer }

/** A message from the converting process, in addition to the picture. */
export type PictureMessage =
  | ({ kind: 'done' } & PictureSize)
  | { kind: 'refused'; problem: Message }
  | ({ kind: 'fault' } & MachineFault)

export const createPictureRefusal = (problem: Message): Refusal => invalidFields({ file: [problem] })

const LONG_SIDE_PX_MAX = 3_200
const SHORT_SIDE_PX_MIN = 32

/** Returns the size in pixels of a drawing, which has no pixels of its own. */
export function fitSize({ width, height }: PictureSize, longSidePx = LONG_SIDE_PX_MAX): PictureSize {
  const scale = longSidePx / Math.max(width, height)
  const fitted = { width: Math.round(width * scale), height: Math.round(height * scale) }
  // Negated, because a comparison with NaN is always false.
  if (!(Math.min(fitted.width, fitted.height) >= SHORT_SIDE_PX_MIN))
    throw createPictureRefusal(
      message`The floor plan is far too narrow: one side is more than a hundred times as long as the other.`,
    )
  return fitted
}
