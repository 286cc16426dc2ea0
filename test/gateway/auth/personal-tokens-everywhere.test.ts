// Tries a personal token on every endpoint: for its person, and for somebody else, of whom nothing may appear. A new
// endpoint refuses such tokens, or declares what it shows them and gets a line here.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { scim } from '../../../gateway/api/scim/scim-routes.ts'
import { endpoints } from '../../../gateway/app.ts'
import { abilitiesOf, type Endpoint } from '../../../gateway/server/http/endpoint.ts'
import { ABILITIES } from '../../../shared/tokens/token-store.ts'
import { APART, type Campus, type CampusRequest, createCampus, REQUESTS } from '../../support/campus.ts'
import { hoursFromNow } from '../../support/factories.ts'
import { Client } from '../../support/http/http.ts'
import { createPersonalToken } from '../../support/personal-tokens.ts'
import { use } from '../../support/use.ts'
import { useWorld } from '../../support/world.ts'

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const tomorrow = { from: hoursFromNow(0), to: hoursFromNow(24) }

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

const REFUSED =
  'This token belongs to a person. Personal tokens only see and change what is that person’s own.'

// Where the request of a campus is not about its person.
const OF_PERSON: Record<string, (campus: Campus) => CampusRequest> = {
  'POST /calendars': ({ user }) => ({ path: 'calendars', body: { user_id: user } }),
  'DELETE /buildings/{id}': ({ building }) => ({ path: `buildings/${building}` }),
  'GET /jobs/{id}': () => ({ path: `jobs/${randomUUID()}` }),
  'GET /jobs/{id}/file': () => ({ path: `jobs/${randomUUID()}/file` }),
}

