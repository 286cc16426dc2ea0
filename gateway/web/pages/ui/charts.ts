// Bar charts, drawn on the server. Each chart comes with a table of the same figures, which screen readers
// can read.
import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { showCard } from './parts.ts'
import { showEmptyState } from './states.ts'

type Bar = {
  /** The label of the bar in the table and in its tooltip. */
  label: string
  value: number
  /** The mark below the bar. Only a few bars have a mark, so that the marks do not overlap. */
  mark?: string
  isNow?: boolean
}

type Chart = {
  title: string
  /** A sentence that says what the chart shows. */
  summary: string
  columns: [label: string, value: string]
  bars: Bar[]
  /** The value of a bar of full height. Defaults to the highest value. */
  max?: number
  format(value: number): string
}

// The size of the drawing in its own units. The drawing fills the width of its container.
const CHART_WIDTH = 360
const CHART_HEIGHT = 150
const BASE_LINE_Y = 128
const HEAD_HEIGHT = 16

/** Draws a bar chart. If there are no values, draws nothing, because the chart's summary says so. */
export function showBarChart({ title, summary, columns, bars, max, format }: Chart): Html {
  const id = title.toLowerCase().replaceAll(' ', '-')
  if (bars.every(({ value }) => value === 0)) return showCard(title, showEmptyState(summary))
  const highest = max ?? Math.max(...bars.map(({ value }) => value))
  const step = CHART_WIDTH / bars.length
  // Draws bars as thick lines, which take less markup than rectangles, because a page has dozens of bars.
  const drawn = bars.map(({ label, value, mark, isNow }, index) => {
    const x = roundToTenths((index + 0.5) * step)
    const isLast = index === bars.length - 1
    const at = formatAttributes({
      x: isLast ? CHART_WIDTH : x,
      y: CHART_HEIGHT - 6,
      'text-anchor': isLast && 'end',
    })
    return html`${value > 0 && html`<path d="M${x} ${BASE_LINE_Y}V${roundToTenths(BASE_LINE_Y - ((BASE_LINE_Y - HEAD_HEIGHT) * Math.min(value, highest)) / highest)}"${isNow && html` class="now"`}><title>${label}: ${format(value)}</title></path>`}
${mark !== undefined && html`<text${at}>${mark}</text>`}`
  })
  return html`<figure class="card chart" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<figcaption>${summary}</figcaption>
<svg viewBox="0 0 ${CHART_WIDTH} ${CHART_HEIGHT}" role="img" aria-label="${summary}">
<text x="0" y="10" text-anchor="start">${format(highest)}</text>
<path class="line" d="M0 ${HEAD_HEIGHT}H${CHART_WIDTH}M0 ${BASE_LINE_Y}H${CHART_WIDTH}" />
<g stroke-width="${roundToTenths(step * 0.7)}">${drawn}</g></svg>
<details><summary>${t`Show as a table`}</summary><table class="figures">
<thead><tr><th>${columns[0]}</th><th>${columns[1]}</th></tr></thead>
<tbody>${bars.map(({ label, value }) => html`<tr><th>${label}</th><td>${format(value)}</td></tr>`)}</tbody></table></details></figure>`
}

/** Shows a share between 0 and 1 as a bar next to its text. */
export const showShareBar = (share: number): Html =>
  html`<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true"><path d="M0 4H${roundToTenths(100 * share)}" /></svg>`

/** Shows a card with a figure: a number, what the number counts, and optional further content. */
export const showFigureCard = (number: string, words: string, more?: Content): Html =>
  html`<div class="card figure"><strong>${number}</strong> <span>${words}</span>${more}</div>`

export const formatHour = (hour: number) => `${String(hour).padStart(2, '0')}:00`

const roundToTenths = (number: number): number => Math.round(number * 10) / 10
