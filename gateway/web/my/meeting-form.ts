// The form in which the organizer changes a meeting: its title, time, room and people. The form
// saves everything that the organizer changed in one write.
import type { InferType } from 'yup'
import { BOOKABLE_TYPES } from '../../../shared/bookables/bookables.ts'
import { fieldName, message } from '../../../shared/messages/message.ts'
import { invalidFields, Refusal } from '../../../shared/messages/refusal.ts'
import { object, required, text } from '../../../shared/schemas/fields.ts'
import { isAfterField } from '../../../shared/schemas/inputs.ts'
import { formatLocalDateTime } from '../../../shared/schemas/wall-clock.ts'
import { type Html, html } from '../../html/html.ts'
import { plural, t } from '../locales/translate.ts'
import { scopeFields, showScope } from '../pages/bookings/series-scope.ts'
import type { ActionCall, Call } from '../pages/page/page.ts'
import { localDateTime, parseSpan } from '../pages/time/fields.ts'
import { formatPlace } from '../pages/ui/bookables.ts'
import type { Option } from '../pages/ui/fields.ts'
import { form } from '../pages/ui/forms.ts'
import { readOriginalValues } from '../pages/ui/originals.ts'
import { listFloors } from './book/floors.ts'
import {
  listAmbiguousNames,
  peopleFields,
  requirePeople,
  showPeopleField,
  toAttendees,
} from './book/invited.ts'
import { type BookedSpan, listFreeSeats, type Seat } from './book/seats.ts'
import type { OwnMeeting } from './bookings/own-bookings.ts'
import { formatRooms } from './describe-meeting.ts'
import { formatRoomIds, parseRoomIds, roomIds } from './lost-room.ts'

const [KEEP, NONE] = ['keep', 'none'] as const
const ROOM_CHOICE_PATTERN = /^(?:keep|none|\d+)$/
const LISTED_ROOMS_MAX = 30

const timeFields = {
  from_time: required(localDateTime()),
  to_time: required(localDateTime()).test(...isAfterField('from_time')),
}
export const timesForm = object(timeFields)
export const meetingForm = object({
  name: required(text({ max: 255, min: 1 })),
  ...timeFields,
  /** `keep`, `none`, or the id of another room. */
  room: required(
    text({ max: 16 }).matches(ROOM_CHOICE_PATTERN, () => message`This form does not belong to this page.`),
  ),
  rooms: roomIds(),
  ...peopleFields,
  ...scopeFields,
})

type TypedTimes = InferType<typeof timesForm>

export function parseTimes({ zone, from, to }: OwnMeeting, typed: TypedTimes): BookedSpan {
  const span = parseSpan(typed, { from: zone, to: zone }, { from, to })
  if (!span.from || !span.to)
    throw invalidFields({ to_time: [message`${fieldName('to_time')} is required.`] })
  return { from: span.from, to: span.to }
}

/** The values that the form shows and that others, such as the front desk, may change meanwhile. */
const listShownValues = ({ name, from, to, zone }: OwnMeeting) => ({
  name,
  from_time: formatLocalDateTime(from, zone),
  to_time: formatLocalDateTime(to, zone),
})
type ShownValues = ReturnType<typeof listShownValues>

// The version of a form contains the values that it showed. A form without a version may come from an older release.
// The present values then stand in for them.
const readShownValues = (meeting: OwnMeeting, version: string | undefined): ShownValues => ({
  ...listShownValues(meeting),
  ...readOriginalValues(version),
})

/**
 * Returns the title and the times if the organizer changed them, so that an outdated form does not restore old values.
 * Refuses to replace a value that somebody else has changed since the form was shown.
 */
function parseChanges(meeting: OwnMeeting, typed: ShownValues, version: string | undefined) {
  const present = listShownValues(meeting)
  const shown = readShownValues(meeting, version)
  const differ = (one: ShownValues, other: ShownValues) => ({
    name: one.name !== other.name,
    times: one.from_time !== other.from_time || one.to_time !== other.to_time,
  })
  const [isTyped, isOutdated] = [differ(typed, shown), differ(present, shown)]
  if ((isTyped.name && isOutdated.name) || (isTyped.times && isOutdated.times))
    throw new Refusal(
      'changed_meanwhile',
      message`This was changed while you were editing it. Nothing was saved.`,
    )
  const span = isTyped.times && parseTimes(meeting, typed)
  return {
    ...(isTyped.name && { name: typed.name }),
    ...(span && { from_time: span.from, to_time: span.to }),
  }
}

