// The writes of a sequence, as fast-check generates them: they refer to positions in lists, so that they can be shrunk.
import fc from 'fast-check'
import type { Rules } from '../../shared/rules/rules.ts'
import { drawnRules } from './rules.ts'
import type { Scope } from './series.ts'

/** Hours since the beginning of the sequence. */
export type Hour = number
export type Start = Hour | 'now' | 'absent'

/**
 * A start, and the number of hours until the end. The hours count from the beginning of the sequence if the start is
 * not an hour.
 */
export type Times = { from: Start; hours: number }

export type Content = Times & {
  rooms: number[]
  users: number[]
  visitors: number[]
  classification: number | 'absent'
  /** Whether the write asks to mail the attendees, so that later changes of the time reset their answers. */
  invites: boolean
}

/** Whose personal token sends the write. Null means a token of the company. */
export type Sender = number | null
/** A day of the sequence: 0 is the first one. */
export type Day = number

/** The content of one booking. */
export type WantedContent = { bookable: number; user: number; vehicle: Vehicle; guest: boolean } & Times

export type Command =
  | ({ write: 'createBooking'; sender: Sender; overrides: boolean } & WantedContent)
  | { write: 'createBatch'; items: WantedContent[]; atomic: boolean }
  | ({ write: 'createSeries' } & Repeat & WantedContent)
  /** `from` is in hours. Null means all remaining bookings. */
  | { write: 'deleteSeries'; series: number; from: Hour | null }
  | ({
      write: 'updateBooking'
      method: 'PUT' | 'PATCH'
      booking: number
      vehicle: Vehicle
      guest: boolean | 'absent'
      overrides: boolean
      scope: Scope
    } & Times)
  | { write: 'deleteBooking'; booking: number; scope: Scope }
  | { write: 'createAbsence'; user: number; first: Day; days: number; releases: boolean }
  | { write: 'deleteAbsence'; absence: number }
  /** Sets where a person works on days. Each day has bookables to choose from, the first that is free. */
  | { write: 'setDays'; user: number; keeps: boolean; days: WantedDay[] }
  | { write: 'createTeamDay'; sender: Sender; day: Day; isWeekly: boolean; isOnFloor: boolean }
  | { write: 'deleteTeamDay'; sender: Sender; teamDay: number }
  | { write: 'setLeads'; users: number[]; anybody: boolean }
  /** Lends the assigned bookable for a number of days from today, or takes a loan back. */
  | { write: 'createLoan'; owner: number; days: number }
  | { write: 'deleteLoan'; loan: number }
  | { write: 'checkIn'; booking: number }
  | { write: 'updateBookable'; bookable: number; changes: Changes }
  | { write: 'linkCalendar'; bookable: number; calendar: number; names: string | null }
  | { write: 'unlinkCalendar'; bookable: number }
  | ({ write: 'createEvent'; organizer: number } & Content)
  | {
      write: 'setRules'
      place: number | 'location'
      rules: Rules
      isForGroup: boolean
      /** Whether bookings must be whole hours, counted from the beginning of the sequence. */
      isInSlots: boolean
      needsApproval: boolean
      closed: number | null
    }
  | ({ write: 'replaceEvent'; event: number; organizer: number | 'absent'; scope: Scope } & Content)
  | { write: 'cancelEvent'; event: number; scope: Scope }
  | ({ write: 'createEventSeries'; organizer: number } & Repeat & Content)
  | { write: 'cancelEventSeries'; series: number; from: Hour | null }
  /** `person` is an index into the list of the event's people. */
  | { write: 'answer'; event: number; person: number; status: number }

export type Repeat = { interval: number; count: number; skips: boolean }
export type WantedDay = { day: Day; hour: Hour; hours: number; choices: number[] }
export type Vehicle = number | null | 'absent'
export type Changes = { name?: string; description?: string | null; status?: number; tags?: string[] }

// Most writes collide: there are few places, few hours, and short lists.
const hour = fc.constantFrom(-3, -2, -1, 1, 2, 3, 4, 5, 6)
const when = {
  from: fc.oneof({ weight: 8, arbitrary: hour }, fc.constantFrom<Start>('now', 'absent')),
  hours: fc.constantFrom(1, 1, 2, 2, 3, 4, 6, -1),
}
const bookable = fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 5)
// The deactivated user is chosen rarely.
const user = fc.constantFrom(0, 0, 0, 0, 1, 1, 1, 1, 2)
const vehicle = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Vehicle>('absent') },
  fc.constantFrom<Vehicle>(0, 1, null),
)
const ever = fc.nat(5)
const scope = fc.constantFrom<Scope>('one', 'one', 'following', 'all')
const sender = fc.constantFrom<Sender>(null, null, null, 0, 1)
/** Whether a change makes a booking a guest’s, or the user’s own. */
const changedGuest = fc.constantFrom<boolean | 'absent'>('absent', 'absent', 'absent', true, false)
const overrides = fc.nat(5).map((one) => one === 0)
const repeat = { interval: fc.constantFrom(1, 1, 2), count: fc.constantFrom(1, 2, 3), skips: fc.boolean() }
const seriesStart = fc.constantFrom(null, null, -1, 3, 24, 48)

