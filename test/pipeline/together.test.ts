// Runs simultaneous writes of administrators and users on the same few bookables: no write returns a 500 or deadlocks,
// and the data is consistent afterwards.

import { expect } from 'chai'
import fc from 'fast-check'
import type { JobName } from '../../shared/jobs/jobs.ts'
import { UNDOABLE_ACTIONS } from '../../shared/undo/undo.ts'
import { useAdmin } from '../support/dashboard/admin.ts'
import { createBookable, createLocation, createUser, hoursFromNow } from '../support/factories.ts'
import { expectNoDeadlock } from '../support/faults/contention.ts'
import { testSeed } from '../support/seed.ts'
import { useWorld } from '../support/world.ts'

const BOOKABLE_COUNT = 4
const WAVE_COUNT = 25
const WRITES_PER_WAVE = 12

type Write = { job: JobName; bookables: number[]; user: number; hour: number; type: number }

const write: fc.Arbitrary<Write> = fc.record({
  job: fc.constantFrom<JobName[]>(
    // Chooses creations more often, because the other writes need enough bookings.
    'bookings.create',
    'bookings.create',
    'bookings.create',
    'bookings.create-open',
    'bookings.update',
    'bookings.move',
    // Swaps are often refused, so they are chosen twice as often.
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
    'users.hand-over',
    'absences.create',
    'loans.create',
    'bookings.set-days',
    'bookings.release',
  ),
  bookables: fc.uniqueArray(fc.nat(BOOKABLE_COUNT - 1), { minLength: 1, maxLength: 3 }),
  user: fc.nat(2),
  hour: fc.integer({ min: 0, max: 4 }),
  type: fc.constantFrom(0, 3),
})

const listFieldChanges = (user?: number, type?: number) => [
  { tags: ['x'] },
  { type },
  { assigned_user_ids: [user] },
  { assigned_user_ids: [] },
  { assigned_user_ids: [user], in_the_way: 'release' },
]

const dayRange = (hour: number) => {
  const date = hoursFromNow(24 * hour).slice(0, 10)
  return { from: date, to: date }
}

describe('simultaneous writes of administrators and users', function () {
  this.timeout(120_000)
  const environment = {
    WRITES_CONCURRENCY: String(WRITES_PER_WAVE),
    DATABASE_CONNECTIONS_MAX: String(WRITES_PER_WAVE),
  }
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
    const writes = fc.sample(write, { seed: testSeed, numRuns: WAVE_COUNT * WRITES_PER_WAVE })
    const answered = new Map<number, number>()
    await expectNoDeadlock(world, async () => {
      bookables = await Promise.all(Array.from({ length: BOOKABLE_COUNT }, newBookable))
      for (let wave = 0; wave < WAVE_COUNT; wave++) {
        const asked = await Promise.all(
          writes.slice(wave * WRITES_PER_WAVE, (wave + 1) * WRITES_PER_WAVE).map(inputOf),
        )
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

  /** Returns a job and its input, with random existing bookings and events. */
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
      'bookables.update': { id: one, ...listFieldChanges(user_id, type)[hour] },
      'bookables.delete-one': { id: one, ...(hour % 2 ? { in_the_way: 'move' } : {}) },
      'users.deactivate': { ids: [user_id] },
      'users.restore': { ids: users },
      'users.hand-over': { id: user_id, to: users[(drawn.user + 1) % users.length] },
      'absences.create': { user_id, ...dayRange(hour), kind: 'away', release_bookings: hour % 2 === 0 },
      'loans.create': { bookable_id: ids[0], user_id, ...dayRange(hour) },
      'bookings.set-days': {
        user_id,
        days: [{ date: dayRange(0).from, choices: [{ bookable_id: ids[0], location_id, ...time }] }],
      },
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

  /** Lists two bookings with their current places. */
  async function listPlaced(): Promise<object[]> {
    const { rows } = await world.database.raw(
      'SELECT id, bookable_id FROM bookings WHERE event_id IS NULL ORDER BY random() LIMIT 2',
    )
    return rows.length === 2 ? rows : [1, 2].map((id) => ({ id, bookable_id: id }))
  }

  /** Picks a recent audit entry, because later writes prevent older entries from being undone. */
  async function anyEntry(): Promise<number> {
    const { rows } = await world.database.raw(
      `SELECT id FROM (SELECT id FROM audit_log WHERE action = ANY(?) ORDER BY id DESC LIMIT 8) AS newest
       ORDER BY random() LIMIT 1`,
      [[...UNDOABLE_ACTIONS]],
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
         -- Who is unassigned, also by handing over, keeps what they have booked, and may make it shorter. Of two transactions the one that began first
         -- may come second: the entries of the log are numbered while the bookable is locked.
         AND NOT EXISTS (
           SELECT FROM audit_log unassigned
           WHERE (action = 'bookables.unassign' OR action = 'bookables.assign'
               AND before -> 'assignees' @> to_jsonb(coalesce(bookings.user_id, events.organizer_user_id)))
             AND resource_id = bookables.id AND id > (
             SELECT max(id) FROM audit_log
             WHERE resource = 'bookings' AND resource_id = bookings.id
               AND ((before ->> 'during')::tstzrange @> (after ->> 'during')::tstzrange) IS NOT TRUE
               OR resource = 'events' AND resource_id = bookings.event_id AND action = 'events.create'
           )
         )
         -- Others may book a bookable on the days on which it was lent.
         AND NOT EXISTS (
           SELECT FROM audit_log lent
           WHERE action = 'loans.create' AND after ->> 'bookable_id' = bookables.id::text
             AND tstzrange((after ->> 'from')::date, (after ->> 'to')::date + 1) && bookings.during
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
