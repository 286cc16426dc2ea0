// Draws a bookable on maps: a cell with its name and its state. Colours never stand alone: each state also
// has its own word and line.
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { type Html, html } from '../../http/html.ts'
import { type BookablePosition, CELL, type MapLayout } from './map-layouts.ts'

export const STATES = {
  free: { fill: '#d9f0e3', line: '#1f7a4d', label: 'free' },
  occupied: { fill: '#fbdcd3', line: '#b23a16', label: 'occupied' },
  blocked: { fill: '#e4e5e8', line: '#5d6470', label: 'blocked' },
  assigned: { fill: '#dfe3fb', line: '#4452b8', label: 'assigned' },
} as const

export const MARK = '#f2a900'

type Status = { status: number; occupied: boolean }

export function stateOf({ status, occupied }: Status) {
  if (occupied) return STATES.occupied
  if (status === BOOKABLE_STATUSES.blocked) return STATES.blocked
  if (status === BOOKABLE_STATUSES.assigned) return STATES.assigned
  return STATES.free
}

/** Each cell is drawn around its middle. */
export function transformOf({ pointOf, scale }: MapLayout, bookable: BookablePosition): string {
  const { x, y } = pointOf(bookable)
  return `translate(${round(x)} ${round(y)}) scale(${round(scale)})`
}

/** `words` go below the name; `marked` highlights the requested bookable. */
export function drawCell(bookable: Status & { name: string }, words: string, marked: boolean): Html {
  const { fill, line, label } = stateOf(bookable)
  return html`${marked ? html`${drawBox(6, 14)} fill="#ffffff" stroke="${MARK}" stroke-width="5"/>` : undefined}
${drawBox(0, 9)} fill="${fill}" stroke="${line}" stroke-width="1.5"${label === 'blocked' ? html` stroke-dasharray="5 4"` : undefined}/>
${drawName(bookable.name)}
<text y="17" text-anchor="middle" font-size="12" fill="${line}">${words}</text>`
}

// A name that is too long gets smaller letters first; if that is not enough, it is cut off.
function drawName(name: string): Html {
  const width = CELL.width - 12
  const size = shorten(name, width, 15) === plain(name) ? 15 : 12
  return html`<text y="-3" text-anchor="middle" font-size="${size}" font-weight="600" fill="#1c2430">${shorten(name, width, size)}</text>`
}

/** The beginning of a rectangle that is larger than a cell by `more` on every side. */
function drawBox(more: number, radius: number): Html {
  const [width, height] = [CELL.width + 2 * more, CELL.height + 2 * more]
  return html`<rect x="${-width / 2}" y="${-height / 2}" width="${width}" height="${height}" rx="${radius}"`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}

// SVG does not cut off text, and the reader's fonts are unknown, so widths are estimates, rather too wide than
// too narrow.
const NARROW = /[\p{M}ijltfrI.,:;'’|!()[\] -]/u
const WIDE = /[\p{Lu}mw@%&—…]/u
const SQUARE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Extended_Pictographic}WM]/u

/** XML allows no control characters, not even escaped, nor the two noncharacters. */
export function plain(text: string): string {
  return text.replace(/[\p{Cc}\ufffe\uffff]/gu, ' ').toWellFormed()
}

/** Cuts off text that would be wider than `width` pixels at font size `size`. */
export function shorten(text: string, width: number, size: number): string {
  const letters = [...plain(text)]
  const room = width / size
  if (widthOf(letters) <= room) return letters.join('')
  let used = widthOf(['…'])
  const kept = letters.findIndex((letter) => {
    used += widthOf([letter])
    return used > room
  })
  return `${letters.slice(0, kept).join('').trimEnd()}…`
}

// In bold, as a multiple of the font size.
function widthOf(letters: string[]): number {
  return letters.reduce((width, letter) => width + widthOfLetter(letter), 0)
}

function widthOfLetter(letter: string): number {
  if (SQUARE.test(letter)) return 1.12
  if (WIDE.test(letter)) return 0.92
  return NARROW.test(letter) ? 0.46 : 0.72
}
