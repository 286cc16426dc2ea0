// Writes that run after every timer: each arrives before a deadline, and runs after the rest was released and
// booked by somebody else. What was true when it arrived no longer is: what was released stays so, and nothing is taken back.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { type JobName, jobs } from '../../../shared/jobs/jobs.ts'
import { instantOf } from '../../../shared/utilities/date-times.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { releaseNoShows } from '../../../workers/pollers/check-ins/no-shows.ts'
import { lapseHolds } from '../../../workers/pollers/holds/lapsing.ts'
import { useAdmin } from '../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createDesk,
  createEvent,
  createHold,
  createUser,
} from '../../support/factories.ts'
import { itInParallel } from '../../support/parallel-tests.ts'
import { eventually, promised } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'

const log = createLog('test', 'silent')
const MINUTE_MS = 60_000
const minutesFromNow = (minutes: number) => instantOf(Date.now() + minutes * MINUTE_MS)

// A write arrives, check-in closes, the rest is released, somebody else books it, and then the write is done.
const ARRIVAL = -3
const DEADLINE = -2
const REBOOKED = -1

type Scene = {
  /** Entries of the audit log: by which the booking came to the desk, and that cancelled another one there. */
  moved: number
  cancelled: number
  /** What was released, and what belongs to somebody else since then: a desk's booking, an event's room. */
  booking: number
  event: number
  series: number
  user: number
  desk: number
  room: number
  free: number
  /** A desk that was offered until then, and the wait to which. */
  offered: number
  wait: number
  location: number
  building: number
}
type Late = {
  input(scene: Scene): object
  /** The codes that it may be refused with; none where it is done. */
  refused?: string[]
  /** It deletes what was released, or takes what others have since then: that is what it is for. */
  deletes?: true
  takesFromOthers?: true
}

const meeting = ({ room, user }: Scene) => ({
  name: 'Late',
  organizer_user_id: user,
  attendees: [{ type: 'bookable', id: room }],
  to_time: minutesFromNow(120),
})
const mine = ({ desk, location, user }: Scene) => ({
  bookable_id: desk,
  location_id: location,
  user_id: user,
  to_time: minutesFromNow(30),
})
const closed = [{ from: minutesFromNow(-10), to: minutesFromNow(600), reason: 'Works' }]
const TAKEN = ['booking_conflict']
const ENDED = ['booking_ended']
const OFFER_IS_OVER = ['request_decided']
const releasing = { takesFromOthers: true } as const

