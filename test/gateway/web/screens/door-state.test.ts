// Tests what a door screen shows, depending on bookings, opening hours, closed times and check-in, also across midnight
// and clock changes.
import { expect } from 'chai'
import pg from 'pg'
import { computeDoorState, listChangeTimes } from '../../../../gateway/web/screens/door/door-state.ts'
import { type Door, type DoorClaim, findDoors } from '../../../../gateway/web/screens/door/queries.ts'
import { RULE_NAMES, type Rules } from '../../../../shared/rules/rules.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
} from '../../../support/factories.ts'
import { createScreen } from '../../../support/screens/screens.ts'
import { useWorld } from '../../../support/world.ts'

const createRules = (set: Partial<Rules> = {}, closed: Door['rules']['closed'] = []): Door['rules'] => ({
  effective: Object.fromEntries(
    RULE_NAMES.map((name) => [name, { value: set[name] ?? null }]),
  ) as Door['rules']['effective'],
  closed,
})
const toInstant = (text: string) => new Date(text).toISOString().replace('Z', '000Z')

const createClaim = (from: string, to: string | null, more: Partial<DoorClaim> = {}): DoorClaim => ({
  id: 1,
  eventId: null,
  from: toInstant(from),
  to: to && toInstant(to),
  who: 'Anna',
  title: null,
  checkInFrom: null,
  checkInUntil: null,
  isCheckedIn: false,
  mayEnd: true,
  ...more,
})

/** Returns a door in Berlin that is open on Thursday and Friday. */
const createDoor = (more: Partial<Door> = {}): Door => ({
  id: 1,
  language: 'en',
  bookableId: 1,
  locationId: 1,
  name: 'Aspen',
  place: 'Floor',
  zone: 'Europe/Berlin',
  type: 2,
  status: 0,
  capacity: null,
  requiresVehicle: false,
  showsNames: true,
  bookerId: 1,
  bookerGroups: [],
  isForBooker: false,
  lent: null,
  from: toInstant('2026-11-26T00:00+01:00'),
  to: toInstant('2026-11-28T00:00+01:00'),
  claims: [],
  rules: createRules(),
  ...more,
})

const at = (door: Door, moment: string) => computeDoorState(door, toInstant(moment))

