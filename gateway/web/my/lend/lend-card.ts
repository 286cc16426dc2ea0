// Shows the desks that are assigned to the person, the days on which they are lent, and the forms that lend them: on
// the Me page, on My day, on the page of the desk and with an absence.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { LOAN_DAYS_MAX } from '../../../../shared/loans/loans.ts'
import { lentUntilSql } from '../../../../shared/loans/loans-shape.ts'
import { fieldName, type Message, message } from '../../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../../shared/messages/refusal.ts'
import { object, queryId, required } from '../../../../shared/schemas/fields.ts'
import { formatLocalDate } from '../../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../../html/html.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { t } from '../../locales/translate.ts'
import type { Days } from '../../pages/absences/absences.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { localDate } from '../../pages/time/fields.ts'
import { addDaysToDate, formatDate } from '../../pages/time/instants.ts'
import { oneOfChoices } from '../../pages/ui/fields.ts'
import { form } from '../../pages/ui/forms.ts'
import { showCard, showLink } from '../../pages/ui/parts.ts'

const SPANS = ['today', 'tomorrow', 'week', 'next', 'until'] as const
type LentSpan = (typeof SPANS)[number]
const WEEK_DAYS = 7
const SERVER_FAULT_STATUS = 500

const loansColumn = (condition: string) =>
  rows.listColumn(
    {
      id: rows.numberColumn('loans.id'),
      from: rows.textColumn('lower(loans.days)::text'),
      to: rows.textColumn('(upper(loans.days) - 1)::text'),
    },
    `loans WHERE loans.bookable_id = bookables.id AND ${condition}
       AND upper(loans.days) > timezone(buildings.timezone, $2::timestamptz)::date`,
    'loans.days',
  )

const DESK_COLUMNS = {
  id: rows.numberColumn('bookables.id'),
  name: rows.textColumn('bookables.name'),
  type: rows.numberColumn('bookables.type'),
  ...rows.PLACE_COLUMNS,
  loans: loansColumn('loans.user_id = $1'),
  /** The loans of all owners of the desk. */
  allLoans: loansColumn('true'),
}
export type OwnDesk = rows.RowOf<typeof DESK_COLUMNS>
const OWN_DESKS_MAX = 20

const listOwnDesks = ({ reads, requirePerson, now }: Call): Promise<OwnDesk[]> =>
  rows.selectRows(
    reads,
    DESK_COLUMNS,
    `bookable_assignees JOIN bookables ON bookables.id = bookable_assignees.bookable_id ${rows.JOIN_PLACES}
     WHERE bookable_assignees.user_id = $1 AND bookables.deleted_at IS NULL AND $2::timestamptz IS NOT NULL
     ORDER BY bookables.name, bookables.id LIMIT ${OWN_DESKS_MAX}`,
    [requirePerson().id, now],
  )

const LOAN_COLUMNS = {
  until: rows.textColumn(lentUntilSql('$2')),
  owner: rows.nullableColumn(
    rows.textColumn(`(SELECT users.name FROM loans JOIN users ON users.id = loans.user_id
      WHERE loans.bookable_id = bookables.id AND loans.days @> timezone(buildings.timezone, $2::timestamptz)::date)`),
  ),
}

export const lendForm = object({
  desk: required(queryId()),
  days: required(oneOfChoices(SPANS)),
  until: localDate(),
})
export const endLoanForm = object({ desk: required(queryId()), loan: required(queryId()) })

const NOT_ASSIGNED = message`This desk or room is no longer assigned to you.`

type LendCall = ActionCall<unknown, unknown, typeof lendForm.__outputType>
type EndLoanCall = ActionCall<unknown, unknown, typeof endLoanForm.__outputType>

export async function lendOwnDesk(call: LendCall) {
  const { desk: id, days, until } = call.form
  const desk = (await listOwnDesks(call)).find((each) => each.id === id)
  if (!desk) throw new Refusal('not_found', NOT_ASSIGNED)
  const today = formatLocalDate(call.now, desk.zone)
  if (days === 'until') refuseLastDay(until, today)
  const span = findLentDays(days, today, until ?? today)
  await call.dispatch('loans.create', { bookable_id: id, user_id: call.requirePerson().id, ...span })
  return {
    redirectTo: call.linkHere(),
    notice: t`${desk.name} is lent ${describeDays(span)}. Others can book it on these days.`,
  }
}

