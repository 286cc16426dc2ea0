// Tells administrators what conflicts with a booking or an event: who made the conflicting booking or event,
// and when it takes place. (The API never reveals whose booking it is.) Also tells what a person has already
// booked at the same time.
import type pg from 'pg'
import { joinMessages, type Message, message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { type Html, html } from '../../../html/html.ts'
import {
  BOOKED_PLACE_COLUMNS,
  CLAIM_SPAN_COLUMNS,
  flagColumn,
  JOIN_BOOKABLES,
  nullableColumn,
  type RowOf,
  selectRows,
  textColumn,
} from '../../../reads/rows/rows.ts'
import { t } from '../../locales/translate.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { formatTime, formatTimeBeside } from '../../pages/time/instants.ts'
import { formatList, showLinkOrText } from '../../pages/ui/parts.ts'
import { showNotice } from '../../pages/ui/states.ts'
import { type BookingRow, listBookings } from './queries.ts'

type RequestedClaim = {
  bookableIds: number[]
  from: string
  to: string | null
  /** Set if the page itself shows free alternatives, with links. */
  linksFree?: true
}
type OwnClaim = { booking?: number; event?: number }

/** Performs the write. If the time is taken, the refusal says who has booked it. */
export async function explainConflicts<Result>(
  call: ActionCall,
  requested: RequestedClaim,
  own: OwnClaim,
  write: () => Promise<Result>,
): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'booking_conflict') throw error
    const claims = await listConflictingClaims(call.services.primary, requested, own)
    // If the conflicting claim no longer exists, the page shows the workers' message.
    if (claims.length === 0) throw error
    const free = requested.linksFree ? [] : describeAlternatives(error)
    throw new Refusal('booking_conflict', joinMessages([...claims.map(describeClaim), ...free]))
  }
}

const CLAIM_COLUMNS = {
  ...CLAIM_SPAN_COLUMNS,
  ...BOOKED_PLACE_COLUMNS,
  /** The user who made the conflicting booking, or the organizer of the conflicting event. */
  holder: textColumn('holders.name'),
  email: textColumn('holders.email'),
  event: nullableColumn(textColumn('events.name')),
  isRequest: flagColumn('bookings.hold_id IS NOT NULL'),
}

const listConflictingClaims = (reads: pg.Pool, { bookableIds, from, to }: RequestedClaim, own: OwnClaim) =>
  selectRows(
    reads,
    CLAIM_COLUMNS,
    `bookings ${JOIN_BOOKABLES} LEFT JOIN events ON events.id = bookings.event_id
     LEFT JOIN holds ON holds.id = bookings.hold_id
     JOIN users AS holders ON holders.id = coalesce(bookings.user_id, events.organizer_user_id, holds.user_id)
     WHERE bookings.exclusive AND bookings.bookable_id = ANY($1) AND bookings.during && tstzrange($2, $3)
       AND bookings.id IS DISTINCT FROM $4 AND (bookings.event_id IS NULL OR bookings.event_id IS DISTINCT FROM $5)
     ORDER BY lower(bookings.during), bookings.id LIMIT 3`,
    [bookableIds, from, to, own.booking, own.event],
  )

function describeClaim({
  bookable,
  holder,
  email,
  event,
  isRequest,
  from,
  to,
  zone,
}: RowOf<typeof CLAIM_COLUMNS>): Message {
  if (isRequest) return message`${bookable} is requested by ${holder} (${email}) ${{ from, to, zone }}.`
  const who = event === null ? `${holder} (${email})` : message`the meeting “${event}” (${holder})`
  return message`${bookable} is taken by ${who} ${{ from, to, zone }}.`
}

function describeAlternatives({ members }: Refusal): Message[] {
  const free = (members.alternatives ?? []) as Array<{ name: string }>
  if (free.length === 0) return []
  return [message`Free at that time: ${free.map(({ name }) => name).join(', ')}.`]
}

const SHOWN_ALTERNATIVES_MAX = 3

type HeldBookingSearch = {
  userId: number
  type: number
  from: string
  to: string | null
  ownId?: number | undefined
}

/** Lists the person's bookings of the same type. Bookings for the person's guests do not count. */
export const listHeldBookings = (reads: pg.Pool, { userId, type, from, to, ownId }: HeldBookingSearch) =>
  listBookings(
    reads,
    `WHERE bookings.user_id = $1 AND bookables.type = $2 AND bookings.during && tstzrange($3, $4)
       AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL AND bookings.id IS DISTINCT FROM $5
     ORDER BY lower(bookings.during), bookings.id LIMIT ${SHOWN_ALTERNATIVES_MAX}`,
    [userId, type, from, to, ownId],
  )

export function showHeldBookings({ link }: Pick<Call, 'link'>, name: string, held: BookingRow[]): Html {
  if (held.length === 0) return html``
  const each = held.map(
    (one) =>
      html`<li>${showLinkOrText(link(`/bookings/${one.id}`), one.bookable)}, ${one.location}, ${formatSpan(one)}</li>`,
  )
  return showNotice(
    'warn',
    t`${name} has already booked at that time:`,
    html`<ul class="instead">${each}</ul>`,
  )
}

export function describeHeldBookings(name: string, held: BookingRow[]): string {
  return t`${name} also has ${formatList(held.map(({ bookable }) => bookable))} at that time.`
}

function formatSpan({ from, to, zone }: BookingRow): string {
  if (to === null) return t`from ${formatTime(from, zone)}, open-ended`
  return t`${formatTime(from, zone)} to ${formatTimeBeside(to, from, zone)}`
}
