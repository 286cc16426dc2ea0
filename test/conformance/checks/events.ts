// Checks calendar events in part 4.
import { type Check, DISTANT_SLOT_HOURS, hours, range, type TestData, toNumber } from '../data.ts'
import { event, listedEvent, todaysEvent } from '../resources.ts'
import { DeviationError, type Session, SkippedError } from '../session.ts'
import { at, data, items, type Json, listOf } from '../shapes.ts'

const meeting = ({ user }: TestData, from = DISTANT_SLOT_HOURS, more: object = {}) => ({
  name: 'Conformance',
  from_time: hours(from),
  to_time: hours(from + 1),
  organizer_user_id: user.id,
  ...more,
})

/**
 * Creates an event. The interface cannot delete events, so the check tries DELETE at the end and reports events that
 * are left.
 */
async function create(session: Session, body: object): Promise<Json | undefined> {
  const created = session.answered(await session.ask('POST events', body), 200, data(event))
  const id = toNumber(at(created, 'data', 'id'))
  session.deleteLater(`the event ${id}`, () => session.ask(`DELETE events/${id}`))
  return created
}

const createRefusalCheck = (name: string, rule: string, change: (found: TestData) => object): Check => ({
  name: `events.${name}`,
  rule,
  async run(session, found) {
    session.refused(await session.ask('POST events', { ...meeting(found), ...change(found) }), rule)
  },
})

export const eventChecks: Check[] = [
  createRefusalCheck('name-required', '4 POST events: name is required', () => ({ name: undefined })),
  createRefusalCheck('to-time-required', '4 POST events: to_time is required', () => ({
    to_time: undefined,
  })),
  createRefusalCheck('organizer-required', '4 POST events: organizer_user_id is required', () => ({
    organizer_user_id: undefined,
  })),
  createRefusalCheck('classification', '4 POST events: classification is 0, 1, 2 or 3', () => ({
    classification: 4,
  })),
  createRefusalCheck('attendee-type', '4 Attendee: type is user, visitor or bookable', ({ user }) => ({
    attendees: [{ type: 'robot', id: String(user.id) }],
  })),
  createRefusalCheck('attendee-id', '4 Attendee: id is required when email is absent', () => ({
    attendees: [{ type: 'user' }],
  })),
  createRefusalCheck(
    'attendee-email',
    '8 Attendee email: valid e-mail address, maximum 255 characters',
    () => ({
      attendees: [{ type: 'visitor', email: 'nobody' }],
    }),
  ),
  {
    name: 'events.create',
    rule: '4 POST events: {data: Event}; GET events/{id}: the same',
    async run(session, found) {
      const visitor = { type: 'visitor', email: 'visitor@conformance.example' }
      const created = await create(
        session,
        meeting(found, DISTANT_SLOT_HOURS, { attendees: [visitor], classification: 1 }),
      )
      const id = toNumber(at(created, 'data', 'id'))
      session.must(at(created, 'data', 'classification') === 1, 'classification 1', created)
      session.must(at(created, 'data', 'organizer', 'name') === found.user.name, found.user.name, created)
      const attendees = at(created, 'data', 'attendees')
      const isThere =
        Array.isArray(attendees) && attendees.some((each) => at(each, 'email') === visitor.email)
      session.must(isThere, `${visitor.email} among the attendees`, attendees)
      const read = await session.read(`events/${id}`, data(event))
      session.must(JSON.stringify(read) === JSON.stringify(created), 'what POST answered', read)
    },
  },
  {
    name: 'events.room',
    rule: '1 Calendar events can be attached to bookables such as meeting rooms',
    async run(session, found) {
      const { room, building_id } = found
      if (!room) throw new SkippedError('there is no flexible meeting room')
      const from = DISTANT_SLOT_HOURS + 4
      const attendees = [{ type: 'bookable', id: String(room.id) }]
      const created = await create(session, meeting(found, from, { attendees }))
      session.must(at(created, 'data', 'bookables', 0, 'id') === room.id, `the room ${room.id}`, created)
      const id = at(created, 'data', 'id')
      const filters = { building_id, location_id: room.location_id, bookable_id: room.id }
      for (const [name, value] of [['', 0], ...Object.entries(filters)]) {
        const query = `${range(from - 1, from + 2)}${name ? `&${name}=${value}` : ''}`
        const listed = await session.read(`events?${query}`, data(listOf(listedEvent)))
        if (items(listed).some((each) => at(each, 'id') === id)) continue
        throw new DeviationError(`the event ${id} with the filter ${name || 'none'}`, 'it is not listed')
      }
    },
  },
  {
    name: 'events.today',
    rule: '4 GET events/today: with description and time zones',
    async run(session, found) {
      for (const room of found.rooms) {
        const attendees = [{ type: 'bookable', id: String(room.id) }]
        const body = meeting(found, 0, {
          from_time: null,
          to_time: hours(0.1),
          description: '*Now*',
          attendees,
        })
        const answer = await session.ask('POST events', body)
        // Tries the next bookable if somebody has booked this one in the meantime.
        if (answer.status === 409) continue
        const created = session.answered(answer, 200, data(event))
        const id = at(created, 'data', 'id')
        session.deleteLater(`the event ${id}`, () => session.ask(`DELETE events/${id}`))
        const path = `events/today?bookable_id=${room.id}`
        const listed = items(await session.read(path, data(listOf(todaysEvent))))
        const found2 = listed.find((each) => at(each, 'id') === id)
        session.must(at(found2, 'description') === '*Now*', `the event ${id} with its description`, listed)
        return
      }
      throw new SkippedError('there is no flexible meeting room that is free now')
    },
  },
  {
    name: 'events.today-place',
    rule: '4 GET events/today: one of building_id, location_id and bookable_id is required',
    async run(session, { building_id, location_id, desk }) {
      session.refused(await session.ask('GET events/today'), 'none of the three is given')
      for (const query of [
        `building_id=${building_id}`,
        `location_id=${location_id}`,
        `bookable_id=${desk.id}`,
      ])
        await session.read(`events/today?${query}`, data(listOf(todaysEvent)))
    },
  },
  {
    name: 'events.unknown',
    rule: '7.4 An unknown id is a failed call',
    async run(session) {
      session.refused(await session.ask('GET events/999999999'), 'there is no such event')
    },
  },
]