const LATE: Partial<Record<JobName, Late | Late[]>> = {
  'waits.create': [
    {
      input: ({ desk, user }) => ({
        bookable_id: desk,
        user_id: user,
        from_time: minutesFromNow(-2),
        to_time: minutesFromNow(60),
      }),
    },
  ],
  'waits.accept': { input: ({ wait }) => ({ id: wait }), refused: OFFER_IS_OVER },
  'waits.decline': { input: ({ wait }) => ({ id: wait }), refused: OFFER_IS_OVER },
  'waits.cancel': { input: ({ wait }) => ({ id: wait }) },
  'audit-entries.undo': [
    { input: ({ moved }) => ({ id: moved }), refused: ['changed_meanwhile'] },
    { input: ({ cancelled }) => ({ id: cancelled }), refused: TAKEN },
    { input: ({ cancelled }) => ({ id: cancelled, skips: true }), refused: TAKEN },
  ],
  'bookings.create': { input: mine, refused: TAKEN },
  'bookings.check': { input: mine },
  'bookings.try': { input: mine, refused: TAKEN },
  'bookings.create-open': { input: mine, refused: TAKEN },
  'bookings.create-batch': [
    { input: (scene) => ({ bookings: [mine(scene)] }) },
    { input: (scene) => ({ bookings: [mine(scene)], atomic: true }), refused: TAKEN },
  ],
  'bookings.release': { input: ({ user }) => ({ user_ids: [user] }) },
  'bookings.update': [
    { input: ({ booking }) => ({ id: booking, to_time: minutesFromNow(60) }), refused: ENDED },
    { input: ({ booking }) => ({ id: booking, to_time: minutesFromNow(-2.5) }), refused: ENDED },
    {
      input: ({ booking }) => ({ id: booking, from_time: minutesFromNow(600), to_time: minutesFromNow(660) }),
      refused: ENDED,
    },
  ],
  'bookings.move': {
    input: ({ booking, free }) => ({ id: booking, bookable_id: free, to_time: minutesFromNow(60) }),
    refused: ENDED,
  },
  'bookings.swap': {
    input: ({ booking, desk, free }) => ({
      one: { id: booking, bookable_id: desk },
      other: { id: booking, bookable_id: free },
    }),
    refused: ENDED,
  },
  'bookings.check-in': { input: ({ booking }) => ({ id: booking }), refused: ENDED },
  'bookings.cancel': { input: ({ booking }) => ({ ids: [booking] }) },
  'bookings.delete': { input: ({ booking }) => ({ id: booking }), deletes: true },
  'series.create': [
    {
      input: (scene) => ({
        ...mine(scene),
        from_time: minutesFromNow(-4),
        repeat: { every: 'day', count: 2 },
        on_conflict: 'refuse',
      }),
      refused: TAKEN,
    },
    {
      input: (scene) => ({
        ...mine(scene),
        from_time: minutesFromNow(-4),
        repeat: { every: 'day', count: 2 },
        on_conflict: 'skip',
      }),
    },
  ],
  'series.delete': { input: ({ series }) => ({ id: series }) },
  'events.create': { input: meeting, refused: TAKEN },
  'events.create-from-booking': {
    input: ({ booking }) => ({ booking_id: booking, name: 'Late' }),
    deletes: true,
  },
  'events.replace': [
    { input: (scene) => ({ id: scene.event, ...meeting(scene) }) },
    { input: (scene) => ({ id: scene.event, ...meeting(scene), from_time: minutesFromNow(-59) }) },
    {
      input: (scene) => ({ id: scene.event, ...meeting(scene), from_time: minutesFromNow(30) }),
      refused: TAKEN,
    },
  ],
  'events.update': [
    { input: (scene) => ({ id: scene.event, name: 'Late' }) },
    {
      input: (scene) => ({
        id: scene.event,
        attendees: meeting(scene).attendees,
        from_time: minutesFromNow(30),
      }),
      refused: TAKEN,
    },
  ],
  'events.cancel': { input: ({ event }) => ({ id: event }), deletes: true },
  'events.delete': { input: ({ event }) => ({ id: event }), deletes: true },
  'events.check-in': { input: ({ event }) => ({ id: event }), refused: ENDED },
  'bookables.update': [
    { input: ({ desk }) => ({ id: desk, status: 1 }) },
    { input: ({ desk }) => ({ id: desk, status: 1, in_the_way: 'release' }), ...releasing },
    { input: ({ desk }) => ({ id: desk, status: 1, in_the_way: 'refuse' }), refused: ['in_use'] },
  ],
  'bookables.create-one': { input: ({ location }) => ({ location_id: location, name: 'Late', type: 0 }) },
  'bookables.delete-one': [
    { input: ({ desk }) => ({ id: desk, in_the_way: 'release' }), ...releasing },
    { input: ({ desk }) => ({ id: desk }), refused: ['in_use'] },
  ],
  'bookables.create': { input: ({ location }) => ({ location_id: location, names: ['Late'], type: 0 }) },
  'bookables.edit': [
    { input: ({ desk }) => ({ id: desk, name: 'Late', status: 1, in_the_way: 'release' }), ...releasing },
    { input: ({ desk }) => ({ id: desk, name: 'Late', status: 1, in_the_way: 'move' }), ...releasing },
    { input: ({ desk }) => ({ id: desk, name: 'Late', status: 1, in_the_way: 'ask' }), refused: ['in_use'] },
  ],
  'bookables.set-position': { input: ({ desk }) => ({ id: desk, x: 0.5, y: 0.5 }) },
  'bookables.set-positions': { input: ({ desk }) => ({ positions: [{ id: desk, x: 0.5, y: 0.5 }] }) },
  'bookables.make-codes': { input: ({ location }) => ({ location_id: location }) },
  'bookables.renew-code': { input: ({ desk }) => ({ id: desk }) },
  'bookables.assign': {
    input: ({ desk, user }) => ({ id: desk, user_id: user, in_the_way: 'move-or-release' }),
    ...releasing,
  },
  'bookables.unassign': { input: ({ desk, user }) => ({ id: desk, user_id: user }) },
  'bookables.unassign-all': { input: ({ desk }) => ({ id: desk }) },
  'bookables.delete': [
    { input: ({ desk }) => ({ ids: [desk], in_the_way: 'release' }), ...releasing },
    { input: ({ desk }) => ({ ids: [desk] }), refused: ['in_use'] },
  ],
  'bookables.set-status': {
    input: ({ desk, room }) => ({ ids: [desk, room], status: 1, in_the_way: 'move-or-release' }),
    ...releasing,
  },
  'bookables.set-tags': { input: ({ desk }) => ({ ids: [desk], add: ['late'], remove: [] }) },
  'bookables.relocate': { input: ({ desk, location }) => ({ ids: [desk], location_id: location }) },
  'bookables.assign-many': {
    input: ({ desk, user }) => ({ ids: [desk], user_id: user, in_the_way: 'release' }),
    ...releasing,
  },
  'bookables.unassign-many': { input: ({ desk }) => ({ ids: [desk] }) },
  'bookables.set-rules': {
    input: ({ desk }) => ({ id: desk, rules: { closed }, in_the_way: 'move-or-release' }),
    ...releasing,
  },
  'locations.set-rules': {
    input: ({ location }) => ({ id: location, rules: { closed }, in_the_way: 'release' }),
    ...releasing,
  },
  'buildings.set-rules': {
    input: ({ building }) => ({ id: building, rules: { closed }, in_the_way: 'release' }),
    ...releasing,
  },
  'bookables.close': {
    input: ({ desk }) => ({
      ids: [desk],
      closed: [
        { ...closed[0], from: minutesFromNow(-10).slice(0, 16), to: minutesFromNow(600).slice(0, 16) },
      ],
    }),
  },
  'buildings.close': {
    input: ({ building }) => ({
      ids: [building],
      closed: [
        { ...closed[0], from: minutesFromNow(-10).slice(0, 16), to: minutesFromNow(600).slice(0, 16) },
      ],
      in_the_way: 'release',
    }),
    ...releasing,
  },
}

