// Tests reads of single events and of events in a time range, and to which places an event belongs.
import { expect } from 'chai'
import { createBookable, createBooking, createEvent, createUser } from '../../../../support/factories.ts'
import { createOffice, deleteAllResources, type Office } from '../../../../support/office.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const WEEK_QUERY = 'from=2026-03-02T00:00:00Z&to=2026-03-09T00:00:00Z'
const MORNING = { from: '2026-03-03T09:00:00.123456Z', to: '2026-03-03T10:00:00Z' }

describe('reading events', () => {
  const world = useWorld({ workers: [], now: () => Date.parse('2026-03-03T12:00:00Z') })
  const client = useClient(world, 'read')
  let office: Office
  beforeEach(async () => {
    await deleteAllResources(world.database)
    office = await createOffice(world.database)
  })

  const meet = async (
    rooms: number[],
    row: { from: string; to: string } & Record<string, unknown> = MORNING,
  ) => {
    const id = await createEvent(world.database, {
      name: 'Planning',
      organizer_user_id: office.user.id,
      ...row,
    })
    const { from, to } = row
    for (const bookable_id of rooms)
      await createBooking(world.database, { event_id: id, bookable_id, from, to })
    return id
  }
  const attend = async (event_id: number, row: object) => {
    const [attendee] = await world
      .database('event_attendees')
      .insert({ event_id, ...row })
      .returning(['id', 'user_id'])
    return (attendee.user_id ?? attendee.id) as number
  }
  const idsOf = async (path: string) => {
    const answer = await client.get(path)
    expect(answer.status, answer.text).to.equal(200)
    return answer.json.data.map(({ id }: { id: number }) => id)
  }

  /** Creates an event with all fields, and returns its parts in the format of the API. */
  async function createFullEvent() {
    const second = await createBookable(world.database, {
      name: 'Alster',
      type: 2,
      location_id: office.location.id,
      tags: ['Video', 'Video'],
      capacity: 12,
      integration_email: 'alster@rooms.example.com',
    })
    const description = '# Agenda  \r\n\n- “quotes”\t'
    const row = { description, from_timezone: 'Europe/Berlin', to_timezone: 'Asia/Tokyo', classification: 1 }
    const id = await meet([second, office.room.id], { ...MORNING, ...row })
    const guest = await createUser(world.database, { name: 'Bob', email: 'bob@example.com' })
    const attendees = [
      { id: 0, name: office.user.name, email: office.user.email, role: 0, status: 1 },
      { id: 0, name: 'visitor@example.com', email: 'visitor@example.com', role: 1, status: 0 },
      { id: 0, name: 'Bob', email: 'bob@example.com', role: 1, status: 3 },
    ]
    const people = [{ user_id: office.user.id }, { email: 'visitor@example.com' }, { user_id: guest }]
    for (const [index, attendee] of attendees.entries()) {
      const { role, status } = attendee
      attendee.id = await attend(id, { ...people[index], role, status })
    }
    const { id: roomId, name } = office.room
    const bookables = [
      { id: roomId, name, tags: [], capacity: 0, integration_email: '' },
      {
        id: second,
        name: 'Alster',
        tags: ['Video', 'Video'],
        capacity: 12,
        integration_email: 'alster@rooms.example.com',
      },
    ]
    const named = { id, name: 'Planning' }
    const span = { from: '2026-03-03T09:00:00.123456Z', to: '2026-03-03T10:00:00.000000Z' }
    const organizer = { name: office.user.name }
    return { named, span, organizer, bookables, attendees, state: { classification: 1, status: 1 }, row }
  }

  describe('GET events/{id}', () => {
    it('answers with the event, in exactly the documented format', async () => {
      const { named, span, state, organizer, attendees, bookables } = await createFullEvent()
      const answer = await client.get(`events/${named.id}`)
      expect(answer.status).to.equal(200)
      expect(answer.json).to.deep.equal({
        data: { ...named, ...span, ...state, organizer, attendees, bookables },
      })
    })

    it('also finds a cancelled event, and an event without people and rooms', async () => {
      const id = await meet([], { ...MORNING, status: 2, classification: 0 })
      const { data } = (await client.get(`events/${id}`)).json
      expect(data).to.include({ status: 2, classification: 0 })
      expect([data.attendees, data.bookables]).to.deep.equal([[], []])
    })

    it('answers 404 for unknown ids', async () => {
      for (const unknown of ['999999', '0', '-1', 'abc', '1.5', '9007199254740992']) {
        const answer = await client.get(`events/${unknown}`)
        expect([answer.status, answer.json.code], unknown).to.deep.equal([404, 'not_found'])
      }
    })
  })

  describe('GET events', () => {
    it('answers with the events of the range, in exactly the documented format', async () => {
      const { named, span, organizer, bookables } = await createFullEvent()
      expect((await client.get(`events?${WEEK_QUERY}`)).json).to.deep.equal({
        data: [{ ...named, ...span, organizer, bookables }],
      })
    })

    it('omits events that only touch the range, and orders by start and then id', async () => {
      await meet([], { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' })
      await meet([], { from: '2026-03-09T00:00:00Z', to: '2026-03-10T00:00:00Z' })
      const late = await meet([], { from: '2026-03-08T23:00:00Z', to: '2026-03-10T00:00:00Z' })
      const twin = await meet([], { from: '2026-03-08T23:00:00Z', to: '2026-03-10T00:00:00Z' })
      const early = await meet([], { from: '2020-03-08T23:00:00Z', to: '2026-03-02T00:00:00.000001Z' })
      expect(await idsOf(`events?${WEEK_QUERY}`)).to.deep.equal([early, late, twin])
    })

    it('omits cancelled events', async () => {
      await meet([], { ...MORNING, status: 2 })
      expect(await idsOf(`events?${WEEK_QUERY}`)).to.deep.equal([])
    })

    it('finds the events of a place by their rooms, and only events that match all given places', async () => {
      const other = await createOffice(world.database)
      const here = await meet([office.room.id])
      const both = await meet([office.desk.id, other.room.id])
      const nowhere = await meet([])
      const of = (query: Record<string, number>) =>
        idsOf(
          `events?${WEEK_QUERY}${Object.entries(query)
            .map(([name, id]) => `&${name}=${id}`)
            .join('')}`,
        )
      expect(await of({})).to.deep.equal([here, both, nowhere])
      expect(await of({ building_id: office.building.id })).to.deep.equal([here, both])
      expect(await of({ location_id: office.location.id })).to.deep.equal([here, both])
      expect(await of({ bookable_id: office.room.id })).to.deep.equal([here])
      expect(await of({ building_id: other.building.id })).to.deep.equal([both])
      const across = {
        building_id: office.building.id,
        location_id: other.location.id,
        bookable_id: other.room.id,
      }
      expect(await of(across)).to.deep.equal([both])
      expect(await of({ ...across, bookable_id: office.room.id })).to.deep.equal([])
    })

    it('names all malformed ids in one refusal, and answers 404 for unknown ids', async () => {
      const sentence = (name: string) => [`${name} must be a whole number above 0.`]
      for (const wrong of ['abc', '0', '-1', '1.5', '', '9007199254740992', '1&building_id=2']) {
        const answer = await client.get(`events?building_id=${wrong}&location_id=x`)
        expect(answer.status, wrong).to.equal(422)
        expect(answer.json.errors).to.deep.equal({
          from: ['from is required.'],
          to: ['to is required.'],
          building_id: sentence('building_id'),
          location_id: sentence('location_id'),
        })
      }
      for (const name of ['building_id', 'location_id', 'bookable_id']) {
        const answer = await client.get(`events?${WEEK_QUERY}&${name}=999999`)
        expect([answer.status, answer.json.code], name).to.deep.equal([404, 'not_found'])
      }
    })
  })

  describe('GET events/today', () => {
    it('answers with the events of today, in exactly the documented format', async () => {
      const { named, span, state, organizer, attendees, bookables, row } = await createFullEvent()
      const { description, from_timezone, to_timezone } = row
      expect((await client.get(`events/today?building_id=${office.building.id}`)).json).to.deep.equal({
        data: [
          {
            ...named,
            description,
            ...span,
            from_timezone,
            to_timezone,
            ...state,
            organizer,
            attendees,
            bookables,
          },
        ],
      })
    })

    it('accepts a building, a location and a bookable, and lists only events that match all given ids', async () => {
      const id = await meet([office.room.id])
      const { building, location, room, desk } = office
      for (const query of [
        `building_id=${building.id}`,
        `location_id=${location.id}`,
        `bookable_id=${room.id}`,
        `building_id=${building.id}&location_id=${location.id}&bookable_id=${room.id}`,
      ])
        expect(await idsOf(`events/today?${query}`), query).to.deep.equal([id])
      expect(await idsOf(`events/today?building_id=${building.id}&bookable_id=${desk.id}`)).to.deep.equal([])
    })

    it('omits cancelled events', async () => {
      await meet([office.room.id], { ...MORNING, status: 2 })
      expect(await idsOf(`events/today?building_id=${office.building.id}`)).to.deep.equal([])
    })

    it('refuses a request without an id, and names the three accepted ids', async () => {
      for (const query of ['', '?from=2026-03-02', '?building=1']) {
        const answer = await client.get(`events/today${query}`)
        expect(answer.status).to.equal(422)
        expect(answer.json.errors).to.deep.equal({
          building_id: ['building_id is required when neither of the others is given.'],
          location_id: ['location_id is required when neither of the others is given.'],
          bookable_id: ['bookable_id is required when neither of the others is given.'],
        })
      }
    })

    it('refuses malformed ids, and answers 404 for unknown ids', async () => {
      const bad = await client.get('events/today?location_id=abc')
      expect(bad.status).to.equal(422)
      expect(bad.json.errors).to.deep.equal({ location_id: ['location_id must be a whole number above 0.'] })
      for (const name of ['building_id', 'location_id', 'bookable_id'])
        expect((await client.get(`events/today?${name}=999999`)).status, name).to.equal(404)
      const mixed = `building_id=${office.building.id}&bookable_id=999999`
      expect((await client.get(`events/today?${mixed}`)).status).to.equal(404)
    })
  })
})
