// Tries every endpoint with every ability: each needs exactly those that it declares.
import { expect } from 'chai'
import { endpoints } from '../../../gateway/app.ts'
import { healthRoutes } from '../../../gateway/http/health.ts'
import { abilitiesOf, type Endpoint } from '../../../gateway/http/kit/endpoint.ts'
import { docsRoutes } from '../../../gateway/openapi/docs-routes.ts'
import { ABILITIES, type Ability, createToken } from '../../../shared/tokens/token-store.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createDesk,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../support/factories.ts'
import { type Asked, Client } from '../../support/http/http.ts'
import { eventually } from '../../support/time.ts'
import { useWorld, type World } from '../../support/world.ts'

type Request = Asked & { path: string }

// A request that succeeds, for each endpoint that needs rows, a body or a query. A new endpoint gets a line here.
const REQUESTS: Record<string, (world: World, client: Client) => Promise<Request>> = {
  'GET /users/{id}': async ({ database }) => ({ path: `users/${await createUser(database)}` }),
  'GET /changes': async () => ({ path: 'changes' }),
  'POST /webhooks': async () => ({ path: 'webhooks', body: WEBHOOK }),
  'GET /webhooks/{id}': async (world) => ({ path: await aWebhook(world) }),
  'PATCH /webhooks/{id}': async (world) => ({
    path: await aWebhook(world),
    body: { enabled: false },
  }),
  'DELETE /webhooks/{id}': async (world) => ({ path: await aWebhook(world) }),
  'POST /webhooks/{id}/rotate-secret': async (world) => ({
    path: `${await aWebhook(world)}/rotate-secret`,
  }),
  'GET /webhooks/{id}/deliveries': async (world) => ({
    path: `${await aWebhook(world)}/deliveries`,
  }),
  'GET /webhooks/{id}/deliveries/{delivery_id}': async (world) => ({
    path: await aDelivery(world),
  }),
  'POST /webhooks/{id}/deliveries/{delivery_id}/send-again': async (world) => ({
    path: `${await aDelivery(world)}/send-again`,
  }),
  'POST /webhooks/{id}/send-failed': async (world) => ({
    path: `${await aWebhook(world)}/send-failed`,
    body: { since: hoursFromNow(-1) },
  }),
  'POST /webhooks/{id}/test': async (world) => ({ path: `${await aWebhook(world)}/test` }),
  'GET /calendars': async () => ({ path: 'calendars?user_id=1' }),
  'POST /calendars': async ({ database }) => ({
    path: 'calendars',
    body: { user_id: await createUser(database) },
  }),
  'DELETE /calendars/{id}': async (world) => {
    const { database } = world
    const client = await world.client()
    const created = await client.post('calendars', { user_id: await createUser(database) })
    return { path: `calendars/${created.json.data.id}` }
  },
  'GET /users': async () => ({ path: 'users?search=ada' }),
  'GET /users/{user_id}/vehicles': async ({ database }) => ({
    path: `users/${await createUser(database)}/vehicles`,
  }),
  'GET /buildings/{id}': async ({ database }) => ({ path: `buildings/${await createBuilding(database)}` }),
  'GET /locations/{location_id}': async ({ database }) => ({
    path: `locations/${await createLocation(database)}`,
  }),
  'GET /bookables/{id}': async ({ database }) => ({
    path: `bookables/${(await createDesk(database)).bookable_id}`,
  }),
  'GET /buildings/{id}/in-the-way': async ({ database }) => ({
    path: `buildings/${await createBuilding(database)}/in-the-way`,
  }),
  'GET /locations/{id}/in-the-way': async ({ database }) => ({
    path: `locations/${await createLocation(database)}/in-the-way`,
  }),
  'GET /bookables/{id}/in-the-way': async ({ database }) => ({
    path: `bookables/${(await createDesk(database)).bookable_id}/in-the-way`,
  }),
  'DELETE /events/{id}': async (world) => ({ path: `events/${await anEvent(world)}` }),
  'GET /users/by-email/{user_email}': async ({ database }) => {
    await createUser(database, { email: 'ada@example.com' })
    return { path: 'users/by-email/ada@example.com' }
  },
  'POST /bookings': async ({ database }) => ({
    path: 'bookings',
    body: { ...(await createDesk(database)), to_time: hoursFromNow(1) },
  }),
  'POST /bookings/batch': async ({ database }) => ({
    path: 'bookings/batch',
    body: { bookings: [{ ...(await createDesk(database)), to_time: hoursFromNow(1) }] },
  }),
  'POST /bookings/series': async ({ database }) => ({
    path: 'bookings/series',
    body: { ...(await createDesk(database)), to_time: hoursFromNow(1), repeat: { every: 'day', count: 2 } },
  }),
  'GET /series/{id}': async (world) => ({ path: `series/${await aSeries(world)}` }),
  'DELETE /series/{id}': async (world) => ({ path: `series/${await aSeries(world)}` }),
  'POST /bookings/check': async ({ database }) => ({
    path: 'bookings/check',
    body: { ...(await createDesk(database)), to_time: hoursFromNow(1) },
  }),
  'POST /users/import': async () => {
    const form = new FormData()
    form.set('file', new Blob(['email,name\nada@example.org,Ada\n']), 'users.csv')
    return { path: 'users/import', form }
  },
  'GET /users/export': async () => ({ path: 'users/export?format=csv' }),
  'GET /jobs/{id}': async (world, client) => ({
    path: (await anExport(world, client)).slice('/api/v1/'.length),
  }),
  'GET /jobs/{id}/file': async (world, client) => ({
    path: `${(await anExport(world, client)).slice('/api/v1/'.length)}/file`,
  }),
  'GET /users/{user_id}/bookings': async ({ database }) => ({
    path: `users/${await createUser(database)}/bookings${WEEK}`,
  }),
  'GET /users/by-email/{user_email}/bookings': async ({ database }) => {
    await createUser(database, { email: 'grace@example.com' })
    return { path: `users/by-email/grace@example.com/bookings${WEEK}` }
  },
  'GET /buildings/{building_id}/bookings': async ({ database }) => ({
    path: `buildings/${await createBuilding(database)}/bookings${WEEK}`,
  }),
  'GET /locations/{location_id}/bookings': async ({ database }) => ({
    path: `locations/${await createLocation(database)}/bookings${WEEK}`,
  }),
  'GET /locations/{location_id}/bookables': async ({ database }) => ({
    path: `locations/${await createLocation(database)}/bookables`,
  }),
  'GET /locations/{location_id}/bookables/occupancy': async ({ database }) => ({
    path: `locations/${await createLocation(database)}/bookables/occupancy`,
  }),
  'GET /bookables/{bookable_id}/bookings': async ({ database }) => ({
    path: `bookables/${await createBookable(database)}/bookings${WEEK}`,
  }),
  'PATCH /bookables/{id}': async ({ database }) => ({
    path: `bookables/${await createBookable(database)}`,
    body: { name: 'Changed' },
  }),
  'POST /bookings/{id}/check-in': async ({ database }) => ({
    path: `bookings/${await createBooking(database, { from: hoursFromNow(-2), to: hoursFromNow(2) })}/check-in`,
  }),
  'POST /events/{id}/check-in': async ({ database }) => {
    const span = { from: hoursFromNow(-2), to: hoursFromNow(2) }
    const event_id = await createEvent(database, span)
    await createBooking(database, { ...span, event_id })
    return { path: `events/${event_id}/check-in` }
  },
  'GET /buildings/{id}/rules': async ({ database }) => ({
    path: `buildings/${await createBuilding(database)}/rules`,
  }),
  'PUT /buildings/{id}/rules': async ({ database }) => ({
    path: `buildings/${await createBuilding(database)}/rules`,
    body: { days_ahead_max: 14 },
  }),
  'GET /locations/{id}/rules': async ({ database }) => ({
    path: `locations/${await createLocation(database)}/rules`,
  }),
  'PUT /locations/{id}/rules': async ({ database }) => ({
    path: `locations/${await createLocation(database)}/rules`,
    body: { one_at_a_time: true },
  }),
  'GET /bookables/{id}/rules': async ({ database }) => ({
    path: `bookables/${await createBookable(database)}/rules`,
  }),
  'PUT /bookables/{id}/rules': async ({ database }) => ({
    path: `bookables/${await createBookable(database)}/rules`,
    body: {},
  }),
  'GET /bookings': async () => ({ path: `bookings${WEEK}` }),
  'GET /availability': async ({ database }) => ({
    path: `availability${WEEK}&building_id=${await createBuilding(database)}`,
  }),
  'GET /bookables/{id}/availability': async ({ database }) => ({
    path: `bookables/${await createBookable(database)}/availability${WEEK}`,
  }),
  'GET /bookings/{id}': async (world) => ({ path: `bookings/${await aBooking(world)}` }),
  'GET /bookings/{id}/livemap': async (world) => ({ path: `bookings/${await aBooking(world)}/livemap` }),
  'PUT /bookings/{id}': async (world) => ({
    path: `bookings/${await aBooking(world)}`,
    body: { to_time: hoursFromNow(3) },
  }),
  'PATCH /bookings/{id}': async (world) => ({
    path: `bookings/${await aBooking(world)}`,
    body: { to_time: hoursFromNow(3) },
  }),
  'GET /events/today': async ({ database }) => ({
    path: `events/today?building_id=${await createBuilding(database)}`,
  }),
  'GET /events': async () => ({ path: `events${WEEK}` }),
  'GET /events/{id}': async (world) => ({ path: `events/${await anEvent(world)}` }),
  'POST /events': async ({ database }) => ({
    path: 'events',
    body: { name: 'Meeting', to_time: hoursFromNow(3), organizer_user_id: await createUser(database) },
  }),
  'PUT /events/{id}': async (world) => ({
    path: `events/${await anEvent(world)}`,
    body: { name: 'Meeting', to_time: hoursFromNow(3) },
  }),
  'DELETE /bookings/{id}': async (world) => ({ path: `bookings/${await aBooking(world)}` }),
}

