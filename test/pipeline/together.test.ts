// Administrators and users write at the same moment, on the same few bookables: nobody gets a 500, nobody waits in a
// circle, and afterwards nothing contradicts anything.

import { expect } from 'chai'
import fc from 'fast-check'
import type { JobName } from '../../shared/jobs/jobs.ts'
import { UNDOABLE } from '../../shared/undo/undo.ts'
import { useAdmin } from '../support/dashboard/admin.ts'
import { createBookable, createLocation, createUser, hoursFromNow } from '../support/factories.ts'
import { expectNoDeadlock } from '../support/faults/contention.ts'
import { testSeed } from '../support/seed.ts'
import { useWorld } from '../support/world.ts'

const BOOKABLES = 4
const WAVES = 25
const AT_ONCE = 12

type Write = { job: JobName; bookables: number[]; user: number; hour: number; type: number }

const write: fc.Arbitrary<Write> = fc.record({
  job: fc.constantFrom<JobName[]>(
    // The other writes need enough bookings.
    'bookings.create',
    'bookings.create',
    'bookings.create',
    'bookings.create-open',
    'bookings.update',
    'bookings.move',
    // Often refused, so they are asked for twice as often.
    'bookings.swap',
    'bookings.swap',
    'audit-entries.undo',
    'bookings.delete',
    'audit-entries.undo',
    'visitors.arrive',
    'visitors.tell-host',
    'visitors.undo-arrival',
    'events.create',
    'events.replace',
    'events.update',
    'events.cancel',
    'bookables.edit',
    'bookables.set-position',
    'bookables.set-positions',
    'bookables.assign',
    'bookables.unassign',
    'bookables.unassign-all',
    'bookables.delete',
    'bookables.update',
    'bookables.delete-one',
    'users.deactivate',
    'users.restore',
    'bookings.release',
  ),
  bookables: fc.uniqueArray(fc.nat(BOOKABLES - 1), { minLength: 1, maxLength: 3 }),
  user: fc.nat(2),
  hour: fc.integer({ min: 0, max: 4 }),
  type: fc.constantFrom(0, 3),
})

const changesOf = (user?: number, type?: number) => [
  { tags: ['x'] },
  { type },
  { assigned_user_ids: [user] },
  { assigned_user_ids: [] },
  { assigned_user_ids: [user], in_the_way: 'release' },
]

