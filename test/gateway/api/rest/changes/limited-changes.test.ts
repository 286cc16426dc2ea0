// Tests the change feed and webhooks of a token that is limited to buildings: changes elsewhere do not
// appear, and a resource that leaves the buildings appears as deleted.
import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { recordAudit } from '../../../../../shared/audit/audit.ts'
import { BOOKABLE_STATUSES } from '../../../../../shared/bookables/bookables.ts'
import { readFormerState } from '../../../../../shared/changes/former-state.ts'
import { ABILITIES, createToken } from '../../../../../shared/tokens/token-store.ts'
import { createLog } from '../../../../../shared/utilities/log.ts'
import { startHooks } from '../../../../../workers/hooks/hooks.ts'
import { createCampus } from '../../../../support/campus.ts'
import { useAdmin } from '../../../../support/dashboard/admin.ts'
import { createBooking, createEvent, createUser, hoursFromNow } from '../../../../support/factories.ts'
import { FEED_WAIT_MS_MAX, readEndOfFeed } from '../../../../support/http/feed.ts'
import { Client } from '../../../../support/http/http.ts'
import { eventually } from '../../../../support/time.ts'
import { useWith } from '../../../../support/use.ts'
import { useClient, useWorld } from '../../../../support/world.ts'
import { useReceiver } from '../../../../workers/hooks/receiver.ts'

type Change = {
  type: string
  action: string
  id: number
  data: { bookables?: Array<{ id: number }> } | null
  previous: { bookables?: Array<{ id: number }> } | null
}

const AUTHOR = {
  actor: { type: 'system', id: null, name: 'test' },
  requestId: 'test',
  attempt: null,
} as const
const LATER_TIMES = { from_time: hoursFromNow(5), to_time: hoursFromNow(6) }