const WEBHOOK = { url: 'https://receiver.example/berth', types: ['booking.created'] }

async function aWebhook(world: World): Promise<string> {
  const client = await world.client()
  return `webhooks/${(await client.post('webhooks', WEBHOOK)).json.data.id}`
}

async function aDelivery(world: World): Promise<string> {
  const client = await world.client()
  const webhook = await aWebhook(world)
  return `${webhook}/deliveries/${(await client.post(`${webhook}/test`, {})).json.data.id}`
}

const WEEK = `?from=${hoursFromNow(0)}&to=${hoursFromNow(24)}`

const aBooking = ({ database }: World) =>
  createBooking(database, { from: hoursFromNow(1), to: hoursFromNow(2) })

// Accepts the job, waits until it is done, and returns its path.
async function anExport(_world: World, client: Client): Promise<string> {
  const answer = await client.get('users/export?format=csv', { Prefer: 'respond-async' })
  const { pathname } = new URL(answer.headers.get('Location') ?? '')
  return eventually(async () => {
    expect((await client.get(pathname)).json.data.state).to.equal('done')
    return pathname
  })
}

async function aSeries({ database }: World): Promise<number> {
  const repeat = { every: 'day', interval: 1, on: null, until: null, count: 2 }
  const [{ id }] = await database('series').insert({ repeat, timezone: 'UTC' }).returning('id')
  return id
}