describe('simultaneous writes of administrators and users', function () {
  this.timeout(120_000)
  const environment = { WRITES_CONCURRENCY: String(AT_ONCE), DATABASE_CONNECTIONS_MAX: String(AT_ONCE) }
  const world = useWorld({ workers: [], environment })
  const admin = useAdmin(world)
  let location_id: number
  let bookables: number[]
  let users: number[]

  before(async () => {
    location_id = await createLocation(world.database)
    users = await Promise.all([1, 2, 3].map(() => createUser(world.database)))
  })

  const newBookable = () => createBookable(world.database, { location_id })

  it('leave the database consistent', async () => {
    const writes = fc.sample(write, { seed: testSeed, numRuns: WAVES * AT_ONCE })
    const answered = new Map<number, number>()
    await expectNoDeadlock(world, async () => {
      bookables = await Promise.all(Array.from({ length: BOOKABLES }, newBookable))
      for (let wave = 0; wave < WAVES; wave++) {
        const asked = await Promise.all(writes.slice(wave * AT_ONCE, (wave + 1) * AT_ONCE).map(inputOf))
        const answers = await Promise.all(asked.map(({ job, input }) => admin.ask(job, input)))
        for (const { status } of answers) answered.set(status, (answered.get(status) ?? 0) + 1)
        await expectNoContradiction(`wave ${wave} of seed ${testSeed}`)
        await replaceDeleted()
      }
    })
    expect([...answered.keys()], `seed ${testSeed}`).to.include.members([200, 204, 409])
    for (const status of answered.keys())
      expect(status, `seed ${testSeed}`).to.be.oneOf([200, 204, 404, 409, 422])
  })

  /** Picks any existing bookings and events. */
  async function inputOf(drawn: Write): Promise<{ job: JobName; input: object }> {
    const { job, type, hour } = drawn
    const ids = drawn.bookables.map((index) => bookables[index])
    const user_id = users[drawn.user]
    const time = { from_time: hoursFromNow(hour), to_time: hoursFromNow(hour + 2) }
    const attendees = ids.map((id) => ({ type: 'bookable', id }))
    const event = { name: 'E', organizer_user_id: user_id, ...time, attendees }
    const one = job.startsWith('bookables') ? ids[0] : await anyOf(job)
    const [first, second] = await listPlaced()
    const inputs: Partial<Record<JobName, object>> = {
      'audit-entries.undo': { id: await anyEntry(), skips: hour % 2 === 1 },
      'bookings.create': { bookable_id: ids[0], location_id, user_id, guest_name: 'Grace', ...time },
      'bookings.create-open': { bookable_id: ids[0], location_id, user_id, from_time: time.from_time },
      'bookings.update': { id: one, ...time },
      'bookings.move': { id: one, bookable_id: ids[0], ...(hour % 2 ? time : {}) },
      'bookings.release': {},
      'bookings.swap': { one: first, other: second },
      'events.create': event,
      'events.replace': { id: one, ...event },
      'events.update': { id: one, attendees, ...(hour % 2 ? time : {}) },
      'bookables.edit': { id: one, type },
      'bookables.set-position': { id: one, x: 0.5, y: 0.5 },
      'bookables.set-positions': { positions: ids.map((id) => ({ id, x: hour / 4, y: 0.5 })) },
      'bookables.assign': { id: one, user_id },
      'bookables.unassign': { id: one, user_id },
      'bookables.delete': { ids },
      'bookables.update': { id: one, ...changesOf(user_id, type)[hour] },
      'bookables.delete-one': { id: one, ...(hour % 2 ? { in_the_way: 'move' } : {}) },
      'users.deactivate': { ids: [user_id] },
      'users.restore': { ids: users },
      'visitors.arrive': { booking_id: one },
      'visitors.tell-host': { booking_id: one, mails_host: true },
      'visitors.undo-arrival': { booking_id: one },
    }
    return { job, input: inputs[job] ?? { id: one } }
  }

  async function anyOf(job: JobName): Promise<number> {
    const table = job.startsWith('events') ? 'events' : 'bookings'
    const { rows } = await world.database.raw(`SELECT id FROM ${table} ORDER BY random() LIMIT 1`)
    return rows[0]?.id ?? 1
  }

  /** Two bookings, where they are now. */
  async function listPlaced(): Promise<object[]> {
    const { rows } = await world.database.raw(
      'SELECT id, bookable_id FROM bookings WHERE event_id IS NULL ORDER BY random() LIMIT 2',
    )
    return rows.length === 2 ? rows : [1, 2].map((id) => ({ id, bookable_id: id }))
  }

  /** Picks recent writes only, because older ones have been changed since. */
  async function anyEntry(): Promise<number> {
    const { rows } = await world.database.raw(
      `SELECT id FROM (SELECT id FROM audit_log WHERE action = ANY(?) ORDER BY id DESC LIMIT 8) AS newest
       ORDER BY random() LIMIT 1`,
      [[...UNDOABLE]],
    )
    return rows[0]?.id ?? 1
  }

  async function replaceDeleted() {
    const left: number[] = await world.database('bookables').whereNull('deleted_at').pluck('id')
    bookables = await Promise.all(bookables.map((id) => (left.includes(id) ? id : newBookable())))
  }

  async function expectNoContradiction(when: string) {
    const { rows } = await world.database.raw(
      `SELECT bookings.id,
         bookings.exclusive <> (bookables.type <> 3) AS of_another_kind,
         bookables.deleted_at IS NOT NULL AS of_a_deleted_one,
         bookables.status = 2 AND NOT EXISTS (
           SELECT FROM bookable_assignees
           WHERE bookable_id = bookables.id AND user_id = coalesce(bookings.user_id, events.organizer_user_id)
         )
         -- Who is unassigned keeps what they have booked, and may make it shorter. Of two transactions the one that began first
         -- may come second: the entries of the log are numbered while the bookable is locked.
         AND NOT EXISTS (
           SELECT FROM audit_log unassigned
           WHERE action = 'bookables.unassign' AND resource_id = bookables.id AND id > (
             SELECT max(id) FROM audit_log
             WHERE resource = 'bookings' AND resource_id = bookings.id
               AND ((before ->> 'during')::tstzrange @> (after ->> 'during')::tstzrange) IS NOT TRUE
               OR resource = 'events' AND resource_id = bookings.event_id AND action = 'events.create'
           )
         ) AS of_somebody_elses,
         coalesce(events.status = 2, false) AS of_a_cancelled_event
       FROM bookings
       JOIN bookables ON bookables.id = bookings.bookable_id
       LEFT JOIN events ON events.id = bookings.event_id
       WHERE bookings.during && tstzrange(now() + interval '1 minute', NULL)`,
    )
    for (const row of rows) {
      const wrong = Object.entries(row).filter(([, value]) => value === true)
      expect(wrong, `booking ${row.id}, ${when}`).to.deep.equal([])
    }
    const overlaps = await world.database.raw(
      `SELECT one.id, other.id AS other_id FROM bookings one JOIN bookings other
         ON one.bookable_id = other.bookable_id AND one.id < other.id AND one.exclusive AND other.exclusive
         AND lower(one.during) < coalesce(upper(other.during), 'infinity')
         AND lower(other.during) < coalesce(upper(one.during), 'infinity')`,
    )
    expect(overlaps.rows, when).to.deep.equal([])
  }
})
