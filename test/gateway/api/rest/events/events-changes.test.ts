// Tests POST, PUT and DELETE of events over HTTP: people, rooms (all or none), times, and texts that stay
// unchanged to the byte.
import { expect } from 'chai'
import {
  createBookable,
  createBooking,
  createDesk,
  createEvent,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import type { ApiAnswer } from '../../../../support/http/http.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const toMicroseconds = (instant: string) => instant.replace('.000Z', '.000000Z')
const times = (from: number, to: number) => ({ from_time: hoursFromNow(from), to_time: hoursFromNow(to) })
const createRange = (from: number, to: number) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })

describe('writing events', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write', 'read')
  let organizer: number
  let guest: number
  let location_id: number
  let room: number
  let annex: number
  let slot = 24

  beforeEach(async () => {
    const desk = await createDesk(world.database)
    location_id = desk.location_id
    organizer = await createUser(world.database, { name: 'Grace Hopper' })
    guest = await createUser(world.database, { name: 'Alan Turing' })
    const meetingRoom = { location_id, type: 2 }
    room = await createBookable(world.database, { ...meetingRoom, name: 'Harbour' })
    annex = await createBookable(world.database, {
      ...meetingRoom,
      name: 'Quay',
      tags: ['screen'],
      capacity: 8,
      integration_email: `Quay${room}@rooms.example.com`,
    })
    slot += 4
  })

  const user = (id: number | string) => ({ type: 'user', id })
  const visitor = (email: string) => ({ type: 'visitor', email })
  const bookable = (id: number | string) => ({ type: 'bookable', id })
  const meeting = (changes: object = {}) => ({
    name: 'Stand-up',
    organizer_user_id: organizer,
    ...times(slot, slot + 2),
    ...changes,
  })
  const create = (changes: object = {}): Promise<ApiAnswer> => client.post('events', meeting(changes))
  const replace = (id: number, changes: object = {}): Promise<ApiAnswer> =>
    client.put(`events/${id}`, meeting(changes))
  const claims = () =>
    world.database('bookings').whereIn('bookable_id', [room, annex]).orderBy('bookable_id').select('*')
  const stored = (id: number) => world.database('events').where({ id }).first()
  const emailOf = async (id: number): Promise<string> =>
    (await world.database('users').where({ id }).first()).email
  type Attendee = { id: number; name: string; email: string; role: number; status: number }
  const attendeesOf = ({ json }: ApiAnswer): Attendee[] => json.data.attendees
  const roomsOf = ({ json }: ApiAnswer): number[] => json.data.bookables.map(({ id }: { id: number }) => id)

  async function expectNothingStored(ask: () => Promise<ApiAnswer>): Promise<ApiAnswer> {
    const look = async () => ({
      events: await world.database('events').orderBy('id'),
      people: await world.database('event_attendees').orderBy('id'),
      bookings: await world.database('bookings').orderBy('id'),
    })
    const before = await look()
    const answer = await ask()
    expect(await look()).to.deep.equal(before)
    return answer
  }

  describe('POST events', () => {
    it('answers with the event in exactly the documented format, like a later GET', async () => {
      const answer = await create({
        description: '# Agenda',
        classification: 1,
        attendees: [user(guest), visitor('ada@example.com'), bookable(annex), bookable(room)],
      })
      const [hopper, turing, ada] = attendeesOf(answer)
      expect(answer.status).to.equal(200)
      expect(answer.json).to.deep.equal({
        data: {
          id: answer.json.data.id,
          name: 'Stand-up',
          from: toMicroseconds(hoursFromNow(slot)),
          to: toMicroseconds(hoursFromNow(slot + 2)),
          classification: 1,
          status: 1,
          organizer: { name: 'Grace Hopper' },
          attendees: [
            { id: hopper?.id, name: 'Grace Hopper', email: await emailOf(organizer), role: 0, status: 1 },
            { id: turing?.id, name: 'Alan Turing', email: await emailOf(guest), role: 1, status: 0 },
            { id: ada?.id, name: 'ada@example.com', email: 'ada@example.com', role: 1, status: 0 },
          ],
          bookables: [
            { id: room, name: 'Harbour', tags: [], capacity: 0, integration_email: '' },
            {
              id: annex,
              name: 'Quay',
              tags: ['screen'],
              capacity: 8,
              integration_email: `Quay${room}@rooms.example.com`,
            },
          ],
        },
      })
      expect((await client.get(`events/${answer.json.data.id}`)).json).to.deep.equal(answer.json)
    })

    it('fills in the defaults of absent fields', async () => {
      const before = new Date().toISOString()
      const answer = await client.post('events', {
        name: 'Alone',
        organizer_user_id: organizer,
        to_time: hoursFromNow(2),
      })
      const { id, from, classification } = answer.json.data
      expect(
        from.replace('000Z', 'Z') >= before && from.replace('000Z', 'Z') <= new Date().toISOString(),
      ).to.equal(true)
      expect(classification).to.equal(3)
      expect(await stored(id)).to.include({ description: '', from_timezone: 'UTC', to_timezone: 'UTC' })
      expect(attendeesOf(answer)).to.have.length(1)
      expect(roomsOf(answer)).to.deep.equal([])
    })

    it('accepts null, which means “now” for the start and the default for other fields', async () => {
      const nothing = { from_time: null, from_timezone: null, to_timezone: null, description: null }
      const answer = await create(nothing)
      expect(await stored(answer.json.data.id)).to.include({ description: '', from_timezone: 'UTC' })
    })

    it('treats a null classification and null attendees as absent, as PUT does', async () => {
      const nothing = { classification: null, attendees: null }
      const key = { 'Idempotency-Key': `nulls-${slot}` }
      const created = await client.post('events', meeting(nothing), key)
      expect(created.status, created.text).to.equal(200)
      expect(created.json.data.classification).to.equal(3)
      expect((await client.post('events', meeting(), key)).text).to.equal(created.text)
      const { id } = created.json.data
      expect(
        (await replace(id, { classification: 1, attendees: [user(guest), bookable(room)] })).status,
      ).to.equal(200)
      const { status, json } = await replace(id, nothing)
      expect([status, json.data.classification, json.data.bookables]).to.deep.equal([200, 3, []])
      expect(json.data.attendees).to.have.length(1)
    })

    it('returns the same ETag as a GET of the new event, and the next update accepts it', async () => {
      const created = await create({ attendees: [user(guest), bookable(room)] })
      const { id } = created.json.data
      const expectCurrent = async (written: ApiAnswer) =>
        expect((await client.get(`events/${id}`)).headers.get('ETag')).to.equal(written.headers.get('ETag'))
      await expectCurrent(created)
      const etag = { 'If-Match': created.headers.get('ETag') ?? '' }
      const replaced = await client.put(`events/${id}`, meeting({ name: 'Other' }), etag)
      expect(replaced.status, replaced.text).to.equal(200)
      await expectCurrent(replaced)
      expect((await client.put(`events/${id}`, meeting(), etag)).status).to.equal(412)
    })

    it('accepts times in the past', async () => {
      const answer = await create({
        from_time: '0001-01-01T00:00:00Z',
        to_time: '0001-01-01T00:00:00.000001Z',
      })
      expect(answer.json.data).to.include({
        from: '0001-01-01T00:00:00.000000Z',
        to: '0001-01-01T00:00:00.000001Z',
      })
    })

    it('stores a Markdown description byte for byte', async () => {
      const description = '  \r\n# Ünïcode 🪑\t`a < b`\n\n* e\u0301 \n\u2028  '
      const answer = await create({ description })
      expect((await stored(answer.json.data.id)).description).to.equal(description)
      expect((await create({ description: '🪑'.repeat(65_535) })).status).to.equal(200)
      const refused = await create({ description: '🪑'.repeat(65_536), name: 'n'.repeat(256) })
      expect(refused.json.errors).to.deep.equal({
        description: ['description must be at most 65535 characters long.'],
        name: ['name must be at most 255 characters long.'],
      })
    })

    it('stores time zones for display, and refuses unknown ones', async () => {
      const zones = { from_timezone: 'Europe/Berlin', to_timezone: 'America/Argentina/Buenos_Aires' }
      const answer = await create({
        ...zones,
        from_time: '2026-03-29T01:30:00+01:00',
        to_time: '2026-03-29T03:30+02:00',
      })
      expect(answer.json.data).to.include({
        from: '2026-03-29T00:30:00.000000Z',
        to: '2026-03-29T01:30:00.000000Z',
      })
      expect(await stored(answer.json.data.id)).to.include(zones)
      const refused = await create({ from_timezone: 'Europe/Atlantis', to_timezone: '+01:00' })
      const sentence = (name: string) => [`${name} must be an IANA time zone name such as Europe/Berlin.`]
      expect(refused.json.errors).to.deep.equal({
        from_timezone: sentence('from_timezone'),
        to_timezone: sentence('to_timezone'),
      })
    })

    it('refuses a time without an offset beside a time zone, because the time is ambiguous', async () => {
      const times = { from_time: '2026-11-20T09:00:00', to_time: '2026-11-20T10:00' }
      const refused = await create({ ...times, from_timezone: 'Europe/Berlin', to_timezone: 'Europe/Berlin' })
      expect(refused.status).to.equal(422)
      expect(refused.json.errors).to.have.all.keys('from_time', 'to_time')
      expect((await create(times)).json.data.from).to.equal('2026-11-20T09:00:00.000000Z')
    })

    it('finds people and rooms by e-mail in any letter case, and by ids as numbers or strings', async () => {
      const answer = await create({
        attendees: [
          { type: 'user', email: (await emailOf(guest)).toUpperCase() },
          { type: 'bookable', email: `QUAY${room}@ROOMS.example.com` },
          bookable(String(room)),
        ],
      })
      expect(attendeesOf(answer).map(({ name }) => name)).to.deep.equal(['Grace Hopper', 'Alan Turing'])
      expect(roomsOf(answer)).to.deep.equal([room, annex])
    })

    it('refuses an attendee whose id and e-mail belong to different people or rooms', async () => {
      const own = await emailOf(guest)
      const agreeing = [
        { type: 'user', id: guest, email: own.toUpperCase() },
        { type: 'bookable', id: annex, email: `QUAY${room}@rooms.example.com` },
      ]
      expect((await create({ attendees: agreeing })).status).to.equal(200)
      const answer = await expectNothingStored(() =>
        create({
          ...times(slot + 2, slot + 3),
          attendees: [
            { type: 'user', id: organizer, email: own },
            { type: 'user', id: organizer, email: 'nobody@example.com' },
            { type: 'bookable', id: room, email: `Quay${room}@rooms.example.com` },
          ],
        }),
      )
      expect([answer.status, answer.json.errors]).to.deep.equal([
        422,
        {
          'attendees.0.email': ['This is not the e-mail of the user with this id.'],
          'attendees.1.email': ['This is not the e-mail of the user with this id.'],
          'attendees.2.email': ['This is not the e-mail of the room with this id.'],
        },
      ])
    })

    it('stores time zones in the spelling of IANA, regardless of letter case', async () => {
      const zones = { from_timezone: 'europe/berlin', to_timezone: 'AMERICA/NEW_YORK' }
      const { id } = (await create(zones)).json.data
      expect(await stored(id)).to.include({ from_timezone: 'Europe/Berlin', to_timezone: 'America/New_York' })
    })

    it('refuses a name that consists of invisible characters', async () => {
      const answer = await expectNothingStored(() => create({ name: '\u200b\u2060 \u3164' }))
      expect(answer.json.errors).to.deep.equal({ name: ['name must not be empty.'] })
    })

    it('stores each person and room once if the request repeats them', async () => {
      const email = await emailOf(guest)
      const answer = await create({
        attendees: [
          user(organizer),
          user(guest),
          { type: 'user', email },
          visitor(email.toUpperCase()),
          visitor('ada@example.com'),
          visitor('ADA@example.com'),
          bookable(annex),
          bookable(String(annex)),
        ],
      })
      expect(attendeesOf(answer).map(({ email: each }) => each)).to.deep.equal([
        await emailOf(organizer),
        email,
        'ada@example.com',
      ])
      expect(roomsOf(answer)).to.deep.equal([annex])
    })

    it('names all unknown attendees in one refusal, and stores no event', async () => {
      const gone = await createUser(world.database, { deactivated_at: new Date() })
      const answer = await expectNothingStored(() =>
        create({
          organizer_user_id: gone,
          attendees: [
            bookable(room),
            user(gone),
            { type: 'user', email: 'nobody@example.com' },
            bookable(999_999),
            { type: 'bookable', email: 'nowhere@example.com' },
          ],
        }),
      )
      expect(answer.status).to.equal(422)
      expect(answer.json.errors).to.deep.equal({
        organizer_user_id: ['There is no active user with this id.'],
        'attendees.1.id': ['There is no active user with this id.'],
        'attendees.2.email': ['There is no active user with this e-mail.'],
        'attendees.3.id': ['There is no bookable with this id.'],
        'attendees.4.email': ['There is no room with this e-mail.'],
      })
    })

    it('names all malformed fields in one refusal, by their path', async () => {
      const answer = await client.post('events', {
        name: ' ',
        classification: 4,
        to_time: '2026-02-30T10:00:00Z',
        attendees: [
          { type: 'visitor', id: 3 },
          { type: 'robot', email: 'a@' },
          { type: 'user' },
          { type: 'bookable', id: '1.0' },
          { type: 'user', email: `${'x'.repeat(250)}@ab.de` },
        ],
      })
      expect(answer.status).to.equal(422)
      expect(Object.keys(answer.json.errors).sort()).to.deep.equal([
        'attendees.0.email',
        'attendees.1.email',
        'attendees.1.type',
        'attendees.2.id',
        'attendees.3.id',
        'attendees.4.email',
        'classification',
        'name',
        'organizer_user_id',
        'to_time',
      ])
      expect(answer.json.errors['attendees.2.id']).to.deep.equal([
        'attendees.2.id is required when email is absent.',
      ])
    })

    it('books all rooms of the event or none, and names the first taken room', async () => {
      await createBooking(world.database, { bookable_id: annex, ...createRange(slot + 1, slot + 3) })
      await createBooking(world.database, { bookable_id: room, ...createRange(slot, slot + 1) })
      const free = await createBookable(world.database, { location_id, type: 2, name: 'Jetty' })
      const answer = await expectNothingStored(() => create({ attendees: [bookable(annex), bookable(room)] }))
      expect([answer.status, answer.json.code]).to.deep.equal([409, 'booking_conflict'])
      expect(answer.json.conflict).to.deep.equal({
        bookable_id: room,
        from: toMicroseconds(hoursFromNow(slot)),
        to: toMicroseconds(hoursFromNow(slot + 1)),
      })
      expect(answer.json.alternatives).to.deep.equal([{ id: free, name: 'Jetty' }])
    })

    it('never suggests a room that the same event already requests', async () => {
      await createBooking(world.database, { bookable_id: room, ...createRange(slot, slot + 1) })
      const answer = await create({ attendees: [bookable(annex), bookable(room)] })
      expect(answer.json.alternatives).to.deep.equal([])
    })

    it('conflicts with earlier bookings and events, and blocks later bookings and events', async () => {
      expect((await create({ attendees: [bookable(room)] })).status).to.equal(200)
      expect((await create({ attendees: [bookable(room)] })).json.code).to.equal('booking_conflict')
      const booking = { bookable_id: room, location_id, user_id: organizer, ...times(slot + 1, slot + 3) }
      expect((await client.post('bookings', booking)).json.code).to.equal('booking_conflict')
      const touching = { attendees: [bookable(room)], ...times(slot + 2, slot + 3) }
      expect((await create(touching)).status).to.equal(200)
    })

    it('refuses blocked rooms, and rooms that are assigned to people other than the organizer', async () => {
      const rooms = world.database('bookables').where({ id: annex })
      const attendees = [bookable(room), bookable(annex)]
      await rooms.clone().update({ status: 1 })
      const blocked = await expectNothingStored(() => create({ attendees }))
      expect([blocked.json.code, blocked.json.detail]).to.deep.equal(['bookable_blocked', 'Quay is blocked.'])
      await rooms.clone().update({ status: 2 })
      const assigned = await expectNothingStored(() => create({ attendees }))
      expect(assigned.json.code).to.equal('bookable_assigned')
      await world.database('bookable_assignees').insert({ bookable_id: annex, user_id: organizer })
      expect((await create({ attendees })).status).to.equal(200)
    })

    it('lets several events use a home office at the same time', async () => {
      const home = await createBookable(world.database, { location_id, type: 3 })
      expect((await create({ attendees: [bookable(home)] })).status).to.equal(200)
      expect((await create({ attendees: [bookable(home)] })).status).to.equal(200)
    })

    it('accepts 300 rooms and 500 visitors in one event', async () => {
      const rows = Array.from({ length: 300 }, (_, number) => ({
        location_id,
        type: 2,
        name: `Room ${number}`,
      }))
      const rooms = await world.database('bookables').insert(rows).returning('id')
      const attendees = [
        ...rooms.reverse().map(({ id }) => bookable(id)),
        ...Array.from({ length: 500 }, (_, number) => visitor(`visitor${number}@example.com`)),
      ]
      const answer = await create({ attendees })
      expect(roomsOf(answer)).to.have.length(300)
      expect(attendeesOf(answer)).to.have.length(501)
      expect(attendeesOf(answer).at(-1)?.email).to.equal('visitor499@example.com')
    })

    it('refuses more than 300 rooms, because each needs a lock and Postgres limits locks', async () => {
      const attendees = Array.from({ length: 301 }, (_, number) => bookable(number + 1))
      const answer = await expectNothingStored(() => create({ attendees }))
      expect(answer.json.errors).to.deep.equal({ attendees: ['attendees must have at most 300 rooms.'] })
    })
  })

  describe('PUT events/{id}', () => {
    let id: number
    let created: ApiAnswer

    beforeEach(async () => {
      created = await create({
        description: 'Old',
        classification: 2,
        from_timezone: 'Europe/Berlin',
        attendees: [user(guest), visitor('ada@example.com'), bookable(room)],
      })
      id = created.json.data.id
    })

    it('resets absent fields to their defaults, but keeps the organizer and the start', async () => {
      const answer = await client.put(`events/${id}`, { name: 'New', to_time: hoursFromNow(slot + 1) })
      expect(answer.json).to.deep.equal({
        data: {
          id,
          name: 'New',
          from: toMicroseconds(hoursFromNow(slot)),
          to: toMicroseconds(hoursFromNow(slot + 1)),
          classification: 3,
          status: 1,
          organizer: { name: 'Grace Hopper' },
          attendees: [attendeesOf(created)[0]],
          bookables: [],
        },
      })
      expect(await stored(id)).to.include({ description: '', from_timezone: 'UTC' })
      expect(await claims()).to.deep.equal([])
      expect((await client.get(`events/${id}`)).json).to.deep.equal(answer.json)
    })

    it('starts the event now if from_time is null', async () => {
      const { from } = (await replace(id, { from_time: null })).json.data
      expect(Math.abs(Date.parse(from) - Date.now())).to.be.lessThan(10_000)
    })

    it('keeps the ids and answers of attendees who stay, and drops the ids and answers of removed attendees', async () => {
      const [hopper, turing, ada] = attendeesOf(created)
      await world
        .database('event_attendees')
        .where({ event_id: id, user_id: turing?.id ?? 0 })
        .update({ status: 2 })
      const other = await createUser(world.database, { name: 'Barbara Liskov' })
      const answer = await replace(id, { attendees: [user(other), user(guest), visitor('bob@example.com')] })
      const [first, second, third, fourth] = attendeesOf(answer)
      expect([first, second]).to.deep.equal([hopper, { ...turing, status: 2 }])
      expect([third?.name, fourth?.name]).to.deep.equal(['Barbara Liskov', 'bob@example.com'])
      expect(third?.id).to.equal(other)
      expect(fourth?.id).to.not.equal(ada?.id)
      const again = await replace(id, { attendees: [visitor('BOB@example.com')] })
      expect(attendeesOf(again)).to.deep.equal([hopper, fourth])
    })

    it('accepts the attendees of a GET response unchanged, and never confuses them', async () => {
      const before = attendeesOf(created)
      const isUser = async ({ id: each }: Attendee) => (await client.get(`users/${each}`)).status === 200
      const isKnown = await Promise.all(before.map(isUser))
      expect(isKnown).to.deep.equal([true, true, false])
      expect(before.map((each) => each.id).slice(0, 2)).to.deep.equal([organizer, guest])
      const attendees = before.map((each, index) => (isKnown[index] ? user(each.id) : visitor(each.email)))
      const answer = await replace(id, { attendees })
      expect(answer.status, answer.text).to.equal(200)
      expect(attendeesOf(answer)).to.deep.equal(before)
      // The next user must not take over the id and the name of the visitor.
      const next = await createUser(world.database)
      expect(before.map((each) => each.id)).to.not.include(next)
      const refused = await replace(id, { attendees: [user(before[2]?.id ?? 0)] })
      expect(refused.json.errors).to.deep.equal({
        'attendees.0.id': ['There is no active user with this id.'],
      })
    })

    it('hands the event over to another organizer', async () => {
      const answer = await replace(id, { organizer_user_id: guest, attendees: [user(organizer)] })
      const [hopper, turing] = attendeesOf(created)
      expect(answer.json.data.organizer).to.deep.equal({ name: 'Alan Turing' })
      expect(attendeesOf(answer)).to.deep.equal([
        { ...hopper, role: 1 },
        { ...turing, role: 0, status: 1 },
      ])
    })

    it('frees the removed rooms, and books the added rooms', async () => {
      expect(roomsOf(await replace(id, { attendees: [bookable(annex)] }))).to.deep.equal([annex])
      expect((await claims()).map(({ bookable_id }) => bookable_id)).to.deep.equal([annex])
      expect((await create({ attendees: [bookable(room)] })).status).to.equal(200)
    })

    it('moves the event with its rooms, even to a time that overlaps its old one', async () => {
      const attendees = [bookable(room), bookable(annex)]
      for (const [from, to] of [
        [slot + 1, slot + 3],
        [slot, slot + 4],
        [slot + 1, slot + 2],
      ] as const) {
        const answer = await replace(id, { attendees, ...times(from, to) })
        expect(roomsOf(answer)).to.deep.equal([room, annex])
        expect(await claims()).to.have.length(2)
      }
    })

    it('changes nothing if one of the added rooms is taken', async () => {
      await createBooking(world.database, { bookable_id: annex, ...createRange(slot, slot + 1) })
      const answer = await expectNothingStored(() =>
        replace(id, { name: 'Never', attendees: [user(guest), bookable(annex)] }),
      )
      expect([answer.status, answer.json.conflict.bookable_id]).to.deep.equal([409, annex])
      expect((await client.get(`events/${id}`)).json).to.deep.equal(created.json)
    })

    it('lets an event in a blocked room become shorter, but not move or grow', async () => {
      await world.database('bookables').where({ id: room }).update({ status: 1 })
      const attendees = [bookable(room)]
      for (const [from, to] of [
        [slot - 1, slot + 1],
        [slot, slot + 3],
      ] as const) {
        const answer = await expectNothingStored(() => replace(id, { attendees, ...times(from, to) }))
        expect(answer.json.code).to.equal('bookable_blocked')
      }
      expect((await replace(id, { attendees, ...times(slot, slot + 1) })).status).to.equal(200)
    })

    it('refuses to hand over an event whose room is assigned to the old organizer', async () => {
      const rooms = world.database('bookables').where({ id: room })
      await rooms.clone().update({ status: 2 })
      await world.database('bookable_assignees').insert({ bookable_id: room, user_id: organizer })
      const attendees = [bookable(room)]
      const handOver = () => replace(id, { attendees, organizer_user_id: guest })
      expect((await expectNothingStored(handOver)).json.code).to.equal('bookable_assigned')
      await rooms.clone().update({ status: 1 })
      expect((await handOver()).status, 'a room that has been blocked stays').to.equal(200)
    })

    it('leaves an event cancelled if an administrator has cancelled it', async () => {
      await world.database('bookings').where({ event_id: id }).delete()
      await world.database('events').where({ id }).update({ status: 2 })
      const answer = await expectNothingStored(() => replace(id, { attendees: [bookable(room)] }))
      expect([answer.status, answer.json.code]).to.deep.equal([409, 'event_cancelled'])
    })

    it('keeps attendees who have been deactivated since, but adds no deactivated user', async () => {
      const other = await createUser(world.database)
      await world
        .database('users')
        .whereIn('id', [organizer, guest, other])
        .update({ deactivated_at: new Date() })
      const attendees = [user(guest), { type: 'user', email: await emailOf(guest) }]
      const answer = await replace(id, { attendees, organizer_user_id: organizer })
      expect(attendeesOf(answer).map(({ name }) => name)).to.deep.equal(['Grace Hopper', 'Alan Turing'])
      const refused = await replace(id, { attendees: [user(other)], organizer_user_id: other })
      expect(refused.json.errors).to.have.all.keys('organizer_user_id', 'attendees.0.id')
    })

    it('refuses an end before the stored start', async () => {
      const body = { name: 'x', to_time: hoursFromNow(slot) }
      const answer = await expectNothingStored(() => client.put(`events/${id}`, body))
      expect(answer.json.errors).to.deep.equal({ to_time: ['to_time must be after from_time.'] })
    })

    it('requires name and to_time, and names all invalid fields in one refusal', async () => {
      const answer = await client.put(`events/${id}`, { classification: '1', attendees: [{}] })
      expect(answer.json.errors).to.have.all.keys(
        'name',
        'to_time',
        'classification',
        'attendees.0.type',
        'attendees.0.id',
      )
    })

    it('answers 404 for unknown events', async () => {
      for (const unknown of [999_999, 0, '1.5', 'x']) {
        const answer = await client.put(`events/${unknown}`, meeting())
        expect([answer.status, answer.json.detail]).to.deep.equal([404, 'There is no event with this id.'])
      }
    })

    it('requires the ability booking-write', async () => {
      const reader = await world.client('read', 'object-write', 'user-write')
      expect((await reader.put(`events/${id}`, meeting())).json.code).to.equal('missing_ability')
    })
  })
})

