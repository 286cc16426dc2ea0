// Tests bookables that the API creates, changes and deletes, with every change that administrators can make
// in forms.
import { expect } from 'chai'
import { createToken } from '../../../../../shared/tokens/token-store.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { countLockWaits } from '../../../../support/faults/pipeline.ts'
import { Client } from '../../../../support/http/http.ts'
import { eventually } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const at = (hours: number) => hoursFromNow(hours).replace('.000Z', '.000000Z')
const span = (from: number, to: number) => ({ from: hoursFromNow(from), to: hoursFromNow(to) })

describe('bookables that are created and changed one at a time through the API', () => {
  const world = useWorld()
  const client = useClient(world)
  let building_id: number
  let location_id: number
  beforeEach(async () => {
    building_id = await createBuilding(world.database)
    location_id = await createLocation(world.database, { building_id })
  })

  const desk = (row = {}) => createBookable(world.database, { location_id, ...row })
  const read = async (id: number) => (await client.get(`bookables/${id}`)).json.data
  const book = async (bookable_id: number, row: object = {}) => {
    const user_id = await createUser(world.database)
    const id = await createBooking(world.database, { bookable_id, user_id, ...span(1, 2), ...row })
    return { id, user_id }
  }
  const bookableOf = async (booking: number) => {
    const [row] = await world.database('bookings').where({ id: booking }).select('bookable_id')
    return row?.bookable_id
  }

  describe('POST bookables', () => {
    it('creates a bookable with every field of the dashboard’s forms, and answers like GET', async () => {
      const user = await createUser(world.database)
      const body = {
        name: 'Elbe',
        type: 2,
        description: 'At the window',
        tags: ['screen'],
        capacity: 8,
        requires_vehicle: false,
        integration_email: `elbe${location_id}@rooms.example`,
        position: { x: 0.25, y: 0.5 },
        assigned_user_ids: [user],
      }
      const created = await client.post('bookables', { location_id, ...body })
      expect(created.status, created.text).to.equal(200)
      const { id, status, position } = created.json.data
      expect(created.json.data).to.deep.include({ ...body, position, features: ['screen'] })
      expect([status, position.x, position.y]).to.deep.equal([2, 0.25, 0.5])
      const { text, headers } = await client.get(`bookables/${id}`)
      expect([text, headers.get('ETag')]).to.deep.equal([created.text, created.headers.get('ETag')])
    })

    it('refuses a taken name, an unknown location, an invalid position and unknown assignees', async () => {
      await desk({ name: 'Desk 1' })
      const base = { location_id, name: 'Desk 2', type: 0 }
      const gone = await createUser(world.database, { deactivated_at: new Date() })
      const errors: Array<[object, string]> = [
        [{ name: 'dESK 1' }, 'name'],
        [{ location_id: 999_999 }, 'location_id'],
        [{ position: { x: 2, y: 0 } }, 'position.x'],
        [{ position: { x: 0.5 } }, 'position.y'],
        [{ position: { x: 0.5, y: 0.5, width: 0 } }, 'position.width'],
        [{ position: { x: 0.5, y: 0.5, height: 1.5 } }, 'position.height'],
        [{ position: { x: 0.5, y: 0.5, rotation: 360 } }, 'position.rotation'],
        [{ assigned_user_ids: [gone] }, 'assigned_user_ids'],
        [{ type: 4 }, 'type'],
      ]
      for (const [fields, field] of errors) {
        const { status, json } = await client.post('bookables', { ...base, ...fields })
        expect([status, ...Object.keys(json.errors ?? {})], field).to.deep.equal([422, field])
      }
      expect((await client.get(`locations/${location_id}/bookables`)).json.data).to.have.length(1)
    })
  })

  describe('PATCH bookables/{id}', () => {
    it('changes each field of the dashboard’s forms separately', async () => {
      const id = await desk({ position_x: 0.1, position_y: 0.1 })
      const elsewhere = await createLocation(world.database, { building_id })
      const user = await createUser(world.database)
      for (const change of [
        { capacity: 4 },
        { requires_vehicle: true },
        { type: 1 },
        { integration_email: `desk${id}@rooms.example` },
        { assigned_user_ids: [user] },
        { assigned_user_ids: [] },
      ]) {
        expect((await client.patch(`bookables/${id}`, change)).status).to.equal(200)
        expect(await read(id)).to.deep.include(change)
      }
      expect((await client.patch(`bookables/${id}`, { position: { x: 0.5, y: 0.75 } })).status).to.equal(200)
      expect((await read(id)).position).to.include({ x: 0.5, y: 0.75 })
      const shaped = { x: 0.5, y: 0.5, width: 0.1, height: 0.05, rotation: 90 }
      expect((await client.patch(`bookables/${id}`, { position: shaped })).status).to.equal(200)
      expect((await read(id)).position).to.deep.equal(shaped)
      // A change of position without a size keeps the size.
      await client.patch(`bookables/${id}`, { position: { x: 0.25, y: 0.5 } })
      expect((await read(id)).position).to.deep.equal({ ...shaped, x: 0.25 })
      await client.patch(`bookables/${id}`, { position: null })
      await client.patch(`bookables/${id}`, { position: { x: 0.25, y: 0.5 } })
      expect((await read(id)).position).to.include({ width: null, height: null, rotation: 0 })
      await client.patch(`bookables/${id}`, { position: shaped })
      await client.patch(`bookables/${id}`, { location_id: elsewhere })
      expect(await read(id)).to.deep.include({ position: null, status: 0 })
      expect((await read(id)).location.id).to.equal(elsewhere)
      const back = { location_id, position: { x: 1, y: 0 } }
      expect((await client.patch(`bookables/${id}`, back)).status).to.equal(200)
      expect((await read(id)).position).to.include({ x: 1, y: 0, width: null, rotation: 0 })
    })

    it('refuses to move a bookable to a location where its name is taken, as the dashboard does', async () => {
      const elsewhere = await createLocation(world.database, { building_id })
      const id = await desk({ name: 'Desk 1' })
      await desk({ location_id: elsewhere, name: 'DESK 1' })
      const taken = { location_id: ['Desk 1 already exists in this location.'] }
      const move = { location_id: elsewhere }
      for (const body of [move, { ...move, name: 'Desk 1', position: { x: 0, y: 0 } }]) {
        const { status, json } = await client.patch(`bookables/${id}`, body)
        expect([status, json.errors]).to.deep.equal([422, taken])
      }
      expect((await read(id)).location.id).to.equal(location_id)
      expect((await client.patch(`bookables/${id}`, { location_id: 999_999 })).json.errors).to.have.all.keys(
        'location_id',
      )
      const stay = { location_id, name: 'Desk 1' }
      expect((await client.patch(`bookables/${id}`, stay)).status, 'the same location').to.equal(200)
      const renamed = await client.patch(`bookables/${id}`, { ...move, name: 'Desk 2' })
      expect(renamed.status, 'with a free name').to.equal(200)
      expect((await client.patch(`bookables/${id}`, { name: 'Desk 1' })).status, 'only the name').to.equal(
        200,
      )
    })

    it('moves only one of two bookables of the same name to a location, if both move at once', async () => {
      const target = await createLocation(world.database, { building_id })
      const ids = await Promise.all(
        [1, 2].map(async () =>
          desk({ name: 'Desk 1', location_id: await createLocation(world.database, { building_id }) }),
        ),
      )
      const answers = await Promise.all(
        ids.map((id) => client.patch(`bookables/${id}`, { location_id: target })),
      )
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 422])
    })

    it('replaces the assignees, or refuses and lists the bookings of other people', async () => {
      const id = await desk()
      const { id: booking, user_id } = await book(id)
      const other = await createUser(world.database)
      const refused = await client.patch(`bookables/${id}`, { assigned_user_ids: [other] })
      expect([refused.status, refused.json.code]).to.deep.equal([409, 'in_use'])
      expect(refused.json.in_the_way).to.deep.equal([
        { type: 'booking', id: booking, bookable_id: id, from: at(1), to: at(2) },
      ])
      expect(await read(id)).to.deep.include({ status: 0, assigned_user_ids: [] })
      const both = await client.patch(`bookables/${id}`, { assigned_user_ids: [other, user_id, other] })
      expect([both.status, both.json.data.status]).to.deep.equal([200, 2])
      expect((await read(id)).assigned_user_ids).to.deep.equal([user_id, other])
      const release = { assigned_user_ids: [other], in_the_way: 'release' }
      expect((await client.patch(`bookables/${id}`, release)).status).to.equal(200)
      expect((await read(id)).assigned_user_ids).to.deep.equal([other])
      expect(await bookableOf(booking)).to.equal(undefined)
    })

    it('blocks a bookable and keeps, moves or releases its bookings, or refuses and lists them', async () => {
      const [id, free] = [await desk(), await desk()]
      const { id: booking } = await book(id)
      const block = (in_the_way?: string) => client.patch(`bookables/${id}`, { status: 1, in_the_way })
      const refused = await block('refuse')
      expect([refused.status, refused.json.in_the_way[0].id]).to.deep.equal([409, booking])
      expect((await read(id)).status).to.equal(0)
      expect((await block()).status).to.equal(200)
      expect(await bookableOf(booking)).to.equal(id)
      await client.patch(`bookables/${id}`, { status: 0 })
      expect((await block('move')).status).to.equal(200)
      expect([await bookableOf(booking), (await read(id)).status]).to.deep.equal([free, 1])
      const { status, json } = await block('leave')
      expect([status, Object.keys(json.errors)]).to.deep.equal([422, ['in_the_way']])
    })

    it('refuses to turn a bookable with upcoming bookings into a home office', async () => {
      const id = await desk()
      await book(id)
      const { status, json } = await client.patch(`bookables/${id}`, { type: 3 })
      expect([status, json.code]).to.deep.equal([409, 'in_use'])
    })

    it('answers 412 to an outdated ETag, without listing the affected bookings', async () => {
      const id = await desk()
      await book(id)
      const headers = { 'If-Match': '"000000000000000000000000000"' }
      const body = { status: 1, in_the_way: 'refuse' }
      expect((await client.ask(`bookables/${id}`, { method: 'PATCH', body, headers })).status).to.equal(412)
      expect((await client.ask(`bookables/${id}`, { method: 'DELETE', headers })).status).to.equal(412)
    })
  })

  describe('DELETE bookables/{id}', () => {
    it('is refused with a list of upcoming bookings and event rooms, unless they move or are released', async () => {
      const id = await desk()
      const { id: booking } = await book(id)
      const event_id = await createEvent(world.database, span(3, 4))
      await createBooking(world.database, { bookable_id: id, event_id, ...span(3, 4) })
      const refused = await client.delete(`bookables/${id}`)
      expect([refused.status, refused.json.code]).to.deep.equal([409, 'in_use'])
      expect(refused.json.in_the_way).to.deep.equal([
        { type: 'booking', id: booking, bookable_id: id, from: at(1), to: at(2) },
        { type: 'event', id: event_id, bookable_id: id, from: at(3), to: at(4) },
      ])
      expect((await client.delete(`bookables/${id}?in_the_way=move`)).json.code).to.equal('in_use')
      const free = await desk()
      expect((await client.delete(`bookables/${id}?in_the_way=move`)).status).to.equal(204)
      expect(await bookableOf(booking)).to.equal(free)
      expect((await client.delete(`bookables/${free}?in_the_way=release`)).status).to.equal(204)
      expect(await bookableOf(booking)).to.equal(undefined)
      for (const each of [id, free]) expect((await client.delete(`bookables/${each}`)).status).to.equal(404)
    })

    it('keeps the past bookings of a deleted bookable as history', async () => {
      const id = await desk()
      const { id: booking } = await book(id, span(-3, -2))
      expect((await client.delete(`bookables/${id}`)).status).to.equal(204)
      expect(await bookableOf(booking)).to.equal(id)
    })
  })

  it('answers 404 to PATCH and DELETE with If-Match if another write deletes the bookable first', async () => {
    for (const request of [{ method: 'PATCH', body: { status: 1 } }, { method: 'DELETE' }]) {
      const id = await desk()
      const etag = (await client.get(`bookables/${id}`)).headers.get('ETag') ?? ''
      const trx = await world.database.transaction()
      // The request finds the bookable without this table, and then waits for the table to compute the ETag.
      await trx.raw('LOCK TABLE buildings IN ACCESS EXCLUSIVE MODE')
      const asked = client.ask(`bookables/${id}`, { ...request, headers: { 'If-Match': etag } })
      await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
      await trx('bookables').where({ id }).delete()
      await trx.commit()
      const { status, json } = await asked
      expect([status, json.code], request.method).to.deep.equal([404, 'not_found'])
    }
  })

  describe('bookables, for a token that is limited to buildings', () => {
    it('are never shown, created, moved or deleted in other buildings', async () => {
      const token = { name: 'limited', abilities: ['read', 'object-write'] as const, createdBy: 'test' }
      const limits = { ...token, buildingIds: [building_id] }
      const limited = new Client(world.url, (await createToken(world.database, limits)).token)
      const there = await createBookable(world.database)
      await book(there)
      const [elsewhere] = await world.database('bookables').where({ id: there }).select('location_id')
      const missing = { location_id: ['There is no location with this id.'] }
      const created = await limited.post('bookables', {
        location_id: elsewhere.location_id,
        name: 'x',
        type: 0,
      })
      const moved = await limited.patch(`bookables/${await desk()}`, { location_id: elsewhere.location_id })
      for (const { status, json } of [created, moved])
        expect([status, json.errors]).to.deep.equal([422, missing])
      const body = { status: 1, in_the_way: 'refuse' }
      for (const { status, text } of [
        await limited.patch(`bookables/${there}`, body),
        await limited.delete(`bookables/${there}`),
      ]) {
        expect(status).to.equal(404)
        expect(text).to.not.include('in_the_way')
      }
    })
  })

  it('one of two simultaneous assignments wins, and the assignees are never a mix of both', async () => {
    const id = await desk()
    const users = [await createUser(world.database), await createUser(world.database)]
    const answers = await Promise.all(
      users.map((user) => client.patch(`bookables/${id}`, { assigned_user_ids: [user] })),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200])
    expect((await read(id)).assigned_user_ids).to.have.length(1)
  })
})
