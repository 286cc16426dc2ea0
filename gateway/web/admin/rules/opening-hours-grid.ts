// Opening hours as a grid: a row for each weekday, with its opening and closing times. A day without times is
// closed.
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { type OpeningHours, WEEKDAYS } from '../../../../shared/rules/opening-hours.ts'
import { list, object, text } from '../../../../shared/schemas/fields.ts'
import { formatAttributes, type Html, html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { FormRow } from '../../pages/page/form-body.ts'
import { formatWeekday } from '../../pages/time/instants.ts'
import type { Fields } from '../../pages/ui/fields.ts'

// The minimum number of time spans per day. There are several because many places close at noon.
const SHOWN_SPANS_MIN = 2
const SPANS_MAX = 28
const START_PATTERN = /^([01]\d|2[0-3]):[0-5]\d$/
const MIDNIGHT_TIME = '00:00'
const END_OF_DAY = '24:00'

/** Each item has one time span for every weekday. If a day has two spans, the first item has the morning span. */
export const openingHoursField = list(
  object(
    Object.fromEntries(
      WEEKDAYS.flatMap((day) => [`from${day}`, `to${day}`]).map((name) => [name, text({ max: 5 })]),
    ),
  ),
  { max: SPANS_MAX },
)

export function showOpeningHours(fields: Fields, hours: OpeningHours): Html {
  const field = {
    name: 'opening_hours',
    label: t`Opening hours`,
    hint: t`Days without times are closed. If all days are empty, the opening hours of the enclosing floor or building apply. Enter midnight as 00:00, also as an end time.`,
  }
  return fields.rows(
    field,
    toRows(hours),
    (rows) => formatOpeningHours(toOpeningHours(rows)),
    (rows) => {
      const spans = Array.from({ length: Math.max(SHOWN_SPANS_MIN, rows.length) }, (_, at) => rows[at] ?? {})
      return html`<table class="table fields" data-hours><thead><tr><th scope="col">${t`Day`}</th><th scope="col"${formatAttributes({ colspan: spans.length })}>${t`Open from and to`}</th></tr></thead>
<tbody>${WEEKDAYS.map((day) => showDay(day, spans, rows.length > 0))}</tbody></table>
<button type="button" class="button quiet" data-copy-monday hidden>${t`Copy Monday to Tuesday–Friday`}</button>`
    },
  )
}

function showDay(day: number, spans: FormRow[], hasHours: boolean): Html {
  const name = formatWeekday(day, 'long')
  const input = (row: FormRow, end: 'from' | 'to', label: string) =>
    html`<input${formatAttributes({ type: 'time', name: `opening_hours.${end}${day}`, 'aria-label': label, value: row[`${end}${day}`] })}>`
  const cells = spans.map(
    (row) =>
      html`<td><div>${input(row, 'from', t`${name} from`)} – ${input(row, 'to', t`${name} to`)}</div></td>`,
  )
  const isOpen = spans.some((row) => row[`from${day}`] || row[`to${day}`])
  const closed = html`<span class="soft" data-closed${formatAttributes({ hidden: isOpen || !hasHours })}>${t`closed`}</span>`
  return html`<tr><th scope="row">${name} ${closed}</th>${cells}</tr>`
}

/** Parses the grid. Returns undefined if no time is set. */
export function parseOpeningHours(rows: FormRow[] = []): OpeningHours | undefined {
  const hours = toOpeningHours(rows)
  for (const { day, from, to } of hours) {
    const isRight = START_PATTERN.test(from) && from < to && (START_PATTERN.test(to) || to === END_OF_DAY)
    if (isRight) continue
    const name = formatWeekday(day, 'long')
    throw invalidFields({
      opening_hours: [message`${name} needs times such as 08:00 to 18:00, with the end after the start.`],
    })
  }
  return hours.length > 0 ? hours : undefined
}

// Converts opening hours to rows of the grid. Browsers show the end of a day as 00:00.
function toRows(hours: OpeningHours): FormRow[] {
  const byDay = WEEKDAYS.map((day) => ({ day, spans: listHoursOfDay(hours, day) }))
  const length = Math.max(...byDay.map(({ spans }) => spans.length))
  return Array.from({ length }, (_, at) =>
    Object.fromEntries(
      byDay.flatMap(({ day, spans }) => {
        const open = spans[at]
        return open
          ? [
              [`from${day}`, open.from],
              [`to${day}`, open.to === END_OF_DAY ? MIDNIGHT_TIME : open.to],
            ]
          : []
      }),
    ),
  )
}

// Converts rows of the grid to opening hours. Browsers without a time picker may send 8:00 instead of 08:00.
function toOpeningHours(rows: FormRow[]): OpeningHours {
  return WEEKDAYS.flatMap((day) =>
    rows.flatMap((row) => {
      const [from, to] = [row[`from${day}`] ?? '', row[`to${day}`] ?? ''].map((time) =>
        time ? time.padStart(5, '0') : '',
      )
      return from || to ? [{ day, from: from ?? '', to: to === MIDNIGHT_TIME ? END_OF_DAY : (to ?? '') }] : []
    }),
  )
}

const listHoursOfDay = (hours: OpeningHours, day: number) =>
  hours.filter((open) => open.day === day).sort((one, other) => (one.from < other.from ? -1 : 1))

/** Returns a text such as “Mon–Fri 07:00–20:00, Sat 09:00–12:00”. */
export function formatOpeningHours(hours: OpeningHours): string {
  const spans: Array<{ first: number; last: number; times: string }> = []
  for (const day of WEEKDAYS) {
    const times = listHoursOfDay(hours, day).map(({ from, to }) => `${from}–${to}`)
    const before = spans.at(-1)
    if (times.length === 0) continue
    if (before?.times === times.join(', ') && before.last === day - 1) before.last = day
    else spans.push({ first: day, last: day, times: times.join(', ') })
  }
  const formatted = spans.map(({ first, last, times }) => {
    const name = formatWeekday(first, 'short')
    return `${first === last ? name : `${name}–${formatWeekday(last, 'short')}`} ${times}`
  })
  return formatted.join(', ')
}