describe('DELETE events/{id}', () => {
  const world = useWorld()
  const client = useClient(world)
  const time = () => ({ from_time: hoursFromNow(1), to_time: hoursFromNow(2) })

  it('cancels the event: frees its rooms, and removes it from listings, but GET still finds its id', async () => {
    const room = await createDesk(world.database, { type: 2 })
    const attendees = [{ type: 'bookable', id: room.bookable_id }]
    const body = { name: 'Talk', organizer_user_id: room.user_id, attendees, ...time() }
    const { id } = (await client.post('events', body)).json.data
    expect((await client.post('bookings', { ...room, ...time() })).status).to.equal(409)

    const answer = await client.delete(`events/${id}`)
    expect([answer.status, answer.text]).to.deep.equal([204, ''])
    expect((await client.delete(`events/${id}`)).status).to.equal(204)
    expect((await client.get(`events/${id}`)).json.data).to.include({ id, status: 2 })
    const listed = await client.get(`events?from=${hoursFromNow(0)}&to=${hoursFromNow(3)}`)
    expect(listed.json.data).to.deep.equal([])
    expect((await client.post('bookings', { ...room, ...time() })).status).to.equal(200)
    const entries = await world.database('audit_log').where({ resource: 'events', action: 'events.cancel' })
    expect(entries).to.have.length(1)
  })

  it('refuses to cancel an event that has ended or does not exist', async () => {
    const id = await createEvent(world.database, { from: hoursFromNow(-2), to: hoursFromNow(-1) })
    const ended = await client.delete(`events/${id}`)
    expect([ended.status, ended.json.code]).to.deep.equal([409, 'event_ended'])
    const unknown = await client.delete('events/999999')
    expect([unknown.status, unknown.json.detail]).to.deep.equal([404, 'There is no event with this id.'])
  })
})
