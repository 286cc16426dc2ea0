// The API endpoints for the calendar of a room at Microsoft 365, Google Workspace or a CalDAV server.
import { message } from '../../../../shared/messages/message.ts'
import { newRoomCalendarSchema } from '../../../../shared/room-calendars/room-calendar-jobs.ts'
import {
  ROOM_CALENDAR_COLUMNS,
  ROOM_CALENDAR_ROWS_SQL,
  type RoomCalendarRow,
  roomCalendarSchema,
  showRoomCalendar,
} from '../../../../shared/room-calendars/room-calendars-shape.ts'
import { createAnswerContract } from '../../../../shared/schemas/answers.ts'
import {
  declareEndpoint,
  declareResourceEndpoints,
  declareWriteEndpoint,
} from '../../../server/http/endpoint.ts'

const CALENDAR_OF_BOOKABLE = {
  name: 'find-room-calendar',
  text: `SELECT ${ROOM_CALENDAR_COLUMNS} FROM ${ROOM_CALENDAR_ROWS_SQL} WHERE room_calendars.bookable_id = $1`,
}

export const roomCalendarEndpoints = declareResourceEndpoints({
  tag: 'Bookables',
  ability: 'read',
  missing: message`This room does not exist, or has no calendar.`,
})({
  getBookableCalendar: declareEndpoint('GET /bookables/{bookable_id}/calendar', {
    summary: 'Get the calendar of a room',
    description:
      'Returns which calendar of Microsoft 365, Google Workspace or a CalDAV server the room has, and whether it is in step with Berth.',
    hasETag: true,
    answer: createAnswerContract(roomCalendarSchema),
    async handle(call) {
      const row = await call.read(async ({ pointReads }) => {
        const values = [call.params.bookable_id]
        return (await pointReads.query<RoomCalendarRow>({ ...CALENDAR_OF_BOOKABLE, values })).rows[0]
      })
      if (!row) return undefined
      return { status: 200, body: JSON.stringify({ data: showRoomCalendar(row) }), hasETag: true }
    },
  }),
  replaceBookableCalendar: declareWriteEndpoint('PUT /bookables/{bookable_id}/calendar', {
    ability: 'object-write',
    summary: 'Link a room to a calendar',
    description:
      'From then on the meetings of the calendar are events in Berth, and the bookings and events of the room appear in the calendar. ' +
      'Linking a room that has another calendar replaces that calendar. The provider must have settings in this installation, and list ' +
      'the calendar as a room.',
    body: newRoomCalendarSchema,
    refusals: ['in_use'],
    missing: message`There is no desk or room with this id.`,
    job: 'room-calendars.link',
  }),
  deleteBookableCalendar: declareWriteEndpoint('DELETE /bookables/{bookable_id}/calendar', {
    ability: 'object-write',
    summary: 'Unlink a room from its calendar',
    description:
      'Deletes nothing else: entries that Berth wrote stay in the calendar, and events that came from it stay in Berth.',
    job: 'room-calendars.unlink',
  }),
})
