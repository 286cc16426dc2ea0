// Tests reads of a single building, location, bookable or booking, and of the caller's own token.
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { createToken } from '../../../../shared/tokens/token-store.ts'
import { createFloorPlanColumns, drawPng } from '../../../support/dashboard/pictures.ts'
import {
  createBooking,
  createBuilding,
  createDesk,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const TIMES_IN_FORCE = { timezone: 'Europe/Berlin', opening_hours: null }

describe('reading a single resource', () => {
  const world = useWorld({ workers: [], environment: { RATE_LIMIT_PER_MINUTE: '700' } })
  const client = useClient(world, 'read')
  let building: number
  let location: number

  before(async () => {
    const timezone = 'Europe/Berlin'
    building = await createBuilding(world.database, { name: 'Harbour House', address: 'Am Kai 1', timezone })
    location = await createLocation(world.database, {
      building_id: building,
      name: 'Ground floor',
      code: 'G',
    })
    await createLocation(world.database)
  })

  it('shows a building in the same format as the listing of buildings', async () => {
    const listed = (await client.get('buildings')).json.data.find(({ id }: { id: number }) => id === building)
    expect((await client.get(`buildings/${building}`)).json).to.deep.equal({
      data: { ...listed, ...TIMES_IN_FORCE },
    })
    expect(listed.locations).to.have.length(1)
  })

  it('shows a location with its building', async () => {
    expect((await client.get(`locations/${location}`)).json).to.deep.equal({
      data: {
        id: location,
        name: 'Ground floor',
        code: 'G',
        building: { id: building, name: 'Harbour House', address: 'Am Kai 1' },
        ...TIMES_IN_FORCE,
        plan: null,
      },
    })
  })

  it('shows the opening hours in force, whether the resource or a place around it sets them', async () => {
    const week = [{ day: 1, from: '08:00', to: '18:00' }]
    const friday = [{ day: 5, from: '09:00', to: '12:00' }]
    const { bookable_id } = await createDesk(world.database, { location_id: location })
    const hours = async () => {
      const paths = [`buildings/${building}`, `locations/${location}`, `bookables/${bookable_id}`]
      return Promise.all(paths.map(async (path) => (await client.get(path)).json.data.opening_hours))
    }
    const set = (table: string, id: number, opening_hours?: unknown) => {
      const rules = opening_hours === undefined ? null : JSON.stringify({ opening_hours })
      return world.database(table).where({ id }).update({ rules })
    }
    await set('buildings', building, week)
    expect(await hours()).to.deep.equal([week, week, week])
    await set('locations', location, friday)
    expect(await hours()).to.deep.equal([week, friday, friday])
    await set('bookables', bookable_id, null)
    expect(await hours()).to.deep.equal([week, friday, null])
    await set('buildings', building)
    await set('locations', location)
  })

  it('shows the position of a bookable on the floor plan, its mailbox and its assignees', async () => {
    const row = { position_x: 0.25, position_y: 0.5, status: 2, integration_email: 'elbe@rooms.example' }
    const { bookable_id: id } = await createDesk(world.database, { location_id: location, ...row })
    const [one, other] = [await createUser(world.database), await createUser(world.database)]
    await world.database('bookable_assignees').insert([
      { bookable_id: id, user_id: other },
      { bookable_id: id, user_id: one },
    ])
    expect((await client.get(`bookables/${id}`)).json.data).to.deep.include({
      position: { x: 0.25, y: 0.5, width: null, height: null, rotation: 0 },
      integration_email: 'elbe@rooms.example',
      assigned_user_ids: [one, other],
    })
  })

  describe('GET locations/{location_id}/plan', () => {
    it('answers with the stored floor plan, whose size the location shows', async () => {
      // The picture must be longer than one chunk.
      const picture = Buffer.concat([drawPng(40, 30), randomBytes(400_001)])
      const row = { ...createFloorPlanColumns(picture, { width: 40, height: 30 }), floor_plan_orientation: 6 }
      const id = await createLocation(world.database, { building_id: building, ...row })
      expect((await client.get(`locations/${id}`)).json.data.plan).to.deep.equal({
        type: 'image/png',
        width: 40,
        height: 30,
        orientation: 6,
        cell_width: null,
      })
      const address = `${world.url}/api/v1/locations/${id}/plan`
      const ask = (headers = {}, method = 'GET') =>
        fetch(address, { method, headers: { Authorization: `Bearer ${client.token}`, ...headers } })
      const answer = await ask()
      expect([answer.status, answer.headers.get('Content-Type')]).to.deep.equal([200, 'image/png'])
      expect(Buffer.from(await answer.arrayBuffer()).equals(picture)).to.equal(true)
      const etag = answer.headers.get('ETag') ?? ''
      const again = await ask({ 'If-None-Match': etag })
      expect([again.status, await again.text(), again.headers.get('ETag')]).to.deep.equal([304, '', etag])
      const head = await ask({}, 'HEAD')
      expect(head.headers.get('Content-Length')).to.equal(String(picture.length))
      await world
        .database('locations')
        .where({ id })
        .update(createFloorPlanColumns(drawPng(4, 3)))
      expect((await ask({ 'If-None-Match': etag })).status).to.equal(200)
    })

    it('answers 404 for a location without a floor plan', async () => {
      const answer = await client.get(`locations/${location}/plan`)
      expect([answer.status, answer.json.detail]).to.deep.equal([404, 'This location has no floor plan.'])
    })
  })

  it('GET bookables/{id} shows all fields of a bookable', async () => {
    const { bookable_id: id } = await createDesk(world.database, {
      location_id: location,
      name: 'P 7',
      type: 1,
      status: 1,
      tags: ['Shade', 'E-car'],
      description: 'Behind the gate',
      capacity: 2,
      requires_vehicle: true,
    })
    expect((await client.get(`bookables/${id}`)).json).to.deep.equal({
      data: {
        id,
        name: 'P 7',
        type: 1,
        status: 1,
        tags: ['Shade', 'E-car'],
        description: 'Behind the gate',
        capacity: 2,
        requires_vehicle: true,
        location: {
          id: location,
          name: 'Ground floor',
          code: 'G',
          building: { id: building, name: 'Harbour House', address: 'Am Kai 1' },
        },
        features: ['Shade', 'E-car'],
        integration_email: null,
        assigned_user_ids: [],
        position: null,
        calendar: null,
        ...TIMES_IN_FORCE,
      },
    })
  })

  it('GET bookables/{id} shows null if the description or the capacity is missing', async () => {
    const { bookable_id: id } = await createDesk(world.database)
    expect((await client.get(`bookables/${id}`)).json.data).to.include({
      description: null,
      capacity: null,
      requires_vehicle: false,
    })
  })

  for (const [title, row] of [
    ['a desk', { guest_name: 'A Guest' }],
    ['a parking spot', { license_plate: 'HH AL 1' }],
  ] as const)
    it(`shows a booking of ${title} in the same format as the listing, with no series and no check-in`, async () => {
      const type = title === 'a desk' ? 0 : 1
      const { bookable_id, user_id } = await createDesk(world.database, { location_id: location, type })
      const when = { from: hoursFromNow(1), to: hoursFromNow(2) }
      const id = await createBooking(world.database, { ...when, ...row, bookable_id, user_id })
      const { data } = (await client.get(`bookings?${new URLSearchParams(when)}`)).json
      const listed = data.find((booking: { id: number }) => booking.id === id)
      const { livemap_url, ...booking } = (await client.get(`bookings/${id}`)).json.data
      expect(booking).to.deep.equal({
        ...listed,
        series_id: null,
        checked_in_at: null,
        guest_email: null,
        booking_info: null,
      })
      expect(livemap_url).to.match(/^http/)
    })

  it('GET bookings/{id} shows the details of a guest, which the listings omit', async () => {
    const guest = { guest_name: 'A Guest', guest_email: 'guest@example.org', booking_info: 'Interview' }
    const desk = await createDesk(world.database, { location_id: location })
    const when = { from: hoursFromNow(1), to: hoursFromNow(2) }
    const { bookable_id, user_id } = desk
    const id = await createBooking(world.database, { ...when, ...guest, bookable_id, user_id })
    const { guest_email, booking_info } = guest
    expect((await client.get(`bookings/${id}`)).json.data).to.include({ guest_email, booking_info })
    expect((await client.get(`bookings?${new URLSearchParams(when)}`)).text).to.not.include('Interview')
  })

  it('GET bookings/{id} answers 404 for an event room', async () => {
    const when = { from: hoursFromNow(1), to: hoursFromNow(2) }
    const room = await createBooking(world.database, {
      ...when,
      event_id: await createEvent(world.database, when),
    })
    expect((await client.get(`bookings/${room}`)).status).to.equal(404)
  })

  it('GET of an unknown or deleted resource answers 404', async () => {
    const { bookable_id: deleted } = await createDesk(world.database, { deleted_at: new Date() })
    for (const path of [
      `bookables/${deleted}`,
      'bookables/999999',
      'buildings/999999',
      'locations/999999',
      'bookings/999999',
    ])
      expect((await client.get(path)).status, path).to.equal(404)
  })

  it('GET me shows the calling token, regardless of its abilities', async () => {
    const own = { name: 'Door display', abilities: ['read', 'booking-write'] as const, createdBy: 'test' }
    const { id, token } = await createToken(world.database, {
      ...own,
      expiresAt: '2090-01-01T00:00:00.000000Z',
      rateLimitPerMinute: 30,
    })
    expect((await new Client(world.url, token).get('me')).json).to.deep.equal({
      data: {
        id,
        name: 'Door display',
        abilities: ['read', 'booking-write'],
        expires_at: '2090-01-01T00:00:00.000000Z',
        addresses: null,
        buildings: null,
        rate_limit_per_minute: 30,
      },
    })
    const { token: bare } = await createToken(world.database, { ...own, abilities: [] })
    expect((await new Client(world.url, bare).get('me')).json.data).to.include({
      expires_at: null,
      rate_limit_per_minute: 700,
    })
  })
})
