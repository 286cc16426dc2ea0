// Tests the abilities that endpoints declare. every-endpoint.test.ts calls each endpoint with every ability.
import { expect } from 'chai'
import { createDocsRoutes } from '../../../gateway/api/openapi/docs-routes.ts'
import { endpoints } from '../../../gateway/app.ts'
import { type Endpoint, listRequiredAbilities } from '../../../gateway/server/http/endpoint.ts'
import { healthRoutes } from '../../../gateway/server/http/health.ts'
import { ABILITIES } from '../../../shared/tokens/token-store.ts'
import { Client } from '../../support/http/http.ts'
import { useWorld } from '../../support/world.ts'

const formatEndpoint = ({ method, path }: Endpoint) => `${method} ${path}`

describe('the abilities of a token', () => {
  const world = useWorld({ workers: [] })

  it('are not required at addresses that contain a secret themselves', () => {
    expect(endpoints.filter(({ isOpen }) => isOpen).map(formatEndpoint)).to.have.members([
      'GET /calendars/{secret}.ics',
      'GET /bookings/{id}/livemap.svg',
    ])
  })

  it('match the abilities that docs/interface.md lists for each path', () => {
    // Quotes the summary of the interface word for word.
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
    // Paths that the interface mentions outside its summary.
    const further = {
      'GET /bookings/{id}/livemap': 'read',
      'GET /jobs/{id}': 'user-write',
      'GET /jobs/{id}/file': 'user-write',
    }
    const declared = Object.fromEntries(
      endpoints.map((endpoint) => [
        formatEndpoint(endpoint),
        listRequiredAbilities(endpoint).join(' and ') || null,
      ]),
    )
    // The table of docs/interface.md contains all other paths (test/gateway/api/openapi/interface-page.test.ts).
    expect(declared).to.include({ ...summary, ...further })
  })

  it('are required for HEAD exactly as for GET', async () => {
    for (const { method, path, ability, withoutHead } of endpoints) {
      if (method !== 'GET' || withoutHead || ability === null) continue
      const somewhere = path.slice(1).replace(/\{\w+\}/g, '1')
      const unable = await world.client(...ABILITIES.filter((other) => other !== ability))
      expect((await unable.ask(somewhere, { method: 'HEAD' })).status, path).to.equal(403)
      expect((await new Client(world.url).ask(somewhere, { method: 'HEAD' })).status, path).to.equal(401)
    }
  })

  it('are required everywhere in the core except at a known list of addresses', () => {
    const open = [...healthRoutes, ...createDocsRoutes(endpoints)].map(({ path }) => path)
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
