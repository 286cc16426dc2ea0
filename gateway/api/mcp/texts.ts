// Formats texts for agents: times in the time zone of a building, and text that people typed, marked as data.
import { localTimeMs } from '../../../shared/utilities/time-zones.ts'

const DATA_CHARACTERS_MAX = 300

const HTML_ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Marks text that somebody typed as data. Keeps the text on one line, and removes what would close the mark. */
export function markAsTypedText(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
  const characters = [...line]
  const shown =
    characters.length > DATA_CHARACTERS_MAX ? `${characters.slice(0, DATA_CHARACTERS_MAX).join('')}…` : line
  return `<data>${shown.replace(/[&<>]/g, (character) => HTML_ESCAPES[character] ?? '')}</data>`
}

/** Returns a time such as `2026-11-25T09:00:00+01:00`. */
export function formatLocalTime(instant: string, zone: string): string {
  const ms = Date.parse(instant)
  const wall = localTimeMs(ms, zone)
  const minutes = Math.round((wall - ms) / 60_000)
  const two = (number: number) => String(Math.floor(number)).padStart(2, '0')
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`
  return new Date(wall).toISOString().slice(0, 19) + offset
}

/** Returns a span such as `Wed 25 Nov 2026, 09:00 to 17:00 (Europe/Berlin)`. */
export function describeSpan(from: string, to: string | null, zone: string): string {
  const start = toLocalDayAndTime(from, zone)
  const end = to === null ? undefined : toLocalDayAndTime(to, zone)
  const until = end && (end.day === start.day ? end.time : `${end.day}, ${end.time}`)
  return `${start.day}, ${start.time}${until === undefined ? ' with no end' : ` to ${until}`} (${zone})`
}

/** Returns a day such as `Wed 25 Nov 2026`. */
export const describeDay = (date: string): string => toLocalDayAndTime(`${date}T00:00:00Z`, 'UTC').day

function toLocalDayAndTime(instant: string, zone: string): { day: string; time: string } {
  const text = new Date(localTimeMs(Date.parse(instant), zone)).toUTCString()
  return { day: text.slice(0, 16).replace(',', ''), time: text.slice(17, 22) }
}