const anEvent = ({ database }: World) => createEvent(database, { from: hoursFromNow(1), to: hoursFromNow(2) })

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`

function needsRequest({ method, path, query }: Endpoint): boolean {
  const fields = 'fields' in query ? Object.keys(query.fields as object) : []
  // Every listing accepts these two and requires neither.
  const asks = fields.some((name) => name !== 'limit' && name !== 'cursor')
  return method !== 'GET' || path.includes('{') || asks
}

describe('abilities', () => {
  // The tests poll for results.
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    environment: { RATE_LIMIT_PER_MINUTE: '100000' },
  })

  const clientOf = async (abilities: Ability[]) => {
    const { token } = await createToken(world.database, { name: 'some', abilities, createdBy: 'test' })
    return new Client(world.url, token)
  }

  it('are tested on every endpoint, and REQUESTS has no extra line', () => {
    const needed = endpoints.filter((endpoint) => !endpoint.isOpen && needsRequest(endpoint)).map(nameOf)
    expect(needed.filter((name) => !REQUESTS[name])).to.deep.equal([])
    expect(Object.keys(REQUESTS).filter((name) => !endpoints.map(nameOf).includes(name))).to.deep.equal([])
  })

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
      const find = REQUESTS[nameOf(endpoint)] ?? (async () => ({ path: path.slice(1) }))
      const able = await clientOf(abilities)
      const { path: address, ...request } = await find(world, able)
      const answer = await able.ask(address, { ...request, method })
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
    // What the interface only mentions: the picture that `livemap` names, and jobs, whose ability is that of their call.
    const further = {
      'GET /bookings/{id}/livemap': 'read',
      'GET /jobs/{id}': 'user-write',
      'GET /jobs/{id}/file': 'user-write',
    }
    const beyond = {
      'GET /users': 'read',
      'GET /users/{user_id}/vehicles': 'read',
      'GET /buildings/{id}': 'read',
      'GET /locations/{location_id}': 'read',
      'GET /bookables/{id}': 'read',
      'GET /buildings/{id}/in-the-way': 'read',
      'GET /locations/{id}/in-the-way': 'read',
      'GET /bookables/{id}/in-the-way': 'read',
      'GET /availability': 'read',
      'GET /bookables/{id}/availability': 'read',
      'GET /bookings/{id}': 'read',
      'POST /bookings/check': 'read',
      'POST /bookings/batch': 'booking-write',
      'POST /bookings/series': 'booking-write',
      'GET /series/{id}': 'read',
      'DELETE /series/{id}': 'booking-write',
      'DELETE /events/{id}': 'booking-write',
      'POST /bookings/{id}/check-in': 'booking-write',
      'POST /events/{id}/check-in': 'booking-write',
      'GET /buildings/{id}/rules': 'read',
      'PUT /buildings/{id}/rules': 'object-write',
      'GET /locations/{id}/rules': 'read',
      'PUT /locations/{id}/rules': 'object-write',
      'GET /bookables/{id}/rules': 'read',
      'PUT /bookables/{id}/rules': 'object-write',
      'GET /changes': 'read',
      'GET /webhooks': 'webhook-write',
      'POST /webhooks': 'webhook-write and read',
      'GET /webhooks/{id}': 'webhook-write',
      'PATCH /webhooks/{id}': 'webhook-write and read',
      'DELETE /webhooks/{id}': 'webhook-write',
      'POST /webhooks/{id}/rotate-secret': 'webhook-write',
      'GET /webhooks/{id}/deliveries': 'webhook-write and read',
      'GET /webhooks/{id}/deliveries/{delivery_id}': 'webhook-write and read',
      'POST /webhooks/{id}/deliveries/{delivery_id}/send-again': 'webhook-write',
      'POST /webhooks/{id}/send-failed': 'webhook-write',
      'POST /webhooks/{id}/test': 'webhook-write',
      'GET /calendars': 'webhook-write',
      'POST /calendars': 'webhook-write and read',
      'DELETE /calendars/{id}': 'webhook-write',
      'GET /calendars/{secret}.ics': null,
      'GET /bookings/{id}/livemap.svg': null,
      'GET /me': null,
    }
    const declared = Object.fromEntries(
      endpoints.map((endpoint) => [nameOf(endpoint), abilitiesOf(endpoint).join(' and ') || null]),
    )
    expect(declared).to.deep.equal({ ...summary, ...further, ...beyond })
  })

  it('are needed for HEAD as for GET', async () => {
    for (const { method, path, ability, withoutHead } of endpoints) {
      if (method !== 'GET' || withoutHead || ability === null) continue
      const somewhere = path.slice(1).replace(/\{\w+\}/g, '1')
      const unable = await world.client(...ABILITIES.filter((other) => other !== ability))
      expect((await unable.ask(somewhere, { method: 'HEAD' })).status, path).to.equal(403)
      expect((await new Client(world.url).ask(somewhere, { method: 'HEAD' })).status, path).to.equal(401)
    }
  })

  it('are not asked for by these addresses, and by no others of the core', () => {
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
      '/api/docs/style.css',
    ])
  })
})
