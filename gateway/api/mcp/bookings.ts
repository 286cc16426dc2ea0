// Formats bookings for agents, with the place of each booking and with times in the place's time zone.
import type { Place, PlaceCache } from './places.ts'
import { type BookingItem, findTypeName } from './shapes.ts'
import { describeSpan, formatLocalTime, markAsTypedText } from './texts.ts'

type NamedItem = { id: number; name: string }

/** Fields that the API returns with every booking. Some responses omit fields that follow from the request's path. */
export type ApiBooking = {
  id: number
  from: string
  to: string | null
  bookable?: NamedItem & { type: number; location?: NamedItem }
  user?: NamedItem
  guest?: string | null
  guest_email?: string | null
  booking_info?: string | null
  checked_in_at?: string | null
}

/** Fields that a listing leaves out of its bookings, because the listing's path implies them. */
export type ImpliedFields = { bookable?: NamedItem & { type: number }; locationId?: number; user?: NamedItem }

export async function toBookingItems(
  bookings: readonly ApiBooking[],
  places: PlaceCache,
  known: ImpliedFields = {},
): Promise<BookingItem[]> {
  const locationOf = ({ bookable }: ApiBooking) => bookable?.location?.id ?? known.locationId ?? 0
  const found = await places.find(bookings.map(locationOf))
  // Omits the bookings of a place that was deleted in the meantime: the bookings are deleted too, and the
  // place's time zone is unknown.
  return bookings.flatMap((booking) => {
    const place = found.get(locationOf(booking))
    return place ? [toBookingItem(booking, place, known)] : []
  })
}

function toBookingItem(booking: ApiBooking, place: Place, known: ImpliedFields): BookingItem {
  const { id, from, to, guest, booking_info, checked_in_at } = booking
  const bookable = booking.bookable ?? known.bookable
  const user = booking.user ?? known.user
  const { zone } = place
  return {
    booking_id: id,
    bookable: {
      bookable_id: bookable?.id ?? 0,
      name: bookable?.name ?? '',
      type: findTypeName(bookable?.type ?? 0),
    },
    location: { location_id: place.location_id, name: place.location },
    building: { building_id: place.building_id, name: place.building },
    user: { user_id: user?.id ?? 0, name: user?.name ?? '' },
    from_time: formatLocalTime(from, zone),
    to_time: to === null ? null : formatLocalTime(to, zone),
    time_zone: zone,
    ...(guest !== undefined && { guest }),
    ...(booking_info !== undefined && { purpose: booking_info }),
    ...(checked_in_at !== undefined && { checked_in: checked_in_at !== null }),
  }
}

/** Returns one line of text with every id that a later call about the booking may need. */
export function formatBookingItem(item: BookingItem): string {
  const { booking_id, bookable, location, building, user, guest, purpose, checked_in } = item
  const more = [
    guest ? `guest ${markAsTypedText(guest)}` : '',
    purpose ? `purpose ${markAsTypedText(purpose)}` : '',
    checked_in ? 'checked in' : '',
  ].filter(Boolean)
  const parts = [
    `booking_id ${booking_id}: user_id ${user.user_id} ${markAsTypedText(user.name)}`,
    `${describeSpan(item.from_time, item.to_time, item.time_zone)}`,
    `bookable_id ${bookable.bookable_id} ${markAsTypedText(bookable.name)} (${bookable.type})`,
    `location_id ${location.location_id} ${markAsTypedText(location.name)}`,
    `building_id ${building.building_id} ${markAsTypedText(building.name)}`,
    ...more,
  ]
  return parts.join(', ')
}

export const formatBulletList = (lines: readonly string[]) => lines.map((line) => `- ${line}`).join('\n')
