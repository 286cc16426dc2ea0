// Draws a floor plan in an SVG, upright in every viewer: the SVG sets the orientation, not the picture file.
import { type Html, html } from '../../http/html.ts'

export type FloorPlanPicture = {
  /** An address that a browser can load. */
  address: string
  /** The size as displayed. */
  width: number
  height: number
  /** The EXIF orientation; from 5 on, the picture lies on its side. */
  orientation: number
}

// The matrix for each orientation, in a box of this width and height.
const TURNS: Record<number, (width: number, height: number) => number[]> = {
  2: (width) => [-1, 0, 0, 1, width, 0],
  3: (width, height) => [-1, 0, 0, -1, width, height],
  4: (_width, height) => [1, 0, 0, -1, 0, height],
  5: () => [0, 1, 1, 0, 0, 0],
  6: (width) => [0, 1, -1, 0, width, 0],
  7: (width, height) => [0, -1, -1, 0, width, height],
  8: (_width, height) => [0, -1, 1, 0, 0, height],
}

/** Fills a box of this size. */
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
