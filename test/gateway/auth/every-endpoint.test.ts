// Calls every endpoint as each kind of caller: without a token, without the required abilities, with a token
// of another building, with a personal token, and with a token that may call it. A new endpoint needs a
// request in test/support/campus.ts; if the endpoint declares what it shows to personal tokens, it also needs
// a line in this file.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { endpoints } from '../../../gateway/app.ts'
import { type Endpoint, listRequiredAbilities } from '../../../gateway/server/http/endpoint.ts'
import { ABILITIES, type Ability, createToken } from '../../../shared/tokens/token-store.ts'
import {
  type Campus,
  createCampus,
  createSecretCampus,
  REQUESTS_IN_BUILDINGS,
  REQUESTS_OUTSIDE_BUILDINGS,
} from '../../support/campus.ts'
import { Client } from '../../support/http/http.ts'
import { createPersonalToken } from '../../support/personal-tokens.ts'
import { useWorld } from '../../support/world.ts'

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const OTHER_BUILDING_PATTERN = /Elsewhere|elsewhere\.example/
const SECRET_PATTERN = /secret/i

// Any id works here, because the endpoint refuses these callers before it looks for the id.
const fillPathWithAnyId = (path: string) => path.slice(1).replace(/\{\w+\}/g, '1')

type Requests = typeof REQUESTS_OUTSIDE_BUILDINGS

// The answer that a personal token gets about somebody else. `hidden` is a normal answer without data of that person.
const ANSWERS_ABOUT_OTHERS: Record<string, 403 | 404 | 422 | 'hidden'> = {
  'GET /me': 'hidden',
  'GET /me/requests': 'hidden',
  'GET /users/{id}': 404,
  'GET /users/by-email/{user_email}': 404,
  'GET /users/{user_id}/bookings': 404,
  'GET /users/by-email/{user_email}/bookings': 404,
  'GET /users/{user_id}/vehicles': 404,
  'GET /groups/{group_id}/team-days': 404,
  'POST /groups/{group_id}/team-days': 404,
  'DELETE /groups/{group_id}/team-days/{team_day_id}': 404,
  'GET /users/{user_id}/absences': 404,
  'POST /users/{user_id}/absences': 403,
  'DELETE /users/{user_id}/absences/{absence_id}': 403,
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
  'GET /bookables/{bookable_id}/loans': 'hidden',
  'POST /bookables/{bookable_id}/loans': 422,
  'DELETE /bookables/{bookable_id}/loans/{loan_id}': 404,
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
  'POST /events/series': 403,
  'GET /event-series/{id}': 404,
  'DELETE /event-series/{id}': 404,
  'PUT /events/{id}': 404,
  'PATCH /events/{id}': 404,
  'DELETE /events/{id}': 404,
  'POST /events/{id}/check-in': 404,
  'POST /events/{id}/answer': 404,
  'GET /calendars': 'hidden',
  'POST /calendars': 403,
  'DELETE /calendars/{id}': 404,
}

// Requests with a personal token, for endpoints whose usual test request is not about the token's person.
const PERSONAL_TOKEN_REQUESTS: Requests = {
  'POST /calendars': ({ user }) => ({ path: 'calendars', body: { user_id: user } }),
  'DELETE /buildings/{id}': ({ building }) => ({ path: `buildings/${building}` }),
  'GET /jobs/{id}': () => ({ path: `jobs/${randomUUID()}` }),
  'GET /jobs/{id}/file': () => ({ path: `jobs/${randomUUID()}/file` }),
}

