// Instants for people: a day and a time in a zone that is named, and how long ago.
import { type Html, html } from '../../http/html.ts'
import { createZoneFormat } from './zone-formats.ts'

const UNITS: Array<[unit: Intl.RelativeTimeFormatUnit, seconds: number]> = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const formatOf = createZoneFormat({
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
})

/** `text` as Postgres or the API writes it. */
export function showInstant(text: string, zone = 'UTC'): Html {
  const date = new Date(text)
  return html`<time datetime="${date.toISOString()}">${formatOf(zone).format(date)}</time>`
}

/** The end of what began at `from`: on the same day there its time is enough. */
export function showEnd(from: string, to: string, zone = 'UTC'): Html {
  const [start, end] = [formatOf(zone).format(new Date(from)), formatOf(zone).format(new Date(to))]
  const day = end.slice(0, end.indexOf(',') + 2)
  const shown = start.startsWith(day) ? end.slice(day.length) : end
  return html`<time datetime="${new Date(to).toISOString()}" title="${end}">${shown}</time>`
}

/** An instant as plain text, for a sentence. */
export function formatInstant(text: string, zone = 'UTC'): string {
  return formatOf(zone).format(new Date(text))
}

/** How long ago or ahead; the instant itself when pointed at. */
export function showRelativeInstant(text: string, now: string, zone = 'UTC'): Html {
  const date = new Date(text)
  const words = formatDistance((date.getTime() - new Date(now).getTime()) / 1000)
  return html`<time datetime="${date.toISOString()}" title="${formatOf(zone).format(date)}">${words}</time>`
}

/** A zone as people read it: America/New York. */
export const formatZone = (zone: string) => zone.replaceAll('_', ' ')

function formatDistance(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => Math.abs(seconds) >= each) ?? []
  return unit && size ? relative.format(Math.trunc(seconds / size), unit) : 'just now'
}
