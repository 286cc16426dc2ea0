// The page behind a QR code: the current state of a desk or room, and the one action that is useful there.
// Opening the page has no effect.

import { claimsAtSql } from '../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { lentUntilSql } from '../../../shared/loans/loans-shape.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { closingAtSql } from '../../../shared/rules/rules-shape.ts'
import { object, required, text } from '../../../shared/schemas/fields.ts'
import { formatLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../html/html.ts'
import * as rows from '../../reads/rows/rows.ts'
import { flagColumn, instantColumn, nullableColumn } from '../../reads/rows/rows.ts'
import { sentence, t } from '../locales/translate.ts'
import { type Call, definePage } from '../pages/page/page.ts'
import { formatDate, formatTime, formatTimeBeside } from '../pages/time/instants.ts'
import { createRangeUntilEvening } from '../pages/time/requested-time.ts'
import { form } from '../pages/ui/forms.ts'
import { listOwnBookings, type OwnBooking } from './bookings/own-bookings.ts'
import { bookingIdForm, checkIn, createHiddenBookingFields, endBooking } from './bookings/present-booking.ts'

const DESK_COLUMNS = {
  ...rows.BOOKED_PLACE_COLUMNS,
  isTaken: flagColumn('held.id IS NOT NULL'),
  // The name of the occupant. A person who left is not shown, although their booking still holds the desk.
  who: nullableColumn(rows.textColumn('CASE WHEN users.deactivated_at IS NULL THEN users.name END')),
  until: nullableColumn(instantColumn('upper(held.during)')),
  next: nullableColumn(instantColumn('least(following.starts, closing.closes)')),
  isClosed: flagColumn(`bookables.status = ${BOOKABLE_STATUSES.blocked} OR closing.closed IS NOT NULL`),
  isForOthers: flagColumn(`bookables.status = ${BOOKABLE_STATUSES.assigned} AND NOT EXISTS (
    SELECT FROM bookable_assignees WHERE bookable_assignees.bookable_id = bookables.id AND user_id = $3)
    AND ${lentUntilSql('$2')} IS NULL`),
  lentUntil: nullableColumn(rows.textColumn(lentUntilSql('$2'))),
}
type CodedDesk = rows.RowOf<typeof DESK_COLUMNS>

const CODE_NOT_FOUND = message`This code no longer works. The office can print a new one.`

const findDesk = ({ reads, now, requirePerson }: Call, code: string) =>
  rows.selectRow(
    reads,
    DESK_COLUMNS,
    `bookable_codes JOIN bookables ON bookables.id = bookable_codes.bookable_id ${rows.JOIN_PLACES}
     LEFT JOIN LATERAL (SELECT * FROM (${claimsAtSql('$2')}) AS claims LIMIT 1) AS held ON true
     LEFT JOIN users ON users.id = held.user_id
     CROSS JOIN LATERAL (
       SELECT min(lower(during)) AS starts FROM bookings WHERE bookings.bookable_id = bookables.id
         AND lower(during) > $2 AND lower(during) < $2::timestamptz + interval '24 hours') AS following
     CROSS JOIN LATERAL (${closingAtSql('$2::timestamptz')}) AS closing
     WHERE bookable_codes.code = $1 AND bookables.deleted_at IS NULL`,
    [code, now, requirePerson().id],
  )

async function requireDesk(call: Call<{ code: string }>): Promise<CodedDesk> {
  const desk = await findDesk(call, call.params.code)
  if (!desk) throw new Refusal('not_found', CODE_NOT_FOUND)
  return desk
}

export const deskCodePage = definePage({
  path: '/at/{code}',
  title: sentence`Here`,
  params: object({ code: required(text({ max: 40 })) }),
  missing: CODE_NOT_FOUND,
  actions: (action) => ({
    'check-in': action(bookingIdForm, async (call) => {
      await checkIn(call)
      return { redirectTo: call.linkHere(), notice: t`You are checked in.` }
    }),
    leave: action(bookingIdForm, async (call) => {
      await endBooking(call)
      return {
        redirectTo: call.linkHere(),
        notice: t`Your booking has ended. Others can now book the place.`,
      }
    }),
  }),
  async show(call) {
    const [desk, own] = await Promise.all([requireDesk(call), listOwnBookings(call)])
    const mine = own.find(({ bookableId }) => bookableId === desk.bookableId)
    return {
      title: desk.bookable,
      lead: `${desk.location}, ${desk.building}`,
      content: html`<div class="card my-booking">${mine && (mine.isRunning || mine.mayCheckIn) ? showOwnBooking(call, mine) : showDesk(call, desk)}</div>`,
    }
  },
})

function showOwnBooking(call: Call, booking: OwnBooking): Content {
  const { from, to, zone, isRunning, mayCheckIn, checkedInAt } = booking
  const button = (action: string, submit: string, tone: 'primary' | 'quiet') =>
    form(call, { action, submit, tone, hidden: createHiddenBookingFields(booking), isInline: true })
  const end = to === null ? undefined : formatTimeBeside(to, isRunning ? call.now : from, zone)
  const yours = isRunning
    ? end === undefined
      ? t`Yours`
      : t`Yours until ${end}`
    : t`Yours from ${formatTime(from, zone)} to ${end ?? '…'}`
  return html`<p class="big">${yours}</p>
${checkedInAt !== null && html`<span class="badge good">${t`checked in`}</span>`}
<div class="buttons">${mayCheckIn && button('check-in', t`Check in`, 'primary')}
${isRunning && button('leave', t`Leave now`, 'quiet')}</div>`
}

function showDesk(call: Call, desk: CodedDesk): Html {
  const { bookableId, isTaken, who, until, next, zone, isClosed, isForOthers, lentUntil } = desk
  const at = (instant: string) => formatTimeBeside(instant, call.now, zone)
  if (isTaken) {
    const name = who ?? t`somebody`
    return html`<p class="big">${until === null ? t`Booked by ${name}` : t`Booked by ${name} until ${at(until)}`}</p>`
  }
  if (isClosed) return html`<p class="big">${t`Closed`}</p>`
  if (isForOthers) return html`<p class="big">${t`Reserved for others`}</p>`
  const from = formatLocalDateTime(call.now, zone).slice(0, 16)
  const evening = createRangeUntilEvening(from, zone).to
  // The address names times of one day, so late bookings end before midnight.
  const ends = [evening, `${from.slice(0, 10)}T23:59`]
  if (next !== null) ends.push(formatLocalDateTime(next, zone).slice(0, 16))
  const end = ends.sort()[0] ?? evening
  const time = end.slice(11)
  // The page of the desk books it, and says what helps if it cannot.
  const book = form(call, {
    action: 'book',
    address: call.link(`/book/${bookableId}`, { date: from.slice(0, 10), from: from.slice(11), to: time }),
    submit: t`Book until ${time}`,
    hidden: { seat: bookableId },
    isInline: true,
  })
  return html`<p class="big">${next === null ? t`Free` : t`Free until ${at(next)}`}</p>
${lentUntil !== null && html`<p class="soft">${t`lent until ${formatDate(lentUntil, 'weekday')}`}</p>`}
<div class="buttons">${book}</div>`
}