describe('the change feed, for a token that is limited to buildings', function suite() {
  this.timeout(180_000)
  const world = useWorld({ environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const everywhere = useClient(world)
  const admin = useAdmin(world)
  const receiver = useReceiver(world)
  useWith(
    world,
    () => startHooks(world.config, createLog('test', 'silent')),
    (hooks) => hooks.stop(),
  )

  async function createPlaces() {
    const here = await createCampus(world.database, 'Here')
    const there = await createCampus(world.database, 'Elsewhere')
    const token = { name: 'limited', abilities: ABILITIES, createdBy: 'test', buildingIds: [here.building] }
    const limited = new Client(world.url, (await createToken(world.database, token)).token)
    return { here, there, limited, begun: await readEndOfFeed(world.database, limited) }
  }
  /** Returns the changes up to a change of the user, which every token sees. */
  async function readTo(client: Client, begun: string, user: number, query = ''): Promise<Change[]> {
    const author = { ...AUTHOR, requestId: randomUUID() }
    await world.database.transaction(async (trx) => {
      const former = await readFormerState(trx, 'users', [user])
      await recordAudit(trx, author, { action: 'users.edit', id: user, former })
    })
    return eventually(async () => {
      const { data } = (await client.get(`changes?after=${begun}${query}`)).json
      expect(data.at(-1)).to.include({ type: 'user', id: user, request_id: author.requestId })
      return data.slice(0, -1)
    }, FEED_WAIT_MS_MAX)
  }
  const told = (changes: Change[]) => changes.map(({ type, action, id }) => `${type}.${action} ${id}`)

  it('shows changes in the token’s buildings, and none in other buildings', async () => {
    const { here, there, limited, begun } = await createPlaces()
    const booked: number[] = []
    for (const { free, location, user, booking, desk, event } of [there, here]) {
      const body = { ...LATER_TIMES, bookable_id: free, location_id: location, user_id: user }
      booked.push((await everywhere.post('bookings', body)).json.data[0].id)
      await everywhere.delete(`bookings/${booking}`)
      await everywhere.patch(`bookables/${desk}`, { tags: ['seen'] })
      await everywhere.delete(`events/${event}`)
    }
    await everywhere.put(`buildings/${there.building}/rules`, {})
    const changes = await readTo(limited, begun, here.user)
    expect(told(changes)).to.deep.equal([
      `booking.created ${booked[1]}`,
      `booking.deleted ${here.booking}`,
      `bookable.updated ${here.desk}`,
      `event.deleted ${here.event}`,
    ])
    expect(JSON.stringify(changes)).to.not.match(/Elsewhere/)
    // A token without a limit sees all changes.
    const all = await readTo(everywhere, begun, here.user)
    expect(told(all)).to.include.members([`booking.created ${booked[0]}`, `event.updated ${here.event}`])
  })

  it('shows an event while it has rooms in the buildings, and as deleted once it has none', async () => {
    const { here, there, limited, begun } = await createPlaces()
    const times = { from: hoursFromNow(8), to: hoursFromNow(9) }
    const event = await createEvent(world.database, { ...times, organizer_user_id: here.user })
    for (const { room } of [here, there])
      await createBooking(world.database, { ...times, bookable_id: room, event_id: event })
    const attendees = (...rooms: number[]) => rooms.map((id) => ({ type: 'bookable', id: String(id) }))
    for (const rooms of [[here.room, there.room], [there.room]]) {
      const body = { name: 'Joint', to_time: times.to, attendees: attendees(...rooms) }
      expect((await everywhere.put(`events/${event}`, body)).status).to.equal(200)
    }
    const [first, second, ...others] = await readTo(limited, begun, here.user)
    expect(others).to.deep.equal([])
    expect(first).to.deep.include({ type: 'event', action: 'updated', id: event })
    expect(first?.data?.bookables?.map(({ id }) => id)).to.deep.equal([here.room])
    expect(second).to.deep.include({ type: 'event', action: 'deleted', id: event, data: null })
  })

  it('shows resources that move to other buildings as deleted, and omits their later changes', async () => {
    const { here, there, limited, begun } = await createPlaces()
    const change = async (location_id: number) => {
      await world.database.transaction(async (trx) => {
        const former = await readFormerState(trx, 'bookables', [here.free])
        await trx('bookables').where({ id: here.free }).update({ location_id })
        await recordAudit(trx, AUTHOR, { action: 'bookables.edit', id: here.free, former })
      })
    }
    await change(there.location)
    await change(there.location)
    const changes = await readTo(limited, begun, here.user, '&types=bookable,user')
    expect(changes).to.have.length(1)
    expect(changes[0]).to.deep.include({ type: 'bookable', action: 'deleted', id: here.free, data: null })
    await change(here.location)
    const back = await readTo(limited, begun, here.user, '&types=bookable,user')
    expect(back.at(-1)).to.deep.include({ action: 'updated', id: here.free })
  })

  it('shows the bookables of a location as deleted or created when it leaves or enters the buildings', async () => {
    const { here, there, limited, begun } = await createPlaces()
    await world.database('bookables').insert({
      name: 'Deleted',
      location_id: here.location,
      type: 0,
      status: 0,
      deleted_at: new Date(),
    })
    const move = async (fields: { building_id?: number; name?: string }) =>
      expect((await admin.ask('locations.update', { id: here.location, ...fields })).status).to.equal(200)
    const read = async (client: Client) =>
      (await readTo(client, begun, here.user, '&types=location,bookable,user')).filter(
        ({ type }) => type !== 'user',
      )
    await move({ building_id: there.building })
    const bookables = [here.desk, here.free, here.room, here.assigned]
    const gone = await read(limited)
    expect(told(gone)).to.deep.equal([
      `location.deleted ${here.location}`,
      ...bookables.map((id) => `bookable.deleted ${id}`),
    ])
    await move({ name: 'There', building_id: there.building })
    expect(await read(limited)).to.have.length(gone.length)
    await move({ building_id: here.building })
    const back = (await read(limited)).slice(gone.length)
    expect(told(back)).to.deep.equal([
      `location.updated ${here.location}`,
      ...bookables.map((id) => `bookable.updated ${id}`),
    ])
    expect((await limited.get(`bookables/${here.desk}`)).json.data).to.deep.include(back[1]?.data)
    // A token without a limit sees each move once, and no changes of other resources because of a new name.
    const all = await read(everywhere)
    const ofDesk = all.filter(({ type, id }) => type === 'bookable' && id === here.desk)
    expect(ofDesk.map(({ action }) => action)).to.deep.equal(['updated', 'updated'])
  })

  it('shows bookings as deleted when a person is erased or a room is blocked with “release”', async () => {
    const { here, there, limited, begun } = await createPlaces()
    const user_id = await createUser(world.database)
    const span = { from: LATER_TIMES.from_time, to: LATER_TIMES.to_time }
    const booking = await createBooking(world.database, { bookable_id: here.free, user_id, ...span })
    const rooms = [{ type: 'bookable', id: String(here.room) }]
    const body = { name: 'Joint', organizer_user_id: there.user, ...LATER_TIMES, attendees: rooms }
    const event = (await everywhere.post('events', body)).json.data.id
    const blocking = { id: here.room, status: BOOKABLE_STATUSES.blocked, in_the_way: 'release' }
    expect((await admin.ask('users.erase', { id: user_id })).status).to.equal(200)
    expect((await admin.ask('bookables.edit', blocking)).status).to.equal(200)
    const changes = await readTo(limited, begun, here.user, '&types=booking,event,user')
    const told = changes.map(({ type, action, id }) => `${type}.${action} ${id}`)
    expect(told).to.include.members([`booking.deleted ${booking}`, `event.deleted ${event}`])
    const gone = (type: string, id: number) =>
      changes.find((each) => each.type === type && each.id === id && each.action === 'deleted')
    expect(gone('event', event)?.previous?.bookables).to.have.length(1)
    // No change names the erased person again.
    expect([gone('user', user_id)?.previous, gone('booking', booking)?.previous]).to.deep.equal([null, null])
  })

  it('fills its pages with visible changes, even behind many hidden ones', async () => {
    const { here, there, limited, begun } = await createPlaces()
    for (let number = 0; number < 12; number++)
      for (const { desk } of [there, there, here])
        await everywhere.patch(`bookables/${desk}`, { tags: [`tag ${number}`] })
    await readTo(limited, begun, here.user)
    const sizes: number[] = []
    let after = begun
    for (;;) {
      const { data, next } = (await limited.get(`changes?after=${after}&limit=5`)).json
      if (data.length === 0) break
      sizes.push(data.length)
      after = next
    }
    expect(sizes).to.deep.equal([5, 5, 3])
  })

  it('limits the webhooks that the token creates in the same way', async () => {
    const { here, there, limited } = await createPlaces()
    const body = { url: receiver.url, types: ['booking.*', 'bookable.*', 'event.deleted'] }
    expect((await limited.post('webhooks', body)).status).to.equal(200)
    await eventually(async () => expect(await world.database('webhook_position')).to.have.length(1))
    for (const { free, location, user, desk, event } of [there, here]) {
      const wanted = { ...LATER_TIMES, bookable_id: free, location_id: location, user_id: user }
      expect((await everywhere.post('bookings', wanted)).status).to.equal(200)
      await everywhere.patch(`bookables/${desk}`, { tags: ['told'] })
      await everywhere.delete(`events/${event}`)
    }
    expect(
      (await admin.ask('locations.update', { id: here.location, building_id: there.building })).status,
    ).to.equal(200)
    const left = [here.desk, here.free, here.room, here.assigned]
    // Ignores repeated deliveries, which occur if a response is late on a busy machine.
    const bodies = await eventually(() => {
      const byId = new Map(receiver.received.map(({ headers, body: sent }) => [headers['webhook-id'], sent]))
      expect(byId).to.have.property('size', 3 + left.length)
      return [...byId.values()].map((sent) => JSON.parse(sent))
    }, FEED_WAIT_MS_MAX)
    expect(bodies.map(({ type }) => type)).to.have.members([
      'booking.created',
      'bookable.updated',
      'event.deleted',
      ...left.map(() => 'bookable.deleted'),
    ])
    expect(JSON.stringify(bodies)).to.not.match(/Elsewhere/)
    // A resource that leaves the token's buildings is sent as deleted, with its id and its last state there.
    const gone = bodies.filter(({ type }) => type === 'bookable.deleted')
    expect(gone.map(({ id, previous }) => [id, previous.id]).sort()).to.deep.equal(
      left.map((id) => [id, id]).sort(),
    )
    for (const { action, data, previous } of gone)
      expect([action, data, previous.location.building.id]).to.deep.equal(['deleted', null, here.building])
  })
})
