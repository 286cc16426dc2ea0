// Closed times as rows of a form, on the clocks of the building: first day, last day and reason, with times if a day is
// not closed as a whole. Past ones stay as they are, folded, until a checkbox removes them.

import { message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import { CLOSED_MAX, type Closed } from '../../../../shared/rules/closed.ts'
import { list, object, queryFlag, text } from '../../../../shared/schemas/fields.ts'
import {
  formatLocalDate,
  formatLocalDateTime,
  parseLocalDateTime,
  startOfDay,
} from '../../../../shared/schemas/wall-clock.ts'
import { createZoneFormat } from '../../../../shared/utilities/time-zones.ts'
import { attributes, type Content, type Html, html } from '../../../html/html.ts'
import { byLocale, currentLocale, plural, t } from '../../locales/translate.ts'
import { type FormValues, type Row, readRows } from '../../pages/page/form-body.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import type { Fields } from '../../pages/ui/fields.ts'

const BLANK_ROWS = 2
const DATE_LENGTH = 10
const TIME_LENGTH = 5
const REASON_MAX = 255

export const closedFields = {
  closed: list(
    object({
      from: text({ max: DATE_LENGTH }),
      from_time: text({ max: TIME_LENGTH }),
      to: text({ max: DATE_LENGTH }),
      to_time: text({ max: TIME_LENGTH }),
      reason: text({ max: REASON_MAX }),
    }),
    { max: CLOSED_MAX },
  ),
  /** Closed times that had ended by then are not among the rows. */
  shown_at: text({ max: 40 }),
  removes_past: queryFlag(),
}

type Place = { closed: Closed[]; zone: string }
type ClosedTimesValues = {
  closed?: Row[] | undefined
  shown_at?: string | undefined
  removes_past?: boolean | undefined
}

export function showClosedRows(fields: Fields, { closed, zone }: Place, shownAt: string): Content {
  const past = closed.filter(({ to }) => to <= shownAt)
  const upcoming = closed.filter(({ to }) => to > shownAt)
  const count = plural(past.length, '# past closed time', '# past closed times')
  return [
    fields.rows(
      {
        name: 'closed',
        label: t`Closed`,
        hint: t`Leave the times empty for whole days, and the last day for a single day. Everything inside this place is closed too. Empty rows are ignored.`,
      },
      upcoming.map((each) => toRow(each, zone)),
      (rows) => rows.map(describeRow).join(', '),
      (
        rows,
      ) => html`<table class="table fields" data-rows><thead><tr><th scope="col">${t`First day`}</th><th scope="col">${t`Last day`}</th>
<th scope="col">${t`Reason`}</th><th></th></tr></thead>
<tbody>${[...rows, ...Array.from({ length: BLANK_ROWS }, () => ({}))].map(showRow)}</tbody></table>
<button type="button" class="button quiet" data-add-row hidden>${t`Add a row`}</button>`,
    ),
    html`<input type="hidden" name="shown_at" value="${shownAt}">`,
    past.length > 0 &&
      html`<details><summary>${count}</summary><ul>${past.map((each) => html`<li>${formatClosed(each, zone)}</li>`)}</ul>
${fields.checkbox('removes_past', t`Remove the past closed times`)}</details>`,
  ]
}

function showRow(row: Row): Html {
  const input = (name: string, type: string, label: string) =>
    html`<input${attributes({ type, name: `closed.${name}`, 'aria-label': label, value: row[name], maxlength: type === 'text' ? REASON_MAX : undefined })}>`
  return html`<tr><td data-label="${t`First day`}"><div>${input('from', 'date', t`First day`)} ${input('from_time', 'time', t`from this time`)}</div></td>
<td data-label="${t`Last day`}"><div>${input('to', 'date', t`Last day`)} ${input('to_time', 'time', t`until this time`)}</div></td>
<td data-label="${t`Reason`}"><div>${input('reason', 'text', t`Reason`)}</div></td>
<td class="tools"><button type="button" class="button quiet" data-remove-row hidden>${t`Remove`}</button></td></tr>`
}

const describeRow = ({ from, from_time, to, to_time, reason }: Row) =>
  [from, from_time, '–', to, to_time, reason].filter(Boolean).join(' ')

/** A row that equals a present time as shown keeps it, with its seconds. */
export function parseClosed(typed: ClosedTimesValues, { closed: present, zone }: Place): Closed[] {
  const { closed: rows = [], shown_at: shownAt = '', removes_past: removesPast } = typed
  const past = present.filter(({ to }) => to <= shownAt)
  const left = present.filter(({ to }) => to > shownAt)
  const kept = rows.map((row) => {
    const at = left.findIndex((each) => describeRow(toRow(each, zone)) === describeRow(row))
    return left.splice(at, at < 0 ? 0 : 1)[0] ?? parseRow(row, zone)
  })
  return [...(removesPast ? [] : past), ...kept]
}

export const parseClosedForm = (values: FormValues, place: Place) =>
  parseClosed({ closed: readRows(values, 'closed'), shown_at: values['shown_at']?.[0] }, place)

function toRow({ from, to, reason }: Closed, zone: string): Row {
  const [firstDay, fromTime = ''] = formatLocalDateTime(from, zone).split('T')
  const { lastDay, isWhole } = lastDayOf(to, zone)
  const row = {
    from: firstDay ?? '',
    from_time: from === startOfDay(firstDay ?? '', zone) ? '' : fromTime,
    to: isWhole ? lastDay : formatLocalDate(to, zone),
    to_time: isWhole ? '' : formatLocalDateTime(to, zone).slice(DATE_LENGTH + 1),
    reason: reason.replace(/\s+/g, ' ').trim(),
  }
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ''))
}

