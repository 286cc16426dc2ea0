// Tests bookings that only administrators create and end: open-ended bookings, and bookings of deactivated
// users.

import { expect } from 'chai'
import { createToken } from '../../../../shared/tokens/token-store.ts'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createDesk,
  createEvent,
  createUser,
  createVehicle,
  hoursFromNow,
} from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { useClient, useWorld } from '../../../support/world.ts'

describe('an administrator’s bookings', () => {
  const world = useWorld()
  const client = useClient(world)
  const admin = useAdmin(world)

  const row = async (id: number) => {
    const { rows } = await world.database.raw(
      'SELECT lower(during) AS "from", upper(during) AS "to" FROM bookings WHERE id = ?',
      [id],
    )
    return rows[0]
  }
  const ms = (instant: string) => Date.parse(instant)

  describe('bookings without an end', () => {
    it('occupy the bookable until somebody sets an end', async () => {
      const desk = await createDesk(world.database, { name: 'Desk 12' })
      const made = await admin.ask(
        'bookings.create-open',
        { ...desk, from_time: hoursFromNow(2) },
        { requestId: 'open' },
      )
      expect(made.status).to.equal(200)
      const [booking] = made.json.data
      expect(booking).to.include({ to: null })
      expect(booking.bookable).to.include({ id: desk.bookable_id })
      const [entry] = await readAudit(world, 'open')
      expect(entry).to.include({ action: 'bookings.create', resource_id: booking.id })
      const much = { from_time: hoursFromNow(5_000), to_time: hoursFromNow(5_001) }
      const refused = await client.post('bookings', { ...desk, ...much })
      expect(refused.json.code).to.equal('booking_conflict')
      expect(refused.json.detail).to.include('with no end')
      expect(refused.json.conflict).to.include({ to: null })
      expect((await client.post('bookings', { ...desk, to_time: hoursFromNow(2) })).status).to.equal(200)
      const ended = await admin.ask('bookings.update', { id: booking.id, to_time: hoursFromNow(8) })
      expect(ended.status).to.equal(200)
      expect(ms((await row(booking.id)).to)).to.equal(ms(hoursFromNow(8)))
      expect((await client.post('bookings', { ...desk, ...much })).status).to.equal(200)
      const next = await admin.ask('bookings.create-open', { ...desk, from_time: hoursFromNow(9) })
      expect(next.status, 'what comes later is in the way').to.equal(409)
      expect(next.json.conflict.from).to.include(much.from_time.slice(0, 13))
    })

    it('start now if no start is given, and can be moved and deleted', async () => {
      const desk = await createDesk(world.database)
      const startedMs = Date.now()
      const made = await admin.ask('bookings.create-open', desk)
      const { id } = made.json.data[0]
      expect(ms(made.json.data[0].from)).to.be.within(startedMs, Date.now())
      const move = { id, from_time: hoursFromNow(1), to_time: hoursFromNow(2) }
      expect((await admin.ask('bookings.update', move)).status).to.equal(200)
      expect((await admin.ask('bookings.delete', { id })).status).to.equal(204)
      const again = await admin.ask('bookings.create-open', desk)
      expect((await admin.ask('bookings.delete', { id: again.json.data[0].id })).status).to.equal(204)
    })

    it('must follow all rules', async () => {
      const desk = await createDesk(world.database, { status: 1 })
      expect((await admin.ask('bookings.create-open', desk)).json.code).to.equal('bookable_blocked')
      const spot = await createDesk(world.database, { type: 1, requires_vehicle: true })
      const refused = await admin.ask('bookings.create-open', spot)
      expect(refused.json.errors).to.have.all.keys('user_vehicle_id')
      const user_vehicle_id = await createVehicle(world.database, {
        user_id: spot.user_id,
        license_plate: 'B 1',
      })
      const parked = await admin.ask('bookings.create-open', { ...spot, user_vehicle_id })
      const [booking] = await world.database('bookings').where({ id: parked.json.data[0].id })
      expect(booking).to.include({ license_plate: 'B 1', exclusive: true })
      const unknown = { bookable_id: 999_999, location_id: 1, user_id: 999_999 }
      const { status, json } = await admin.ask('bookings.create-open', unknown)
      expect(status).to.equal(422)
      expect(json.errors).to.have.all.keys('bookable_id', 'user_id')
    })

    it('may overlap only in a home office', async () => {
      for (const [type, statuses] of [
        [3, [200, 200, 200]],
        [0, [200, 409, 409]],
      ] as const) {
        const desk = await createDesk(world.database, { type })
        const answers = await Promise.all([1, 2, 3].map(() => admin.ask('bookings.create-open', desk)))
        expect(answers.map(({ status }) => status).sort()).to.deep.equal(statuses)
      }
    })

    it('cannot be made through the API', async () => {
      const desk = await createDesk(world.database)
      for (const to_time of [null, undefined]) {
        const { status, json } = await client.post('bookings', { ...desk, to_time })
        expect([status, Object.keys(json.errors)]).to.deep.equal([422, ['to_time']])
      }
    })
  })

  describe('bookings of deactivated users', () => {
    /** Creates a past, a running, an open-ended and a future booking, and an event. */
    async function holdings(person: Record<string, unknown>) {
      const user_id = await createUser(world.database, person)
      const hold = async (from: number, to: number | null) =>
        createBooking(world.database, {
          user_id,
          bookable_id: await createBookable(world.database),
          from: hoursFromNow(from),
          to: to === null ? null : hoursFromNow(to),
        })
      const ids = {
        over: await hold(-9, -8),
        runs: await hold(-8, 8),
        open: await hold(-9, null),
        future: await hold(1, 2),
        openFuture: await hold(3, null),
      }
      const time = { from: hoursFromNow(1), to: hoursFromNow(2) }
      const event_id = await createEvent(world.database, { ...time, organizer_user_id: user_id })
      const room = await createBooking(world.database, { event_id, ...time })
      return { user_id, ids, room }
    }
    type Holdings = Awaited<ReturnType<typeof holdings>>
    const rows = ({ user_id }: Holdings) => world.database('bookings').where({ user_id }).orderBy('id')
    const GONE = { deactivated_at: new Date() }

    it('are ended or deleted, except for past bookings and events', async () => {
      const [gone, other, active] = [await holdings(GONE), await holdings(GONE), await holdings({})]
      const was = { other: await rows(other), active: await rows(active), gone: await rows(gone) }
      const startedMs = Date.now()
      const released = await admin.ask(
        'bookings.release',
        { user_ids: [gone.user_id] },
        { requestId: 'release' },
      )
      expect(released.json).to.deep.equal({ data: { deleted: 2, ended: 2 } })
      const { over, runs, open, future, openFuture } = gone.ids
      expect((await rows(gone)).map(({ id }) => id)).to.deep.equal([over, runs, open])
      expect(ms((await row(over)).to)).to.equal(ms(hoursFromNow(-8)))
      for (const id of [runs, open]) expect(ms((await row(id)).to)).to.be.within(startedMs, Date.now())
      expect(ms((await row(open)).from)).to.equal(ms(hoursFromNow(-9)))
      expect(await row(gone.room)).to.not.equal(undefined)
      expect(await rows(other)).to.deep.equal(was.other)
      const log = await readAudit(world, 'release')
      expect(log.map(({ resource_id, after }) => [resource_id, after !== null])).to.deep.equal([
        [runs, true],
        [open, true],
        [future, false],
        [openFuture, false],
      ])
      expect(log[0].before.during).to.not.equal(log[0].after.during)
      const rest = await admin.ask('bookings.release', {})
      expect(rest.json).to.deep.equal({ data: { deleted: 2, ended: 2 } })
      expect(await rows(active)).to.deep.equal(was.active)
      expect((await admin.ask('bookings.release', {})).json).to.deep.equal({ data: { deleted: 0, ended: 0 } })
    })

    it('are not released if one of the users is active or unknown', async () => {
      const [gone, active] = [await holdings(GONE), await holdings({})]
      const user_ids = [gone.user_id, active.user_id, 999_999]
      const { status, json } = await admin.ask('bookings.release', { user_ids })
      expect(status).to.equal(422)
      expect(json.errors.user_ids).to.deep.equal([
        `There is no deactivated user with the id ${active.user_id}.`,
        'There is no deactivated user with the id 999999.',
      ])
      expect(await rows(gone)).to.have.length(5)
      expect((await admin.ask('bookings.release', { user_ids: [] })).status).to.equal(422)
    })

    it('can be released through the API, within the buildings of the token', async () => {
      const [gone, active] = [await holdings(GONE), await holdings({})]
      const home = await createBookable(world.database, { type: 3 })
      const later = { from: hoursFromNow(5), to: hoursFromNow(6) }
      const elsewhere = await createBooking(world.database, {
        ...later,
        user_id: gone.user_id,
        bookable_id: home,
      })
      const found = await client.get(`bookings/${elsewhere}`)
      const buildingIds = [found.json.data.bookable.location.building.id]
      const abilities = ['booking-write'] as const
      const given = { name: 'HR', abilities: [...abilities], createdBy: 'test', buildingIds }
      const limited = new Client(world.url, (await createToken(world.database, given)).token)
      const path = `users/${gone.user_id}/release-bookings`
      expect((await limited.post(path, {})).json).to.deep.equal({ data: { deleted: 1, ended: 0 } })
      expect((await client.post(path, {})).json).to.deep.equal({ data: { deleted: 2, ended: 2 } })
      expect((await client.post(path, {})).json).to.deep.equal({ data: { deleted: 0, ended: 0 } })
      for (const id of [active.user_id, 999_999]) {
        const { status, json } = await client.post(`users/${id}/release-bookings`, {})
        expect([status, json.message]).to.deep.equal([404, `There is no deactivated user with the id ${id}.`])
      }
      expect(await rows(active)).to.have.length(5)
    })

    it('are all released or none if their user is restored simultaneously', async () => {
      for (let round = 0; round < 10; round++) {
        const gone = await holdings(GONE)
        const ids = [gone.user_id]
        const restore = () => admin.ask('users.restore', { ids })
        const release = () => admin.ask('bookings.release', {})
        const works = round % 2 ? [restore(), release()] : [release(), restore()]
        for (const { status } of await Promise.all(works)) expect(status).to.equal(200)
        expect((await rows(gone)).length).to.be.oneOf([3, 5])
        expect((await world.database('users').where({ id: gone.user_id }).first()).deactivated_at).to.equal(
          null,
        )
      }
    })
  })
})
