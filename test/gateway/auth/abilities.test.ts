// Tries every endpoint with every ability: each needs exactly those that it declares.
import { expect } from 'chai'
import { docsRoutes } from '../../../gateway/api/openapi/docs-routes.ts'
import { endpoints } from '../../../gateway/app.ts'
import { abilitiesOf, type Endpoint } from '../../../gateway/server/http/endpoint.ts'
import { healthRoutes } from '../../../gateway/server/http/health.ts'
import { ABILITIES, type Ability, createToken } from '../../../shared/tokens/token-store.ts'
import { APART, createCampus, REQUESTS } from '../../support/campus.ts'
import { Client } from '../../support/http/http.ts'
import { useWorld } from '../../support/world.ts'

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

describe('the abilities of a token', () => {
  // The tests poll for results.
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    environment: { RATE_LIMIT_PER_MINUTE: '100000' },
  })

  const clientOf = async (abilities: Ability[]) => {
    const { token } = await createToken(world.database, { name: 'some', abilities, createdBy: 'test' })
    return new Client(world.url, token)
  }

  it('are not required if the address itself is the secret', () => {
    expect(endpoints.filter(({ isOpen }) => isOpen).map(nameOf)).to.have.members([
      'GET /calendars/{secret}.ics',
      'GET /bookings/{id}/livemap.svg',
    ])
  })

  for (const endpoint of endpoints.filter(({ isOpen }) => !isOpen)) {
    const { method, path } = endpoint
    const abilities = abilitiesOf(endpoint)
    // A caller without the ability learns nothing about ids, so any id will do.
    const somewhere = path.slice(1).replace(/\{\w+\}/g, '1')

    it(`${method} ${path} needs ${abilities.join(' and ') || 'any token'}, and no other helps`, async () => {
      const able = await clientOf(abilities)
      const campus = await createCampus(world.database, 'Some')
      // The test of tokens that are limited to buildings checks that each endpoint has a request.
      const request = await (REQUESTS[nameOf(endpoint)] ?? APART[nameOf(endpoint)])?.(campus, able)
      const answer = await able.ask(request?.path ?? '', { ...request, method })
      expect(answer.status, answer.text).to.equal(endpoint.answer.status)

      for (const ability of abilities) {
        const others = ABILITIES.filter((other) => other !== ability)
        const needed = abilities.filter((other) => other !== ability)
        for (const unable of [others, needed, ...others.map((other) => [...needed, other])]) {
          const refused = await (await clientOf(unable)).ask(somewhere, { method })
          expect(refused.status).to.equal(403)
          expect(refused.json).to.include({
            code: 'missing_ability',
            detail: `This requires a token with the ability “${ability}”.`,
          })
        }
      }
    })

    it(`${method} ${path} needs a token`, async () => {
      const refused = await new Client(world.url).ask(somewhere, { method })
      expect(refused.status).to.equal(401)
      expect(refused.json.code).to.equal('unauthenticated')
      expect(refused.headers.get('WWW-Authenticate')).to.equal('Bearer')
    })
  }

  it('are those that docs/interface.md names for each path', () => {
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
    // What the interface only mentions: the picture that `livemap` names, and jobs, whose ability is that of their call.
    const further = {
      'GET /bookings/{id}/livemap': 'read',
      'GET /jobs/{id}': 'user-write',
      'GET /jobs/{id}/file': 'user-write',
    }
    const declared = Object.fromEntries(
      endpoints.map((endpoint) => [nameOf(endpoint), abilitiesOf(endpoint).join(' and ') || null]),
    )
    // The table of docs/interface.md has all others (test/gateway/api/openapi/interface-page.test.ts).
    expect(declared).to.include({ ...summary, ...further })
  })

  it('are required for HEAD as for GET', async () => {
    for (const { method, path, ability, withoutHead } of endpoints) {
      if (method !== 'GET' || withoutHead || ability === null) continue
      const somewhere = path.slice(1).replace(/\{\w+\}/g, '1')
      const unable = await world.client(...ABILITIES.filter((other) => other !== ability))
      expect((await unable.ask(somewhere, { method: 'HEAD' })).status, path).to.equal(403)
      expect((await new Client(world.url).ask(somewhere, { method: 'HEAD' })).status, path).to.equal(401)
    }
  })

  it('are not required by a known list of addresses, and by no others of the core', () => {
    const open = [...healthRoutes, ...docsRoutes(endpoints)].map(({ path }) => path)
    expect(open).to.have.members([
      '/healthz',
      '/readyz',
      '/metrics',
      '/',
      '/api',
      '/api/v1/openapi.json',
      '/api/docs',
      '/api/docs/errors',
      '/api/docs/postman.json',
      '/api/docs/style.css',
    ])
  })
})
