// Tests loans over HTTP: the owner of an assigned desk lends it for some days, others book it, and the owner ends the
// loan.
import { expect } from 'chai'
import { isLentAt } from '../../../../../shared/loans/loans.ts'
import { isLentSql } from '../../../../../shared/loans/loans-shape.ts'
import { findStartOfDay } from '../../../../../shared/schemas/wall-clock.ts'
import { readAudit, useAdmin } from '../../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLoan,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { Client } from '../../../../support/http/http.ts'
import { createPersonalToken } from '../../../../support/personal-tokens.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const TIME_ZONE = 'Europe/Berlin'
/** Returns the date that is this many days ahead. */
const dateIn = (days: number) => hoursFromNow(days * 24).slice(0, 10)
const hoursOn = (date: string) => ({ from_time: `${date}T08:00:00Z`, to_time: `${date}T16:00:00Z` })
const MARCH = { from: '2031-03-03', to: '2031-03-07' }
const TUESDAY = hoursOn('2031-03-04')

describe('loans of an assigned desk', () => {
  const world = useWorld()
  const client = useClient(world, 'read', 'object-write', 'booking-write')
  const admin = useAdmin(world)
  let owner: number
  let colleague: number
  let desk: { bookable_id: number; location_id: number }
  let path: string

  beforeEach(async () => {
    const { database } = world
    owner = await createUser(database, { name: 'Ada' })
    colleague = await createUser(database, { name: 'Ben' })
    const building_id = await createBuilding(database, { timezone: TIME_ZONE })
    const location_id = await createLocation(database, { building_id })
    const bookable_id = await createBookable(database, { name: 'Desk 7', location_id, status: 2 })
    await database('bookable_assignees').insert({ bookable_id, user_id: owner })
    desk = { bookable_id, location_id }
    path = `bookables/${bookable_id}/loans`
  })

  const book = (user_id: number, times: object = TUESDAY) =>
    client.post('bookings', { ...desk, user_id, ...times })
  const lend = async (body: object = MARCH) => {
    const answer = await client.post(path, body)
    expect(answer.status, answer.text).to.equal(200)
    return answer.json.data
  }
  const listed = async () => (await client.get(path)).json.data
  const asPerson = async (user_id: number) =>
    new Client(world.url, await createPersonalToken(world.database, user_id, ['read', 'booking-write']))
  const freeNames = async ({ from_time, to_time }: typeof TUESDAY) => {
    const search = `location_id=${desk.location_id}&user_id=${colleague}&from=${from_time}&to=${to_time}`
    const { json, text } = await client.get(`availability?${search}`)
    expect(json.data, text).to.be.an('array')
    return json.data.map(({ name }: { name: string }) => name)
  }

  it('appear in the list and in the change feed, and leave the desk assigned', async () => {
    const created = await client.post(path, MARCH, { 'X-Request-Id': 'lent' })
    expect(created.status, created.text).to.equal(200)
    const { id } = created.json.data
    const loan = { id, bookable_id: desk.bookable_id, user_id: owner, ...MARCH }
    expect(created.json.data).to.deep.equal(loan)
    expect(await listed()).to.deep.equal([loan])
    const [entry] = await readAudit(world, 'lent')
    expect(entry).to.include({ action: 'loans.create', resource_id: id })
    expect(entry.after).to.deep.equal(loan)
    expect((await client.get(`bookables/${desk.bookable_id}`)).json.data.status).to.equal(2)
    expect((await client.delete(`${path}/${id}`)).status).to.equal(204)
    expect(await listed()).to.deep.equal([])
    expect((await client.delete(`${path}/${id}`)).status).to.equal(404)
    const changes = world.database('changes').where({ type: 'loan', resource_id: id }).orderBy('sequence')
    expect(await changes.pluck('action')).to.deep.equal(['created', 'deleted'])
  })

  it('let everybody book on these days, and on no others', async () => {
    const [first, last, after] = [dateIn(10), dateIn(14), dateIn(15)]
    const refused = async (times: object) =>
      expect((await book(colleague, times)).json.code).to.equal('bookable_assigned')
    await refused(hoursOn(first))
    expect(await freeNames(hoursOn(first))).to.deep.equal([])
    await lend({ from: first, to: last })
    expect(await freeNames(hoursOn(first))).to.deep.equal(['Desk 7'])
    expect(await freeNames(hoursOn(after))).to.deep.equal([])
    await refused(hoursOn(after))
    expect((await book(colleague, hoursOn(first))).status).to.equal(200)
    // The last day ends at midnight in Berlin.
    const midnight = Date.parse(findStartOfDay(after, TIME_ZONE))
    const from_time = `${last}T08:00:00Z`
    await refused({ from_time, to_time: new Date(midnight + 1).toISOString() })
    expect((await book(colleague, { from_time, to_time: new Date(midnight).toISOString() })).status).to.equal(
      200,
    )
  })

  it('let the owner book the desk unless somebody else has booked it', async () => {
    await lend()
    expect((await book(colleague)).status).to.equal(200)
    expect((await book(owner)).json.code).to.equal('booking_conflict')
    expect((await book(owner, hoursOn('2031-03-11'))).status).to.equal(200)
  })

  it('offer the desk as an alternative to a taken desk', async () => {
    await lend()
    const bookable_id = await createBookable(world.database, {
      location_id: desk.location_id,
      name: 'Desk 8',
    })
    const span = { from: TUESDAY.from_time, to: TUESDAY.to_time }
    await createBooking(world.database, { bookable_id, ...span })
    const answer = await client.post('bookings', { ...desk, bookable_id, user_id: colleague, ...TUESDAY })
    expect(answer.json.alternatives).to.deep.equal([{ id: desk.bookable_id, name: 'Desk 7' }])
  })

  it('cannot end while somebody has booked the desk, and the message names that person', async () => {
    const { id } = await lend()
    const booking = (await book(colleague)).json.data[0].id
    const refused = await client.delete(`${path}/${id}`)
    expect([refused.status, refused.json.code]).to.deep.equal([409, 'in_use'])
    expect(refused.json.detail).to.match(/^Ben has reserved Desk 7 .*, so the loan cannot end yet\.$/)
    await client.delete(`bookings/${booking}`)
    await book(owner)
    expect((await client.delete(`${path}/${id}`)).status).to.equal(204)
  })

  it('do not name somebody who hides from the owner', async () => {
    const mine = await asPerson(owner)
    const { id } = await lend()
    await book(colleague)
    await world.database('person_settings').insert({ user_id: colleague, visibility: 'nobody' })
    const refused = await mine.delete(`${path}/${id}`)
    expect(refused.json.detail).to.match(/^Somebody has reserved Desk 7 /)
    expect(refused.text).to.not.include('Ben')
  })

  it('can be written with a personal token only by the owner of the desk', async () => {
    const [mine, other] = [await asPerson(owner), await asPerson(colleague)]
    expect((await other.post(path, MARCH)).json.errors).to.deep.equal({
      user_id: ['The bookable is not assigned to this user.'],
    })
    expect((await other.post(path, { ...MARCH, user_id: owner })).json.code).to.equal('personal_token')
    const created = await mine.post(path, MARCH)
    expect(created.status, created.text).to.equal(200)
    const { id } = created.json.data
    expect((await mine.get(path)).json.data).to.have.length(1)
    expect((await other.get(path)).json.data).to.deep.equal([])
    expect((await other.delete(`${path}/${id}`)).status).to.equal(404)
    expect((await mine.delete(`${path}/${id}`)).status).to.equal(204)
  })

  it('are refused if they overlap, are in the past, or end before they begin', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => client.post(path, MARCH)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409])
    const again = await client.post(path, { from: '2031-03-07', to: '2031-03-20' })
    expect(again.json).to.include({
      code: 'in_use',
      detail: 'Desk 7 is already lent from 2031-03-03 to 2031-03-07.',
    })
    const refused = async (body: object) => (await client.post(path, body)).json.errors
    expect(await refused({})).to.have.all.keys('from', 'to')
    expect(await refused({ from: '2031-03-03', to: '2031-03-02' })).to.have.all.keys('to')
    expect(await refused({ from: '2031-04-01', to: '2032-04-01' })).to.have.all.keys('to')
    expect(await refused({ from: '2020-03-01', to: '2020-03-02' })).to.deep.equal({
      to: ['This day is over.'],
    })
    expect(await refused({ ...MARCH, user_id: colleague })).to.have.all.keys('user_id')
  })

  it('allow a booking across two adjoining loans', async () => {
    await lend()
    await lend({ from: '2031-03-08', to: '2031-03-09' })
    const weekend = { from_time: '2031-03-07T08:00:00Z', to_time: '2031-03-08T08:00:00Z' }
    expect((await book(colleague, weekend)).status).to.equal(200)
  })

  it('need a user_id if the desk is assigned to several people', async () => {
    await world.database('bookable_assignees').insert({
      bookable_id: desk.bookable_id,
      user_id: colleague,
    })
    expect((await client.post(path, MARCH)).json.errors).to.have.all.keys('user_id')
    expect(await lend({ ...MARCH, user_id: colleague })).to.include({ user_id: colleague })
  })

  it('end with the assignment, and leave bookings unchanged', async () => {
    const { id } = await lend()
    const booked = await book(colleague)
    await admin.ask('bookables.unassign', { id: desk.bookable_id, user_id: owner })
    expect(await listed()).to.deep.equal([])
    const changes = world.database('changes').where({ type: 'loan', resource_id: id })
    expect(await changes.pluck('action')).to.include('deleted')
    expect((await client.get(`bookings/${booked.json.data[0].id}`)).status).to.equal(200)
  })

  it('can be undone: undo ends a new loan, and restores an ended one', async () => {
    const created = await client.post(path, MARCH, { 'X-Request-Id': 'undone-loan' })
    const [entry] = await readAudit(world, 'undone-loan')
    await book(colleague)
    const refused = await admin.ask('audit-entries.undo', { id: entry.id })
    expect(refused.json.code).to.equal('in_use')
    await world.database('bookings').where({ bookable_id: desk.bookable_id }).delete()
    expect((await admin.ask('audit-entries.undo', { id: entry.id })).status).to.equal(200)
    expect(await listed()).to.deep.equal([])
    const lent = await lend()
    await client.delete(`${path}/${lent.id}`, { 'X-Request-Id': 'taken-back' })
    const [taken] = await readAudit(world, 'taken-back')
    expect((await admin.ask('audit-entries.undo', { id: taken.id })).status).to.equal(200)
    expect(await listed()).to.deep.equal([lent])
    expect(lent.id).to.be.above(created.json.data.id)
  })

  it('give the same result in SQL and in the check of a booking', async () => {
    const loans = ['[2031-03-29,2031-03-31)', '[2031-03-31,2031-04-02)', '[2031-04-04,2031-04-05)']
    for (const days of loans)
      await createLoan(world.database, { bookable_id: desk.bookable_id, user_id: owner, days })
    const days = [
      { from: '2031-03-29', to: '2031-03-30' },
      { from: '2031-03-31', to: '2031-04-01' },
      { from: '2031-04-04', to: '2031-04-04' },
    ]
    const start = Date.parse('2031-03-28T12:00:00Z')
    let lent = 0
    for (let from = 0; from < 190; from += 7)
      for (const hours of [1, 11, 12, 24, 60, 95]) {
        const at = (hour: number) => new Date(start + hour * 3_600_000).toISOString().replace('Z', '000Z')
        const span = { from: at(from), to: at(from + hours) }
        const { rows } = await world.database.raw(
          `SELECT ${isLentSql('CAST(:bookable_id AS bigint)', 'CAST(:from AS timestamptz)', 'CAST(:to AS timestamptz)')} AS lent`,
          { bookable_id: desk.bookable_id, ...span },
        )
        const expected = isLentAt({ zone: TIME_ZONE, days }, span)
        expect(rows[0].lent, JSON.stringify(span)).to.equal(expected)
        lent += Number(expected)
      }
    expect(lent).to.be.above(20)
  })
})