describe('the state of a room on its door screen', () => {
  const nine = [1, 2, 3, 4, 5].map((day) => ({ day: day as 1, from: '09:00', to: '17:00' }))
  const open = createDoor({ rules: createRules({ opening_hours: nine }) })

  it('is free until the place closes, and closed outside opening hours', () => {
    expect(at(open, '2026-11-26T08:59+01:00')).to.deep.include({ kind: 'closed', minutes: [] })
    expect(at(open, '2026-11-26T09:00+01:00')).to.deep.include({
      kind: 'free',
      freeUntil: toInstant('2026-11-26T17:00+01:00'),
      minutes: [15, 30, 60],
    })
    expect(at(open, '2026-11-26T16:30+01:00').minutes).to.deep.equal([15, 30])
    expect(at(open, '2026-11-26T17:00+01:00').kind).to.equal('closed')
  })

  it('stays free if the next opening hours follow without a gap, on the same day or after midnight', () => {
    const halves = [
      { day: 4 as const, from: '12:00', to: '18:00' },
      { day: 4 as const, from: '08:00', to: '12:00' },
    ]
    const divided = createDoor({ rules: createRules({ opening_hours: halves }) })
    expect(at(divided, '2026-11-26T10:00+01:00')).to.deep.include({
      kind: 'free',
      freeUntil: toInstant('2026-11-26T18:00+01:00'),
    })
    expect(listChangeTimes(divided, divided.from)).to.not.include(toInstant('2026-11-26T12:00+01:00'))

    const daily = [1, 2, 3, 4, 5, 6, 7].map((day) => ({ day: day as 1, from: '00:00', to: '24:00' }))
    const always = createDoor({ rules: createRules({ opening_hours: daily }) })
    expect(at(always, '2026-11-26T10:00+01:00').freeUntil).to.equal(undefined)
    expect(at(always, '2026-11-27T10:00+01:00').freeUntil).to.equal(undefined)
    const weekdays = createDoor({ rules: createRules({ opening_hours: daily.slice(0, 5) }) })
    expect(at(weekdays, '2026-11-26T10:00+01:00').freeUntil).to.equal(toInstant('2026-11-28T00:00+01:00'))
  })

  it('changes at every opening and closing, and whenever a button is no longer valid', () => {
    const moments = listChangeTimes(open, toInstant('2026-11-26T07:00+01:00'))
    for (const [time, why] of Object.entries({
      '26T09:00': 'it opens',
      '26T16:00': '60 minutes',
      '26T16:30': '30 minutes',
      '26T16:45': '15 minutes',
      '26T17:00': 'it closes',
      '27T00:00': 'midnight',
      '27T09:00': 'it opens tomorrow',
      '27T17:00': 'it closes tomorrow',
    }))
      expect(moments, why).to.include(toInstant(`2026-11-${time}+01:00`))
    expect(moments).to.deep.equal([...new Set(moments)].sort())
    expect(moments.at(-1)?.localeCompare(open.to)).to.equal(-1)
  })

  it('changes at the local opening time on the day when the clocks change', () => {
    const day = createDoor({
      from: toInstant('2026-10-25T00:00+02:00'),
      to: toInstant('2026-10-27T00:00+01:00'),
      rules: createRules({ opening_hours: [{ day: 7, from: '09:00', to: '17:00' }] }),
    })
    expect(at(day, '2026-10-25T08:59+01:00').kind).to.equal('closed')
    expect(at(day, '2026-10-25T09:00+01:00').freeUntil).to.equal(toInstant('2026-10-25T17:00+01:00'))
    expect(listChangeTimes(day, day.from)).to.include(toInstant('2026-10-25T09:00+01:00'))
  })

  it('is closed during closed periods and blocks, and free until they begin', () => {
    const closed = [
      {
        from: toInstant('2026-11-26T12:00+01:00'),
        to: toInstant('2026-11-26T13:00+01:00'),
        reason: 'Drill',
        source: { type: 'building', id: 1, name: 'House' },
      },
    ]
    const door = createDoor({ rules: createRules({}, closed) })
    expect(at(door, '2026-11-26T11:40+01:00')).to.deep.include({
      kind: 'free',
      freeUntil: closed[0]?.from,
      minutes: [15],
    })
    expect(at(door, '2026-11-26T12:30+01:00').kind).to.equal('closed')
    expect(at(createDoor({ status: 1 }), '2026-11-26T11:40+01:00').kind).to.equal('closed')
  })

  it('is taken during a booking, and mentions the next booking only if it is on the same day', () => {
    const claims = [
      createClaim('2026-11-26T10:00+01:00', '2026-11-26T11:00+01:00'),
      createClaim('2026-11-26T22:00+01:00', '2026-11-26T23:00+01:00', { id: 2 }),
      createClaim('2026-11-27T08:00+01:00', '2026-11-27T09:00+01:00', { id: 3 }),
    ]
    const door = createDoor({ claims })
    expect(at(door, '2026-11-26T09:59+01:00')).to.deep.include({
      kind: 'free',
      freeUntil: claims[0]?.from,
      minutes: [],
    })
    expect(at(door, '2026-11-26T10:00+01:00')).to.include({ kind: 'taken', current: claims[0] })
    expect(at(door, '2026-11-26T11:00+01:00').kind).to.equal('free')
    expect(at(door, '2026-11-26T11:00+01:00').next.map(({ id }) => id)).to.deep.equal([2])
    expect(at(door, '2026-11-27T00:00+01:00').next.map(({ id }) => id)).to.deep.equal([3])
  })

  it('asks for check-in while check-in is open, even shortly before the start', () => {
    const window = {
      checkInFrom: toInstant('2026-11-26T09:50+01:00'),
      checkInUntil: toInstant('2026-11-26T10:10+01:00'),
    }
    const claim = createClaim('2026-11-26T10:00+01:00', '2026-11-26T11:00+01:00', window)
    const door = createDoor({ claims: [claim] })
    expect(at(door, '2026-11-26T09:49+01:00').checkIn).to.equal(undefined)
    expect(at(door, '2026-11-26T09:50+01:00')).to.include({ kind: 'free', checkIn: claim })
    expect(at(door, '2026-11-26T10:00+01:00')).to.include({ kind: 'check-in', checkIn: claim })
    expect(at(door, '2026-11-26T10:10+01:00')).to.include({ kind: 'taken', checkIn: undefined })
    const done = createDoor({ claims: [{ ...claim, isCheckedIn: true }] })
    expect(at(done, '2026-11-26T10:00+01:00')).to.include({ kind: 'taken', checkIn: undefined })
  })

  it('offers no booking that rules, an assignment or the type of place forbids', () => {
    const noon = '2026-11-26T12:00+01:00'
    expect(
      at(createDoor({ rules: createRules({ minutes_min: 30, minutes_max: 45 }) }), noon).minutes,
    ).to.deep.equal([30])
    expect(at(createDoor({ rules: createRules({ group_ids: [7] }) }), noon).minutes).to.deep.equal([])
    expect(
      at(createDoor({ rules: createRules({ group_ids: [7] }), bookerGroups: [7] }), noon).minutes,
    ).to.have.length(3)
    expect(
      at(createDoor({ rules: createRules({ approvers: { user_ids: [2] } as never }) }), noon).minutes,
    ).to.deep.equal([])
    expect(at(createDoor({ status: 2 }), noon).minutes).to.deep.equal([])
    expect(at(createDoor({ status: 2, isForBooker: true }), noon).minutes).to.have.length(3)
    expect(at(createDoor({ bookerId: null }), noon).minutes).to.deep.equal([])
    expect(at(createDoor({ requiresVehicle: true }), noon).minutes).to.deep.equal([])
  })
})

describe('the days of a door screen', () => {
  const world = useWorld({ workers: [] })

  it('begin at the first of two midnights, so that a claim between them is shown', async () => {
    const building_id = await createBuilding(world.database, { timezone: 'America/Havana' })
    const location_id = await createLocation(world.database, { building_id })
    const bookable_id = await createBookable(world.database, { location_id, type: 2 })
    const user_id = await createUser(world.database)
    const span = { from: '2026-11-01T04:10:00Z', to: '2026-11-01T04:50:00Z' }
    await createBooking(world.database, { bookable_id, user_id, ...span })
    const { id } = await createScreen(world.database, { bookable_id })
    const pool = new pg.Pool({ connectionString: world.databaseUrl })
    try {
      const readDoor = async (now: string) => (await findDoors(pool, [id], now))[0]?.door
      const first = await readDoor('2026-11-01T04:20:00Z')
      expect(first).to.include({ from: toInstant('2026-11-01T04:00Z'), to: toInstant('2026-11-03T05:00Z') })
      expect(first?.claims).to.have.length(1)
      const dayBefore = await readDoor('2026-10-30T12:00:00Z')
      expect(dayBefore?.to).to.equal(toInstant('2026-11-01T04:00Z'))
      expect(dayBefore?.claims).to.deep.equal([])
    } finally {
      await pool.end()
    }
  })
})
