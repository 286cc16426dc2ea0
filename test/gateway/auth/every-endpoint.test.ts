// Calls every endpoint as each kind of caller: without a token, with other abilities than it needs, with a token of another
// building, with a token of a person, and with one that may call it. A new endpoint gets a request in
// test/support/campus.ts; if it declares what it shows to personal tokens, it gets a line here.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { endpoints } from '../../../gateway/app.ts'
import { abilitiesOf, type Endpoint } from '../../../gateway/server/http/endpoint.ts'
import { ABILITIES, type Ability, createToken } from '../../../shared/tokens/token-store.ts'
import { APART, type Campus, createCampus, createSecretCampus, REQUESTS } from '../../support/campus.ts'
import { Client } from '../../support/http/http.ts'
import { createPersonalToken } from '../../support/personal-tokens.ts'
import { useWorld } from '../../support/world.ts'

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const ELSEWHERE = /Elsewhere|elsewhere\.example/
const SECRET = /secret/i

// Callers whom an endpoint refuses learn nothing about ids, so any id will do.
const anywhere = (path: string) => path.slice(1).replace(/\{\w+\}/g, '1')

type Requests = typeof APART

// What a personal token gets for somebody else: `hidden` is the usual answer, without anything of that person.
const FOR_OTHERS: Record<string, 403 | 404 | 'hidden'> = {
  'GET /me': 'hidden',
  'GET /me/requests': 'hidden',
  'GET /users/{id}': 404,
  'GET /users/by-email/{user_email}': 404,
  'GET /users/{user_id}/bookings': 404,
  'GET /users/by-email/{user_email}/bookings': 404,
  'GET /users/{user_id}/vehicles': 404,
  'GET /buildings': 'hidden',
  'GET /buildings/{id}': 'hidden',
  'GET /buildings/{building_id}/bookings': 'hidden',
  'GET /buildings/{id}/rules': 'hidden',
  'GET /locations/{location_id}': 'hidden',
  'GET /locations/{location_id}/plan': 'hidden',
  'GET /locations/{location_id}/bookings': 'hidden',
  'GET /locations/{location_id}/bookables': 'hidden',
  'GET /locations/{location_id}/bookables/occupancy': 'hidden',
  'GET /locations/{id}/rules': 'hidden',
  'GET /bookables/{id}': 'hidden',
  'GET /bookables/{bookable_id}/bookings': 'hidden',
  'GET /bookables/{id}/availability': 'hidden',
  'GET /bookables/{id}/rules': 'hidden',
  'GET /availability': 'hidden',
  'POST /free-busy': 'hidden',
  'GET /bookings': 'hidden',
  'POST /bookings': 403,
  'POST /bookings/batch': 403,
  'POST /bookings/check': 403,
  'POST /bookings/series': 403,
  'GET /bookings/{id}': 404,
  'GET /bookings/{id}/livemap': 404,
  'PUT /bookings/{id}': 404,
  'PATCH /bookings/{id}': 404,
  'DELETE /bookings/{id}': 404,
  'POST /bookings/{id}/check-in': 404,
  'POST /bookings/{id}/move': 404,
  'GET /booking-requests': 'hidden',
  'GET /booking-requests/{id}': 404,
  'POST /booking-requests': 403,
  'POST /booking-requests/{id}/approve': 404,
  'POST /booking-requests/{id}/decline': 404,
  'DELETE /booking-requests/{id}': 404,
  'GET /series/{id}': 404,
  'DELETE /series/{id}': 404,
  'GET /events': 'hidden',
  'GET /events/today': 'hidden',
  'GET /events/{id}': 404,
  'POST /events': 403,
  'PUT /events/{id}': 404,
  'PATCH /events/{id}': 404,
  'DELETE /events/{id}': 404,
  'POST /events/{id}/check-in': 404,
  'GET /calendars': 'hidden',
  'POST /calendars': 403,
  'DELETE /calendars/{id}': 404,
}

// Requests of a person, where the usual request of a campus does not concern its person.
const OF_PERSON: Requests = {
  'POST /calendars': ({ user }) => ({ path: 'calendars', body: { user_id: user } }),
  'DELETE /buildings/{id}': ({ building }) => ({ path: `buildings/${building}` }),
  'GET /jobs/{id}': () => ({ path: `jobs/${randomUUID()}` }),
  'GET /jobs/{id}/file': () => ({ path: `jobs/${randomUUID()}/file` }),
}