const content = {
  ...when,
  rooms: fc.uniqueArray(bookable, { minLength: 0, maxLength: 3 }),
  users: fc.uniqueArray(user, { maxLength: 2 }),
  visitors: fc.uniqueArray(fc.nat(1)),
  invites: fc.boolean(),
  classification: fc.oneof(fc.nat(3), fc.constant<'absent'>('absent')),
}

const changes = fc.record(
  {
    name: fc.constantFrom('A', 'B'),
    description: fc.constantFrom(null, 'd'),
    status: fc.constantFrom(0, 0, 1),
    tags: fc.array(fc.constantFrom('x', 'y', 'z'), { maxLength: 4 }),
  },
  { requiredKeys: [] },
)

const setRules: fc.Arbitrary<Command> = fc.record({
  write: fc.constant('setRules' as const),
  place: fc.oneof(fc.constant('location' as const), bookable),
  rules: drawnRules,
  isForGroup: fc.nat(4).map((one) => one === 0),
  isInSlots: fc.nat(3).map((one) => one === 0),
  needsApproval: fc.nat(4).map((one) => one === 0),
  /** A closed time of two hours, which begins at this hour. */
  closed: fc.constantFrom(null, null, null, -2, 1, 3),
})

// Excludes “now”, which would be a different time for each booking.
const several = { bookable, user, from: hour, hours: when.hours, vehicle, guest: fc.boolean() }
// Bookings of one user, mostly on the same day and never at the same time, for rules that count bookings.
const ofOneUser = fc
  .tuple(fc.nat(1), fc.uniqueArray(hour, { minLength: 2, maxLength: 4 }))
  .map(([user, hours]) =>
    hours.map((from, index): WantedContent => {
      return { bookable: index % 2, user, from, hours: 1, vehicle: 'absent', guest: false }
    }),
  )
const ofSeveral: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    write: fc.constant('createBatch' as const),
    items: fc.array(fc.record(several), { minLength: 1, maxLength: 5 }),
    atomic: fc.nat(3).map((one) => one === 0),
  }),
  fc.record({ write: fc.constant('createBatch' as const), items: ofOneUser, atomic: fc.constant(false) }),
  fc.record({
    write: fc.constant('createSeries' as const),
    ...several,
    ...repeat,
  }),
  fc.record({
    write: fc.constant('createEventSeries' as const),
    ...content,
    ...repeat,
    organizer: fc.nat(1),
    from: hour,
  }),
  fc.record({
    write: fc.constant('deleteSeries' as const),
    series: fc.nat(2),
    from: seriesStart,
  }),
  fc.record({
    write: fc.constant('cancelEventSeries' as const),
    series: fc.nat(2),
    from: seriesStart,
  }),
)

// Changes of several bookings or events exclude “now”, which would be a different time for each of them.
const fixedTimes = { from: fc.oneof({ weight: 4, arbitrary: hour }, fc.constant<'absent'>('absent')) }
const ofSeveralOfSeries: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    write: fc.constant('updateBooking' as const),
    method: fc.constantFrom('PUT' as const, 'PATCH' as const),
    booking: fc.nat(20),
    hours: when.hours,
    ...fixedTimes,
    vehicle,
    guest: changedGuest,
    overrides,
    scope,
  }),
  fc.record({ write: fc.constant('deleteBooking' as const), booking: fc.nat(20), scope }),
  fc.record({
    write: fc.constant('replaceEvent' as const),
    event: fc.nat(8),
    organizer: fc.oneof(user, fc.constant<'absent'>('absent')),
    ...content,
    ...fixedTimes,
    // The answer has the ids of the new visitors of one event only.
    visitors: fc.constant<number[]>([]),
    scope,
  }),
  fc.record({ write: fc.constant('cancelEvent' as const), event: fc.nat(8), scope }),
)

const day = fc.constantFrom<Day>(-1, 0, 0, 0, 1, 1, 2)
const ofDays: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      write: fc.constant('createAbsence' as const),
      user,
      first: day,
      days: fc.constantFrom(1, 1, 2, 3),
      releases: fc.boolean(),
    }),
  },
  fc.record({ write: fc.constant('deleteAbsence' as const), absence: fc.nat(2) }),
  {
    weight: 3,
    arbitrary: fc.record({
      write: fc.constant('setDays' as const),
      user,
      keeps: fc.boolean(),
      days: fc.uniqueArray(
        fc.record({
          day: fc.constantFrom<Day>(0, 0, 1, 2),
          hour,
          hours: fc.constantFrom(1, 2),
          choices: fc.uniqueArray(bookable, { maxLength: 3 }),
        }),
        { minLength: 1, maxLength: 3, selector: ({ day }) => day },
      ),
    }),
  },
  fc.record({
    write: fc.constant('createTeamDay' as const),
    sender,
    day,
    isWeekly: fc.boolean(),
    isOnFloor: fc.boolean(),
  }),
  fc.record({ write: fc.constant('deleteTeamDay' as const), sender, teamDay: fc.nat(2) }),
  fc.record({
    write: fc.constant('setLeads' as const),
    users: fc.constantFrom<number[]>([], [0], [0], [0, 1]),
    anybody: fc.boolean(),
  }),
)

