// Tests availability under the rules of places: everything that availability and a conflict offer can really
// be booked.
import { expect } from 'chai'
import fc from 'fast-check'
import { BOOKING_RULES, CLOSED_TIMES_RULE } from '../../../../../shared/rules/booking-rules.ts'
import type { Rules } from '../../../../../shared/rules/rules.ts'
import { formatLocalDate, toWallClock } from '../../../../../shared/schemas/wall-clock.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createGroup,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const TIME_ZONE = 'Europe/Berlin'
const DESK_COUNT = 5
const HALF_HOUR_MS = 1_800_000
type Span = { from: string; to: string }

describe('GET availability under rules', () => {
  const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const client = useClient(world, 'read', 'booking-write')
  let place: { building_id: number; location_id: number }
  let user_id: number
  let group: number
  let times: Span

  beforeEach(async () => {
    times = { from: hoursFromNow(24), to: hoursFromNow(26) }
    const building_id = await createBuilding(world.database, { timezone: TIME_ZONE })
    place = { building_id, location_id: await createLocation(world.database, { building_id }) }
    user_id = await createUser(world.database)
    group = await createGroup(world.database)
    await world.database('group_members').insert({ group_id: group, user_id })
  })

  const add = (name: string, rules: Rules = {}) =>
    createBookable(world.database, {
      name,
      location_id: place.location_id,
      rules: Object.keys(rules).length > 0 ? JSON.stringify(rules) : null,
    })
  const setRules = (table: 'buildings' | 'locations', rules: Rules) =>
    world
      .database(table)
      .where({ id: table === 'buildings' ? place.building_id : place.location_id })
      .update({ rules: JSON.stringify(rules) })
  const listed = async (query: Record<string, unknown>, { from, to }: Span = times) => {
    const { location_id } = place
    const search = new URLSearchParams(
      Object.entries({ from, to, location_id, ...query }).map(([name, value]): [string, string] => [
        name,
        String(value),
      ]),
    )
    const answer = await client.get(`availability?${search}`)
    expect(answer.status, answer.text).to.equal(200)
    return answer.json.data as Array<{ id: number; name: string }>
  }
  const namesOf = async (query: Record<string, unknown> = {}, span?: Span) =>
    (await listed(query, span)).map(({ name }) => name)
  const check = async (bookable_id: number, { from, to }: Span) => {
    const { location_id } = place
    const body = { bookable_id, location_id, user_id, from_time: from, to_time: to }
    const answer = await client.post('bookings/check', body)
    expect(answer.status, answer.text).to.equal(200)
    return answer.json.data
  }

  it('omits closed bookables, whether the bookable itself or a place around it is closed', async () => {
    const closed = [{ from: hoursFromNow(25), to: hoursFromNow(30), reason: 'Moving' }]
    await add('Closed', { closed })
    await add('Open')
    expect(await namesOf()).to.deep.equal(['Open'])
    expect(await namesOf({}, { from: hoursFromNow(23), to: hoursFromNow(25) })).to.deep.equal([
      'Closed',
      'Open',
    ])
    await setRules('buildings', { closed })
    await createBookable(world.database, { name: 'Home', location_id: place.location_id, type: 3 })
    expect(await namesOf()).to.deep.equal(['Home'])
  })

  it('omits bookables reserved for groups that the user does not belong to, unless no user is given', async () => {
    await setRules('locations', { group_ids: [group] })
    const other = await createGroup(world.database)
    await add('For them')
    await add('For others', { group_ids: [other] })
    await add('For all', { group_ids: null })
    expect(await namesOf({ user_id })).to.deep.equal(['For all', 'For them'])
    expect(await namesOf({ user_id: await createUser(world.database) })).to.deep.equal(['For all'])
    expect(await namesOf()).to.deep.equal(['For all', 'For others', 'For them'])
  })

  it('suggests three alternatives after a conflict, none of which breaks a rule', async () => {
    const taken = await add('Taken')
    await add('Closed', { closed: [{ ...times, reason: 'Moving' }] })
    await add('For others', { group_ids: [await createGroup(world.database)] })
    await add('Long only', { minutes_min: 600 })
    const free = [await add('A'), await add('B', { minutes_min: 60 }), await add('C'), await add('D')]
    await createBooking(world.database, { bookable_id: taken, ...times })
    const { code, alternatives } = await check(taken, times)
    expect(code).to.equal('booking_conflict')
    expect(alternatives.map(({ id }: { id: number }) => id)).to.deep.equal(free.slice(0, 3))
  })

  it('is tested with every rule that has an SQL condition', () => {
    const declared = Object.entries(BOOKING_RULES).filter(([, rule]) => 'allows' in rule)
    expect(Object.keys(RULE_VALUES)).to.have.members([
      ...declared.map(([name]) => name),
      CLOSED_TIMES_RULE.refusal,
    ])
  })

  it('equals what POST bookings/check allows, for random rules and times near clock changes', async function random() {
    this.timeout(180_000)
    const desks: number[] = []
    for (let number = 0; number < DESK_COUNT; number++) desks.push(await add(`Desk ${number}`))
    const taken = await add('Taken')
    const today = () => formatLocalDate(new Date().toISOString(), TIME_ZONE)
    const near = Math.floor(Date.now() / HALF_HOUR_MS) * HALF_HOUR_MS + 24 * 3_600_000
    const bases = [near, ...findNextClockChanges()]
    await fc.assert(
      fc.asyncProperty(scenes, async ({ ofBuilding, ofLocation, ofDesks, base, asked }) => {
        const at = (step: number) => new Date((bases[base] ?? near) + step * HALF_HOUR_MS).toISOString()
        const fill = ({
          group_ids: isForGroup,
          approvers: approves,
          closed,
          slot_only,
          ...rules
        }: RandomRules): Rules => ({
          ...rules,
          ...(slot_only === undefined ? {} : { slots: SLOTS, slot_only }),
          ...(approves === undefined
            ? {}
            : { approvers: approves ? { group_ids: [group] } : { user_ids: [user_id + 1_000_000] } }),
          ...(isForGroup === undefined ? {} : { group_ids: isForGroup ? [group] : [group + 1_000_000] }),
          ...(closed ? { closed: [{ from: at(closed), to: at(closed + 3), reason: 'r' }] } : {}),
        })
        await setRules('buildings', fill(ofBuilding))
        await setRules('locations', fill(ofLocation))
        for (const [index, rules] of ofDesks.entries()) {
          const id = desks[index]
          await world
            .database('bookables')
            .where({ id })
            .update({ rules: JSON.stringify(fill(rules)) })
        }
        const span = { from: at(asked.start), to: at(asked.start + asked.steps) }
        // When clocks go back, the local start and end can be the same; such times are never offered.
        if (toWallClock(span.from, TIME_ZONE) === toWallClock(span.to, TIME_ZONE)) return
        await world.database('bookings').where({ bookable_id: taken }).delete()
        await createBooking(world.database, { bookable_id: taken, ...span })
        const day = today()
        const checks = await Promise.all(desks.map((id) => check(id, span)))
        const allowed = desks.filter((_id, index) => checks[index].allowed)
        const offered = (await listed({ user_id }, span))
          .map(({ id }) => id)
          .filter((id) => desks.includes(id))
        const refusal = await check(taken, span)
        // After midnight, the last bookable day changes.
        if (today() !== day) return
        expect(offered).to.deep.equal(allowed)
        if (refusal.code !== 'booking_conflict') return
        const nearest = allowed.toReversed().slice(0, 3)
        expect(refusal.alternatives.map(({ id }: { id: number }) => id)).to.deep.equal(nearest)
      }),
      { numRuns: 25 },
    )
  })
})

