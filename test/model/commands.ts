// The writes of a sequence, as fast-check makes them: what they name is a place in a list, so that they can be shrunk.
import fc from 'fast-check'
import type { Rules } from '../../shared/rules/rules.ts'
import { drawnRules } from './rules.ts'

/** From the beginning of the sequence. */
export type Hour = number
export type Start = Hour | 'now' | 'absent'

/** When: a start, and how many hours after it (or after the beginning, where the start is no hour) the end is. */
export type Times = { from: Start; hours: number }

export type Content = Times & {
  rooms: number[]
  users: number[]
  visitors: number[]
  classification: number | 'absent'
}

/** Of one booking. */
export type Wanted = { bookable: number; user: number; vehicle: Vehicle; guest: boolean } & Times

export type Command =
  | ({ write: 'createBooking' } & Wanted)
  | { write: 'createBatch'; items: Wanted[]; atomic: boolean }
  | ({ write: 'createSeries'; interval: number; count: number; skips: boolean } & Wanted)
  /** `from` in hours, null for all that are left. */
  | { write: 'deleteSeries'; series: number; from: Hour | null }
  | ({ write: 'updateBooking'; method: 'PUT' | 'PATCH'; booking: number; vehicle: Vehicle } & Times)
  | { write: 'deleteBooking'; booking: number }
  | { write: 'checkIn'; booking: number }
  | { write: 'updateBookable'; bookable: number; changes: Changes }
  | ({ write: 'createEvent'; organizer: number } & Content)
  | {
      write: 'setRules'
      place: number | 'location'
      rules: Rules
      isForGroup: boolean
      needsApproval: boolean
      closed: number | null
    }
  | ({ write: 'replaceEvent'; event: number; organizer: number | 'absent' } & Content)

export type Vehicle = number | null | 'absent'
export type Changes = { name?: string; description?: string | null; status?: number; tags?: string[] }

// Most of them meet: a few places, a few hours, and short lists of what there is.
const hour = fc.constantFrom(-3, -2, -1, 1, 2, 3, 4, 5, 6)
const when = {
  from: fc.oneof({ weight: 8, arbitrary: hour }, fc.constantFrom<Start>('now', 'absent')),
  hours: fc.constantFrom(1, 1, 2, 2, 3, 4, 6, -1),
}
const bookable = fc.constantFrom(0, 0, 0, 1, 1, 1, 2, 3, 4, 5)
// Seldom the one who has been deactivated.
const user = fc.constantFrom(0, 0, 0, 0, 1, 1, 1, 1, 2)
const vehicle = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Vehicle>('absent') },
  fc.constantFrom<Vehicle>(0, 1, null),
)
const ever = fc.nat(5)

const content = {
  ...when,
  rooms: fc.uniqueArray(bookable, { minLength: 0, maxLength: 3 }),
  users: fc.uniqueArray(user, { maxLength: 2 }),
  visitors: fc.uniqueArray(fc.nat(1)),
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
  needsApproval: fc.nat(4).map((one) => one === 0),
  /** From this hour on, for two. */
  closed: fc.constantFrom(null, null, null, -2, 1, 3),
})

// Now is another moment for each of several.
const several = { bookable, user, from: hour, hours: when.hours, vehicle, guest: fc.boolean() }
// Mostly on one day, and never at the same time: what rules that count are about.
const ofOneUser = fc
  .tuple(fc.nat(1), fc.uniqueArray(hour, { minLength: 2, maxLength: 4 }))
  .map(([user, hours]) =>
    hours.map((from, index): Wanted => {
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
    interval: fc.constantFrom(1, 1, 2),
    count: fc.constantFrom(1, 2, 3),
    skips: fc.boolean(),
  }),
  fc.record({
    write: fc.constant('deleteSeries' as const),
    series: fc.nat(2),
    from: fc.constantFrom(null, null, -1, 3, 24, 48),
  }),
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
    }),
  },
  { weight: 1, arbitrary: fc.record({ write: fc.constant('deleteBooking' as const), booking: ever }) },
  { weight: 2, arbitrary: fc.record({ write: fc.constant('checkIn' as const), booking: ever }) },
  { weight: 1, arbitrary: fc.record({ write: fc.constant('updateBookable' as const), bookable, changes }) },
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
    }),
  },
)

const batches = fc.array(fc.array(command, { minLength: 1, maxLength: 4 }).map(oneNow), {
  minLength: 4,
  maxLength: 12,
  size: 'max',
})

/** Batches of writes that are sent at the same moment; half of the sequences begin with rules. */
export const sequences = fc
  .tuple(fc.option(setRules), batches)
  .map(([first, rest]) => (first ? [[first], ...rest] : rest))

const ALONE = new Set<Command['write']>(['setRules', 'createBatch', 'createSeries', 'deleteSeries'])

// Which of two arrived first is not to be seen from outside, and of “now” it would matter.
function oneNow(batch: Command[]): Command[] {
  // Rules hold for what comes after: what is under way may have been held to those before. Of several bookings one may be told of
  // what another was not told of yet.
  const single = batch.find(({ write }) => ALONE.has(write))
  if (single) return [single]
  let seen = false
  return batch.map((each) => {
    if (!('from' in each) || typeof each.from === 'number') return each
    if (seen) return { ...each, from: 1 }
    seen = true
    return each
  })
}
