// Tests the filters of booking listings: pages and cursors, unknown ids, and limited tokens.
import { expect } from 'chai'
import { createToken } from '../../../../../shared/tokens/token-store.ts'
import {
  createBooking,
  createDesk,
  createGroup,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { Client } from '../../../../support/http/http.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const RANGE_QUERY = `from=${encodeURIComponent(hoursFromNow(0))}&to=${encodeURIComponent(hoursFromNow(100))}`

describe('filters of booking listings', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'read')

  const idsOf = ({ json }: { json: { data: Array<{ id: number }> } }) => json.data.map(({ id }) => id)

  it('stay in force on the following pages, whose cursors are refused with other filters', async () => {
    const desk = await createDesk(world.database)
    const group = await createGroup(world.database)
    await world.database('group_members').insert({ group_id: group, user_id: desk.user_id })
    const ids: number[] = []
    for (let hour = 1; hour <= 7; hour++) {
      const times = { from: hoursFromNow(2 * hour), to: hoursFromNow(2 * hour + 1) }
      ids.push(
        await createBooking(world.database, {
          ...times,
          bookable_id: desk.bookable_id,
          user_id: desk.user_id,
        }),
      )
      await createBooking(world.database, times)
    }
    for (const filter of [`user_id=${desk.user_id}`, `group_id=${group}`]) {
      for (const path of ['bookings', `locations/${desk.location_id}/bookings`]) {
        const seen: number[] = []
        let next: string | undefined = `${path}?${RANGE_QUERY}&${filter}&limit=3`
        let pages = 0
        while (next) {
          const answer: Awaited<ReturnType<typeof client.get>> = await client.get(next)
          expect(answer.status, answer.text).to.equal(200)
          seen.push(...idsOf(answer))
          pages++
          next = /<.*\/api\/v1\/([^>]*)>/.exec(answer.headers.get('Link') ?? '')?.[1]
          if (pages === 1) {
            const other = await client.get(`${next}`.replace(filter, 'type=0'))
            expect([other.status, Object.keys(other.json.errors)]).to.deep.equal([422, ['cursor']])
          }
        }
        expect([seen, pages], `${path} ${filter}`).to.deep.equal([ids, 3])
      }
    }
  })

  it('answer 404 for unknown users and groups, but accept a deactivated user', async () => {
    const desk = await createDesk(world.database)
    for (const path of ['bookings', `buildings/1/bookings`, `locations/${desk.location_id}/bookings`]) {
      for (const filter of ['user_id=999999', 'group_id=999999', `user_id=${desk.user_id}&group_id=999999`]) {
        const whole = await client.get(`${path}?${RANGE_QUERY}&${filter}`)
        expect([whole.status, whole.json.code], `${path} ${filter}`).to.deep.equal([404, 'not_found'])
        expect(whole.json.detail).to.match(
          /^There is no (building, |location, |)user or group with this id\.$/,
        )
        expect((await client.get(`${path}?${RANGE_QUERY}&${filter}&limit=5`)).status).to.equal(404)
      }
    }
    const plain = await client.get(`buildings/999999/bookings?${RANGE_QUERY}`)
    expect([plain.status, plain.json.detail]).to.deep.equal([404, 'There is no building with this id.'])
    const gone = await createUser(world.database, { deactivated_at: new Date() })
    const id = await createBooking(world.database, {
      user_id: gone,
      from: hoursFromNow(1),
      to: hoursFromNow(2),
    })
    expect(idsOf(await client.get(`bookings?${RANGE_QUERY}&user_id=${gone}`))).to.deep.equal([id])
  })

  it('are refused if they are malformed', async () => {
    const { status, json } = await client.get(`bookings?${RANGE_QUERY}&user_id=x&group_id=0&type=4&tag=`)
    expect(status).to.equal(422)
    expect(json.errors).to.have.all.keys('user_id', 'group_id', 'type', 'tag.0')
  })

  it('never reveal bookings outside the buildings of a limited token', async () => {
    const [desk, elsewhere] = [await createDesk(world.database), await createDesk(world.database)]
    const times = { from: hoursFromNow(1), to: hoursFromNow(2), user_id: desk.user_id }
    const here = await createBooking(world.database, { ...times, bookable_id: desk.bookable_id })
    await createBooking(world.database, { ...times, bookable_id: elsewhere.bookable_id })
    const group = await createGroup(world.database)
    await world.database('group_members').insert({ group_id: group, user_id: desk.user_id })
    const { building_id } = await world.database('locations').where({ id: desk.location_id }).first()
    const { token } = await createToken(world.database, {
      name: 'limited',
      abilities: ['read'],
      buildingIds: [building_id],
      createdBy: 'test',
    })
    const limited = new Client(world.url, token)
    for (const filter of [`user_id=${desk.user_id}`, `group_id=${group}`]) {
      expect(idsOf(await limited.get(`bookings?${RANGE_QUERY}&${filter}`)), filter).to.deep.equal([here])
      expect(idsOf(await client.get(`bookings?${RANGE_QUERY}&${filter}`)), filter).to.have.length(2)
    }
  })
})
