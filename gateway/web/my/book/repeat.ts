// The part of a booking form that repeats the booking: the weekdays, the last day, and the days on which the place is
// not free. The person sees these days before anything is booked.
import type { InferType } from 'yup'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { object, text } from '../../../../shared/schemas/fields.ts'
import { computeEtag } from '../../../../shared/utilities/etags.ts'
import { type Html, html } from '../../../html/html.ts'
import { formatMessage, t } from '../../locales/translate.ts'
import {
  formatSkippedDays,
  parseRepeat,
  severalDaysFields,
  showWeekdays,
  skippedDays,
} from '../../pages/bookings/several-days.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { addDaysToDate, formatDate } from '../../pages/time/instants.ts'
import type { Fields } from '../../pages/ui/fields.ts'
import { findWantedTime, type PlaceHours, type WantedTime } from './wanted-time.ts'

const SEEN_CONFLICTS = 'seen_conflicts'
const CHOOSE_WEEKDAYS = message`Choose the days of the week.`
const NO_DAY_IS_FREE = message`It is not free on any of these days.`

export const repeatFields = {
  ...severalDaysFields,
  /** Identifies the sentence that the person has seen about the days that are not free. */
  [SEEN_CONFLICTS]: text({ max: 100 }),
}
const repeatForm = object(repeatFields)
type RepeatForm = InferType<typeof repeatForm>

/** Shows a chip for each weekday, and a chip for each of the next days on which the place is open. */
export function showRepeat(
  fields: Fields,
  days: string[],
  typed: Partial<RepeatForm & TypedDays> = {},
): Html {
  const options = days.map((date) => ({ value: date, label: formatDate(date, 'weekday') }))
  const isOpen = fields.isFilled('repeat_on', 'repeat_until', 'days')
  return html`<details class="more-fields"${isOpen && html` open`}><summary>${t`Repeat`}</summary>
${showWeekdays(fields, typed.repeat_on)}
${fields.checkboxes('days', t`Or also on`, { options, values: typed.days ?? [], areChips: true })}</details>`
}
type TypedDays = { days?: string[] | undefined }

/** Returns how the booking repeats. Refuses a last day without weekdays. */
export function requireRepeat(typed: RepeatForm) {
  const repeat = parseRepeat(typed)
  if (!repeat && typed.repeat_until !== undefined) throw invalidFields({ repeat_on: [CHOOSE_WEEKDAYS] })
  return repeat
}

/**
 * Returns the time of the first booking. If the series does not include today, the first booking begins at the usual
 * time of its day, and not at the current time of day.
 */
export function findFirstTime(
  time: WantedTime,
  repeat_on: readonly string[],
  hours: PlaceHours,
  now: string,
): WantedTime {
  const isChosen = (date: string) =>
    repeat_on.some((weekday) => Number(weekday) === (new Date(date).getUTCDay() || 7))
  if (!time.isNow || repeat_on.length === 0 || isChosen(time.date)) return time
  const next = [1, 2, 3, 4, 5, 6].map((days) => addDaysToDate(time.date, days)).find(isChosen)
  return findWantedTime({ date: next }, hours, now)
}

/**
 * Refuses a series that is not free on some days, and names these days, unless the person has already seen exactly
 * these.
 */
export function refuseUnseenConflicts(
  call: ActionCall<unknown, unknown, Pick<RepeatForm, typeof SEEN_CONFLICTS>>,
  zone: string,
  { data }: { data: { free: number; skipped: Array<{ from: string; code: string }> } },
): void {
  if (data.skipped.length === 0) return
  const named = formatSkippedDays(skippedDays(data, zone))
  const sentence = message`Not free: ${named}.`
  if (data.free === 0) throw invalidFields({ repeat_on: [NO_DAY_IS_FREE, sentence] })
  if (call.form[SEEN_CONFLICTS] === computeConflictsId(sentence)) return
  throw invalidFields({ [SEEN_CONFLICTS]: [sentence] })
}

const computeConflictsId = (sentence: Parameters<typeof formatMessage>[0]) =>
  computeEtag(formatMessage(sentence))

/** Returns the hidden field that tells which days the person has seen, and a notice with these days and a button. */
export function showSeenConflicts({ refusedForm }: Call) {
  const [sentence] = refusedForm?.errors[SEEN_CONFLICTS] ?? []
  if (!refusedForm || !sentence)
    return { hidden: { [SEEN_CONFLICTS]: refusedForm?.values[SEEN_CONFLICTS]?.[0] ?? '' } }
  refusedForm.isExplained = true
  const notice = html`<section class="notice bad my-alternatives" role="alert" tabindex="-1" autofocus><p>${formatMessage(sentence)}</p>
<div class="buttons"><button class="button primary">${t`Book the other days`}</button></div></section>`
  return { hidden: { [SEEN_CONFLICTS]: computeConflictsId(sentence) }, notice }
}
