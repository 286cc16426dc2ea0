// Tests personal tokens with SCIM and with streamed listings. every-endpoint.test.ts calls each endpoint.
import { expect } from 'chai'
import { scimEndpoints } from '../../../gateway/api/scim/scim-routes.ts'
import { ABILITIES } from '../../../shared/tokens/token-store.ts'
import { createCampus, createSecretCampus } from '../../support/campus.ts'
import { createUser, hoursFromNow } from '../../support/factories.ts'
import { Client } from '../../support/http/http.ts'
import { createPersonalToken } from '../../support/personal-tokens.ts'
import { use } from '../../support/use.ts'
import { useWorld } from '../../support/world.ts'

const tomorrow = { from: hoursFromNow(0), to: hoursFromNow(24) }
const PERSONAL_TOKEN_REFUSAL = 'This is a personal token. It can view and change only its owner’s data.'

describe('a personal token', () => {
  const world = useWorld({ workers: [], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })

  it('cannot use SCIM, regardless of its abilities', async () => {
    expect(scimEndpoints.filter(({ personal }) => personal !== undefined)).to.deep.equal([])
    const user = await createUser(world.database)
    const client = new Client(world.url, await createPersonalToken(world.database, user, ABILITIES))
    for (const { method, path } of scimEndpoints) {
      const address = `/scim/v2${path.replace(/\{\w+\}/, String(user))}`
      const body = method === 'GET' || method === 'DELETE' ? undefined : {}
      const { status, json } = await client.ask(address, { method, body })
      expect([status, json.detail], `${method} ${path}`).to.deep.equal([403, PERSONAL_TOKEN_REFUSAL])
    }
  })

  describe('a personal token that reads listings of thousands of items', () => {
    const SPAN = `from=${tomorrow.from}&to=${tomorrow.to}`
    const campuses = use(async () => {
      const [mine, theirs] = [
        await createCampus(world.database, 'My'),
        await createSecretCampus(world.database, 'Their'),
      ]
      await world.database('bookables').where({ id: mine.free }).update({ type: 3 })
      await world.database.raw(
        `INSERT INTO bookings (bookable_id, user_id, during, exclusive, guest_name)
         SELECT :bookable, user_id, tstzrange(CAST(:from AS timestamptz) + number * interval '30 s', :to), false, name
         FROM generate_series(1, 2600) AS number,
           (VALUES (CAST(:mine AS bigint), NULL), (CAST(:theirs AS bigint), 'Secret Guest')) AS owners (user_id, name)`,
        { ...tomorrow, bookable: mine.free, mine: mine.user, theirs: theirs.user },
      )
      return { mine, theirs }
    })

    for (const limited of [false, true])
      it(`receives only its owner’s bookings${limited ? ', and only in its buildings' : ''}`, async () => {
        const { mine } = campuses
        const buildingIds = limited ? [mine.building] : undefined
        const client = new Client(
          world.url,
          await createPersonalToken(world.database, mine.user, ['read'], { buildingIds }),
        )
        for (const path of [`bookings?${SPAN}`, `locations/${mine.location}/bookings?${SPAN}`]) {
          const answer = await client.get(path)
          expect(answer.text).to.not.match(/secret/i)
          expect(answer.json.data).to.have.length(2_601)
        }
        const page = await client.get(`bookings?${SPAN}&limit=50`)
        expect(page.json.data).to.have.length(50)
        expect(page.text).to.not.match(/secret/i)
      })
  })
})
