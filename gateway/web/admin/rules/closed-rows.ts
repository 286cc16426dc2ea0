// Closed times as rows of a form, in the building's time zone: first day, last day and reason, and times
// unless whole days are closed. Past closed times are collapsed, and stay unchanged until a checkbox removes
// them.

import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import {
  CLOSED_TIMES_MAX,
  type ClosedTimes,
  refuseTooManyClosedTimes,
} from '../../../../shared/rules/closed-times.ts'
import { type Rules, rulesSchema } from '../../../../shared/rules/rules.ts'
import { list, object, queryFlag, text } from '../../../../shared/schemas/fields.ts'
import {
  findStartOfDay,
  formatLocalDate,
  formatLocalDateTime,
  parseLocalDateTime,
} from '../../../../shared/schemas/wall-clock.ts'
import { createZoneFormat } from '../../../../shared/utilities/time-zones.ts'
import { type Content, formatAttributes, type Html, html } from '../../../html/html.ts'
import { cacheByLocale, currentLocale, plural, t } from '../../locales/translate.ts'
import { type FormRow, type FormValues, readRows } from '../../pages/page/form-body.ts'
import { addDaysToDate } from '../../pages/time/instants.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import type { RulesOfPlace } from './queries.ts'

const BLANK_ROWS_COUNT = 2
const DATE_LENGTH = 10
const TIME_LENGTH = 5
const REASON_LENGTH_MAX = 255

export const closedTimesFields = {
  closed: list(
    object({
      from: text({ max: DATE_LENGTH }),
      from_time: text({ max: TIME_LENGTH }),
      to: text({ max: DATE_LENGTH }),
      to_time: text({ max: TIME_LENGTH }),
      reason: text({ max: REASON_LENGTH_MAX }),
    }),
    { max: CLOSED_TIMES_MAX },
  ),
  /** The time when the form was shown. Its rows leave out closed times that had already ended by then. */
  shown_at: text({ max: 40 }),
  removes_past: queryFlag(),
}

type PlaceWithClosedTimes = { closed: ClosedTimes[]; zone: string }
type ClosedTimesValues = {
  closed?: FormRow[] | undefined
  shown_at?: string | undefined
  removes_past?: boolean | undefined
}

