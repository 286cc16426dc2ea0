// Tests writes that run after every deadline: each arrives in time, but runs after the place was released and booked by
// somebody else. A late write must neither reclaim a released place nor take it from its new owner.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { type JobName, jobs } from '../../../shared/jobs/jobs.ts'
import { formatInstant } from '../../../shared/utilities/date-times.ts'
import { createLog } from '../../../shared/utilities/log.ts'
import { releaseNoShows } from '../../../workers/pollers/check-ins/no-shows.ts'
import { lapseHolds } from '../../../workers/pollers/holds/lapsing.ts'
import { insertEntry } from '../../support/calendars/entries.ts'
import { useAdmin } from '../../support/dashboard/admin.ts'
import {
  createAbsence,
  createBookable,
  createBooking,
  createDesk,
  createEvent,
  createHold,
  createLoan,
  createUser,
} from '../../support/factories.ts'
import { itInParallel } from '../../support/parallel-tests.ts'
import { eventually, promised } from '../../support/time.ts'
import { useClient, useWorld } from '../../support/world.ts'

const log = createLog('test', 'silent')
const MINUTE_MS = 60_000
const minutesFromNow = (minutes: number) => formatInstant(Date.now() + minutes * MINUTE_MS)

// A write arrives, check-in closes, the booking is released, somebody else books, and then the write runs.
const ARRIVAL_MINUTES = -3
const DEADLINE_MINUTES = -2
const REBOOKED_MINUTES = -1