/**
 * Refuses a last day that `loans.create` would refuse. The form calls this field `until` and the job calls it `to`, so an
 * error of the job would not appear at the field.
 */
function refuseLastDay(until: string | undefined, today: string) {
  const refuse = (problem: Message) => invalidFields({ until: [problem] })
  if (!until) throw refuse(message`Enter the last day.`)
  if (until < today) throw refuse(message`${fieldName('until')} must be today or later.`)
  if (until > addDaysToDate(today, LOAN_DAYS_MAX - 1))
    throw refuse(message`${fieldName('until')} must be at most ${LOAN_DAYS_MAX} days after the first day.`)
}

const isFree = ({ allLoans }: OwnDesk, { from, to }: Days) =>
  allLoans.every((loan) => loan.to < from || loan.from > to)

/** Lists the person's own desks that no owner lends on any of these days. */
export const listDesksToLend = async (call: Call, days: Days): Promise<OwnDesk[]> =>
  (await listOwnDesks(call)).filter((desk) => isFree(desk, days))

/** `last` is the last day on which the desks are lent, and `problems` says why others are not lent. */
type LentDesks = { lent: OwnDesk[]; last: string; problems: Message[] }

/**
 * Lends the person's own desks for these days, or for as many of them as a loan can have. Undo in the notice also
 * reverses the write before, which stays if a desk cannot be lent.
 */
export async function lendOwnDesks(call: ActionCall, { from, to }: Days): Promise<LentDesks> {
  const lastPossible = addDaysToDate(from, LOAN_DAYS_MAX - 1)
  const last = to < lastPossible ? to : lastPossible
  const days = { from, to: last }
  const attempts = [call.lastAttempt()]
  const own = await listOwnDesks(call)
  const free = own.filter((desk) => isFree(desk, days))
  const lent: OwnDesk[] = []
  const problems = own.length === 0 ? [NOT_ASSIGNED] : []
  // If no desk is free any more, the refusals say when they are already lent.
  for (const desk of free.length > 0 ? free : own) {
    const problem = await tryLending(call, desk, days)
    if (problem) problems.push(problem)
    else {
      lent.push(desk)
      attempts.push(call.lastAttempt())
    }
  }
  call.undoTogether(attempts.slice(0, -1).filter((attempt) => attempt !== undefined))
  return { lent, last, problems }
}

/** Returns why the desk cannot be lent. After a fault, such as 503, the same form can be sent again. */
async function tryLending(call: ActionCall, { id }: OwnDesk, days: Days): Promise<Message | undefined> {
  try {
    await call.dispatch('loans.create', { bookable_id: id, user_id: call.requirePerson().id, ...days })
    return undefined
  } catch (error) {
    if (error instanceof Refusal && error.status < SERVER_FAULT_STATUS) return error.detail
    throw error
  }
}

export async function endOwnLoan(call: EndLoanCall) {
  await call.dispatch('loans.delete', { bookable_id: call.form.desk, loan_id: call.form.loan })
  return { redirectTo: call.linkHere(), notice: t`The loan has ended. Others can no longer book this place.` }
}

/** Returns the days of a choice in the form. A week ends on Sunday. */
function findLentDays(days: LentSpan, today: string, until: string): Days {
  const weekday = new Date(today).getUTCDay() || WEEK_DAYS
  const sunday = addDaysToDate(today, WEEK_DAYS - weekday)
  const tomorrow = addDaysToDate(today, 1)
  const spans: Record<LentSpan, Days> = {
    today: { from: today, to: today },
    tomorrow: { from: tomorrow, to: tomorrow },
    week: { from: today, to: sunday },
    next: { from: addDaysToDate(sunday, 1), to: addDaysToDate(sunday, WEEK_DAYS) },
    until: { from: today, to: until },
  }
  return spans[days]
}

function describeDays({ from, to }: Days): string {
  const first = formatDate(from, 'weekday')
  return from === to ? t`on ${first}` : t`from ${first} to ${formatDate(to, 'weekday')}`
}

