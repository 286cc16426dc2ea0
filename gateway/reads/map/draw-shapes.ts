// Draws the areas and walls of a floor plan. Floor plans are drawn on white, so these colours stay the same in dark mode.
import type { PlanShape, Tone } from '../../../shared/locations/plan-shapes.ts'
import { type Html, html } from '../../html/html.ts'
import { shorten } from './fit-text.ts'

export const INKS: Record<Tone, { fill: string; line: string }> = {
  room: { fill: '#ffffff', line: '#3b4552' },
  grey: { fill: '#e4e5e8', line: '#5d6470' },
  blue: { fill: '#d5e3f7', line: '#2a5ea8' },
  green: { fill: '#d9efdd', line: '#2c7040' },
  yellow: { fill: '#f8edc4', line: '#7d5e00' },
  red: { fill: '#f9dcd8', line: '#a8382a' },
}

// On a floor plan that is 1,200 units wide.
const LETTERS = 15
const INSET = 8
const WALL = 6

/** The class is for the page that arranges a floor plan, whose script draws them itself. */
export function drawShapes(shapes: PlanShape[], { width, height }: { width: number; height: number }): Html {
  const unit = width / 1_200
  const drawn = shapes.map((shape) => {
    const [left, top] = [shape.x1 * width, shape.y1 * height].map(round)
    const [right, bottom] = [shape.x2 * width, shape.y2 * height].map(round)
    const { fill, line } = INKS[shape.tone]
    if (shape.kind === 'wall')
      return html`<line x1="${left}" y1="${top}" x2="${right}" y2="${bottom}" stroke="${INKS.room.line}" stroke-width="${round(WALL * unit)}" stroke-linecap="round"/>`
    const across = (right ?? 0) - (left ?? 0)
    const name = shorten(shape.name, across - 2 * INSET * unit, LETTERS * unit)
    const down = (bottom ?? 0) - (top ?? 0)
    const stroke = (shape.tone === 'room' ? WALL : 2) * unit
    return html`<rect x="${left}" y="${top}" width="${across}" height="${down}" fill="${fill}" fill-opacity="0.6" stroke="${line}" stroke-width="${round(stroke)}"/>
<text x="${round((left ?? 0) + INSET * unit)}" y="${round((top ?? 0) + (INSET + LETTERS) * unit)}" font-size="${round(LETTERS * unit)}" font-weight="600" fill="${line}">${name}</text>`
  })
  return html`<g class="plan-shapes">${drawn}</g>`
}

const round = (value: number): number => Math.round(value * 100) / 100
