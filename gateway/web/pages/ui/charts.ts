// Bar charts, drawn on the server. Each comes with a table of the same figures, for screen readers too.
import { attributes, type Content, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { card } from './parts.ts'
import { showEmpty } from './states.ts'

type Bar = {
  /** Shown in the table and as the bar's tooltip. */
  label: string
  value: number
  /** Shown below the bar. Only a few bars have one, so that the marks do not overlap. */
  mark?: string
  isNow?: boolean
}

type Chart = {
  title: string
  /** One sentence that says what the chart shows. */
  summary: string
  columns: [label: string, value: string]
  bars: Bar[]
  /** The value at full height; defaults to the highest bar. */
  max?: number
  format(value: number): string
}

// In units of the drawing, which fills the width of its container.
const WIDTH = 360
const HEIGHT = 150
const BASE = 128
const HEAD = 16

/** A chart without any value is not drawn: its summary says so. */
export function barChart({ title, summary, columns, bars, max, format }: Chart): Html {
  const id = title.toLowerCase().replaceAll(' ', '-')
  if (bars.every(({ value }) => value === 0)) return card(title, showEmpty(summary))
  const highest = max ?? Math.max(...bars.map(({ value }) => value))
  const step = WIDTH / bars.length
  // Lines, as wide as a bar: shorter to write than rectangles, and a page has dozens of them.
  const drawn = bars.map(({ label, value, mark, isNow }, index) => {
    const x = round((index + 0.5) * step)
    const isLast = index === bars.length - 1
    const at = attributes({ x: isLast ? WIDTH : x, y: HEIGHT - 6, 'text-anchor': isLast && 'end' })
    return html`${value > 0 && html`<path d="M${x} ${BASE}V${round(BASE - ((BASE - HEAD) * Math.min(value, highest)) / highest)}"${isNow && html` class="now"`}><title>${label}: ${format(value)}</title></path>`}
${mark !== undefined && html`<text${at}>${mark}</text>`}`
  })
  return html`<figure class="card chart" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<figcaption>${summary}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${summary}">
<text x="0" y="10" text-anchor="start">${format(highest)}</text>
<path class="line" d="M0 ${HEAD}H${WIDTH}M0 ${BASE}H${WIDTH}" />
<g stroke-width="${round(step * 0.7)}">${drawn}</g></svg>
<details><summary>${t`Show as a table`}</summary><table class="figures">
<thead><tr><th>${columns[0]}</th><th>${columns[1]}</th></tr></thead>
<tbody>${bars.map(({ label, value }) => html`<tr><th>${label}</th><td>${format(value)}</td></tr>`)}</tbody></table></details></figure>`
}

/** A share of one, as a bar next to its text. */
export const shareBar = (share: number): Html =>
  html`<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><path d="M0 4H${round(100 * share)}" /></svg>`

/** One figure of a row of cards: a number, what it counts, and optional further content. */
export const figure = (number: string, words: string, more?: Content): Html =>
  html`<div class="card figure"><strong>${number}</strong> <span>${words}</span>${more}</div>`

export const formatHour = (hour: number) => `${String(hour).padStart(2, '0')}:00`

const round = (number: number): number => Math.round(number * 10) / 10
