// Checks that creating, changing and cancelling events, checking in to them, and answering invitations have the same
// effect in a batch as alone.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { BATCH_JOB, type Envelope, type Outcome } from '../../shared/jobs/jobs.ts'
import { runDelivery } from '../../workers/delivery/run.ts'
import { createDesk, createUser, hoursFromNow } from '../support/factories.ts'
import { createEnvelope, useTools } from '../support/faults/pipeline.ts'
import { useWorld } from '../support/world.ts'

const JOB_KINDS = [
  'events.create',
  'events.replace',
  'events.update',
  'events.cancel',
  'events.delete',
  'events.check-in',
  'events.answer',
] as const
type JobKind = (typeof JOB_KINDS)[number]

// A check-in requires a booking or event that has begun and has not ended.
const CURRENT_TIMES = { from_time: hoursFromNow(-1), to_time: hoursFromNow(8) }
const LATER_TIMES = { from_time: hoursFromNow(20), to_time: hoursFromNow(21) }

describe('events in one batch', () => {
  const world = useWorld({ workers: [] })
  const tools = useTools(world)
  let organizer: number
  let colleague: number

  before(async () => {
    organizer = await createUser(world.database)
    colleague = await createUser(world.database)
  })

  type Attempt = Envelope<unknown> & { job: JobKind }
  const attemptOf = (job: JobKind, input: object, changes: Partial<Envelope> = {}): Attempt => ({
    ...createEnvelope(input, changes),
    job,
  })
  const deliver = (attempts: unknown[]) =>
    runDelivery({ id: randomUUID(), name: BATCH_JOB, data: { attempts } }, tools)
  const statuses = async (attempts: unknown[]) =>
    ((await deliver(attempts)) as Array<{ status: number; refused?: string }>).map(
      ({ status, refused }) => refused ?? status,
    )
  async function outcomeOf({ attempt }: { attempt: string }): Promise<Outcome & { etag?: string }> {
    return (await world.database('receipts').where({ attempt }).first()).outcome
  }
  const bodyOf = async (attempt: Attempt) => JSON.parse((await outcomeOf(attempt)).body ?? 'null')
  const roomOf = async () => (await createDesk(world.database, { type: 2 })).bookable_id
  /** Creates rooms in the order of their ids, because an answer names the first of several taken rooms. */
  const roomsOf = async (number: number) => {
    const rooms: number[] = []
    while (rooms.length < number) rooms.push(await roomOf())
    return rooms
  }
  const meetingIn = (rooms: number[], changes: object = {}) => ({
    name: `Meeting in ${rooms}`,
    organizer_user_id: organizer,
    ...CURRENT_TIMES,
    attendees: [{ type: 'user', id: colleague }, ...rooms.map((id) => ({ type: 'bookable', id }))],
    ...changes,
  })
  const claimsOf = (event_id: number) => world.database('bookings').where({ event_id }).orderBy('id')
  /** Creates an event with the given room. */
  async function insert(room: number): Promise<number> {
    const attempt = attemptOf('events.create', meetingIn([room]))
    await statuses([attempt])
    return (await bodyOf(attempt)).data.id
  }
  const insertMany = async (rooms: number[]) => {
    const ids: number[] = []
    for (const room of rooms) ids.push(await insert(room))
    return ids
  }
  /** Returns an input for a free room, and for the event to change, if any. */
  const inputOf = (kind: JobKind, room: number, id: number | undefined) => {
    if (kind === 'events.create') return meetingIn([room], LATER_TIMES)
    if (kind === 'events.replace') return meetingIn([room], { id, name: `Meeting ${id}` })
    if (kind === 'events.answer') return { id, attendee_id: colleague, status: 2 }
    return kind === 'events.update' ? { id, name: `Meeting ${id}` } : { id }
  }
  const buildingOf = async (room: number): Promise<number> =>
    (
      await world
        .database('bookables')
        .join('locations', 'locations.id', 'location_id')
        .where('bookables.id', room)
        .pluck('building_id')
    )[0]

  for (const kind of JOB_KINDS) {
    const done = kind === 'events.delete' ? 204 : 200
    const isNew = kind === 'events.create'

    it(`keep the caller, audit entry, change and reply of each write apart: ${kind}`, async () => {
      const rooms = await roomsOf(4)
      const ids = await insertMany(rooms)
      const attempts = rooms.map((room, index) =>
        attemptOf(kind, inputOf(kind, room, ids[index]), {
          requestId: `${kind}-${index}`,
          actor: { type: 'admin', id: index, name: `A${index}` },
        }),
      )
      expect(await statuses(attempts)).to.deep.equal(rooms.map(() => done))
      const requests = attempts.map(({ requestId }) => requestId)
      const bodies = await Promise.all(attempts.map(bodyOf))
      const own = isNew ? bodies.map(({ data }) => data.id) : ids
      for (const [table, order] of Object.entries({ audit_log: 'id', changes: 'sequence' })) {
        const rows = await world.database(table).whereIn('request_id', requests).orderBy(order)
        expect(
          rows.map((row) => [row.resource_id, row.request_id, row.actor_id, row.actor_name]),
          table,
        ).to.deep.equal(own.map((id, index) => [id, requests[index], index, `A${index}`]))
        for (const [index, { building_ids: buildings }] of rows.entries())
          if (table === 'changes')
            expect(buildings.map(Number)).to.deep.equal([await buildingOf(rooms[index] as number)])
      }
      for (const [index, room] of rooms.entries()) {
        const [entry] = await world.database('audit_log').where({ request_id: requests[index] })
        const [part] = entry.after.rooms ?? (kind === 'events.answer' ? entry.after.attendees : [])
        expect(part?.event_id ?? entry.after.id).to.equal(own[index])
        if (kind === 'events.answer') expect(bodies[index].data).to.deep.equal({ id: own[index], status: 2 })
        if (kind === 'events.cancel') expect(bodies[index].data).to.deep.equal({ id: own[index], freed: 1 })
        if (!['events.create', 'events.replace', 'events.update'].includes(kind)) continue
        expect(bodies[index].data.bookables[0].id).to.equal(room)
        expect((await outcomeOf(attempts[index] as Attempt)).etag).to.match(/^"[\w-]{27}"$/)
      }
    })

    it(`are refused one by one, while all valid writes are executed: ${kind}`, async () => {
      const rooms = await roomsOf(3)
      const ids = await insertMany(rooms)
      const [first, , last] = rooms.map((room, index) => attemptOf(kind, inputOf(kind, room, ids[index])))
      const wrong = isNew
        ? attemptOf(kind, meetingIn([999_999]))
        : attemptOf(kind, inputOf(kind, Number(rooms[1]), 999_999))
      expect(await statuses([first, wrong, last])).to.deep.equal([
        done,
        isNew ? 'validation_failed' : 'not_found',
        done,
      ])
    })

    it(`hide resources outside the caller’s buildings: ${kind}`, async () => {
      const rooms = await roomsOf(3)
      const ids = await insertMany(rooms)
      const building = await buildingOf(Number(rooms[1]))
      const limits = [[building + 1_000], [building], undefined]
      const attempts = rooms.map((room, index) => {
        const buildingIds = limits[index]
        return attemptOf(kind, inputOf(kind, room, ids[index]), buildingIds ? { buildingIds } : {})
      })
      expect(await statuses(attempts)).to.deep.equal([isNew ? 'validation_failed' : 'not_found', done, done])
    })
  }

  it('get a room in the order of the batch, and a later event gets the usual conflict', async () => {
    const [room, other] = (await roomsOf(2)) as [number, number]
    const body = meetingIn([room, other], { name: 'Second' })
    const attempts = [meetingIn([room], { name: 'First' }), body, meetingIn([other], { name: 'Third' })].map(
      (input) => attemptOf('events.create', input),
    )
    // The third event gets a room that the refused second event also wanted.
    expect(await statuses(attempts)).to.deep.equal([200, 'booking_conflict', 200])
    const alone = attemptOf('events.create', body)
    expect(await statuses([alone])).to.deep.equal(['booking_conflict'])
    expect((await outcomeOf(attempts[1] as Attempt)).body).to.equal((await outcomeOf(alone)).body)
    expect(await world.database('events').where({ name: 'Second' })).to.deep.equal([])
    expect(await world.database('bookings').whereIn('bookable_id', [room, other])).to.have.length(2)
  })

  it('are refused if their rooms are taken, while all other events are saved', async () => {
    const rooms = await roomsOf(4)
    const [taken, ...free] = rooms as [number, number, number, number]
    await insert(taken)
    const attempts = [free[0], taken, free[1], taken, free[2]].map((room) =>
      attemptOf('events.create', meetingIn([Number(room)])),
    )
    const expected = [200, 'booking_conflict', 200, 'booking_conflict', 200]
    expect(await statuses(attempts)).to.deep.equal(expected)
    const alone = attemptOf('events.create', meetingIn([taken]))
    await statuses([alone])
    const { body } = await outcomeOf(alone)
    for (const index of [1, 3]) expect((await outcomeOf(attempts[index] as Attempt)).body).to.equal(body)
  })

  it('can swap their rooms, and keep their old rooms if the new ones are taken', async () => {
    const [one, two, three] = (await roomsOf(3)) as [number, number, number]
    const [first, second, third] = (await insertMany([one, two, three])) as [number, number, number]
    const into = (id: number, room: number) => attemptOf('events.replace', meetingIn([room], { id }))
    expect(await statuses([into(first, two), into(second, one)])).to.deep.equal([200, 200])
    const result = await statuses([into(first, three), into(second, one)])
    expect(result).to.deep.equal(['booking_conflict', 200])
    const rooms = await Promise.all([first, second, third].map(claimsOf))
    expect(rooms.map((claims) => claims.map(({ bookable_id }) => bookable_id))).to.deep.equal([
      [two],
      [one],
      [three],
    ])
  })

  it('are applied one after another if they affect the same event', async () => {
    const ids = await insertMany(await roomsOf(2))
    const [changed, cancelled] = ids as [number, number]
    const attempts = [
      attemptOf('events.update', { id: changed, name: 'One' }),
      attemptOf('events.update', { id: changed, description: 'Two' }),
      attemptOf('events.cancel', { id: cancelled }),
      attemptOf('events.cancel', { id: cancelled }),
    ]
    expect(await statuses(attempts)).to.deep.equal([200, 200, 200, 200])
    const entries = await world.database('audit_log').whereIn('resource_id', ids).where('resource', 'events')
    const of = (id: number, action: string) =>
      entries.filter((entry) => entry.resource_id === id && entry.action === action)
    expect(of(cancelled, 'events.cancel')).to.have.length(1)
    const [one, two] = of(changed, 'events.replace').sort((a, b) => a.id - b.id)
    expect(two.before).to.deep.equal(one.after)
    expect(two.after).to.include({ name: 'One', description: 'Two' })
  })

  it('keep rooms whose time does not change, and claim all other rooms again', async () => {
    const [room, other] = (await roomsOf(2)) as [number, number]
    const id = await insert(room)
    const [before] = await claimsOf(id)
    await statuses([attemptOf('events.update', { id, name: 'Another' })])
    const add = [{ type: 'bookable', id: other }]
    await statuses([attemptOf('events.update', { id, attendees: { add } })])
    const [kept, added] = await claimsOf(id)
    expect(kept).to.deep.equal(before)
    expect(added.bookable_id).to.equal(other)
    await statuses([attemptOf('events.update', { id, to_time: hoursFromNow(9) })])
    expect((await claimsOf(id)).map(({ id: claim }) => claim)).to.not.include(before.id)
  })

  it('are refused only if their ETag or version is outdated', async () => {
    const ids = await insertMany(await roomsOf(4))
    const [one, two, three, four] = ids as [number, number, number, number]
    const first = attemptOf('events.update', { id: one, name: 'New' })
    const attempts = [
      first,
      attemptOf('events.update', { id: two, name: 'New', if_match: ['"other"'] }),
      attemptOf('events.replace', meetingIn([], { id: three, version: 'other' })),
      attemptOf('events.delete', { id: four, if_match: ['"other"'] }),
    ]
    const expected = [200, 'precondition_failed', 'changed_meanwhile', 'precondition_failed']
    expect(await statuses(attempts)).to.deep.equal(expected)
    const { etag } = await outcomeOf(first)
    expect(await statuses([attemptOf('events.delete', { id: one, if_match: [etag] })])).to.deep.equal([204])
  })

  it('are created once if two of them have the same idempotency key', async () => {
    const idempotency = { scope: 'token:1', key: randomUUID(), fingerprint: 'ab' }
    const inputs = (await roomsOf(2)).map((room) => meetingIn([room]))
    const attempts = inputs.map((input) => attemptOf('events.create', input, { idempotency }))
    expect(await statuses(attempts)).to.deep.equal([200, 'idempotency_key_in_use'])
    const repeat = attemptOf('events.create', inputs[0] as object, { idempotency })
    expect(await statuses([repeat])).to.deep.equal([200])
    expect((await outcomeOf(repeat)).body).to.equal((await outcomeOf(attempts[0] as Attempt)).body)
  })

  it('have their usual outcome even if one of them crashes the batch or the batch is too large', async () => {
    await world.database.raw(`
      CREATE FUNCTION be_poisoned() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'poison'; END $$;
      CREATE TRIGGER poison BEFORE INSERT ON events FOR EACH ROW
        WHEN (NEW.name = 'Poison') EXECUTE FUNCTION be_poisoned()`)
    const names = ['One', 'Poison', 'Three']
    const attempts = names.map((name) => attemptOf('events.create', meetingIn([], { name })))
    const failure = await Promise.resolve(deliver(attempts)).catch((error: Error) => error.message)
    expect(failure).to.match(/^1 of 3 attempts failed/)
    const outcomes = await Promise.all(attempts.map(outcomeOf))
    expect(outcomes.map(({ status }) => status)).to.deep.equal([200, 500, 200])
    await world.database.raw('DROP TRIGGER poison ON events; DROP FUNCTION be_poisoned()')
    const visitors = Array.from({ length: 501 }, (_, index) => ({
      type: 'visitor',
      email: `visitor${index}@example.com`,
    }))
    const large = names.map(() => attemptOf('events.create', meetingIn([], { attendees: visitors })))
    expect(await statuses(large)).to.deep.equal([200, 200, 200])
    const data = await Promise.all(large.map(bodyOf))
    expect(data.map((body) => body.data.attendees.length)).to.deep.equal([502, 502, 502])
  })
})
