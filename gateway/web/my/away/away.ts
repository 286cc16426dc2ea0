// The Away page: the person enters the days on which they are away, and chooses whether to release their bookings on
// these days. The Me page has the same form.
import type * as yup from 'yup'
import { newAbsenceSchema } from '../../../../shared/absences/absences.ts'
import { bookingsInDaysSql } from '../../../../shared/absences/absences-shape.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { object, queryFlag, required } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import { numberColumn, selectRow } from '../../../reads/rows/rows.ts'
import { requireValidInput } from '../../../server/http/middleware/validate.ts'
import { formatMessage, plural, sentence, t } from '../../locales/translate.ts'
import {
  type Days,
  formatDays,
  listUpcomingAbsences,
  removeAbsenceForm,
  showAbsences,
} from '../../pages/absences/absences.ts'
import { type ActionCall, type Call, definePage } from '../../pages/page/page.ts'
import { findCommonZone } from '../../pages/search/choices.ts'
import { localDate } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate } from '../../pages/time/instants.ts'
import { choices } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { formatFirstItems, showCard, showLink } from '../../pages/ui/parts.ts'
import { isDesk, lendOwnDesks, listDesksToLend, type OwnDesk } from '../lend/lend-card.ts'

const LENGTHS = choices(
  ['1', sentence`1 day`],
  ['7', sentence`1 week`],
  ['14', sentence`2 weeks`],
  ['21', sentence`3 weeks`],
)

const NAMED_DESKS_MAX = 3

/** The form for an absence. The length counts from the first day. If a last day is given, it overrides the length. */
export const awayForm = object({
  from: required(localDate()),
  length: LENGTHS.rule().optional(),
  to: localDate(),
})
type AwayCall = ActionCall<unknown, unknown, yup.InferType<typeof awayForm>>

const COUNTED_BOOKINGS_SQL = bookingsInDaysSql({
  user: '$1::bigint',
  days: "daterange($2::date, $3::date, '[]')",
  now: '$4',
})

/** Counts the person's bookings that recording the absence would release. */
async function countBookings({ reads, requirePerson, now }: Call, { from, to }: Days): Promise<number> {
  const counted = `(SELECT count(*)::int AS number FROM ${COUNTED_BOOKINGS_SQL}) AS counted`
  const values = [requirePerson().id, from, to, now]
  return (await selectRow(reads, { number: numberColumn('counted.number') }, counted, values))?.number ?? 0
}

/**
 * Records the absence. If the person has bookings on these days, or a desk of their own, first asks on the Away page
 * whether to release and to lend them.
 */
export async function recordAbsence(call: AwayCall) {
  const { from, length, to = length && addDaysToDate(from, Number(length) - 1) } = call.form
  if (!to) throw invalidFields({ to: [message`Choose how long you are away, or enter the last day.`] })
  const days = { from, to }
  requireValidInput(newAbsenceSchema, days, call.now)
  const desks = await listDesksToLend(call, days)
  if (desks.length > 0 || (await countBookings(call, days)) > 0)
    return { redirectTo: call.link('/away', days) }
  return createAbsence(call, days, {})
}

type AbsenceChoices = { release?: boolean | undefined; lend?: boolean | undefined }

async function createAbsence(
  call: ActionCall<unknown, unknown, unknown>,
  days: Days,
  { release = false, lend = false }: AbsenceChoices,
) {
  const input = { ...days, kind: 'away' as const, release_bookings: release }
  const { data } = await call.dispatch('absences.create', { ...input, user_id: call.requirePerson().id })
  const released = data.released_bookings
  const loan = lend && describeLoan(await lendOwnDesks(call, days), days)
  const recorded =
    released > 0
      ? plural(
          released,
          'You are away: {0}. # booking is released.',
          'You are away: {0}. # bookings are released.',
          formatDays(days),
        )
      : t`You are away: ${formatDays(days)}.`
  return { redirectTo: call.link('/me'), notice: loan ? `${recorded} ${loan}` : recorded }
}

/** Says what is lent until when, and why the rest is not lent. */
function describeLoan({ lent, last, problems }: Awaited<ReturnType<typeof lendOwnDesks>>, { to }: Days) {
  const notLent = problems.map((problem) => t`Not lent: ${formatMessage(problem)}`)
  if (lent.length === 0) return notLent.join(' ')
  const isOnlyDesks = lent.every(isDesk)
  const until = formatDate(last, 'full')
  const whole = isOnlyDesks ? t`Your desk is lent for that time.` : t`Your place is lent for that time.`
  const part = isOnlyDesks ? t`Your desk is lent until ${until}.` : t`Your place is lent until ${until}.`
  return [last < to ? part : whole, ...notLent].join(' ')
}