describe('every endpoint', () => {
  // The tests poll for results.
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    environment: { RATE_LIMIT_PER_MINUTE: '100000' },
  })
  // There may be 200.
  beforeEach(() => world.database('webhooks').delete())
  const closed = endpoints.filter(({ isOpen }) => !isOpen)
  const clients = new Map<string, Promise<Client>>()
  const revealing: string[] = []

  function clientOf(abilities: readonly Ability[], buildings?: Campus[]): Promise<Client> {
    const buildingIds = buildings?.map(({ building }) => building)
    const name = JSON.stringify([abilities, buildingIds])
    const create = async () => {
      const token = { name: 'some', abilities, createdBy: 'test', buildingIds }
      return new Client(world.url, (await createToken(world.database, token)).token)
    }
    const client = clients.get(name) ?? create()
    clients.set(name, client)
    return client
  }

  async function ask(client: Client, endpoint: Endpoint, campus: Campus, own: Requests = {}) {
    const name = nameOf(endpoint)
    const request = own[name] ?? REQUESTS[name] ?? APART[name] ?? expect.fail(`${name} has no request`)
    const { path, ...rest } = await request(campus, client)
    return client.ask(path, { ...rest, method: endpoint.method })
  }

  async function expectRefusedWithoutToken({ method, path }: Endpoint) {
    const refused = await new Client(world.url).ask(anywhere(path), { method })
    expect(refused.status, 'without a token').to.equal(401)
    expect(refused.json.code).to.equal('unauthenticated')
    expect(refused.headers.get('WWW-Authenticate')).to.equal('Bearer')
  }

  async function expectRefusedWithOtherAbilities(endpoint: Endpoint) {
    const abilities = abilitiesOf(endpoint)
    for (const ability of abilities) {
      const others = ABILITIES.filter((other) => other !== ability)
      const needed = abilities.filter((other) => other !== ability)
      for (const unable of [others, needed, ...others.map((other) => [...needed, other])]) {
        const client = await clientOf(unable)
        const refused = await client.ask(anywhere(endpoint.path), { method: endpoint.method })
        expect(refused.status, `with ${unable}`).to.equal(403)
        expect(refused.json).to.include({
          code: 'missing_ability',
          detail: `This requires a token with the ability “${ability}”.`,
        })
      }
    }
  }

  async function expectLimitedToBuildings(endpoint: Endpoint, here: Campus, there: Campus) {
    const request = REQUESTS[nameOf(endpoint)]
    if (request === undefined) return
    const abilities = abilitiesOf(endpoint)
    const before = await rowsOf(there)
    const { outside = 404 } = request(there)
    const refused = await ask(await clientOf(abilities, [here]), endpoint, there)
    expect(refused.status, `in another building: ${refused.text}`).to.equal(
      outside === 'hidden' ? 200 : outside,
    )
    expect(refused.text).to.not.match(ELSEWHERE)
    if (outside === 404) expect(refused.json.code).to.equal('not_found')

    const others = ABILITIES.filter((other) => !abilities.includes(other))
    const unable = await ask(await clientOf(others, [there]), endpoint, there)
    expect([unable.status, unable.json.code]).to.deep.equal([403, 'missing_ability'])
    expect(await rowsOf(there)).to.deep.equal(before)

    const another = await createCampus(world.database, 'Elsewhere')
    await expectUsualAnswer(await clientOf(abilities, [here, another]), endpoint, another)
  }

  async function expectLimitedToPerson(endpoint: Endpoint, mine: Campus, theirs: Campus) {
    const token = await createPersonalToken(world.database, mine.user, abilitiesOf(endpoint))
    const client = new Client(world.url, token)
    if (endpoint.personal === undefined) {
      const answer = await ask(client, endpoint, mine, OF_PERSON)
      expect([answer.status, answer.json.code], answer.text).to.deep.equal([403, 'personal_token'])
      return
    }
    for (const { calendar, user } of [mine, theirs])
      await world.database('calendars').where({ id: calendar }).update({ user_id: user, bookable_id: null })
    const before = await rowsOf(theirs)
    const others = await ask(client, endpoint, theirs, OF_PERSON)
    const expected = FOR_OTHERS[nameOf(endpoint)]
    expect(others.status, `for somebody else: ${others.text}`).to.equal(
      expected === 'hidden' ? 200 : expected,
    )
    expect(others.text).to.not.match(SECRET)
    if (expected === 403) expect(others.json.code).to.equal('personal_token')
    if (expected === 404) expect(others.json.code).to.equal('not_found')
    expect(await rowsOf(theirs)).to.deep.equal(before)
    const own = await ask(client, endpoint, mine, OF_PERSON)
    expect(own.status, own.text).to.equal(endpoint.answer.status)
    expect(own.text).to.not.match(SECRET)
  }

  async function expectUsualAnswer(client: Client, endpoint: Endpoint, campus: Campus): Promise<string> {
    const { status, text } = await ask(client, endpoint, campus)
    expect(status, text).to.equal(endpoint.answer.status)
    const isHidden = REQUESTS[nameOf(endpoint)]?.(campus).outside === 'hidden'
    if (isHidden && endpoint.method === 'GET') expect(text).to.match(ELSEWHERE)
    return text
  }

  // Everything in a campus that a write may change.
  async function rowsOf({ building, user }: Campus) {
    const owned = ['bookings', 'holds', 'vehicles', 'calendars', 'cancelled_bookings', 'group_members'].map(
      (table) =>
        `(SELECT jsonb_agg(to_jsonb(t) ORDER BY 1) FROM ${table} t WHERE user_id = :user) AS own_${table}`,
    )
    const { rows } = await world.database.raw(
      `SELECT ${owned.join(', ')},
         (SELECT to_jsonb(users) FROM users WHERE id = :user) AS person,
         (SELECT jsonb_agg(to_jsonb(e) ORDER BY id) FROM events e WHERE organizer_user_id = :user) AS events,
         (SELECT jsonb_agg(to_jsonb(b) ORDER BY b.id) FROM bookings b JOIN events ON events.id = event_id
          WHERE organizer_user_id = :user) AS rooms,
         (SELECT jsonb_agg(to_jsonb(b)) FROM buildings b WHERE id = :building) AS buildings,
         (SELECT jsonb_agg(to_jsonb(l) ORDER BY id) FROM locations l WHERE building_id = :building) AS locations,
         (SELECT jsonb_agg(to_jsonb(b) ORDER BY id) FROM bookables b
          WHERE location_id IN (SELECT id FROM locations WHERE building_id = :building)) AS bookables,
         (SELECT jsonb_agg(to_jsonb(b) ORDER BY b.id) FROM bookings b JOIN bookables ON bookables.id = bookable_id
          WHERE location_id IN (SELECT id FROM locations WHERE building_id = :building)) AS bookings,
         (SELECT jsonb_agg(to_jsonb(w) ORDER BY id) FROM webhooks w
          WHERE building_ids @> ARRAY[:building::bigint]) AS webhooks`,
      { building, user },
    )
    return rows
  }

  it('has a request in the tables, and the tables have no other', () => {
    expect([...Object.keys(REQUESTS), ...Object.keys(APART)]).to.have.members(endpoints.map(nameOf))
  })

  it('has a line in the table of personal tokens if it declares what it shows them', () => {
    const declared = closed.filter(({ personal }) => personal !== undefined).map(nameOf)
    expect(Object.keys(FOR_OTHERS)).to.have.members(declared)
  })

  for (const endpoint of closed) {
    const abilities = abilitiesOf(endpoint)

    it(`${nameOf(endpoint)} answers only callers with ${abilities.join(' and ') || 'a token'}, of its building and person`, async () => {
      const here = await createCampus(world.database, 'Here')
      const there = await createSecretCampus(world.database, 'Elsewhere')
      await expectRefusedWithoutToken(endpoint)
      await expectRefusedWithOtherAbilities(endpoint)
      await expectLimitedToBuildings(endpoint, here, there)
      await expectLimitedToPerson(endpoint, here, there)
      const text = await expectUsualAnswer(await clientOf(abilities), endpoint, there)
      if (endpoint.method === 'GET' && endpoint.personal && SECRET.test(text))
        revealing.push(nameOf(endpoint))
    })
  }

  it('shows secrets of a person to tokens that belong to nobody', () => {
    expect(revealing).to.have.length.at.least(10)
  })
})
