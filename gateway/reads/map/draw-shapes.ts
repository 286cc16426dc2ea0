// Draws the areas and walls of a floor plan. The background of a floor plan is always white, so the colours of areas
// and walls stay the same in dark mode.
import type { PlanShape, Tone } from '../../../shared/locations/plan-shapes.ts'
import { type Html, html } from '../../html/html.ts'
import { shortenToWidth } from './fit-text.ts'

export const SHAPE_COLOURS: Record<Tone, { fill: string; line: string }> = {
  room: { fill: '#ffffff', line: '#3b4552' },
  grey: { fill: '#e4e5e8', line: '#5d6470' },
  blue: { fill: '#d5e3f7', line: '#2a5ea8' },
  green: { fill: '#d9efdd', line: '#2c7040' },
  yellow: { fill: '#f8edc4', line: '#7d5e00' },
  red: { fill: '#f9dcd8', line: '#a8382a' },
}

// The font size on a floor plan that is 1,200 units wide.
const LETTER_HEIGHT = 15
const TEXT_INSET = 8
const WALL_WIDTH = 6

/** Draws the shapes. The class lets the page that arranges a floor plan remove them, because its script draws
 * the shapes itself. */
export function drawShapes(shapes: PlanShape[], { width, height }: { width: number; height: number }): Html {
  const unit = width / 1_200
  const drawn = shapes.map((shape) => {
    const [left, top] = [shape.x1 * width, shape.y1 * height].map(roundToHundredths)
    const [right, bottom] = [shape.x2 * width, shape.y2 * height].map(roundToHundredths)
    const { fill, line } = SHAPE_COLOURS[shape.tone]
    if (shape.kind === 'wall')
      return html`<line x1="${left}" y1="${top}" x2="${right}" y2="${bottom}" stroke="${SHAPE_COLOURS.room.line}" stroke-width="${roundToHundredths(WALL_WIDTH * unit)}" stroke-linecap="round"/>`
    const across = (right ?? 0) - (left ?? 0)
    const name = shortenToWidth(shape.name, across - 2 * TEXT_INSET * unit, LETTER_HEIGHT * unit)
    const down = (bottom ?? 0) - (top ?? 0)
    const stroke = (shape.tone === 'room' ? WALL_WIDTH : 2) * unit
    return html`<rect x="${left}" y="${top}" width="${across}" height="${down}" fill="${fill}" fill-opacity="0.6" stroke="${line}" stroke-width="${roundToHundredths(stroke)}"/>
<text x="${roundToHundredths((left ?? 0) + TEXT_INSET * unit)}" y="${roundToHundredths((top ?? 0) + (TEXT_INSET + LETTER_HEIGHT) * unit)}" font-size="${roundToHundredths(LETTER_HEIGHT * unit)}" font-weight="600" fill="${line}">${name}</text>`
  })
  return html`<g class="plan-shapes">${drawn}</g>`
}

const roundToHundredths = (value: number): number => Math.round(value * 100) / 100