type Scene = {
  /** The audit entry that moved the booking to the desk. */
  moved: number
  cancelled: number
  /** A released booking whose desk now belongs to somebody else. */
  booking: number
  event: number
  series: number
  /** The series of the event. */
  meetings: number
  user: number
  /** The user who attends the event. */
  colleague: number
  desk: number
  room: number
  free: number
  /** A desk whose offer has expired, and its waitlist entry. */
  offered: number
  wait: number
  /** A desk that its owner lends, and that somebody else has booked since. */
  lent: number
  loan: number
  absence: number
  /** Entries of calendars: a new one in the room, the one of the event, and the one that Berth wrote for the booking. */
  entries: { added: number; held: number; written: number }
  location: number
  building: number
}
type Read = {
  room: number
  desk: number
  event: number
  booking: number
  times: { from: string; to: string }
}
type Late = {
  input(scene: Scene): object
  /** The codes with which the write may be refused. Absent if the write succeeds. */
  refused?: string[]
  /** Whether the write deletes the released booking, or changes bookings of others, on purpose. */
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
const TAKEN_CODES = ['booking_conflict']
const ENDED_CODES = ['booking_ended']
const OFFER_OVER_CODES = ['request_decided']
const releasing = { takesFromOthers: true } as const

const LATE_WRITES: Partial<Record<JobName, Late | Late[]>> = {
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
  'absences.create': {
    input: ({ user }) => {
      const today = minutesFromNow(0).slice(0, 10)
      return { user_id: user, kind: 'away', from: today, to: today, release_bookings: true }
    },
  },
  'absences.delete': { input: ({ user, absence }) => ({ user_id: user, absence_id: absence }) },
  'loans.create': { input: ({ lent }) => ({ bookable_id: lent, from: '2031-03-01', to: '2031-03-01' }) },
  'loans.delete': { input: ({ lent, loan }) => ({ bookable_id: lent, loan_id: loan }), refused: ['in_use'] },
  'waits.accept': { input: ({ wait }) => ({ id: wait }), refused: OFFER_OVER_CODES },
  'waits.decline': { input: ({ wait }) => ({ id: wait }), refused: OFFER_OVER_CODES },
  'waits.cancel': { input: ({ wait }) => ({ id: wait }) },
  'audit-entries.undo': [
    { input: ({ moved }) => ({ id: moved }), refused: ['changed_meanwhile'] },
    { input: ({ cancelled }) => ({ id: cancelled }), refused: TAKEN_CODES },
    { input: ({ cancelled }) => ({ id: cancelled, skips: true }), refused: TAKEN_CODES },
  ],
  'bookings.create': { input: mine, refused: TAKEN_CODES },
  'bookings.check': { input: mine },
  'bookings.try': { input: mine, refused: TAKEN_CODES },
  // A booking without an end also covers the absence in the distant future.
  'bookings.create-open': {
    input: (scene) => ({ ...mine(scene), overrides_absence: true }),
    refused: TAKEN_CODES,
  },
  'bookings.create-batch': [
    { input: (scene) => ({ bookings: [mine(scene)] }) },
    { input: (scene) => ({ bookings: [mine(scene)], atomic: true }), refused: TAKEN_CODES },
  ],
  'bookings.set-days': {
    input: ({ desk, location, user }) => ({
      user_id: user,
      days: [
        {
          date: new Date().toISOString().slice(0, 10),
          choices: [{ bookable_id: desk, location_id: location, to_time: minutesFromNow(30) }],
        },
      ],
    }),
    refused: TAKEN_CODES,
  },
  'bookings.release': { input: ({ user }) => ({ user_ids: [user] }) },
  'bookings.update': [
    { input: ({ booking }) => ({ id: booking, to_time: minutesFromNow(60) }), refused: ENDED_CODES },
    { input: ({ booking }) => ({ id: booking, to_time: minutesFromNow(-2.5) }), refused: ENDED_CODES },
    {
      input: ({ booking }) => ({ id: booking, from_time: minutesFromNow(600), to_time: minutesFromNow(660) }),
      refused: ENDED_CODES,
    },
  ],
  'bookings.move': {
    input: ({ booking, free }) => ({ id: booking, bookable_id: free, to_time: minutesFromNow(60) }),
    refused: ENDED_CODES,
  },
  'bookings.swap': {
    input: ({ booking, desk, free }) => ({
      one: { id: booking, bookable_id: desk },
      other: { id: booking, bookable_id: free },
    }),
    refused: ENDED_CODES,
  },
  'bookings.check-in': { input: ({ booking }) => ({ id: booking }), refused: ENDED_CODES },
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
      refused: TAKEN_CODES,
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
  'series.check': {
    input: (scene) => ({
      ...mine(scene),
      from_time: minutesFromNow(-4),
      repeat: { every: 'day', count: 2 },
    }),
  },
  'series.delete': { input: ({ series }) => ({ id: series }) },
  'series.update-bookings': {
    input: ({ booking }) => ({ id: booking, scope: 'all', to_time: minutesFromNow(60) }),
    refused: ENDED_CODES,
  },
  'series.delete-bookings': { input: ({ booking }) => ({ id: booking, scope: 'following' }) },
  'event-series.create': {
    input: (scene) => ({ ...meeting(scene), repeat: { every: 'day', count: 2 } }),
    refused: TAKEN_CODES,
  },
  'event-series.check': {
    input: (scene) => ({ ...meeting(scene), repeat: { every: 'day', count: 2 } }),
  },
  'event-series.delete': { input: ({ meetings }) => ({ id: meetings }), deletes: true },
  'event-series.replace-events': {
    input: (scene) => ({
      id: scene.event,
      scope: 'all',
      ...meeting(scene),
      from_time: minutesFromNow(30),
    }),
    refused: TAKEN_CODES,
  },
  'event-series.update-events': { input: ({ event }) => ({ id: event, scope: 'all', name: 'Late' }) },
  'event-series.cancel-events': { input: ({ event }) => ({ id: event, scope: 'all' }), deletes: true },
  'events.create': { input: meeting, refused: TAKEN_CODES },
  'events.create-from-booking': {
    input: ({ booking }) => ({ booking_id: booking, name: 'Late' }),
    deletes: true,
  },
  'events.replace': [
    { input: (scene) => ({ id: scene.event, ...meeting(scene) }) },
    { input: (scene) => ({ id: scene.event, ...meeting(scene), from_time: minutesFromNow(-59) }) },
    {
      input: (scene) => ({ id: scene.event, ...meeting(scene), from_time: minutesFromNow(30) }),
      refused: TAKEN_CODES,
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
      refused: TAKEN_CODES,
    },
  ],
  'events.cancel': { input: ({ event }) => ({ id: event }), deletes: true },
  'events.delete': { input: ({ event }) => ({ id: event }), deletes: true },
  'events.check-in': { input: ({ event }) => ({ id: event }), refused: ENDED_CODES },
  'events.answer': { input: ({ event, colleague }) => ({ id: event, attendee_id: colleague, status: 3 }) },
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
  'room-calendars.apply': [
    { input: ({ entries }) => ({ entry_id: entries.added, revision: 1 }) },
    // The event gives up its released room, because it cannot have it at its new time.
    { input: ({ entries }) => ({ entry_id: entries.held, revision: 1 }), deletes: true },
    { input: ({ entries }) => ({ entry_id: entries.written, revision: 1 }) },
  ],
}

// Jobs that create, change or release bookings, and jobs that change their places.
const CONCERNED_JOB_PATTERN =
  /^(absences|audit-entries|bookings|(event-)?series|events|bookables|loans|waits)\.|\.set-rules$|\.close$|^room-calendars\.apply$/

describe('a write that runs after every deadline', function suite() {
  this.timeout(promised(60_000))
  const world = useWorld()
  const admin = useAdmin(world)

  const setScene = async (): Promise<Scene> => {
    const { bookable_id: desk, location_id: location, user_id: user } = await createDesk(world.database)
    const room = await createBookable(world.database, { location_id: location, type: 2 })
    const free = await createBookable(world.database, { location_id: location })
    const repeating = { repeat: '{"every":"day","interval":1,"count":1}', timezone: 'UTC' }
    const inserted = await world.database('series').insert([repeating, repeating]).returning('id')
    const [series, meetings] = inserted.map(({ id }: { id: number }) => id) as [number, number]
    const times = { from: minutesFromNow(-60), to: minutesFromNow(90) }
    const asked = {
      check_in_from: minutesFromNow(-70),
      check_in_until: minutesFromNow(DEADLINE_MINUTES),
    }
    const event = await createEvent(world.database, {
      ...times,
      organizer_user_id: user,
      series_id: meetings,
    })
    const colleague = await createUser(world.database)
    await world.database('event_attendees').insert({ event_id: event, user_id: colleague })
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
    const lent = await createBookable(world.database, { location_id: location })
    const days = `[${minutesFromNow(-1_440).slice(0, 10)},${minutesFromNow(2_880).slice(0, 10)})`
    const loan = await createLoan(world.database, { bookable_id: lent, user_id: user, days })
    const absence = await createAbsence(world.database, { user_id: user, days: '[2031-03-01,2031-03-15)' })
    return {
      offered,
      wait,
      lent,
      loan,
      absence,
      entries: await readCalendars({ room, desk, event, booking, times }),
      moved,
      cancelled,
      booking,
      event,
      series,
      meetings,
      user,
      colleague,
      desk,
      room,
      free,
      location,
      building,
    }
  }
  const readCalendars = async ({ room, desk, event, booking, times }: Read) => {
    for (const bookable_id of [room, desk])
      await world
        .database('room_calendars')
        .insert({ bookable_id, provider: 'google', calendar: `${bookable_id}@rooms.example` })
    const later = { from: minutesFromNow(30), to: minutesFromNow(120) }
    const written = await insertEntry(world.database, desk, later, {
      key: `berth-${booking}`,
      bookingId: booking,
    })
    await world.database('calendar_entries').where({ id: written }).update({ base: times })
    return {
      added: await insertEntry(world.database, room, later),
      held: await insertEntry(world.database, room, later, { eventId: event }),
      written,
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
    const expires_at = minutesFromNow(DEADLINE_MINUTES)
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
  const rebook = ({ desk, room, offered, lent }: Scene) =>
    Promise.all(
      [desk, room, offered, lent].map((bookable_id) =>
        createBooking(world.database, {
          bookable_id,
          from: minutesFromNow(REBOOKED_MINUTES),
          to: minutesFromNow(90),
        }),
      ),
    )
  const claimsOn = ({ desk, room, free, offered, lent }: Scene) =>
    world.database('bookings').whereIn('bookable_id', [desk, room, free, offered, lent]).orderBy('id')

  it('is tested for every write job of bookings, events, bookables, absences, loans and waitlist entries', () => {
    const concerned = Object.entries(jobs).filter(
      ([name, job]) => job.queue === 'writes' && CONCERNED_JOB_PATTERN.test(name),
    )
    expect(Object.keys(LATE_WRITES).sort()).to.deep.equal(concerned.map(([name]) => name).sort())
  })

  itInParallel(
    Object.fromEntries(
      Object.entries(LATE_WRITES).flatMap(([name, late]) =>
        [late]
          .flat()
          .map((each, index) => [
            `has only its allowed effects when ${name} runs late (${index + 1})`,
            () => perform(name as JobName, each),
          ]),
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
    const answer = await admin.ask(name, input(scene), { receivedAt: minutesFromNow(ARRIVAL_MINUTES) })
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

describe('a check-in that waits in the queue until after its deadline', function suite() {
  this.timeout(promised(60_000))
  const world = useWorld({ workers: [], environment: { WRITE_WAIT_MS: '60000' } })
  const client = useClient(world, 'booking-write')

  it('is refused if somebody else has booked the desk in the meantime', async () => {
    const desk = await createDesk(world.database)
    const closes = formatInstant(Date.now() + 1_500)
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
