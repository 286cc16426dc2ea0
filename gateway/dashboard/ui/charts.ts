// Bar charts, drawn on the server. Each comes with a table of the same figures, for screen readers too.
import { type Html, html } from '../../http/html.ts'
import { t } from '../locales/translate.ts'
import { table } from './parts.ts'

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

export function barChart({ title, summary, columns, bars, max, format }: Chart): Html {
  const highest = Math.max(1, max ?? Math.max(...bars.map(({ value }) => value)))
  const step = WIDTH / Math.max(1, bars.length)
  const drawn = bars.map(({ label, value, mark, isNow }, index) => {
    const height = ((BASE - HEAD) * Math.min(value, highest)) / highest
    const x = index * step
    const isLast = index === bars.length - 1
    return html`<g><title>${label}: ${format(value)}</title>
<rect class="space" x="${round(x)}" y="${HEAD}" width="${round(step)}" height="${BASE - HEAD}" />
<rect class="${isNow ? 'bar now' : 'bar'}" x="${round(x + step * 0.15)}" y="${round(BASE - height)}" width="${round(step * 0.7)}" height="${round(height)}" rx="1.5" />
${mark !== undefined && html`<text x="${round(isLast ? WIDTH : x + step / 2)}" y="${HEIGHT - 6}" text-anchor="${isLast ? 'end' : 'middle'}">${mark}</text>`}</g>`
  })
  const id = title.toLowerCase().replaceAll(' ', '-')
  return html`<figure class="card chart" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
<figcaption>${summary}</figcaption>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${summary}">
<text x="0" y="10">${format(highest)}</text>
<line x1="0" x2="${WIDTH}" y1="${HEAD}" y2="${HEAD}" /><line x1="0" x2="${WIDTH}" y1="${BASE}" y2="${BASE}" />
${drawn}</svg>
<details><summary>${t`Show as a table`}</summary>${table(
    title,
    [
      { label: columns[0], show: (bar) => bar.label },
      { label: columns[1], isNumber: true, show: (bar) => format(bar.value) },
    ],
    bars,
    t`No data.`,
  )}</details></figure>`
}

/** A share, as a bar next to its text. */
export function shareBar({ taken, total }: { taken: number; total: number }): Html {
  const part = total === 0 ? 0 : (100 * taken) / total
  return html`<svg class="share" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true" focusable="false">
<rect class="space" width="100" height="8" rx="2" /><rect class="bar" width="${round(part)}" height="8" rx="2" /></svg>`
}

export const formatHour = (hour: number) => `${String(hour).padStart(2, '0')}:00`

const round = (number: number): number => Math.round(number * 10) / 10