// Those that claim, change or give back something, and those of the places where it is.
const CONCERNED = /^(audit-entries|bookings|series|events|bookables|waits)\.|\.set-rules$|\.close$/

describe('a write that runs after every timer', function suite() {
  this.timeout(promised(60_000))
  const world = useWorld()
  const admin = useAdmin(world)

  const setScene = async (): Promise<Scene> => {
    const { bookable_id: desk, location_id: location, user_id: user } = await createDesk(world.database)
    const room = await createBookable(world.database, { location_id: location, type: 2 })
    const free = await createBookable(world.database, { location_id: location })
    const [{ id: series }] = await world
      .database('series')
      .insert({ repeat: '{"every":"day","interval":1,"count":1}', timezone: 'UTC' })
      .returning('id')
    const times = { from: minutesFromNow(-60), to: minutesFromNow(90) }
    const asked = {
      check_in_from: minutesFromNow(-70),
      check_in_until: minutesFromNow(DEADLINE),
    }
    const event = await createEvent(world.database, { ...times, organizer_user_id: user })
    const booking = await createBooking(world.database, {
      ...times,
      ...asked,
      bookable_id: desk,
      user_id: user,
      series_id: series,
    })
    await createBooking(world.database, { ...times, ...asked, bookable_id: room, event_id: event })
    const { rows } = await world.database.raw('SELECT to_jsonb(bookings) AS row FROM bookings WHERE id = ?', [
      booking,
    ])
    const [{ row }] = rows
    const { building_id: building } = await world.database('locations').where({ id: location }).first()
    const moved = await note('bookings.move', booking, { ...row, bookable_id: free }, row)
    const cancelled = await note(
      'bookings.delete',
      1_000_000 + booking,
      { ...row, id: 1_000_000 + booking },
      null,
    )
    const offered = await createBookable(world.database)
    const wait = await offer(offered, user)
    return {
      offered,
      wait,
      moved,
      cancelled,
      booking,
      event,
      series,
      user,
      desk,
      room,
      free,
      location,
      building,
    }
  }
  const note = async (action: string, resource_id: number, before: object, after: object | null) => {
    const actor = { actor_type: 'admin', actor_name: 'ada@example.com', request_id: randomUUID() }
    const [entry] = await world
      .database('audit_log')
      .insert({ ...actor, action, resource: 'bookings', resource_id, before, after })
      .returning('id')
    return entry.id as number
  }
  const offer = async (bookable_id: number, user_id: number) => {
    const span = { from: minutesFromNow(-5), to: minutesFromNow(90) }
    const expires_at = minutesFromNow(DEADLINE)
    const hold_id = await createHold(world.database, {
      ...span,
      kind: 'offer',
      bookable_id,
      user_id,
      expires_at,
    })
    const during = world.database.raw('tstzrange(?, ?)', [span.from, span.to])
    const [wait] = await world
      .database('waits')
      .insert({ user_id, bookable_id, during, state: 'offered', hold_id })
      .returning('id')
    return wait.id as number
  }
  const rebook = ({ desk, room, offered }: Scene) =>
    Promise.all(
      [desk, room, offered].map((bookable_id) =>
        createBooking(world.database, {
          bookable_id,
          from: minutesFromNow(REBOOKED),
          to: minutesFromNow(90),
        }),
      ),
    )
  const claimsOn = ({ desk, room, free, offered }: Scene) =>
    world.database('bookings').whereIn('bookable_id', [desk, room, free, offered]).orderBy('id')

  it('is tested for every write job of bookings, events, bookables and waits', () => {
    const concerned = Object.entries(jobs).filter(
      ([name, job]) => job.queue === 'writes' && CONCERNED.test(name),
    )
    expect(Object.keys(LATE).sort()).to.deep.equal(concerned.map(([name]) => name).sort())
  })

  itInParallel(
    Object.fromEntries(
      Object.entries(LATE).flatMap(([name, late]) =>
        [late].flat().map((each, index) => [`${name} ${index + 1}`, () => perform(name as JobName, each)]),
      ),
    ),
  )

  async function perform(name: JobName, { input, refused = [], deletes, takesFromOthers }: Late) {
    const scene = await setScene()
    if (name === 'bookings.release') {
      await world.database('users').where({ id: scene.user }).update({ deactivated_at: new Date() })
    }
    // Another test may be releasing it at the same time.
    await eventually(async () => {
      await releaseNoShows(world.database, log)
      await lapseHolds(world.database, log)
      expect((await claimsOn(scene)).filter(({ released_at }) => released_at === null)).to.deep.equal([])
    })
    const others = await rebook(scene)
    const before = await claimsOn(scene)
    const answer = await admin.ask(name, input(scene), { receivedAt: minutesFromNow(ARRIVAL) })
    if (refused.length === 0) expect(answer.status, JSON.stringify(answer.json)).to.be.below(300)
    else expect(refused).to.include(answer.json?.code, JSON.stringify(answer.json))
    const after = await claimsOn(scene)
    const isHeld = ({ id }: { id: number }) =>
      others.includes(id) ? !takesFromOthers : !deletes || after.some((each) => each.id === id)
    expect(after.filter(({ id }) => before.some((each) => each.id === id && isHeld(each)))).to.deep.equal(
      before.filter(isHeld),
    )
    if (refused.length > 0) expect(after).to.deep.equal(before)
  }
})

describe('a check-in that waits in the queue until its time is over', function suite() {
  this.timeout(promised(60_000))
  const world = useWorld({ workers: [], environment: { WRITE_WAIT_MS: '60000' } })
  const client = useClient(world, 'booking-write')

  it('is refused, and somebody else has booked the rest', async () => {
    const desk = await createDesk(world.database)
    const closes = instantOf(Date.now() + 1_500)
    const id = await createBooking(world.database, {
      bookable_id: desk.bookable_id,
      user_id: desk.user_id,
      from: minutesFromNow(-60),
      to: minutesFromNow(60),
      check_in_from: minutesFromNow(-70),
      check_in_until: closes,
    })
    const answer = client.post(`bookings/${id}/check-in`, undefined)
    await eventually(async () => expect(await releaseNoShows(world.database, log)).to.equal(1), 20_000)
    const other = await createUser(world.database)
    const rest = { bookable_id: desk.bookable_id, user_id: other, from: closes, to: minutesFromNow(60) }
    await createBooking(world.database, rest)
    await world.startWorkers(['writes'])
    expect((await answer).json).to.include({ status: 409, code: 'booking_ended' })
    expect((await world.database('bookings').where({ id }).first()).checked_in_at).to.equal(null)
  })
})
