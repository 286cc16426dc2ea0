// The picture of a floor plan in an SVG, upright in every viewer: how it is turned is said here, and not in its bytes.
import { type Html, html } from '../../http/html.ts'

export type FloorPlanPicture = {
  /** One that a browser can load. */
  address: string
  /** As it is seen. */
  width: number
  height: number
  /** As EXIF counts; from 5 on it lies on its side. */
  orientation: number
}

// Where the corner and the axes of the picture come to lie, by its orientation, in a box of this width and height.
const TURNS: Record<number, (width: number, height: number) => number[]> = {
  2: (width) => [-1, 0, 0, 1, width, 0],
  3: (width, height) => [-1, 0, 0, -1, width, height],
  4: (_width, height) => [1, 0, 0, -1, 0, height],
  5: () => [0, 1, 1, 0, 0, 0],
  6: (width) => [0, 1, -1, 0, width, 0],
  7: (width, height) => [0, -1, -1, 0, width, height],
  8: (_width, height) => [0, -1, 1, 0, 0, height],
}

/** It fills a box of this size. */
export function drawFloorPlan(
  { address, orientation }: FloorPlanPicture,
  { width, height, opacity }: { width: number; height: number; opacity?: number },
): Html {
  const [across, down] = orientation >= 5 ? [height, width] : [width, height]
  const turn = TURNS[orientation]?.(width, height)
  const more = [
    turn && html` transform="matrix(${turn.join(' ')})"`,
    opacity !== undefined && html` opacity="${opacity}"`,
  ]
  return html`<image href="${address}" width="${across}" height="${down}" preserveAspectRatio="none"${more}/>`
}
