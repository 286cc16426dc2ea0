// Every endpoint, walked through every ability: it needs exactly the one that it declares.
import { expect } from 'chai'
import { endpoints } from '../../gateway/app.ts'
import type { Endpoint } from '../../gateway/endpoint.ts'
import { ABILITIES, createToken } from '../../shared/tokens.ts'
import { createBooking, createDesk, createUser, hoursFromNow } from '../support/factories.ts'
import { type Asked, Client } from '../support/http.ts'
import { createWorld, type World } from '../support/world.ts'

type Request = Asked & { path: string }

// A request that succeeds, for each endpoint that needs rows, a body or a query. A new endpoint gets a line here.
const REQUESTS: Record<string, (world: World) => Promise<Request>> = {
  'GET /users/{id}': async ({ database }) => ({ path: `users/${await createUser(database)}` }),
  'GET /users/by-email/{user_email}': async ({ database }) => {
    await createUser(database, { email: 'ada@example.com' })
    return { path: 'users/by-email/ada@example.com' }
  },
  'POST /bookings': async ({ database }) => ({
    path: 'bookings',
    body: { ...(await createDesk(database)), to_time: hoursFromNow(1) },
  }),
  'DELETE /bookings/{id}': async ({ database }) => {
    const id = await createBooking(database, { from: hoursFromNow(1), to: hoursFromNow(2) })
    return { path: `bookings/${id}` }
  },
}

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

function needsRequest({ method, path, query }: Endpoint): boolean {
  const asks = 'fields' in query && Object.keys(query.fields as object).length > 0
  return method !== 'GET' || path.includes('{') || asks
}

describe('abilities', () => {
  let world: World
  before(async () => {
    world = await createWorld({ workers: ['writes', 'imports', 'exports'] })
  })
  after(() => world.close())

  it('are tried out on every endpoint, and REQUESTS has no line too many', () => {
    const needed = endpoints.filter(needsRequest).map(nameOf)
    expect(needed.filter((name) => !REQUESTS[name])).to.deep.equal([])
    expect(Object.keys(REQUESTS).filter((name) => !endpoints.map(nameOf).includes(name))).to.deep.equal([])
  })

  for (const endpoint of endpoints) {
    const { method, path, ability } = endpoint
    // Whoever may not ask learns nothing about ids, so that any will do.
    const somewhere = path.slice(1).replace(/\{\w+\}/g, '1')

    it(`${method} ${path} needs ${ability}, and no other helps`, async () => {
      const find = REQUESTS[nameOf(endpoint)] ?? (async () => ({ path: path.slice(1) }))
      const { path: address, ...request } = await find(world)
      const able = await world.client(ability)
      const answer = await able.ask(address, { ...request, method })
      expect(answer.status, answer.text).to.equal(endpoint.answer.status)

      const others = ABILITIES.filter((other) => other !== ability)
      const { token } = await createToken(world.database, { name: 'none', abilities: [], createdBy: 'test' })
      const unable = [await world.client(...others), new Client(world.url, token)]
      for (const other of others) unable.push(await world.client(other))
      for (const client of unable) {
        const refused = await client.ask(somewhere, { method })
        expect(refused.status).to.equal(403)
        expect(refused.json).to.include({
          code: 'missing_ability',
          detail: `This needs a token with the ability “${ability}”.`,
        })
      }
    })

    it(`${method} ${path} needs a token`, async () => {
      const refused = await new Client(world.url).ask(somewhere, { method })
      expect(refused.status).to.equal(401)
      expect(refused.json.code).to.equal('unauthenticated')
      expect(refused.headers.get('WWW-Authenticate')).to.equal('Bearer')
    })
  }

  it('are those of the interface: what each path needs', () => {
    // From the summary of the interface, word for word.
    const summary: Record<string, string> = {
      'POST /users/import': 'user-write',
      'GET /users/export': 'user-write',
      'GET /users/{id}': 'read',
      'GET /users/{user_id}/bookings': 'read',
      'GET /users/by-email/{user_email}': 'read',
      'GET /users/by-email/{user_email}/bookings': 'read',
      'GET /groups': 'read',
      'GET /buildings': 'read',
      'GET /buildings/{building_id}/bookings': 'read',
      'GET /locations/{location_id}/bookings': 'read',
      'GET /locations/{location_id}/bookables': 'read',
      'GET /locations/{location_id}/bookables/occupancy': 'read',
      'GET /bookables/{bookable_id}/bookings': 'read',
      'PATCH /bookables/{id}': 'object-write',
      'GET /events/today': 'read',
      'GET /events': 'read',
      'POST /events': 'booking-write',
      'GET /events/{id}': 'read',
      'PUT /events/{id}': 'booking-write',
      'GET /bookings': 'read',
      'POST /bookings': 'booking-write',
      'PUT /bookings/{id}': 'booking-write',
      'PATCH /bookings/{id}': 'booking-write',
      'DELETE /bookings/{id}': 'booking-write',
    }
    for (const endpoint of endpoints) {
      const expected = summary[nameOf(endpoint)]
      if (expected) expect(endpoint.ability, nameOf(endpoint)).to.equal(expected)
    }
  })
})