export const isDesk = ({ type }: OwnDesk): boolean => type === BOOKABLE_TYPES.desk

const formatTitle = (desks: OwnDesk[]): string => (desks.every(isDesk) ? t`My own desk` : t`Assigned to me`)

/** Shows the person's own desks. Shows nothing if none is assigned to the person. */
export async function showOwnDesksCard(call: Call): Promise<Html | false> {
  const desks = await listOwnDesks(call)
  return (
    desks.length > 0 && showCard(formatTitle(desks), html`${desks.map((desk) => showOwnDesk(call, desk))}`)
  )
}

/**
 * Shows on the page of a desk that it is the person's own, with the form that lends it, or that its owner lends it at a
 * moment.
 */
export async function showLoansOfDesk(call: Call, desk: number, at: string): Promise<Html | false> {
  const own = (await listOwnDesks(call)).find(({ id }) => id === desk)
  if (own) return showCard(formatTitle([own]), showOwnDesk(call, own))
  const loan = await rows.selectRow(
    call.reads,
    LOAN_COLUMNS,
    `bookables ${rows.JOIN_PLACES} WHERE bookables.id = $1 AND ${lentUntilSql('$2')} IS NOT NULL`,
    [desk, at],
  )
  if (!loan) return false
  const until = formatDate(loan.until, 'weekday')
  const { owner } = loan
  return html`<p class="soft">${owner === null ? t`Lent until ${until}` : t`${owner} lends this place until ${until}`}</p>`
}

/** Shows the person's own desks as lines, each with the button that lends it today or ends the loan of today. */
export async function showOwnDesksToday(call: Call): Promise<Html[]> {
  const desks = await listOwnDesks(call)
  return desks.map((desk) => {
    const { id, name, location, zone, loans } = desk
    const today = formatLocalDate(call.now, zone)
    const loan = loans.find(({ from, to }) => from <= today && today <= to)
    const line = loan
      ? t`${name}, ${location}, is lent until ${formatDate(loan.to, 'weekday')}.`
      : isDesk(desk)
        ? t`Your own desk: ${name}, ${location}`
        : t`Assigned to you: ${name}, ${location}`
    const button = loan
      ? showEndLoanForm(call, desk, loan)
      : form(call, {
          action: 'lend',
          submit: isDesk(desk) ? t`Lend my desk today` : t`Lend it today`,
          tone: 'quiet',
          hidden: { desk: id, days: 'today' },
          isInline: true,
          key: id,
        })
    return html`<div class="my-line"><span>${showLink(call.link(`/book/${id}`), line)}</span>${button}</div>`
  })
}

const showEndLoanForm = (call: Call, { id, name }: OwnDesk, loan: Days & { id: number }): Html =>
  form(call, {
    action: 'end-loan',
    submit: t`End loan`,
    submitLabel: t`End the loan of ${name} ${describeDays(loan)}`,
    tone: 'quiet',
    hidden: { desk: id, loan: loan.id },
    isInline: true,
    key: loan.id,
  })

function showOwnDesk(call: Call, desk: OwnDesk): Html {
  const { id, name, location, building, loans } = desk
  const lent = loans.map(
    (loan) =>
      html`<li><span>${t`lent`} ${describeDays(loan)}</span> ${showEndLoanForm(call, desk, loan)}</li>`,
  )
  const labels: Record<LentSpan, string> = {
    today: t`Today`,
    tomorrow: t`Tomorrow`,
    week: t`This week`,
    next: t`Next week`,
    until: t`Until …`,
  }
  const options = SPANS.map((value) => ({ value, label: labels[value] }))
  return html`<p><strong>${name}</strong> <span class="soft">${location}, ${building}</span></p>
${lent.length > 0 && html`<ul class="my-rows">${lent}</ul>`}
${form(
  call,
  { action: 'lend', submit: isDesk(desk) ? t`Lend my desk` : t`Lend it`, hidden: { desk: id }, key: id },
  (fields) => [
    fields.radios('days', t`For which days`, { options, value: 'today', areChips: true }),
    fields.text('until', t`Last day`, { type: 'date', emptyWhen: t`required for “Until …”` }),
  ],
)}`
}