describe('every endpoint of the API', () => {
  // Allows many requests, because the tests poll for results.
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    environment: { RATE_LIMIT_PER_MINUTE: '100000' },
  })
  // Deletes all webhooks before each test, because only 200 may exist.
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
    const request =
      own[name] ??
      REQUESTS_IN_BUILDINGS[name] ??
      REQUESTS_OUTSIDE_BUILDINGS[name] ??
      expect.fail(`${name} has no request`)
    const { path, ...rest } = await request(campus, client)
    return client.ask(path, { ...rest, method: endpoint.method })
  }

  async function expectRefusedWithoutToken({ method, path }: Endpoint) {
    const refused = await new Client(world.url).ask(fillPathWithAnyId(path), { method })
    expect(refused.status, 'without a token').to.equal(401)
    expect(refused.json.code).to.equal('unauthenticated')
    expect(refused.headers.get('WWW-Authenticate')).to.equal('Bearer')
  }

  async function expectRefusedWithOtherAbilities(endpoint: Endpoint) {
    const abilities = listRequiredAbilities(endpoint)
    for (const ability of abilities) {
      const others = ABILITIES.filter((other) => other !== ability)
      const needed = abilities.filter((other) => other !== ability)
      for (const unable of [others, needed, ...others.map((other) => [...needed, other])]) {
        const client = await clientOf(unable)
        const refused = await client.ask(fillPathWithAnyId(endpoint.path), { method: endpoint.method })
        expect(refused.status, `with ${unable}`).to.equal(403)
        expect(refused.json).to.include({
          code: 'missing_ability',
          detail: `This requires a token with the ability “${ability}”.`,
        })
      }
    }
  }

  async function expectLimitedToBuildings(endpoint: Endpoint, here: Campus, there: Campus) {
    const request = REQUESTS_IN_BUILDINGS[nameOf(endpoint)]
    if (request === undefined) return
    const abilities = listRequiredAbilities(endpoint)
    const before = await rowsOf(there)
    const { outside = 404 } = request(there)
    const refused = await ask(await clientOf(abilities, [here]), endpoint, there)
    expect(refused.status, `in another building: ${refused.text}`).to.equal(
      outside === 'hidden' ? 200 : outside,
    )
    expect(refused.text).to.not.match(OTHER_BUILDING_PATTERN)
    if (outside === 404) expect(refused.json.code).to.equal('not_found')

    const others = ABILITIES.filter((other) => !abilities.includes(other))
    const unable = await ask(await clientOf(others, [there]), endpoint, there)
    expect([unable.status, unable.json.code]).to.deep.equal([403, 'missing_ability'])
    expect(await rowsOf(there)).to.deep.equal(before)

    const another = await createCampus(world.database, 'Elsewhere')
    await expectUsualAnswer(await clientOf(abilities, [here, another]), endpoint, another)
  }

  async function expectLimitedToPerson(endpoint: Endpoint, mine: Campus, theirs: Campus) {
    const token = await createPersonalToken(world.database, mine.user, listRequiredAbilities(endpoint, true))
    const client = new Client(world.url, token)
    if (endpoint.personal === undefined) {
      const answer = await ask(client, endpoint, mine, PERSONAL_TOKEN_REQUESTS)
      expect([answer.status, answer.json.code], answer.text).to.deep.equal([403, 'personal_token'])
      return
    }
    for (const { calendar, user } of [mine, theirs])
      await world.database('calendars').where({ id: calendar }).update({ user_id: user, bookable_id: null })
    const before = await rowsOf(theirs)
    const others = await ask(client, endpoint, theirs, PERSONAL_TOKEN_REQUESTS)
    const expected = ANSWERS_ABOUT_OTHERS[nameOf(endpoint)]
    expect(others.status, `for somebody else: ${others.text}`).to.equal(
      expected === 'hidden' ? 200 : expected,
    )
    expect(others.text).to.not.match(SECRET_PATTERN)
    if (expected === 403) expect(others.json.code).to.equal('personal_token')
    if (expected === 404) expect(others.json.code).to.equal('not_found')
    expect(await rowsOf(theirs)).to.deep.equal(before)
    const own = await ask(client, endpoint, mine, PERSONAL_TOKEN_REQUESTS)
    expect(own.status, own.text).to.equal(endpoint.answer.status)
    expect(own.text).to.not.match(SECRET_PATTERN)
  }

  async function expectUsualAnswer(client: Client, endpoint: Endpoint, campus: Campus): Promise<string> {
    const { status, text } = await ask(client, endpoint, campus)
    expect(status, text).to.equal(endpoint.answer.status)
    const isHidden = REQUESTS_IN_BUILDINGS[nameOf(endpoint)]?.(campus).outside === 'hidden'
    if (isHidden && endpoint.method === 'GET') expect(text).to.match(OTHER_BUILDING_PATTERN)
    return text
  }

  // Returns all rows of a campus that a write may change.
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
         (SELECT jsonb_agg(to_jsonb(a) ORDER BY a.id) FROM event_attendees a JOIN events ON events.id = event_id
          WHERE organizer_user_id = :user) AS attendees,
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

  it('is called by a request in the test’s tables, which contain no unknown endpoint', () => {
    expect([
      ...Object.keys(REQUESTS_IN_BUILDINGS),
      ...Object.keys(REQUESTS_OUTSIDE_BUILDINGS),
    ]).to.have.members(endpoints.map(nameOf))
  })

  it('is in the test’s table of personal tokens if it declares what personal tokens see', () => {
    const declared = closed.filter(({ personal }) => personal !== undefined).map(nameOf)
    expect(Object.keys(ANSWERS_ABOUT_OTHERS)).to.have.members(declared)
  })

  for (const endpoint of closed) {
    const abilities = listRequiredAbilities(endpoint)

    it(`${nameOf(endpoint)} answers only callers with ${abilities.join(' and ') || 'a token'}, of its building and person`, async () => {
      const here = await createCampus(world.database, 'Here')
      const there = await createSecretCampus(world.database, 'Elsewhere')
      await expectRefusedWithoutToken(endpoint)
      await expectRefusedWithOtherAbilities(endpoint)
      await expectLimitedToBuildings(endpoint, here, there)
      await expectLimitedToPerson(endpoint, here, there)
      const text = await expectUsualAnswer(await clientOf(abilities), endpoint, there)
      if (endpoint.method === 'GET' && endpoint.personal && SECRET_PATTERN.test(text))
        revealing.push(nameOf(endpoint))
    })
  }

  it('at least ten endpoints show secrets of a person to tokens without an owner', () => {
    expect(revealing).to.have.length.at.least(10)
  })
})