export function showClosedTimesRows(
  fields: Fields,
  { closed, zone }: PlaceWithClosedTimes,
  shownAt: string,
): Content {
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
<tbody>${[...rows, ...Array.from({ length: BLANK_ROWS_COUNT }, () => ({}))].map(showRow)}</tbody></table>
<button type="button" class="button quiet" data-add-row hidden>${t`Add a row`}</button>`,
    ),
    html`<input type="hidden" name="shown_at" value="${shownAt}">`,
    past.length > 0 &&
      html`<details><summary>${count}</summary><ul>${past.map((each) => html`<li>${formatClosedTimes(each, zone)}</li>`)}</ul>
${fields.checkbox('removes_past', t`Remove the past closed times`)}</details>`,
  ]
}

function showRow(row: FormRow): Html {
  const input = (name: string, type: string, label: string) =>
    html`<input${formatAttributes({ type, name: `closed.${name}`, 'aria-label': label, value: row[name], maxlength: type === 'text' ? REASON_LENGTH_MAX : undefined })}>`
  return html`<tr><td data-label="${t`First day`}"><div>${input('from', 'date', t`First day`)} ${input('from_time', 'time', t`from this time`)}</div></td>
<td data-label="${t`Last day`}"><div>${input('to', 'date', t`Last day`)} ${input('to_time', 'time', t`until this time`)}</div></td>
<td data-label="${t`Reason`}"><div>${input('reason', 'text', t`Reason`)}</div></td>
<td class="tools"><button type="button" class="button quiet" data-remove-row hidden>${t`Remove`}</button></td></tr>`
}

const describeRow = ({ from, from_time, to, to_time, reason }: FormRow) =>
  [from, from_time, '–', to, to_time, reason].filter(Boolean).join(' ')

/** Parses the rows. A row that still shows an existing closed time keeps its exact start and end, including
 * the seconds. */
export function parseClosedTimes(
  typed: ClosedTimesValues,
  { closed: present, zone }: PlaceWithClosedTimes,
): ClosedTimes[] {
  const { closed: rows = [], shown_at: shownAt = '', removes_past: removesPast } = typed
  const past = present.filter(({ to }) => to <= shownAt)
  const left = present.filter(({ to }) => to > shownAt)
  const kept = rows.map((row) => {
    const at = left.findIndex((each) => describeRow(toRow(each, zone)) === describeRow(row))
    return left.splice(at, at < 0 ? 0 : 1)[0] ?? parseClosedTimesRow(row, zone)
  })
  return [...(removesPast ? [] : past), ...kept]
}

/** Returns the place's own rules with these closed times. Refuses more of them than a place can have. */
export function replaceClosedTimes({ name, rules }: RulesOfPlace, closed: ClosedTimes[]): Rules {
  refuseTooManyClosedTimes(name, closed)
  return rulesSchema.cast({ ...rules.own, closed })
}

/** Returns the place's own rules with one more closed time. Refuses it if the place has the maximum already. */
export const addClosedTimes = (found: RulesOfPlace, added: ClosedTimes): Rules =>
  replaceClosedTimes(found, [...(found.rules.own.closed ?? []), added])

export const parseClosedTimesForm = (values: FormValues, place: PlaceWithClosedTimes) =>
  parseClosedTimes({ closed: readRows(values, 'closed'), shown_at: values['shown_at']?.[0] }, place)

function toRow({ from, to, reason }: ClosedTimes, zone: string): FormRow {
  const [firstDay, fromTime = ''] = formatLocalDateTime(from, zone).split('T')
  const { lastDay, isWhole } = findLastDay(to, zone)
  const row = {
    from: firstDay ?? '',
    from_time: from === findStartOfDay(firstDay ?? '', zone) ? '' : fromTime,
    to: isWhole ? lastDay : formatLocalDate(to, zone),
    to_time: isWhole ? '' : formatLocalDateTime(to, zone).slice(DATE_LENGTH + 1),
    reason: reason.replace(/\s+/g, ' ').trim(),
  }
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== ''))
}

function findLastDay(to: string, zone: string) {
  const lastDay = addDaysToDate(formatLocalDate(to, zone), -1)
  return { lastDay, isWhole: to === findEndOfDay(lastDay, zone) }
}

/** Parses one closed time from a form. Throws a refusal if it is incomplete, or if it ends before it begins. */
export function parseClosedTimesRow(
  { from, from_time, to = from, to_time, reason }: FormRow,
  zone: string,
): ClosedTimes {
  if (!from || !to || !reason)
    throw invalidFields({ closed: [message`Each closed time needs a first day and a reason.`] })
  const [first, last] = [parseMoment(from, from_time, zone), parseMoment(to, to_time, zone)]
  const span = { from: first ?? findStartOfDay(from, zone), to: last ?? findEndOfDay(to, zone) }
  if (span.to > span.from) return { ...span, reason }
  throw invalidFields({ closed: [message`“${reason}” must end after it begins.`] })
}

/** Parses a date and time. Returns undefined if either is invalid: browsers without pickers send any text
 * that was typed. */
function parseMoment(date: string, time: string | undefined, zone: string): string | undefined {
  const ms = Date.parse(`${date}T${time ?? '00:00'}Z`)
  const isDate =
    !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date) && date.length === DATE_LENGTH
  if (!isDate)
    throw invalidFields({
      closed: [
        message`“${time ? `${date} ${time}` : date}” is not a day such as 2026-12-24, or a time such as 12:00.`,
      ],
    })
  return time && parseLocalDateTime(`${date}T${time}`, zone, 'closed')
}

const findEndOfDay = (date: string, zone: string) => findStartOfDay(addDaysToDate(date, 1), zone)

const dayStyle = { day: 'numeric', month: 'long', year: 'numeric' } as const
const dayFormat = cacheByLocale(
  (locale) => new Intl.DateTimeFormat(locale, { ...dayStyle, weekday: 'short', timeZone: 'UTC' }),
)
const timeFormat = createZoneFormat({ ...dayStyle, hour: '2-digit', minute: '2-digit' })

/** Returns a text such as “Fri, 24 December – Sun, 26 December 2027: Christmas”. */
export function formatClosedTimes({ from, to, reason }: ClosedTimes, zone: string): string {
  const firstDay = formatLocalDate(from, zone)
  const { lastDay, isWhole } = findLastDay(to, zone)
  const span =
    isWhole && from === findStartOfDay(firstDay, zone)
      ? dayFormat().formatRange(new Date(firstDay), new Date(lastDay))
      : timeFormat(zone, currentLocale()).formatRange(new Date(from), new Date(to))
  return `${span}: ${reason}`
}
