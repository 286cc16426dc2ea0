// The page behind a QR code: what this desk or room is now, and the one thing to do there. Opening it does nothing.

import { claimsAt } from '../../../shared/affected-bookings/claims.ts'
import { BOOKABLE_STATUSES } from '../../../shared/bookables/bookables.ts'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { closingAt } from '../../../shared/rules/rules-shape.ts'
import { object, required, text } from '../../../shared/schemas/fields.ts'
import { formatLocalDateTime, parseLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { type Content, type Html, html } from '../../html/html.ts'
import * as rows from '../../reads/rows/rows.ts'
import { flag, instant, orNull } from '../../reads/rows/rows.ts'
import { sentence, t } from '../locales/translate.ts'
import { type Call, page } from '../pages/page/page.ts'
import { localDateTime } from '../pages/time/fields.ts'
import { formatTime, formatTimeBeside } from '../pages/time/instants.ts'
import { untilEvening } from '../pages/time/requested-time.ts'
import { form } from '../pages/ui/forms.ts'
import { otherKindAddress } from './book/other-kind.ts'
import { listOwnBookings, type OwnBooking } from './own-bookings.ts'
import { bookingFields, checkIn, endBooking, oneBooking } from './present-booking.ts'

const DESK = {
  ...rows.BOOKED,
  isTaken: flag('held.id IS NOT NULL'),
  // A person who left is not at the desk, although their booking still holds it.
  who: orNull(rows.text('CASE WHEN users.deactivated_at IS NULL THEN users.name END')),
  until: orNull(instant('upper(held.during)')),
  next: orNull(instant('least(following.starts, closing.closes)')),
  isClosed: flag(`bookables.status = ${BOOKABLE_STATUSES.blocked} OR closing.closed IS NOT NULL`),
  isForOthers: flag(`bookables.status = ${BOOKABLE_STATUSES.assigned} AND NOT EXISTS (
    SELECT FROM bookable_assignees WHERE bookable_assignees.bookable_id = bookables.id AND user_id = $3)`),
}
type Desk = rows.RowOf<typeof DESK>

const MISSING = message`This code leads nowhere any more. The office can print a new one.`

const findDesk = ({ reads, now, requirePerson }: Call, code: string) =>
  rows.selectRow(
    reads,
    DESK,
    `bookable_codes JOIN bookables ON bookables.id = bookable_codes.bookable_id ${rows.JOIN_PLACES}
     LEFT JOIN LATERAL (SELECT * FROM (${claimsAt('$2')}) AS claims LIMIT 1) AS held ON true
     LEFT JOIN users ON users.id = held.user_id
     CROSS JOIN LATERAL (
       SELECT min(lower(during)) AS starts FROM bookings WHERE bookings.bookable_id = bookables.id
         AND lower(during) > $2 AND lower(during) < $2::timestamptz + interval '24 hours') AS following
     CROSS JOIN LATERAL (${closingAt('$2::timestamptz')}) AS closing
     WHERE bookable_codes.code = $1 AND bookables.deleted_at IS NULL`,
    [code, now, requirePerson().id],
  )

async function requireDesk(call: Call<{ code: string }>): Promise<Desk> {
  const desk = await findDesk(call, call.params.code)
  if (!desk) throw new Refusal('not_found', MISSING)
  return desk
}

export const atDesk = page({
  path: '/at/{code}',
  title: sentence`Here`,
  params: object({ code: required(text({ max: 40 })) }),
  missing: MISSING,
  actions: (action) => ({
    'check-in': action(oneBooking, async (call) => {
      await checkIn(call)
      return { redirectTo: call.linkHere(), notice: t`You are checked in.` }
    }),
    leave: action(oneBooking, async (call) => {
      await endBooking(call)
      return { redirectTo: call.linkHere(), notice: t`Your booking ends now. Others can book it now.` }
    }),
    book: action(object({ to_time: required(localDateTime()) }), async (call) => {
      const { bookableId, locationId, bookable, type, zone } = await requireDesk(call)
      const to = parseLocalDateTime(call.form.to_time, zone, 'to_time')
      const ask = await otherKindAddress(call, { id: bookableId, type, zone }, { from: call.now, to })
      if (ask) return { redirectTo: ask }
      await call.dispatch('bookings.create', {
        bookable_id: bookableId,
        location_id: locationId,
        user_id: call.requirePerson().id,
        from_time: null,
        to_time: to,
        user_vehicle_id: null,
      })
      return { redirectTo: call.linkHere(), notice: t`${bookable} is yours.` }
    }),
  }),
  async show(call) {
    const [desk, own] = await Promise.all([requireDesk(call), listOwnBookings(call)])
    const mine = own.find(({ bookableId }) => bookableId === desk.bookableId)
    return {
      title: desk.bookable,
      lead: `${desk.location}, ${desk.building}`,
      content: html`<div class="card my-booking">${mine && (mine.isRunning || mine.mayCheckIn) ? showMine(call, mine) : showDesk(call, desk)}</div>`,
    }
  },
})

function showMine(call: Call, booking: OwnBooking): Content {
  const { from, to, zone, isRunning, mayCheckIn, checkedInAt } = booking
  const button = (action: string, submit: string, tone: 'primary' | 'quiet') =>
    form(call, { action, submit, tone, hidden: bookingFields(booking), isInline: true })
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

function showDesk(call: Call, desk: Desk): Html {
  const { isTaken, who, until, next, zone, isClosed, isForOthers } = desk
  const at = (instant: string) => formatTimeBeside(instant, call.now, zone)
  if (isTaken) {
    const name = who ?? t`Someone`
    return html`<p class="big">${until === null ? t`${name} has it` : t`${name} has it until ${at(until)}`}</p>`
  }
  if (isClosed) return html`<p class="big">${t`Closed`}</p>`
  if (isForOthers) return html`<p class="big">${t`Reserved for others`}</p>`
  const evening = untilEvening(formatLocalDateTime(call.now, zone).slice(0, 16)).to
  const end = next === null ? evening : [evening, formatLocalDateTime(next, zone)].sort()[0]
  const time = end?.slice(11, 16) ?? ''
  return html`<p class="big">${next === null ? t`Free` : t`Free until ${at(next)}`}</p>
<div class="buttons">${form(call, { action: 'book', submit: t`Book until ${time}`, hidden: { to_time: end ?? '' }, isInline: true })}</div>`
}
