// Tests that bookings for a user who is away are refused, and that a request can override this.
import { expect } from 'chai'
import { useAdmin } from '../../../../support/dashboard/admin.ts'
import {
  createAbsence,
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { createPersonalToken } from '../../../../support/personal-tokens.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

// In Auckland the days of the absence begin at 11:00 UTC of 2 March, and end at 11:00 UTC of 14 March.
const DAYS = '[2031-03-03,2031-03-15)'
const at = (day: string, hour = 9) => `2031-03-${day}T${String(hour).padStart(2, '0')}:00:00Z`

describe('bookings for a user who is away', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write', 'read')
  const admin = useAdmin(world)
  let user_id: number
  let location_id: number
  beforeEach(async () => {
    user_id = await createUser(world.database, { name: 'Ada King' })
    await createAbsence(world.database, { user_id, days: DAYS })
    const building_id = await createBuilding(world.database, { timezone: 'Pacific/Auckland' })
    location_id = await createLocation(world.database, { building_id })
  })
  const wanted = async (from_time: string, to_time: string, more: object = {}) => {
    const bookable_id = await createBookable(world.database, { location_id })
    return { bookable_id, location_id, user_id, from_time, to_time, ...more }
  }
  const book = async (...[from, to, more]: Parameters<typeof wanted>) =>
    client.post('bookings', await wanted(from, to, more))

  it('are refused with the days of the absence, in the time zone of the building', async () => {
    const refused = await book(at('02', 20), at('02', 23))
    expect([refused.status, refused.json.code]).to.deep.equal([409, 'user_away'])
    expect(refused.json.detail).to.equal('Ada King is away from 2031-03-03 to 2031-03-14.')
    expect((await book(at('02', 8), at('02', 11))).status).to.equal(200)
    expect((await book(at('14', 10), at('14', 12))).json.code).to.equal('user_away')
    expect((await book(at('14', 11), at('14', 12))).status).to.equal(200)
    expect((await book(at('01'), at('20'))).json.code).to.equal('user_away')
  })

  it('are created if the request overrides the absence, which the audit log records', async () => {
    const booked = await book(at('05'), at('05', 17), { overrides_absence: true })
    expect(booked.status, booked.text).to.equal(200)
    const row = { action: 'bookings.create', resource_id: booked.json.data[0].id }
    const { after } = await world.database('audit_log').where(row).first()
    expect(after.overridden_rules).to.deep.equal(['user_away'])
    expect((await book(at('06'), at('06', 17), { overrides_absence: false })).status).to.equal(409)
  })

  it('are checked in POST bookings/check, in batches and in series', async () => {
    const check = await client.post('bookings/check', await wanted(at('05'), at('05', 17)))
    expect(check.json.data).to.include({ allowed: false, code: 'user_away' })
    const batch = await client.post('bookings/batch', {
      bookings: [await wanted(at('05'), at('05', 17)), await wanted(at('20'), at('20', 17))],
    })
    expect(batch.json.data.map((each: { status: number }) => each.status)).to.deep.equal([409, 200])
    const repeat = { every: 'day', interval: 1, count: 3 }
    const series = await client.post('bookings/series', {
      ...(await wanted(at('05'), at('05', 17))),
      timezone: 'Pacific/Auckland',
      repeat,
    })
    expect(series.json.code, series.text).to.equal('user_away')
  })

  it('are refused if a booking moves to these days, but not if it stays within its time', async () => {
    const [from, to] = [at('20'), at('20', 17)]
    const bookable_id = await createBookable(world.database, { location_id })
    const id = await createBooking(world.database, { user_id, bookable_id, from, to })
    const moved = { from_time: at('05'), to_time: at('05', 17) }
    expect((await client.patch(`bookings/${id}`, moved)).json.code).to.equal('user_away')
    const other = await createBookable(world.database, { location_id })
    const move = (more: object) => client.post(`bookings/${id}/move`, { bookable_id: other, ...more })
    expect((await move(moved)).json.code).to.equal('user_away')
    const overridden = await client.patch(`bookings/${id}`, { ...moved, overrides_absence: true })
    expect(overridden.status, overridden.text).to.equal(200)
    expect((await move({})).status).to.equal(200)
  })

  it('are refused if a change makes them the user’s own, and allowed if it makes them a guest’s', async () => {
    const hold = async (day: string, row: object = {}) =>
      createBooking(world.database, {
        user_id,
        bookable_id: await createBookable(world.database, { location_id }),
        from: at(day),
        to: at(day, 17),
        ...row,
      })
    const own = { guest_name: null, guest_email: null }
    const away = { from_time: at('05'), to_time: at('05', 17) }
    const change = (id: number, body: object) => client.patch(`bookings/${id}`, body)
    const ofGuest = await hold('20', { guest_name: 'Grace' })
    expect((await change(ofGuest, { ...own, ...away })).json.code).to.equal('user_away')
    expect((await change(ofGuest, own)).status).to.equal(200)
    const forGuest = await change(await hold('20'), { guest_name: 'Grace', ...away })
    expect(forGuest.status, forGuest.text).to.equal(200)
    const during = await hold('05', { guest_name: 'Grace' })
    expect((await change(during, own)).json.code).to.equal('user_away')
    expect((await change(during, { ...own, overrides_absence: true })).status).to.equal(200)
  })

  it('are allowed for guests of the user, and if the users book for themselves', async () => {
    expect((await book(at('05'), at('05', 17), { guest_name: 'Grace' })).status).to.equal(200)
    const own = await createPersonalToken(world.database, user_id)
    const booked = await client.post('bookings', await wanted(at('06'), at('06', 17)), {
      Authorization: `Bearer ${own}`,
    })
    expect(booked.status, booked.text).to.equal(200)
  })

  it('appear to administrators as a broken rule that they can override', async () => {
    const input = await wanted(at('05'), at('05', 17))
    const { json } = await admin.ask('bookings.try', input)
    expect([json.code, json.broken_rules]).to.deep.equal(['user_away', ['user_away']])
    expect((await admin.ask('bookings.create', { ...input, overrides_rules: true })).status).to.equal(200)
  })
})