const ofCalendars: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({
      write: fc.constant('linkCalendar' as const),
      bookable,
      calendar: fc.nat(2),
      names: fc.constantFrom(null, null, 'full', 'none'),
    }),
  },
  fc.record({ write: fc.constant('unlinkCalendar' as const), bookable }),
)

const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      write: fc.constant('createBooking' as const),
      bookable,
      user,
      ...when,
      vehicle,
      guest: fc.boolean(),
      sender,
      overrides,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      write: fc.constant('updateBooking' as const),
      method: fc.constantFrom('PUT' as const, 'PATCH' as const),
      booking: ever,
      ...when,
      vehicle,
      guest: changedGuest,
      overrides,
      scope: fc.constant<'one'>('one'),
    }),
  },
  { weight: 4, arbitrary: ofSeveralOfSeries },
  { weight: 5, arbitrary: ofDays },
  { weight: 2, arbitrary: fc.record({ write: fc.constant('checkIn' as const), booking: ever }) },
  {
    weight: 1,
    arbitrary: fc.record({
      write: fc.constant('createLoan' as const),
      owner: fc.constantFrom(0, 0, 0, 1),
      days: fc.constantFrom(1, 2, 3),
    }),
  },
  { weight: 2, arbitrary: fc.record({ write: fc.constant('deleteLoan' as const), loan: fc.nat(1) }) },
  { weight: 1, arbitrary: fc.record({ write: fc.constant('updateBookable' as const), bookable, changes }) },
  { weight: 2, arbitrary: ofCalendars },
  {
    weight: 4,
    arbitrary: fc.record({ write: fc.constant('createEvent' as const), organizer: fc.nat(1), ...content }),
  },
  { weight: 1, arbitrary: setRules },
  { weight: 4, arbitrary: ofSeveral },
  {
    weight: 3,
    arbitrary: fc.record({
      write: fc.constant('replaceEvent' as const),
      event: fc.nat(2),
      organizer: fc.oneof(user, fc.constant<'absent'>('absent')),
      ...content,
      scope: fc.constant<'one'>('one'),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      write: fc.constant('answer' as const),
      event: fc.nat(2),
      person: fc.nat(3),
      status: fc.constantFrom(1, 2, 3),
    }),
  },
)

const batches = fc.array(fc.array(command, { minLength: 1, maxLength: 4 }).map(withSingleNow), {
  minLength: 4,
  maxLength: 12,
  size: 'max',
})

// What later writes need to be about: a series of bookings and one of events, or a loan that somebody uses.
const plain = { vehicle: 'absent', guest: false } as const
const people = { invites: true, classification: 'absent' } as const
const openings: fc.Arbitrary<Command[][]> = fc.oneof(
  fc.constant<Command[][]>([]),
  setRules.map((each) => [[each]]),
  fc
    .tuple(fc.constantFrom(1, 2), fc.array(ofSeveralOfSeries, { minLength: 3, maxLength: 8 }))
    .map(([hours, changes]): Command[][] => {
      const daily = { from: 3, hours, interval: 1, count: 3, skips: false }
      const content = { ...people, users: [1], visitors: [], rooms: [1] }
      return [
        [{ write: 'createSeries', bookable: 0, user: 0, ...plain, ...daily }],
        [{ write: 'createEventSeries', organizer: 0, ...content, ...daily }],
        ...changes.map((each) => [each]),
      ]
    }),
  fc.constantFrom(0, 1).map((user): Command[][] => {
    const booking = { bookable: 2, user, from: 1, hours: 1, ...plain, sender: null, overrides: false }
    return [[{ write: 'createLoan', owner: 0, days: 3 }], [{ write: 'createBooking', ...booking }]]
  }),
)

/** Generates batches of simultaneous writes. */
export const sequences = fc.tuple(openings, batches).map(([first, rest]) => [...first, ...rest])

const UNBATCHED_WRITES = new Set<Command['write']>([
  'setRules',
  'createBatch',
  'createSeries',
  'createEventSeries',
  'deleteSeries',
  'setDays',
])
/** Writes that may end a running booking at a moment that their answer does not tell. */
export const endsRunning = (command: Command): boolean =>
  command.write === 'deleteSeries' ||
  (command.write === 'createAbsence' && command.releases) ||
  (command.write === 'deleteBooking' && command.scope !== 'one')

// Allows “now” once per batch, because nobody can tell which of two simultaneous writes arrived first.
function withSingleNow(batch: Command[]): Command[] {
  // Sends a write of rules alone, because simultaneous writes may be checked against either the old or the new rules.
  const single = batch.find((each) => UNBATCHED_WRITES.has(each.write) || endsRunning(each))
  if (single) return [single]
  let seen = false
  return batch.map((each) => {
    if (!('from' in each) || typeof each.from === 'number') return each
    if (seen) return { ...each, from: 1 }
    seen = true
    return each
  })
}
