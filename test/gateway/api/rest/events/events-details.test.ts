// Tests include=details and PATCH of events: clients can write back what they read, and a PATCH changes only
// the fields it contains.
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

describe('events requested with include=details', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write', 'read')
  let organizer: number
  let guest: number
  let room: number
  let annex: number
  let building: number
  let slot = 24

  beforeEach(async () => {
    const { location_id } = await createDesk(world.database)
    building = (await world.database('locations').where({ id: location_id }).first()).building_id
    organizer = await createUser(world.database, { name: 'Grace Hopper' })
    guest = await createUser(world.database, { name: 'Alan Turing' })
    room = await createBookable(world.database, { location_id, type: 2, name: 'Harbour' })
    annex = await createBookable(world.database, { location_id, type: 2, name: 'Quay' })
    slot += 4
  })

  const user = (id: number) => ({ type: 'user', id })
  const visitor = (email: string) => ({ type: 'visitor', email })
  const bookable = (id: number) => ({ type: 'bookable', id })
  const time = (from = slot, to = slot + 2) => ({ from_time: hoursFromNow(from), to_time: hoursFromNow(to) })
  const meeting = (changes: object = {}) => ({
    name: 'Stand-up',
    description: ' *Plans*\r\n',
    organizer_user_id: organizer,
    classification: 1,
    from_timezone: 'Europe/Berlin',
    to_timezone: 'Europe/London',
    attendees: [user(guest), visitor('ada@example.com'), bookable(room)],
    ...time(),
    ...changes,
  })
  async function create(changes: object = {}): Promise<number> {
    const answer = await client.post('events', meeting(changes))
    expect(answer.status, answer.text).to.equal(200)
    return answer.json.data.id
  }
  const patch = (id: number, body: object, headers?: Record<string, string>): Promise<ApiAnswer> =>
    client.patch(`events/${id}`, body, headers)
  const answersOf = async (id: number) =>
    (await details(id)).attendees.map(({ status }: { status: number }) => status)
  const details = async (id: number) => (await client.get(`events/${id}?include=details`)).json.data
  const peopleOf = ({ json }: ApiAnswer): number[] => json.data.attendees.map(({ id }: { id: number }) => id)
  const roomsOf = ({ json }: ApiAnswer): number[] => json.data.bookables.map(({ id }: { id: number }) => id)
  const email = async (id: number) => (await world.database('users').where({ id }).first()).email

  describe('the parameter include=details', () => {
    it('adds ids, time zones, the description and the types of attendees to all responses', async () => {
      const answer = await client.post('events?include=details', meeting())
      const { id, attendees } = answer.json.data
      expect(answer.json.data).to.deep.equal({
        id,
        name: 'Stand-up',
        description: ' *Plans*\r\n',
        from: toMicroseconds(hoursFromNow(slot)),
        to: toMicroseconds(hoursFromNow(slot + 2)),
        from_timezone: 'Europe/Berlin',
        to_timezone: 'Europe/London',
        classification: 1,
        status: 1,
        organizer: { id: organizer, name: 'Grace Hopper' },
        attendees: [
          ...[organizer, guest].map((each, index) => ({ ...attendees[index], type: 'user', user_id: each })),
          { ...attendees[2], email: 'ada@example.com', type: 'visitor', user_id: null },
        ],
        bookables: [{ id: room, name: 'Harbour', tags: [], capacity: 0, integration_email: '' }],
        series_id: null,
      })
      const span = `from=${hoursFromNow(slot - 1)}&to=${hoursFromNow(slot + 1)}`
      expect((await client.get(`events/${id}?include=details`)).text).to.equal(answer.text)
      const listed = await client.get(`events?${span}&bookable_id=${room}&include=details`)
      expect(listed.json.data).to.deep.equal([answer.json.data])
      const paged = await client.get(`events?${span}&bookable_id=${room}&include=details&limit=1`)
      expect(paged.json.data).to.deep.equal([answer.json.data])
    })

    it('adds the same details to GET events/today', async () => {
      // Uses times around now, because the next full hour may be tomorrow.
      const secondsFromNow = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
      const id = await create({ from_time: secondsFromNow(-60), to_time: secondsFromNow(60) })
      const listed = await client.get(`events/today?building_id=${building}&include=details`)
      expect(listed.json.data).to.deep.equal([await details(id)])
    })

    it('leaves the default fields unchanged', async () => {
      const id = await create()
      const plain = (await client.get(`events/${id}`)).json.data
      const detailed = await details(id)
      expect(plain.organizer).to.deep.equal({ name: detailed.organizer.name })
      expect(plain.attendees).to.deep.equal(
        detailed.attendees.map(
          ({ type: _, user_id: __, ...rest }: { type: string; user_id: number }) => rest,
        ),
      )
      const { organizer: _, attendees: __, ...others } = plain
      expect(detailed).to.deep.include(others)
    })

    it('refuses any other value than details', async () => {
      const id = await create()
      for (const answer of [
        await client.get(`events/${id}?include=everything`),
        await patch(id, {}).then(() => client.patch(`events/${id}?include=`, {})),
      ])
        expect([answer.status, answer.json.errors]).to.deep.equal([
          422,
          { include: ['include must be “details”.'] },
        ])
    })

    it('returns a separate ETag, which writes accept like the ETag of the response without details', async () => {
      const id = await create()
      const plain = await client.get(`events/${id}`)
      const detailed = await client.get(`events/${id}?include=details`)
      const etag = (answer: ApiAnswer) => ({ 'If-Match': answer.headers.get('ETag') ?? '' })
      expect(etag(plain)).to.not.deep.equal(etag(detailed))
      const changed = await client.patch(`events/${id}?include=details`, { name: 'First' }, etag(detailed))
      expect([changed.status, changed.text]).to.deep.equal([
        200,
        (await client.get(`events/${id}?include=details`)).text,
      ])
      expect(etag(changed)).to.deep.equal(etag(await client.get(`events/${id}?include=details`)))
      expect((await patch(id, { name: 'Second' }, etag(plain))).status).to.equal(412)
      expect((await patch(id, { name: 'Second' }, etag(detailed))).status).to.equal(412)
      expect((await client.put(`events/${id}`, meeting(), etag(changed))).status).to.equal(200)
    })
  })

  describe('PATCH events/{id}', () => {
    it('changes nothing if the request has no field, or returns all details as they were read', async () => {
      const gone = await createUser(world.database, { name: 'Gone' })
      const id = await create({
        attendees: [user(guest), user(gone), visitor('Ada@example.com'), bookable(room)],
      })
      await world.database('users').where({ id: gone }).update({ deactivated_at: new Date() })
      await world.database('event_attendees').where({ event_id: id, user_id: guest }).update({ status: 2 })
      const before = await details(id)
      for (const body of [{}, before, { attendees: before.attendees }, { attendees: {} }]) {
        const answer = await client.patch(`events/${id}?include=details`, body)
        expect([answer.status, answer.json.data], JSON.stringify(body)).to.deep.equal([200, before])
      }
      const replacement = {
        ...before,
        from_time: before.from,
        to_time: before.to,
        organizer_user_id: before.organizer.id,
        attendees: [
          ...before.attendees,
          ...before.bookables.map((each: { id: number }) => bookable(each.id)),
        ],
      }
      const replaced = await client.put(`events/${id}?include=details`, replacement)
      expect([replaced.status, replaced.json.data]).to.deep.equal([200, before])
    })

    it('changes each field separately, and keeps the other fields', async () => {
      const changes: Array<[sent: object, shown: object]> = [
        [{ name: 'Retro' }, { name: 'Retro' }],
        [{ description: '# Agenda' }, { description: '# Agenda' }],
        [{ description: null }, { description: '' }],
        [{ classification: 2 }, { classification: 2 }],
        [{ classification: null }, { classification: 3 }],
        [{ from_timezone: 'asia/tokyo' }, { from_timezone: 'Asia/Tokyo' }],
        [{ to_timezone: null }, { to_timezone: 'UTC' }],
        [{ from_time: hoursFromNow(slot + 1) }, { from: toMicroseconds(hoursFromNow(slot + 1)) }],
        [{ to_time: hoursFromNow(slot + 3) }, { to: toMicroseconds(hoursFromNow(slot + 3)) }],
      ]
      const id = await create()
      let expected = await details(id)
      for (const [sent, shown] of changes) {
        const answer = await client.patch(`events/${id}?include=details`, sent)
        expected = { ...expected, ...shown }
        expect([answer.status, answer.json.data], JSON.stringify(sent)).to.deep.equal([200, expected])
      }
      const [claim] = await world.database('bookings').where({ event_id: id })
      expect(claim.during).to.equal((await world.database('events').where({ id }).first()).during)
    })

    it('adds and removes attendees, and keeps the ids and answers of those who stay', async () => {
      const id = await create()
      await world.database('event_attendees').where({ event_id: id, user_id: guest }).update({ status: 3 })
      const before = await details(id)
      const [hopper, turing, ada] = before.attendees
      const other = await createUser(world.database)
      const added = await patch(id, { attendees: { add: [user(other), bookable(annex), user(guest)] } })
      expect(peopleOf(added)).to.deep.equal([organizer, guest, ada.id, other])
      expect(roomsOf(added)).to.deep.equal([room, annex])
      const removed = await client.patch(`events/${id}?include=details`, {
        attendees: { remove: [String(other), bookable(room)], add: [visitor('ADA@example.com')] },
      })
      expect(removed.status, removed.text).to.equal(200)
      expect(removed.json.data.attendees).to.deep.equal([hopper, turing, ada])
      expect(roomsOf(removed)).to.deep.equal([annex])
      expect(peopleOf(await patch(id, { attendees: { remove: [ada.id, user(guest)] } }))).to.deep.equal([
        organizer,
      ])
      const booked = { bookable_id: room, user_id: guest, ...time() }
      const { location_id } = await world.database('bookables').where({ id: room }).first()
      expect((await client.post('bookings', { ...booked, location_id })).status).to.equal(200)
    })

    it('removes a person whose id is also that of a room, and the room only if its type is given', async () => {
      const { location_id } = await world.database('bookables').where({ id: room }).first()
      let [person, twin] = [guest, annex]
      while (person !== twin)
        if (twin < person) twin = await createBookable(world.database, { location_id, type: 2 })
        else person = await createUser(world.database)
      const id = await create({ attendees: [user(person), bookable(twin)] })
      const alone = await patch(id, { attendees: { remove: [person] } })
      expect([peopleOf(alone), roomsOf(alone)]).to.deep.equal([[organizer], [twin]])
      const back = await patch(id, { attendees: { add: [user(person)], remove: [bookable(twin)] } })
      expect([peopleOf(back), roomsOf(back)]).to.deep.equal([[organizer, person], []])
    })

    it('replaces all people with the people of a list, and all rooms if the list names any room', async () => {
      const id = await create()
      const people = await patch(id, { attendees: [user(guest)] })
      expect([peopleOf(people), roomsOf(people)]).to.deep.equal([[organizer, guest], [room]])
      const moved = await patch(id, { attendees: [visitor('bob@example.com'), bookable(annex)] })
      expect(moved.json.data.attendees.map((each: { name: string }) => each.name)).to.deep.equal([
        'Grace Hopper',
        'bob@example.com',
      ])
      expect(roomsOf(moved)).to.deep.equal([annex])
      const alone = await patch(id, { attendees: [] })
      expect([peopleOf(alone), roomsOf(alone)]).to.deep.equal([[organizer], [annex]])
    })

    it('replaces a visitor who has become a user by that user, without duplicates', async () => {
      const id = await create({ attendees: [visitor(await email(guest))] })
      const known = await patch(id, { attendees: { add: [user(guest)] } })
      expect(peopleOf(known)).to.deep.equal([organizer, guest])
      const again = await patch(id, { attendees: { add: [visitor((await email(guest)).toUpperCase())] } })
      expect(peopleOf(again)).to.deep.equal([organizer, guest])
    })

    it('hands the event over to another organizer, and keeps the former one as an attendee', async () => {
      const id = await create()
      const answer = await client.patch(`events/${id}?include=details`, { organizer_user_id: guest })
      expect(answer.json.data.organizer).to.deep.equal({ id: guest, name: 'Alan Turing' })
      const roles = answer.json.data.attendees.map((each: { id: number; role: number }) => [
        each.id,
        each.role,
      ])
      expect(roles.slice(0, 2)).to.deep.equal([
        [organizer, 1],
        [guest, 0],
      ])
      const stranger = await createUser(world.database)
      const body = { organizer_user_id: stranger, attendees: { remove: [guest] } }
      expect(peopleOf(await patch(id, body)).slice(0, 1)).to.deep.equal([organizer])
      expect(peopleOf(await patch(id, {})))
        .to.include(stranger)
        .and.not.include(guest)
    })

    it('names every attendee who cannot be added or removed, and changes nothing', async () => {
      const id = await create()
      const before = await details(id)
      const stranger = await createUser(world.database)
      const answer = await patch(id, {
        name: 'Other',
        attendees: {
          add: [user(999_999), { type: 'bookable', email: 'nowhere@example.com' }],
          remove: [organizer, stranger, bookable(annex), bookable(guest)],
        },
      })
      const unknown = ['The event does not have this attendee.']
      expect([answer.status, answer.json.errors]).to.deep.equal([
        422,
        {
          'attendees.remove.0': ['The organizer always attends.'],
          'attendees.remove.1': unknown,
          'attendees.remove.2': unknown,
          'attendees.remove.3': unknown,
          'attendees.add.0.id': ['There is no active user with this id.'],
          'attendees.add.1.email': ['There is no room with this e-mail.'],
        },
      ])
      expect(await details(id)).to.deep.equal(before)
    })

    it('names malformed fields by their path', async () => {
      const id = await create()
      const errorsOf = async (body: object) => (await patch(id, body)).json.errors
      expect(
        await errorsOf({
          name: null,
          to_time: null,
          organizer_user_id: null,
          attendees: {
            add: [{ type: 'user' }, { type: 'visitor', id: 1 }],
            remove: ['x', null, { id: 1 }, {}],
          },
        }),
      ).to.have.all.keys(
        'name',
        'to_time',
        'organizer_user_id',
        'attendees.add.0.id',
        'attendees.add.1.email',
        'attendees.remove.0',
        'attendees.remove.1',
        'attendees.remove.2.type',
        'attendees.remove.3.type',
        'attendees.remove.3.id',
      )
      for (const attendees of ['x', 7, null, true])
        expect(await errorsOf({ attendees }), String(attendees)).to.have.all.keys('attendees')
      expect(await errorsOf({ attendees: [{ type: 'robot' }] })).to.include.keys('attendees.0.type')
      expect(await errorsOf({ attendees: { remove: Array(1_001).fill(1) } })).to.deep.equal({
        'attendees.remove': ['attendees.remove must have at most 1000 items.'],
      })
      expect(await errorsOf({ attendees: Array(1_001).fill(user(1)) })).to.deep.equal({
        attendees: ['attendees must have at most 1000 items.'],
      })
      expect(await errorsOf({ from_time: hoursFromNow(slot + 3) })).to.have.all.keys('to_time')
      const strict = await patch(id, { attendees: { ad: [] }, nam: 'x' }, { Prefer: 'handling=strict' })
      expect(strict.json.errors).to.have.all.keys('attendees.ad', 'nam')
    })

    it('limits the number of attendees and of rooms that the event has in total', async () => {
      const id = await create()
      const visitors = Array.from({ length: 999 }, (_, index) => visitor(`visitor${index}@example.com`))
      const answer = await patch(id, { attendees: { add: visitors } })
      expect([answer.status, answer.json.errors]).to.deep.equal([
        422,
        { attendees: ['The event would have more than 1000 users.'] },
      ])
      expect((await patch(id, { attendees: { add: visitors.slice(0, 997) } })).status).to.equal(200)
    })

    it('refuses a room that is taken, and keeps the rooms that the event already has', async () => {
      const id = await create()
      const taken = {
        bookable_id: annex,
        user_id: guest,
        from: hoursFromNow(slot),
        to: hoursFromNow(slot + 1),
      }
      await createBooking(world.database, taken)
      const before = await details(id)
      const answer = await patch(id, { attendees: { add: [bookable(annex)], remove: [bookable(room)] } })
      expect([answer.status, answer.json.code, answer.json.conflict.bookable_id]).to.deep.equal([
        409,
        'booking_conflict',
        annex,
      ])
      await world.database('bookables').where({ id: room }).update({ status: 1 })
      expect((await patch(id, { to_time: hoursFromNow(slot + 5) })).json.code).to.equal('bookable_blocked')
      expect((await patch(id, { to_time: hoursFromNow(slot + 1) })).status).to.equal(200)
      expect((await details(id)).bookables).to.deep.equal(before.bookables)
    })

    it('refuses to change cancelled and unknown events', async () => {
      const id = await create()
      await client.delete(`events/${id}`)
      expect((await patch(id, { name: 'x' })).json.code).to.equal('event_cancelled')
      expect((await patch(999_999, { name: 'x' })).status).to.equal(404)
    })

    it('changes an event that is over, even if one of its rooms is deleted', async () => {
      const id = await createEvent(world.database, {
        organizer_user_id: organizer,
        from: hoursFromNow(-3),
        to: hoursFromNow(-2),
      })
      const times = { from: hoursFromNow(-3), to: hoursFromNow(-2) }
      await createBooking(world.database, { bookable_id: room, event_id: id, ...times })
      await world.database('bookables').where({ id: room }).update({ deleted_at: new Date() })
      const answer = await patch(id, { name: 'Minutes' })
      expect([answer.status, answer.json.data.name, roomsOf(answer)]).to.deep.equal([200, 'Minutes', [room]])
    })

    it('changes an event once for each Idempotency-Key, and records one change', async () => {
      const id = await create()
      const key = { 'Idempotency-Key': `patch-${id}` }
      const body = { attendees: { add: [visitor('bob@example.com')] } }
      const first = await patch(id, body, key)
      await patch(id, { attendees: { remove: [peopleOf(first).at(-1)] } })
      const again = await patch(id, body, key)
      expect([again.text, again.headers.get('Idempotency-Replayed')]).to.deep.equal([first.text, 'true'])
      expect((await details(id)).attendees).to.have.length(3)
      const entries = await world
        .database('audit_log')
        .where({ resource: 'events', resource_id: id })
        .orderBy('id')
      expect(entries.map(({ action }) => action)).to.deep.equal([
        'events.create',
        'events.replace',
        'events.replace',
      ])
      const changes = await world
        .database('changes')
        .where({ type: 'event', resource_id: id, action: 'updated' })
      expect(changes).to.have.length(2)
    })

    it('keeps both changes if two simultaneous requests change different fields', async () => {
      const id = await create()
      const others = await Promise.all([1, 2, 3, 4].map(() => createUser(world.database)))
      const answers = await Promise.all([
        ...others.map((each) => patch(id, { attendees: { add: [user(each)] } })),
        patch(id, { name: 'Renamed' }),
        patch(id, { attendees: { remove: [guest] } }),
      ])
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(6).fill(200))
      const after = await details(id)
      expect(after.name).to.equal('Renamed')
      const ids = after.attendees.map((each: { user_id: number | null }) => each.user_id)
      expect(ids).to.have.members([organizer, null, ...others])
    })
  })

  it('shows the name of a guest only with include=details, and keeps it when the event changes', async () => {
    const named = { ...visitor('ada@example.com'), name: 'Ada Lovelace' }
    const id = await create({ attendees: [named] })
    const guestOf = async (query: string) =>
      (await client.get(`events/${id}${query}`)).json.data.attendees.at(-1)
    expect(await guestOf('')).to.include({ name: 'ada@example.com', email: 'ada@example.com' })
    expect(await guestOf('?include=details')).to.include({ name: 'Ada Lovelace', email: 'ada@example.com' })
    await patch(id, { attendees: [visitor('ADA@example.com')] })
    expect(await guestOf('?include=details')).to.include({ name: 'Ada Lovelace' })
    await patch(id, { attendees: [{ ...named, name: 'Countess Lovelace' }] })
    expect(await guestOf('?include=details')).to.include({ name: 'Countess Lovelace' })
    expect((await patch(id, { attendees: [{ ...named, name: ' ' }] })).status).to.equal(422)
  })

  it('resets all answers except the organizer’s when an event with invitations moves to another time', async () => {
    const answered = async (query: string) => {
      const answer = await client.post(`events${query}`, meeting({ attendees: [user(guest)], ...time() }))
      const { id } = answer.json.data
      await world.database('event_attendees').where({ event_id: id, user_id: guest }).update({ status: 2 })
      return id
    }
    const invited = await answered('?invite=true')
    await patch(invited, { name: 'Retro' })
    expect(await answersOf(invited)).to.deep.equal([1, 2])
    await patch(invited, time(slot, slot + 3))
    expect(await answersOf(invited)).to.deep.equal([1, 0])
    const uninvited = await answered('')
    await patch(uninvited, time(slot, slot + 3))
    expect(await answersOf(uninvited)).to.deep.equal([1, 2])
    expect(
      await world.database('events').whereIn('id', [invited, uninvited]).orderBy('id').pluck('invites'),
    ).to.eql([true, false])
  })
})
