// Formats bookings for agents: with their place, and in its local time.
import type { Place, Places } from './places.ts'
import { type BookingItem, typeName } from './shapes.ts'
import { data, describeSpan, localTime } from './texts.ts'

type Named = { id: number; name: string }

/** Fields that all booking answers of the API share. Some answers omit fields that their path implies. */
export type ApiBooking = {
  id: number
  from: string
  to: string | null
  bookable?: Named & { type: number; location?: Named }
  user?: Named
  guest?: string | null
  guest_email?: string | null
  booking_info?: string | null
  checked_in_at?: string | null
}

/** Fields that the path of a listing implies for its bookings. */
export type Known = { bookable?: Named & { type: number }; locationId?: number; user?: Named }

export async function toItems(
  bookings: readonly ApiBooking[],
  places: Places,
  known: Known = {},
): Promise<BookingItem[]> {
  const locationOf = ({ bookable }: ApiBooking) => bookable?.location?.id ?? known.locationId ?? 0
  const found = await places.find(bookings.map(locationOf))
  // A place that was deleted in the meantime has no time zone, and its bookings are deleted too.
  return bookings.flatMap((booking) => {
    const place = found.get(locationOf(booking))
    return place ? [toItem(booking, place, known)] : []
  })
}

function toItem(booking: ApiBooking, place: Place, known: Known): BookingItem {
  const { id, from, to, guest, booking_info, checked_in_at } = booking
  const bookable = booking.bookable ?? known.bookable
  const user = booking.user ?? known.user
  const { zone } = place
  return {
    booking_id: id,
    bookable: {
      bookable_id: bookable?.id ?? 0,
      name: bookable?.name ?? '',
      type: typeName(bookable?.type ?? 0),
    },
    location: { location_id: place.location_id, name: place.location },
    building: { building_id: place.building_id, name: place.building },
    user: { user_id: user?.id ?? 0, name: user?.name ?? '' },
    from_time: localTime(from, zone),
    to_time: to === null ? null : localTime(to, zone),
    time_zone: zone,
    ...(guest !== undefined && { guest }),
    ...(booking_info !== undefined && { purpose: booking_info }),
    ...(checked_in_at !== undefined && { checked_in: checked_in_at !== null }),
  }
}

/** One line, with every id that a following call may need. */
export function bookingText(item: BookingItem): string {
  const { booking_id, bookable, location, building, user, guest, purpose, checked_in } = item
  const more = [
    guest ? `guest ${data(guest)}` : '',
    purpose ? `purpose ${data(purpose)}` : '',
    checked_in ? 'checked in' : '',
  ].filter(Boolean)
  const parts = [
    `booking_id ${booking_id}: user_id ${user.user_id} ${data(user.name)}`,
    `${describeSpan(item.from_time, item.to_time, item.time_zone)}`,
    `bookable_id ${bookable.bookable_id} ${data(bookable.name)} (${bookable.type})`,
    `location_id ${location.location_id} ${data(location.name)}`,
    `building_id ${building.building_id} ${data(building.name)}`,
    ...more,
  ]
  return parts.join(', ')
}

export const listText = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n')