export async function removeAbsence(call: ActionCall<unknown, unknown, { id: number }>) {
  const absence_id = call.form.id
  await call.dispatch('absences.delete', { user_id: call.requirePerson().id, absence_id })
  return { redirectTo: call.link('/me'), notice: t`You are no longer away on these days.` }
}

/** Shows the person's absences, and the form that records one. */
export async function showAwayCard(call: Call): Promise<Html> {
  const today = formatLocalDate(call.now, await findCommonZone(call.reads))
  const absences = await listUpcomingAbsences(call.reads, call.requirePerson().id, today)
  return showCard(
    t`Away`,
    html`${showAbsences(call, absences)}
${form(call, { action: 'record-absence', submit: t`I am away` }, (fields) => [
  fields.text('from', t`First day`, { type: 'date', min: today, value: addDaysToDate(today, 1) }),
  fields.radios('length', t`How long`, { options: LENGTHS.options(), value: '', areChips: true }),
  fields.text('to', t`Last day`, {
    type: 'date',
    min: today,
    hint: t`Needed only for another number of days.`,
  }),
])}
<p class="soft">${t`Colleagues who can see you see that you are away. You get no reminders or offers on these days.`}</p>`,
    'away',
  )
}

export const awayPage = definePage({
  path: '/away',
  title: sentence`Away`,
  section: 'Me',
  query: object({ from: localDate(), to: localDate() }),
  actions: (action) => ({
    'record-absence': action(awayForm, recordAbsence),
    'remove-absence': action(removeAbsenceForm, removeAbsence),
    confirm: action(
      object({
        from: required(localDate()),
        to: required(localDate()),
        release: queryFlag(),
        lend: queryFlag(),
      }),
      (call) => createAbsence(call, { from: call.form.from, to: call.form.to }, call.form),
    ),
  }),
  async show(call) {
    const { from, to } = call.query
    if (!from || !to || !newAbsenceSchema.isValidSync({ from, to })) return showAwayCard(call)
    const bookings = await countBookings(call, { from, to })
    const desks = await listDesksToLend(call, { from, to })
    if (bookings === 0 && desks.length === 0) return showAwayCard(call)
    return {
      title: t`Away: ${formatDays({ from, to })}`,
      content: html`<div class="card">${
        bookings > 0 &&
        html`<p>${plural(
          bookings,
          'You have # booking on these days. If you release it, others can book the place.',
          'You have # bookings on these days. If you release them, others can book the places.',
        )}</p>`
      }${desks.length > 0 && html`<p>${describeOwnPlaces(desks)}</p>`}
<div class="buttons">${showChoices(call, { from, to }, { bookings, desks })}${showLink(call.link('/me'), t`Cancel`, { class: 'button quiet' })}</div></div>`,
    }
  },
})

function describeOwnPlaces(desks: OwnDesk[]): string {
  const names = formatFirstItems(
    desks.map(({ name }) => name),
    NAMED_DESKS_MAX,
  )
  return desks.every(isDesk)
    ? t`Your own desk: ${names}. If you lend it, others can book it on these days.`
    : t`Assigned to you: ${names}. If you lend it, others can book it on these days.`
}

/** Shows a button for each choice. The first choice leaves the most places to others. */
function showChoices(call: Call, days: Days, { bookings, desks }: { bookings: number; desks: OwnDesk[] }) {
  const hasBookings = bookings > 0
  const hasDesk = desks.length > 0
  const isOnlyDesks = desks.every(isDesk)
  const all = isOnlyDesks
    ? plural(bookings, 'Release my # booking and lend my desk', 'Release my # bookings and lend my desk')
    : plural(bookings, 'Release my # booking and lend my place', 'Release my # bookings and lend my place')
  const lend = isOnlyDesks ? t`Lend my desk for that time` : t`Lend my place for that time`
  const keep = isOnlyDesks ? t`Keep my desk` : t`Keep my place`
  const release = plural(bookings, 'Release my # booking', 'Release my # bookings')
  const choices: Array<false | [chosen: Record<string, string>, submit: string]> = [
    hasBookings && hasDesk && [{ release: 'true', lend: 'true' }, all],
    hasBookings && [{ release: 'true' }, release],
    !hasBookings && [{ lend: 'true' }, lend],
    [{}, hasBookings ? t`Keep my bookings` : keep],
  ]
  return choices
    .filter((each) => each !== false)
    .map(([chosen, submit], place) =>
      form(call, {
        action: 'confirm',
        key: place,
        hidden: { ...days, ...chosen },
        submit,
        tone: place === 0 ? 'primary' : 'quiet',
        isInline: true,
      }),
    )
}
