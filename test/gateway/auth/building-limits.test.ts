// Tries tokens that are limited to buildings on every endpoint: what lies elsewhere does not exist for them, what lies in
// their buildings looks as usual, and a token without a limit sees everything.
import { expect } from 'chai'
import { endpoints } from '../../../gateway/app.ts'
import { abilitiesOf, type Endpoint } from '../../../gateway/server/http/endpoint.ts'
import { ABILITIES, type Ability, createToken } from '../../../shared/tokens/token-store.ts'
import { APART, type Campus, createCampus, REQUESTS } from '../../support/campus.ts'
import {
  createBooking,
  createBuilding,
  createEvent,
  createUser,
  hoursFromNow,
} from '../../support/factories.ts'
import { Client } from '../../support/http/http.ts'
import { useWorld } from '../../support/world.ts'

const nameOf = ({ method, path }: Endpoint) => `${method} ${path}`
const NOT_FOUND = 'not_found'

describe('a token that is limited to buildings', () => {
  const world = useWorld({ workers: ['writes'] })
  const clientOf = async (buildings: Campus[] | undefined, ...abilities: Ability[]) => {
    const buildingIds = buildings?.map(({ building }) => building)
    const token = { name: 'limited', abilities, createdBy: 'test', buildingIds }
    return new Client(world.url, (await createToken(world.database, token)).token)
  }

  it('is tested on every endpoint, and the tables have no extra line', () => {
    expect([...Object.keys(REQUESTS), ...Object.keys(APART)]).to.have.members(endpoints.map(nameOf))
  })

  for (const endpoint of endpoints) {
    const { method } = endpoint
    const abilities = abilitiesOf(endpoint)
    const request = REQUESTS[nameOf(endpoint)]
    if (request === undefined) continue
    const ask = async (client: Client, campus: Campus) => {
      const { path, body } = request(campus)
      return client.ask(path, { method, body })
    }

    it(`${nameOf(endpoint)} shows nothing of other buildings, and changes nothing there`, async () => {
      const [here, there] = [
        await createCampus(world.database, 'Here'),
        await createCampus(world.database, 'Elsewhere'),
      ]
      const before = await rowsOf(there)
      const client = await clientOf([here], ...abilities)
      const { outside = 404 } = request(there)
      const answer = await ask(client, there)
      expect(answer.status, answer.text).to.equal(outside === 'hidden' ? 200 : outside)
      expect(answer.text).to.not.match(/Elsewhere|elsewhere\.example/)
      if (outside === 404) expect(answer.json.code).to.equal(NOT_FOUND)
      expect(await rowsOf(there)).to.deep.equal(before)
    })

    for (const title of ['in its buildings', 'without a limit']) {
      it(`${nameOf(endpoint)} answers as usual ${title}`, async () => {
        const [here, there] = [
          await createCampus(world.database, 'Here'),
          await createCampus(world.database, 'Elsewhere'),
        ]
        const client = await clientOf(title === 'without a limit' ? undefined : [here, there], ...abilities)
        const answer = await ask(client, there)
        expect(answer.status, answer.text).to.equal(endpoint.answer.status)
        if (request(there).outside === 'hidden' && method === 'GET')
          expect(answer.text).to.match(/Elsewhere|elsewhere\.example/)
      })
    }

    it(`${nameOf(endpoint)} needs its abilities in its buildings too`, async () => {
      const there = await createCampus(world.database, 'Elsewhere')
      const others = ABILITIES.filter((other) => !abilities.includes(other))
      const answer = await ask(await clientOf([there], ...others), there)
      expect([answer.status, answer.json.code]).to.deep.equal([403, 'missing_ability'])
    })
  }

  // Everything of it that a write may change.
  async function rowsOf({ building, user }: Campus) {
    const { rows } = await world.database.raw(
      `SELECT
         (SELECT jsonb_agg(to_jsonb(b)) FROM buildings b WHERE id = :building) AS buildings,
         (SELECT jsonb_agg(to_jsonb(l)) FROM locations l WHERE building_id = :building) AS locations,
         (SELECT jsonb_agg(to_jsonb(b) ORDER BY id) FROM bookables b
          WHERE location_id IN (SELECT id FROM locations WHERE building_id = :building)) AS bookables,
         (SELECT jsonb_agg(to_jsonb(b) ORDER BY b.id) FROM bookings b JOIN bookables ON bookables.id = bookable_id
          WHERE location_id IN (SELECT id FROM locations WHERE building_id = :building)) AS bookings,
         (SELECT jsonb_agg(to_jsonb(e) ORDER BY id) FROM events e WHERE organizer_user_id = :user) AS events,
         (SELECT jsonb_agg(to_jsonb(w) ORDER BY id) FROM webhooks w WHERE building_ids @> ARRAY[:building::bigint]) AS webhooks`,
      { building, user },
    )
    return rows
  }

  describe('and an event in several buildings', () => {
    const span = { from: hoursFromNow(-1), to: hoursFromNow(2) }
    async function anEvent() {
      const [here, there] = [
        await createCampus(world.database, 'Here'),
        await createCampus(world.database, 'Elsewhere'),
      ]
      const event = await createEvent(world.database, { ...span, name: 'Joint meeting' })
      for (const { free } of [here, there])
        await createBooking(world.database, { ...span, bookable_id: free, event_id: event })
      return { here, there, event }
    }

    it('sees the event with its rooms there', async () => {
      const { here, event } = await anEvent()
      const client = await clientOf([here], 'read')
      expect(
        (await client.get(`events/${event}`)).json.data.bookables.map(({ name }: { name: string }) => name),
      ).to.deep.equal(['Here free'])
    })

    it('can neither change nor cancel the event', async () => {
      const { here, event } = await anEvent()
      const client = await clientOf([here], 'booking-write')
      const body = { name: 'Mine', to_time: hoursFromNow(3) }
      for (const answer of [
        await client.put(`events/${event}`, body),
        await client.delete(`events/${event}`),
      ])
        expect([answer.status, answer.json.code]).to.deep.equal([403, 'outside_buildings'])
    })

    it('checks in to rooms in its buildings only', async () => {
      const { here, there, event } = await anEvent()
      const answer = await (await clientOf([here], 'booking-write')).ask(`events/${event}/check-in`, {
        method: 'POST',
      })
      expect(answer.status, answer.text).to.equal(200)
      const rows = await world.database('bookings').where({ event_id: event }).orderBy('bookable_id')
      expect(
        rows.map(({ bookable_id, checked_in_at }) => [bookable_id, checked_in_at !== null]),
      ).to.deep.equal([
        [here.free, true],
        [there.free, false],
      ])
    })
  })

  it('cannot create an event without a room in its buildings', async () => {
    const here = await createCampus(world.database, 'Here')
    const client = await clientOf([here], 'booking-write')
    const body = { name: 'Nowhere', to_time: hoursFromNow(3), organizer_user_id: here.user }
    const answer = await client.post('events', body)
    expect(answer.status).to.equal(422)
    expect(answer.json.errors).to.have.keys('attendees')
  })

  it('does not see webhooks that cover more than its buildings', async () => {
    await world.database('webhooks').delete()
    const here = await createCampus(world.database, 'Here')
    const everywhere = await clientOf(undefined, 'webhook-write', 'read')
    const body = { url: 'https://everywhere.example/', types: ['*'] }
    const { id } = (await everywhere.post('webhooks', body)).json.data
    const limited = await clientOf([here], 'webhook-write', 'read')
    expect((await limited.get(`webhooks/${id}`)).status).to.equal(404)
    const own = (await limited.post('webhooks', body)).json.data.id
    expect((await limited.get(`webhooks/${own}`)).status).to.equal(200)
    expect((await everywhere.get(`webhooks/${own}`)).status).to.equal(200)
  })

  it('does not see a series without bookings, which lies in no building, but other tokens do', async () => {
    const here = await createCampus(world.database, 'Here')
    const limited = await clientOf([here], 'read', 'booking-write')
    const path = `series/${here.series}`
    expect((await limited.get(path)).status).to.equal(200)
    expect((await limited.delete(`bookings/${here.booking}`)).status).to.equal(204)
    expect((await limited.get(path)).json.code).to.equal(NOT_FOUND)
    expect((await limited.delete(path)).json.code).to.equal(NOT_FOUND)
    const everywhere = await clientOf(undefined, 'read', 'booking-write')
    expect((await everywhere.get(path)).json.data.bookings).to.deep.equal([])
    expect((await everywhere.delete(path)).status).to.equal(204)
  })

  it('finds nothing once its buildings are deleted, and does not become unlimited', async () => {
    const building = await createBuilding(world.database, { name: 'Gone' })
    const buildingIds = [building]
    const token = { name: 'limited', abilities: ['read'] as const, createdBy: 'test', buildingIds }
    const client = new Client(world.url, (await createToken(world.database, token)).token)
    expect((await client.get('me')).json.data.buildings).to.deep.equal([{ id: building, name: 'Gone' }])
    await createCampus(world.database, 'Elsewhere')
    await world.database('buildings').where({ id: building }).delete()
    expect((await client.get('me')).json.data.buildings).to.deep.equal([])
    expect((await client.get('buildings')).json.data).to.deep.equal([])
  })

  it('sees users, who lie in no building', async () => {
    const here = await createCampus(world.database, 'Here')
    const id = await createUser(world.database)
    expect((await (await clientOf([here], 'read')).get(`users/${id}`)).status).to.equal(200)
  })

  it('sees only its buildings in long listings and pages', async () => {
    const [here, there] = [
      await createCampus(world.database, 'Here'),
      await createCampus(world.database, 'Elsewhere'),
    ]
    const times = Array.from({ length: 40 }, (_each, index) => ({
      from: hoursFromNow(30 + index),
      to: hoursFromNow(31 + index),
    }))
    for (const span of times)
      for (const { desk } of [there, here])
        await createBooking(world.database, { ...span, bookable_id: desk })
    const client = await clientOf([here], 'read')
    let next: string | undefined = `bookings?from=${hoursFromNow(29)}&to=${hoursFromNow(100)}&limit=15`
    const sizes: number[] = []
    while (next) {
      const { json, headers }: Awaited<ReturnType<Client['get']>> = await client.get(next)
      expect(JSON.stringify(json)).to.not.match(/Elsewhere/)
      sizes.push(json.data.length)
      next = /<[^>]+\/api\/v1\/([^>]+)>/.exec(headers.get('Link') ?? '')?.[1]
    }
    expect(sizes).to.deep.equal([15, 15, 10])
  })
})
