// Random bookings and ranges: every listing has exactly what a simple model has, in the same order.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  byStart,
  claims,
  overlap,
  type Rows,
  ranges,
  type Stored,
  storeClaims,
  withoutConflicts,
} from '../../../../support/claims.ts'
import {
  createBookable,
  createBuilding,
  createGroup,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { instantOfMicros } from '../../../../support/instants.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const NOW_MS = Date.parse('2026-11-20T09:30:00Z')
const PLACES = [0, 0, 1, 2, 2]
const SHARED = 4
const TAGS = [['quiet', 'window'], ['quiet'], [], ['window'], ['quiet']]

describe('listings of bookings', () => {
  const world = useWorld({
    workers: [],
    now: () => NOW_MS,
    environment: { RATE_LIMIT_PER_MINUTE: '1000000' },
  })
  const client = useClient(world, 'read')
  let rows: Rows
  let locations: number[]
  let buildings: number[]
  let group: number
  before(async () => {
    const { database } = world
    buildings = [await createBuilding(database), await createBuilding(database)]
    const [first, second] = buildings
    locations = [
      await createLocation(database, { building_id: first }),
      await createLocation(database, { building_id: first }),
      await createLocation(database, { building_id: second }),
    ]
    const bookables = []
    for (const [index, place] of PLACES.entries()) {
      const row = { location_id: locations[place], type: index === SHARED ? 3 : 0, tags: TAGS[index] }
      bookables.push(await createBookable(database, row))
    }
    const users = [await createUser(database), await createUser(database)]
    group = await createGroup(database)
    await database('group_members').insert({ group_id: group, user_id: users[1] })
    rows = { bookables, users, isShared: (bookable) => bookable === SHARED }
  })

  const isBy = (user: number) => (claim: Stored) => claim.user === user
  const hasTag = (tag: string) => (claim: Stored) => TAGS[claim.bookable]?.includes(tag) ?? false
  const isIn = (place: number) => (claim: Stored) => PLACES[claim.bookable] === place

  /** Every listing, and the part of the model that belongs to it. */
  const listings = (): Array<[string, (claim: Stored) => boolean]> => [
    ['bookings', () => true],
    [`buildings/${buildings[0]}/bookings`, (claim) => !isIn(2)(claim)],
    [`buildings/${buildings[1]}/bookings`, isIn(2)],
    [`locations/${locations[0]}/bookings`, isIn(0)],
    [`locations/${locations[2]}/bookings`, isIn(2)],
    [`bookables/${rows.bookables[SHARED]}/bookings`, (claim) => claim.bookable === SHARED],
    [`bookables/${rows.bookables[0]}/bookings`, (claim) => claim.bookable === 0],
    [`bookings?user_id=${rows.users[0]}`, isBy(0)],
    [`bookings?user_id=${rows.users[0]}&group_id=${group}`, () => false],
    [`bookings?group_id=${group}`, isBy(1)],
    ['bookings?type=3', (claim) => claim.bookable === SHARED],
    ['bookings?type=1', () => false],
    ['bookings?tag=quiet', hasTag('quiet')],
    [
      `bookings?tag=quiet&tag=window&type=0&group_id=${group}`,
      (claim) => claim.bookable === 0 && isBy(1)(claim),
    ],
    [
      `buildings/${buildings[0]}/bookings?user_id=${rows.users[1]}`,
      (claim) => !isIn(2)(claim) && isBy(1)(claim),
    ],
    [`buildings/${buildings[1]}/bookings?type=3`, (claim) => claim.bookable === SHARED],
    [`buildings/${buildings[0]}/bookings?group_id=${group}`, (claim) => !isIn(2)(claim) && isBy(1)(claim)],
    [`locations/${locations[0]}/bookings?tag=window`, (claim) => isIn(0)(claim) && hasTag('window')(claim)],
    [
      `locations/${locations[2]}/bookings?user_id=${rows.users[0]}&tag=quiet`,
      (claim) => claim.bookable === SHARED && isBy(0)(claim),
    ],
    [`users/${rows.users[0]}/bookings`, (claim) => claim.user === 0],
  ]

  it('have exactly the bookings that overlap the range', async () => {
    const drawn = fc.record({
      bookings: fc.array(claims(NOW_MS, { bookables: PLACES.length, users: 2 }), {
        minLength: 10,
        maxLength: 40,
        size: 'max',
      }),
      asked: fc.array(ranges(NOW_MS), { minLength: 3, maxLength: 6 }),
    })
    let listed = 0
    await fc.assert(
      fc.asyncProperty(drawn, async ({ bookings, asked }) => {
        await world.database('bookings').delete()
        const stored = await storeClaims(world.database, withoutConflicts(bookings, rows.isShared), rows)
        for (const range of asked) {
          const within = stored.filter((claim) => overlap(claim, range)).sort(byStart)
          for (const [path, belongs] of listings()) {
            const query = `from=${instantOfMicros(range.from)}&to=${instantOfMicros(range.to)}`
            const answer = await client.get(`${path}${path.includes('?') ? '&' : '?'}${query}`)
            expect(answer.status, answer.text).to.equal(200)
            const expected = within.filter(belongs).map(({ id, from, to }) => ({
              id,
              from: instantOfMicros(from),
              to: to === null ? null : instantOfMicros(to),
            }))
            listed += expected.length
            const seen = answer.json.data.map(({ id, from, to }: Record<string, unknown>) => ({
              id,
              from,
              to,
            }))
            expect(seen, `${path}?${query}`).to.deep.equal(expected)
          }
        }
      }),
      { numRuns: 30 },
    )
    // The model must not be empty.
    expect(listed).to.be.greaterThan(500)
  }).timeout(120_000)
})
