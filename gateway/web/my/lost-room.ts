// Offers the organizer of a meeting that has lost a room the nearest free rooms, each with a button that books it.
import type { InferType } from 'yup'
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { object, queryId, required, text } from '../../../shared/schemas/fields.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../locales/translate.ts'
import type { ActionCall, Call } from '../pages/page/page.ts'
import { formatPlace } from '../pages/ui/bookables.ts'
import { form } from '../pages/ui/forms.ts'
import { listFreeSeats } from './book/seats.ts'
import type { OwnMeeting } from './bookings/own-bookings.ts'

const OFFERED_ROOMS_MAX = 3
/** How many free rooms to read. Rooms that need approval are left out afterwards. */
const READ_ROOMS_MAX = 12

/** The ids of the rooms that the meeting had when the page was shown, as `formatRoomIds` writes them. */
export const roomIds = () => text({ max: 4_000 })

export const takeRoomForm = object({
  meeting: required(queryId()),
  room: required(queryId()),
  rooms: roomIds(),
})

export const formatRoomIds = ({ rooms }: OwnMeeting): string =>
  rooms.map(({ bookableId }) => bookableId).join()

export const parseRoomIds = (rooms = ''): number[] => rooms.split(',').filter(Boolean).map(Number)

/** Adds the room to the meeting. Refuses if its rooms have changed meanwhile, so that two tabs cannot add two rooms. */
export async function addRoomToMeeting(
  call: ActionCall<unknown, unknown, InferType<typeof takeRoomForm>>,
): Promise<{ redirectTo: string; notice: string }> {
  const { meeting, room, rooms } = call.form
  await call.dispatch('events.update', {
    id: meeting,
    attendees: { add: [{ type: 'bookable', id: room }] },
    invite: true,
    seen_rooms: parseRoomIds(rooms),
  })
  return { redirectTo: call.linkHere(), notice: t`The meeting has a room again.` }
}

/** Shows a `take-room` button for each free room. Returns undefined if the meeting has lost no room. */
export async function showOfferedRooms(call: Call, meeting: OwnMeeting): Promise<Html | undefined> {
  const [last] = meeting.lost
  if (!last) return undefined
  const free = await listFreeSeats(
    call,
    {
      building: last.buildingId,
      type: BOOKABLE_TYPES.meetingRoom,
      people: meeting.people.length + 1,
      near: last.bookableId,
    },
    meeting,
    READ_ROOMS_MAX,
  )
  const offered = free.filter(({ needsApproval }) => !needsApproval).slice(0, OFFERED_ROOMS_MAX)
  const buttons = offered.map(({ id, name, location, building }, index) =>
    form(call, {
      action: 'take-room',
      key: `${meeting.id}-${id}`,
      hidden: { meeting: meeting.id, room: id, rooms: formatRoomIds(meeting) },
      isInline: true,
      tone: index === 0 ? 'primary' : 'quiet',
      submit: t`Take ${formatPlace({ bookable: name, location, building })}`,
    }),
  )
  const none = html`<p class="soft">${t`No room for this many people is free in this building at that time.`}</p>`
  return offered.length > 0 ? html`<div class="buttons">${buttons}</div>` : none
}