describe('a personal token', () => {
  const world = useWorld({ workers: ['writes'], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })

  /** The campus of somebody whose name, e-mail, guest, purpose, plate and meeting are secret. */
  async function createSecretCampus(): Promise<Campus> {
    const campus = await createCampus(world.database, 'Their')
    const email = `secret${campus.user}@example.com`
    await world.database('users').where({ id: campus.user }).update({ name: 'Secret Person', email })
    await world.database('bookables').where({ id: campus.desk }).update({ type: 1 })
    const [guest_name, guest_email] = ['Secret Guest', 'secret@guest.example']
    const booking = { guest_name, guest_email, booking_info: 'Secret purpose', license_plate: 'SECRET 1' }
    await world.database('bookings').where({ id: campus.booking }).update(booking)
    await world.database('vehicles').where({ id: campus.vehicle }).update({ license_plate: 'SECRET 1' })
    await world
      .database('events')
      .where({ id: campus.event })
      .update({ name: 'Secret meeting', description: 'Secret agenda' })
    const attendee = { event_id: campus.event, email: 'secret@visitor.example' }
    await world.database('event_attendees').insert(attendee)
    await world
      .database('groups')
      .where({ id: campus.group })
      .update({ name: `Secret group ${campus.group}` })
    return withCalendar({ ...campus, email })
  }

  const createMyCampus = async () => withCalendar(await createCampus(world.database, 'My'))

  async function withCalendar(campus: Campus): Promise<Campus> {
    await world
      .database('calendars')
      .where({ id: campus.calendar })
      .update({ user_id: campus.user, bookable_id: null })
    return campus
  }

  async function ask(client: Client, endpoint: Endpoint, campus: Campus) {
    const name = nameOf(endpoint)
    const { path, ...request } = await (OF_PERSON[name] ?? REQUESTS[name] ?? APART[name] ?? missing)(
      campus,
      client,
    )
    return client.ask(path, { ...request, method: endpoint.method })
  }

  async function clientOf({ user }: Campus, endpoint: Endpoint) {
    return new Client(world.url, await createPersonalToken(world.database, user, abilitiesOf(endpoint)))
  }

  const closed = endpoints.filter(({ isOpen }) => !isOpen)

  it('is tested on every endpoint that declares what it shows', () => {
    const declared = closed.filter(({ personal }) => personal !== undefined).map(nameOf)
    expect(Object.keys(FOR_OTHERS)).to.have.members(declared)
  })

  for (const endpoint of closed.filter(({ personal }) => personal === undefined)) {
    it(`cannot use ${nameOf(endpoint)}, whatever its abilities`, async () => {
      const mine = await createMyCampus()
      const answer = await ask(await clientOf(mine, endpoint), endpoint, mine)
      expect([answer.status, answer.json.code], answer.text).to.deep.equal([403, 'personal_token'])
    })
  }

  for (const endpoint of closed.filter(({ personal }) => personal !== undefined)) {
    it(`uses ${nameOf(endpoint)} for its person alone`, async () => {
      const [mine, theirs] = [await createMyCampus(), await createSecretCampus()]
      const client = await clientOf(mine, endpoint)
      const before = await rowsOf(theirs)
      const others = await ask(client, endpoint, theirs)
      const expected = FOR_OTHERS[nameOf(endpoint)]
      expect(others.status, others.text).to.equal(expected === 'hidden' ? 200 : expected)
      expect(others.text).to.not.match(/secret/i)
      if (expected === 403) expect(others.json.code).to.equal('personal_token')
      if (expected === 404) expect(others.json.code).to.equal('not_found')
      expect(await rowsOf(theirs)).to.deep.equal(before)
      const own = await ask(client, endpoint, mine)
      expect(own.status, own.text).to.equal(endpoint.answer.status)
      expect(own.text).to.not.match(/secret/i)
    })
  }

  it('cannot use SCIM, whatever its abilities', async () => {
    expect(scim.filter(({ personal }) => personal !== undefined)).to.deep.equal([])
    const { user } = await createMyCampus()
    const client = new Client(world.url, await createPersonalToken(world.database, user, ABILITIES))
    for (const { method, path } of scim) {
      const address = `/scim/v2${path.replace(/\{\w+\}/, String(user))}`
      const body = method === 'GET' || method === 'DELETE' ? undefined : {}
      const { status, json } = await client.ask(address, { method, body })
      expect([status, json.detail], `${method} ${path}`).to.deep.equal([403, REFUSED])
    }
  })

  it('hides what other tokens see', async () => {
    const theirs = await createSecretCampus()
    const seen: string[] = []
    for (const endpoint of closed.filter(
      ({ method, personal }) => method === 'GET' && personal !== undefined,
    )) {
      const client = new Client(
        world.url,
        await createPersonalToken(world.database, undefined, abilitiesOf(endpoint)),
      )
      if (/secret/i.test((await ask(client, endpoint, theirs)).text)) seen.push(nameOf(endpoint))
    }
    expect(seen).to.have.length.at.least(10)
  })

  // Everything that a write may change.
  async function rowsOf({ user, building }: Campus) {
    const tables = ['bookings', 'holds', 'vehicles', 'calendars', 'cancelled_bookings', 'group_members']
    const owned = tables.map(
      (table) =>
        `(SELECT jsonb_agg(to_jsonb(t) ORDER BY 1) FROM ${table} t WHERE user_id = :user) AS ${table}`,
    )
    const { rows } = await world.database.raw(
      `SELECT ${owned.join(', ')},
         (SELECT to_jsonb(users) FROM users WHERE id = :user) AS person,
         (SELECT jsonb_agg(to_jsonb(e)) FROM events e WHERE organizer_user_id = :user) AS events,
         (SELECT jsonb_agg(to_jsonb(b)) FROM bookings b JOIN events ON events.id = event_id
          WHERE organizer_user_id = :user) AS rooms,
         (SELECT jsonb_agg(to_jsonb(l)) FROM locations l WHERE building_id = :building) AS locations`,
      { user, building },
    )
    return rows
  }

  describe('and listings of thousands', () => {
    const SPAN = `from=${tomorrow.from}&to=${tomorrow.to}`
    const campuses = use(async () => {
      const [mine, theirs] = [await createMyCampus(), await createSecretCampus()]
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
      it(`streams its own bookings only${limited ? ', and only in its buildings' : ''}`, async () => {
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

const missing = () => {
  throw new Error('This endpoint has no request in test/support/campus.ts')
}
