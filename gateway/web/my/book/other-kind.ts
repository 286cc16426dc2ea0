// Handles bookings of a desk and of a home office at the same time. A person needs only one of them. Before
// it books one of them, the page shows the person's booking of the other kind, and asks whether to keep both
// or to give up its time.
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { message } from '../../../../shared/messages/message.ts'
import { invalidFields } from '../../../../shared/messages/refusal.ts'
import { type Html, html } from '../../../html/html.ts'
import * as rows from '../../../reads/rows/rows.ts'
import { sentence, t } from '../../locales/translate.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { formatDayAndTime, formatTimeBeside } from '../../pages/time/instants.ts'
import { formatZone } from '../../pages/time/zones.ts'
import { formatPlace } from '../../pages/ui/bookables.ts'
import { choices, type Fields } from '../../pages/ui/fields.ts'
import { formatFirstItems } from '../../pages/ui/parts.ts'
import type { BookedSpan } from './seats.ts'

const { desk, homeOffice } = BOOKABLE_TYPES
const OTHER_KIND: Record<number, number> = { [desk]: homeOffice, [homeOffice]: desk }
const FOUND_BOOKINGS_MAX = 400
const NAMED_BOOKINGS_MAX = 3

const OTHER_KIND_CHOICES = choices(
  ['keep', sentence`Keep both`],
  ['free', sentence`Cancel the other booking at this time`],
)
/** The field of the booking forms that asks which of the two bookings to keep. */
export const otherKindFields = { other_kind: OTHER_KIND_CHOICES.rule() }
type OtherKindForm = {
  other_kind?: 'keep' | 'free' | undefined
  guest_name?: string | undefined
  guest_email?: string | undefined
}

const OTHER_KIND_COLUMNS = {
  id: rows.numberColumn('bookings.id'),
  ...rows.CLAIM_SPAN_COLUMNS,
  ...rows.BOOKED_PLACE_COLUMNS,
}
type OtherKindBooking = rows.RowOf<typeof OTHER_KIND_COLUMNS>

/**
 * Returns whether a person needs only one of these bookings, because one is a desk, the other a home office, and their
 * times overlap.
 */
export const areMutuallyExclusive = (one: BookingOfKind, other: BookingOfKind): boolean =>
  OTHER_KIND[one.type] === other.type &&
  one.from < (other.to ?? LATEST_INSTANT) &&
  other.from < (one.to ?? LATEST_INSTANT)
type BookingOfKind = { type: number; from: string; to: string | null }

/** Lists the person's own bookings of the other kind at these times: home offices if the person is booking a
 * desk, and desks if the person is booking a home office. */
export async function listOtherKindBookings(
  { reads, requirePerson }: Call,
  type: number,
  spans: BookedSpan[],
): Promise<OtherKindBooking[]> {
  const other = OTHER_KIND[type]
  if (other === undefined) return []
  return rows.selectRows(
    reads,
    OTHER_KIND_COLUMNS,
    `bookings ${rows.JOIN_BOOKABLES}
     WHERE bookings.user_id = $1 AND bookables.type = $2 AND bookings.during && (
       SELECT range_agg(tstzrange(starts, ends)) FROM unnest($3::timestamptz[], $4::timestamptz[]) AS asked (starts, ends))
       AND bookings.guest_name IS NULL AND bookings.guest_email IS NULL
     ORDER BY lower(bookings.during), bookings.id LIMIT ${FOUND_BOOKINGS_MAX}`,
    [requirePerson().id, other, spans.map(({ from }) => from), spans.map(({ to }) => to)],
  )
}

/** Shows the field that asks whether to keep these bookings, which are desks if a home office is being
 * booked, and vice versa. `zone` is the time zone of the form. */
export function showOtherKindField(
  { refusedForm }: Call,
  fields: Fields,
  held: OtherKindBooking[],
  zone: string,
): Html | false {
  // The refusal names the conflicting bookings, including bookings on other days.
  const isAsked = refusedForm?.errors['other_kind'] !== undefined
  const [only, ...more] = held
  if (!only && !isAsked) return false
  const label =
    only && more.length === 0 && !isAsked
      ? t`You have ${describeBooking(only, zone)}. What should happen to it?`
      : t`What should happen to your other bookings at these times?`
  return html`${fields.radios('other_kind', label, { options: OTHER_KIND_CHOICES.options(), required: true })}`
}

/** Returns the bookings to give up. If the form makes no choice, refuses it and names the bookings. */
export async function chooseOtherKind(
  call: ActionCall<unknown, unknown, OtherKindForm>,
  { type, zone }: { type: number; zone: string },
  spans: BookedSpan[],
): Promise<OtherKindBooking[]> {
  const { other_kind, guest_name, guest_email } = call.form
  if (guest_name || guest_email || other_kind === 'keep') return []
  const held = (await listOtherKindBookings(call, type, spans)).filter((each) =>
    canReleaseForOtherKind(each, spans),
  )
  if (held.length === 0 || other_kind === 'free') return held
  const named = formatFirstItems(
    held.map((each) => describeBooking(each, zone)),
    NAMED_BOOKINGS_MAX,
  )
  throw invalidFields({ other_kind: [message`You have ${named}. Choose what should happen.`] })
}

const findOverlap = ({ from, to }: OtherKindBooking, spans: BookedSpan[]) =>
  spans.find((each) => each.from < (to ?? LATEST_INSTANT) && from < each.to)

/** Returns false for a booking that begins before the new booking and ends after it, because such a booking
 * would also lose its later part. */
export function canReleaseForOtherKind(held: OtherKindBooking, spans: BookedSpan[]): boolean {
  const met = findOverlap(held, spans)
  return met !== undefined && !(held.from < met.from && met.to < (held.to ?? LATEST_INSTANT))
}

/** Gives up the bookings for these times. Call this after the new bookings are made. The parts before and
 * after these times stay. Undo in the notice cancels the new bookings, and restores everything that was given
 * up for them. */
export async function releaseBookings(
  call: ActionCall,
  held: OtherKindBooking[],
  spans: BookedSpan[],
): Promise<void> {
  const covered: number[] = []
  const attempts = new Set([call.lastAttempt()])
  for (const each of held) {
    const { id, from, to } = each
    const span = findOverlap(each, spans)
    if (!span) continue
    if (from < span.from) await call.dispatch('bookings.update', { id, from_time: from, to_time: span.from })
    else if (to !== null && to > span.to)
      await call.dispatch('bookings.update', { id, from_time: span.to, to_time: to })
    else covered.push(id)
    attempts.add(call.lastAttempt())
  }
  if (covered.length > 0) await call.dispatch('bookings.cancel', { ids: covered })
  attempts.delete(call.lastAttempt())
  call.undoTogether([...attempts].filter((attempt) => attempt !== undefined))
}

const LATEST_INSTANT = '9999-12-31T23:59:59.999999Z'

/** Describes a booking. Names the booking's time zone if it differs from the form's time zone. */
function describeBooking({ from, to, zone, ...held }: OtherKindBooking, zoneOfForm: string): string {
  const end = to === null ? t`open-ended` : formatTimeBeside(to, from, zone)
  const named = zone === zoneOfForm ? '' : ` (${formatZone(zone)})`
  return `${formatPlace(held)}, ${formatDayAndTime(from, zone)} – ${end}${named}`
}