/** Converts the form to the input of `events.update`. */
export async function parseMeetingForm(
  call: ActionCall<{ id: number }, unknown, InferType<typeof meetingForm>>,
  meeting: OwnMeeting,
) {
  const { room, rooms } = call.form
  const changes = parseChanges(meeting, call.form, call.version)
  const people = toAttendees(await requirePeople(call, call.form))
  const seen = parseRoomIds(rooms)
  const another = room === KEEP || room === NONE ? [] : [{ type: 'bookable' as const, id: Number(room) }]
  const given = room === KEEP ? [] : seen.map((id) => ({ type: 'bookable' as const, id }))
  return {
    id: meeting.id,
    ...changes,
    attendees: { add: [...another, ...people], remove: given },
    invite: true,
    ...(room === KEEP ? {} : { seen_rooms: seen }),
  }
}

export async function showMeetingForm(call: Call, meeting: OwnMeeting): Promise<Html> {
  const refused = call.refusedForm?.action === 'change' ? call.refusedForm : undefined
  const span = refused ? readTypedSpan(meeting, refused.values) : meeting
  const [free, ambiguous] = await Promise.all([
    listFreeRooms(call, meeting, span),
    listAmbiguousNames(call, refused),
  ])
  const shown = listShownValues(meeting)
  const options = {
    action: 'change',
    submit: t`Save`,
    hidden: { rooms: formatRoomIds(meeting) },
    values: { ...shown, room: KEEP },
    version: JSON.stringify(shown),
  }
  return form(call, options, (fields) => [
    showPeopleField(fields, t`Invite more people`, ambiguous),
    fields.text('name', t`Title`),
    html`<div class="my-span">${fields.time('from_time', t`From`)}${fields.time('to_time', t`Until`)}</div>`,
    fields.select('room', t`Room`, { options: listRoomOptions(meeting, free) }),
    showScope(fields, meeting.seriesId),
  ])
}

/**
 * Returns the entered time if it is valid, so that the form offers rooms that are free at that time. Uses the present
 * start or end if the organizer did not change it.
 */
function readTypedSpan(meeting: OwnMeeting, values: Record<string, string[]>): BookedSpan {
  const present = listShownValues(meeting)
  const shown = readShownValues(meeting, values['_version']?.[0])
  const read = (name: keyof typeof timeFields) => {
    const typed = values[name]?.[0] ?? ''
    return typed === shown[name] ? present[name] : typed
  }
  const [from_time, to_time] = [read('from_time'), read('to_time')]
  if (!timesForm.isValidSync({ from_time, to_time })) return meeting
  try {
    return parseTimes(meeting, { from_time, to_time })
  } catch (error) {
    // When the clocks change to summer time, they skip the entered time.
    if (error instanceof Refusal) return meeting
    throw error
  }
}

function listRoomOptions(meeting: OwnMeeting, free: Seat[]): Option[] {
  const hasRoom = meeting.rooms.length > 0
  const others = free.map(({ id, name, location, building, capacity }) => {
    const place = formatPlace({ bookable: name, location, building })
    return {
      value: id,
      label: capacity === null ? place : `${place}, ${plural(capacity, '# seat', '# seats')}`,
    }
  })
  return [
    { value: KEEP, label: hasRoom ? formatRooms(meeting) : t`No room` },
    ...others,
    ...(hasRoom ? [{ value: NONE, label: t`No room` }] : []),
  ]
}

/** Lists free rooms, starting with the rooms nearest to the meeting's room or to the room that it lost. If
 * the meeting never had a room, lists rooms in the building where the person books most. */
async function listFreeRooms(call: Call, { rooms, lost }: OwnMeeting, span: BookedSpan): Promise<Seat[]> {
  const [present = lost[0]] = rooms
  const type = BOOKABLE_TYPES.meetingRoom
  const [floor] = present ? [] : await listFloors(call.reads, call.requirePerson().id, type, call.now)
  const building = present?.buildingId ?? floor?.buildingId
  if (building === undefined) return []
  const free = await listFreeSeats(
    call,
    { building, type, near: present?.bookableId },
    span,
    LISTED_ROOMS_MAX,
  )
  return free.filter(({ needsApproval }) => !needsApproval)
}
