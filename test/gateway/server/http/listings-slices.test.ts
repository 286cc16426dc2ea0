// Tests long listings that are read slice by slice: every item appears once and in order, for any
// distribution of items over the range.
import { expect } from 'chai'
import { followPages } from '../../../support/http/links.ts'
import { createOffice, type Office } from '../../../support/office.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const WEEK_QUERY = 'from=2026-03-02T00:00:00.000001Z&to=2026-03-09T00:00:00Z'

/** Ways to spread bookings over the week: the start and the duration of each booking, computed from its number. */
const SPREADS: Record<string, { number: number; begins: string; lasts: string }> = {
  'lie evenly in the range, to the microsecond': {
    number: 7_000,
    begins: "'2026-03-02T00:00:00Z'::timestamptz + n * interval '86.399123 seconds'",
    lasts: "interval '1 hour'",
  },
  'are all at one time': {
    number: 4_000,
    begins: "'2026-03-05T09:00:00Z'::timestamptz",
    lasts: "interval '1 hour'",
  },
  'are all before the range': {
    number: 3_000,
    begins: "'2026-03-01T12:00:00Z'::timestamptz - n * interval '1 hour'",
    lasts: "interval '400 days'",
  },
  'are at both ends of the range': {
    number: 6_000,
    begins:
      "CASE WHEN n % 2 = 0 THEN '2026-03-02T00:00:00Z'::timestamptz ELSE '2026-03-08T23:59:59.999999Z' END",
    lasts: "interval '24 hours'",
  },
}

describe('long listings that are read in slices', () => {
  const world = useWorld({ workers: [], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const client = useClient(world, 'read')
  let office: Office
  beforeEach(async () => {
    await world.database('bookings').delete()
    office = await createOffice(world.database)
  })

  const idsOf = (data: Array<{ id: number }>) => data.map(({ id }) => id)

  for (const [title, { number, begins, lasts }] of Object.entries(SPREADS)) {
    it(`contain every booking once if bookings ${title}`, async () => {
      const { rows } = await world.database.raw<{ rows: Array<{ id: number }> }>(
        `WITH created AS (
           INSERT INTO bookings (bookable_id, user_id, during, exclusive)
           SELECT ?, ?, tstzrange(begins, begins + ${lasts}), false
           FROM generate_series(1, ${number}) AS n, LATERAL (SELECT ${begins} AS begins) AS each
           RETURNING id, during)
         SELECT id FROM created ORDER BY lower(during), id`,
        [office.home.id, office.user.id],
      )
      const expected = idsOf(rows)
      for (const path of [
        `buildings/${office.building.id}/bookings?${WEEK_QUERY}`,
        `bookings?${WEEK_QUERY}`,
      ]) {
        const whole = await client.get(path)
        expect(whole.status).to.equal(200)
        expect(idsOf(whole.json.data), path).to.deep.equal(expected)
        const { items } = await followPages<{ id: number }>(client, `${path}&limit=1000`)
        expect(idsOf(items), path).to.deep.equal(expected)
      }
    })
  }
})
