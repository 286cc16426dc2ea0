// Tests listings with random bookings and ranges: each listing equals the result of a simple model, in the
// same order.
import { expect } from 'chai'
import fc from 'fast-check'
import {
  type ClaimRows,
  claims,
  compareStarts,
  overlap,
  ranges,
  type StoredClaim,
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
import { fromMicros } from '../../../../support/instants.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const NOW_MS = Date.parse('2026-11-20T09:30:00Z')
const LOCATION_OF_BOOKABLE = [0, 0, 1, 2, 2]
const HOME_OFFICE_INDEX = 4
const TAGS_OF_BOOKABLE = [['quiet', 'window'], ['quiet'], [], ['window'], ['quiet']]

describe('booking listings', () => {
  const world = useWorld({
    workers: [],
    now: () => NOW_MS,
    environment: { RATE_LIMIT_PER_MINUTE: '1000000' },
  })
  const client = useClient(world, 'read')
  let rows: ClaimRows
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
    for (const [index, place] of LOCATION_OF_BOOKABLE.entries()) {
      const row = {
        location_id: locations[place],
        type: index === HOME_OFFICE_INDEX ? 3 : 0,
        tags: TAGS_OF_BOOKABLE[index],
      }
      bookables.push(await createBookable(database, row))
    }
    const users = [await createUser(database), await createUser(database)]
    group = await createGroup(database)
    await database('group_members').insert({ group_id: group, user_id: users[1] })
    rows = { bookables, users, isShared: (bookable) => bookable === HOME_OFFICE_INDEX }
  })

  const isBy = (user: number) => (claim: StoredClaim) => claim.user === user
  const hasTag = (tag: string) => (claim: StoredClaim) =>
    TAGS_OF_BOOKABLE[claim.bookable]?.includes(tag) ?? false
  const isIn = (place: number) => (claim: StoredClaim) => LOCATION_OF_BOOKABLE[claim.bookable] === place

  /** Each listing, with the bookings of the model that it should contain. */
  const listings = (): Array<[string, (claim: StoredClaim) => boolean]> => [
    ['bookings', () => true],
    [`buildings/${buildings[0]}/bookings`, (claim) => !isIn(2)(claim)],
    [`buildings/${buildings[1]}/bookings`, isIn(2)],
    [`locations/${locations[0]}/bookings`, isIn(0)],
    [`locations/${locations[2]}/bookings`, isIn(2)],
    [
      `bookables/${rows.bookables[HOME_OFFICE_INDEX]}/bookings`,
      (claim) => claim.bookable === HOME_OFFICE_INDEX,
    ],
    [`bookables/${rows.bookables[0]}/bookings`, (claim) => claim.bookable === 0],
    [`bookings?user_id=${rows.users[0]}`, isBy(0)],
    [`bookings?user_id=${rows.users[0]}&group_id=${group}`, () => false],
    [`bookings?group_id=${group}`, isBy(1)],
    ['bookings?type=3', (claim) => claim.bookable === HOME_OFFICE_INDEX],
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
    [`buildings/${buildings[1]}/bookings?type=3`, (claim) => claim.bookable === HOME_OFFICE_INDEX],
    [`buildings/${buildings[0]}/bookings?group_id=${group}`, (claim) => !isIn(2)(claim) && isBy(1)(claim)],
    [`locations/${locations[0]}/bookings?tag=window`, (claim) => isIn(0)(claim) && hasTag('window')(claim)],
    [
      `locations/${locations[2]}/bookings?user_id=${rows.users[0]}&tag=quiet`,
      (claim) => claim.bookable === HOME_OFFICE_INDEX && isBy(0)(claim),
    ],
    [`users/${rows.users[0]}/bookings`, (claim) => claim.user === 0],
  ]

  it('contain exactly the bookings that overlap the requested range', async () => {
    const drawn = fc.record({
      bookings: fc.array(claims(NOW_MS, { bookables: LOCATION_OF_BOOKABLE.length, users: 2 }), {
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
          const within = stored.filter((claim) => overlap(claim, range)).sort(compareStarts)
          for (const [path, belongs] of listings()) {
            const query = `from=${fromMicros(range.from)}&to=${fromMicros(range.to)}`
            const answer = await client.get(`${path}${path.includes('?') ? '&' : '?'}${query}`)
            expect(answer.status, answer.text).to.equal(200)
            const expected = within.filter(belongs).map(({ id, from, to }) => ({
              id,
              from: fromMicros(from),
              to: to === null ? null : fromMicros(to),
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
    // Fails if the model is always empty, because then the test would prove nothing.
    expect(listed).to.be.greaterThan(500)
  }).timeout(120_000)
})