const DAY_MS = 24 * 3_600_000

/** The nights of the last Sundays of March and October, from midnight UTC, in the year that may be booked. */
function findNextClockChanges(): number[] {
  const years = [0, 1].map((ahead) => new Date().getUTCFullYear() + ahead)
  const sundays = years.flatMap((year) =>
    ['03', '10'].map((month) => {
      const last = new Date(`${year}-${month}-31T00:00:00Z`)
      return last.getTime() - last.getUTCDay() * DAY_MS
    }),
  )
  return sundays.filter((ms) => ms > Date.now() + 4 * DAY_MS && ms < Date.now() + 360 * DAY_MS)
}

type RandomRules = Omit<Rules, 'closed' | 'group_ids' | 'approvers'> & {
  group_ids?: boolean
  approvers?: boolean
  closed?: number | null
}

const clock = fc.constantFrom('00:00', '01:30', '03:00', '08:00', '12:00')
const hours = fc
  .array(
    fc.record({
      day: fc.constantFrom(1, 2, 3, 4, 5, 6, 7, 7, 7),
      from: clock,
      to: fc.constantFrom('12:00', '18:00', '24:00', '24:00'),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) => all.filter(({ from, to }) => from < to))
  .filter((all) => all.length > 0)
const week = ([1, 2, 3, 4, 5, 6, 7] as const).map((day) => ({ day, from: '00:00', to: '24:00' }))

const SLOTS = ['00:00', '00:30', '01:00', '01:30', '02:00', '02:30', '03:00', '08:00', '12:00', '24:00']
  .map((from, index, all) => ({ name: `Slot ${index}`, from, to: all[index + 1] ?? '' }))
  .slice(0, -1)

// `group_ids` says whether the user is in the group, `approvers` whether that group approves, and `closed`
// when a closed time begins.
const RULE_VALUES = {
  opening_hours: fc.oneof(hours, fc.constant(week), fc.constant(null)),
  days_ahead_max: fc.constantFrom(null, 0, 1, 2, 400),
  slot_only: fc.constantFrom(true, true, false, null),
  minutes_min: fc.constantFrom(null, 30, 60, 120),
  minutes_max: fc.constantFrom(null, 60, 120, 1_440),
  group_ids: fc.constantFrom(true, true, false),
  approvers: fc.constantFrom(true, true, false),
  closed: fc.constantFrom(null, null, -2, 1, 3),
}
const rules = fc.record(RULE_VALUES, { requiredKeys: [] }) as fc.Arbitrary<RandomRules>
// All of these rules together would allow nothing.
const few = rules.map((all) => Object.fromEntries(Object.entries(all).slice(0, 2)) as RandomRules)
const scarce = fc.oneof({ weight: 2, arbitrary: fc.constant<RandomRules>({}) }, few)

const scenes = fc.record({
  ofBuilding: scarce,
  ofLocation: scarce,
  ofDesks: fc.array(scarce, { minLength: DESK_COUNT, maxLength: DESK_COUNT }),
  base: fc.nat(2),
  asked: fc.record({ start: fc.integer({ min: -20, max: 40 }), steps: fc.integer({ min: 1, max: 60 }) }),
})