function lastDayOf(to: string, zone: string) {
  const lastDay = addDaysToDate(formatLocalDate(to, zone), -1)
  return { lastDay, isWhole: to === endOfDay(lastDay, zone) }
}

function parseRow({ from, from_time, to = from, to_time, reason }: Row, zone: string): Closed {
  if (!from || !to || !reason)
    throw invalid({ closed: [message`Each closed time needs a first day and a reason.`] })
  const [first, last] = [parseMoment(from, from_time, zone), parseMoment(to, to_time, zone)]
  const span = { from: first ?? startOfDay(from, zone), to: last ?? endOfDay(to, zone) }
  if (span.to > span.from) return { ...span, reason }
  throw invalid({ closed: [message`“${reason}” must end after it begins.`] })
}

/** Undefined without a time. Browsers without pickers send whatever was typed. */
function parseMoment(date: string, time: string | undefined, zone: string): string | undefined {
  const ms = Date.parse(`${date}T${time ?? '00:00'}Z`)
  const isDate =
    !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date) && date.length === DATE_LENGTH
  if (!isDate)
    throw invalid({
      closed: [
        message`“${time ? `${date} ${time}` : date}” is not a day such as 2026-12-24, or a time such as 12:00.`,
      ],
    })
  return time && parseLocalDateTime(`${date}T${time}`, zone, 'closed')
}

const endOfDay = (date: string, zone: string) => startOfDay(addDaysToDate(date, 1), zone)

const days = { day: 'numeric', month: 'long', year: 'numeric' } as const
const dayFormat = byLocale(
  (locale) => new Intl.DateTimeFormat(locale, { ...days, weekday: 'short', timeZone: 'UTC' }),
)
const timeFormat = createZoneFormat({ ...days, hour: '2-digit', minute: '2-digit' })

/** “Fri, 24 December – Sun, 26 December 2027: Christmas”. */
export function formatClosed({ from, to, reason }: Closed, zone: string): string {
  const firstDay = formatLocalDate(from, zone)
  const { lastDay, isWhole } = lastDayOf(to, zone)
  const span =
    isWhole && from === startOfDay(firstDay, zone)
      ? dayFormat().formatRange(new Date(firstDay), new Date(lastDay))
      : timeFormat(zone, currentLocale()).formatRange(new Date(from), new Date(to))
  return `${span}: ${reason}`
}
