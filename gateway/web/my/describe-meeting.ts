// Describes a meeting to its people: the time, the place, and the rooms that are lost or closed.
import { t } from '../locales/translate.ts'
import { formatTimeBeside } from '../pages/time/instants.ts'
import { noteZone } from '../pages/time/zones.ts'
import { formatPlace } from '../pages/ui/bookables.ts'
import type { OwnMeeting } from './bookings/own-bookings.ts'

/** Explains why the meeting has lost rooms without a replacement. Returns undefined if there are none. */
export function explainLostRooms({ lost, rooms }: OwnMeeting): string | undefined {
  if (lost.length === 0) return undefined
  const head =
    rooms.length > 0 ? t`This meeting has lost one of its rooms.` : t`This meeting has lost its room.`
  return [head, ...lost.map(explainLostRoom)].join(' ')
}

function explainLostRoom({ room, closedReason, isBlocked, isDeleted }: OwnMeeting['lost'][number]): string {
  if (closedReason !== null) return t`${room} is closed at that time (${closedReason}).`
  if (isDeleted) return t`${room} no longer exists.`
  return isBlocked ? t`${room} is blocked.` : t`It was in ${room}.`
}

/** Returns a sentence for each room of the meeting that is closed or blocked. */
export const describeUnusableRooms = ({ rooms, from }: OwnMeeting, now: string): string[] =>
  rooms.flatMap(({ room, zone, closedReason, closedUntil, isBlocked }) => {
    if (closedReason !== null && closedUntil !== null)
      return t`${room} is closed until ${formatTimeBeside(closedUntil, from > now ? from : now, zone)} (${closedReason}).`
    return isBlocked ? t`${room} is blocked.` : []
  })

/** Formats the rooms of a meeting. Rooms in other time zones make the page name the zone of the meeting’s time. */
export const formatRooms = ({ rooms }: OwnMeeting): string =>
  rooms
    .map(({ room, ...place }) => formatPlace({ ...place, bookable: room }) + noteZone(place.zone))
    .join(' · ')
