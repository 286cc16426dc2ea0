// Tests tokens limited to buildings in requests about several buildings or none. every-endpoint.test.ts calls each
// endpoint.
import { expect } from 'chai'
import { type Ability, createToken } from '../../../shared/tokens/token-store.ts'
import { type Campus, createCampus } from '../../support/campus.ts'
import {
  createBooking,
  createBuilding,
  createEvent,
  createUser,
  hoursFromNow,
} from '../../support/factories.ts'
import { Client } from '../../support/http/http.ts'
import { useWorld } from '../../support/world.ts'

const NOT_FOUND = 'not_found'

describe('a token that is limited to buildings', () => {
  const world = useWorld({ workers: ['writes'] })
  const clientOf = async (buildings: Campus[] | undefined, ...abilities: Ability[]) => {
    const buildingIds = buildings?.map(({ building }) => building)
    const token = { name: 'limited', abilities, createdBy: 'test', buildingIds }
    return new Client(world.url, (await createToken(world.database, token)).token)
  }

  describe('an event in several buildings, for a token that is limited to one of them', () => {
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

    it('is visible with its rooms in the token’s buildings', async () => {
      const { here, event } = await anEvent()
      const client = await clientOf([here], 'read')
      expect(
        (await client.get(`events/${event}`)).json.data.bookables.map(({ name }: { name: string }) => name),
      ).to.deep.equal(['Here free'])
    })

    it('can be neither changed nor cancelled', async () => {
      const { here, event } = await anEvent()
      const client = await clientOf([here], 'booking-write')
      const body = { name: 'Mine', to_time: hoursFromNow(3) }
      for (const answer of [
        await client.put(`events/${event}`, body),
        await client.delete(`events/${event}`),
      ])
        expect([answer.status, answer.json.code]).to.deep.equal([403, 'outside_buildings'])
    })

    it('is checked in only for its rooms in the token’s buildings', async () => {
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

  it('a limited token cannot create an event without a room in its buildings', async () => {
    const here = await createCampus(world.database, 'Here')
    const client = await clientOf([here], 'booking-write')
    const body = { name: 'Nowhere', to_time: hoursFromNow(3), organizer_user_id: here.user }
    const answer = await client.post('events', body)
    expect(answer.status).to.equal(422)
    expect(answer.json.errors).to.have.keys('attendees')
  })

  it('a limited token does not see webhooks that cover more than its buildings', async () => {
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

  it('only an unlimited token sees a series without bookings, which belongs to no building', async () => {
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

  it('a token whose buildings are all deleted finds nothing, and does not become unlimited', async () => {
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

  it('a limited token sees all users, because they belong to no building', async () => {
    const here = await createCampus(world.database, 'Here')
    const id = await createUser(world.database)
    expect((await (await clientOf([here], 'read')).get(`users/${id}`)).status).to.equal(200)
  })

  it('a limited token sees only its buildings in long listings and in pages', async () => {
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
