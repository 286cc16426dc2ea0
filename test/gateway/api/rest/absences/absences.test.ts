// Tests the absences of a user over HTTP: recording, listing and deleting them, and releasing bookings with them.
import { expect } from 'chai'
import { readAudit } from '../../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { createPersonalToken } from '../../../../support/personal-tokens.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const DAY_MS = 24 * 3_600_000
const MARCH = { from: '2031-03-03', to: '2031-03-14' }

describe('absences of a user', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write', 'read')
  let user_id: number
  let path: string
  beforeEach(async () => {
    user_id = await createUser(world.database)
    path = `users/${user_id}/absences`
  })
  const listed = async () => (await client.get(path)).json.data
  const readSpans = async () => {
    const { rows } = await world.database.raw(
      `SELECT to_json(lower(during) AT TIME ZONE 'UTC') AS "from", to_json(upper(during) AT TIME ZONE 'UTC') AS "to"
       FROM bookings WHERE user_id = ? ORDER BY during`,
      [user_id],
    )
    return rows.map(({ from, to }: { from: string; to: string | null }) => [from, to])
  }

  it('appear in the list and in the change feed after they are recorded', async () => {
    const created = await client.post(path, MARCH, { 'X-Request-Id': 'away-recorded' })
    expect(created.status, created.text).to.equal(200)
    const { id } = created.json.data
    const absence = { id, user_id, kind: 'away', ...MARCH }
    expect(created.json.data).to.deep.equal({ ...absence, released_bookings: 0 })
    expect(await listed()).to.deep.equal([absence])
    const [entry] = await readAudit(world, 'away-recorded')
    expect(entry).to.include({ action: 'absences.create', resource_id: id, actor_type: 'token' })
    expect(entry.after).to.deep.equal(absence)
    expect((await client.delete(`${path}/${id}`)).status).to.equal(204)
    expect(await listed()).to.deep.equal([])
    expect((await client.delete(`${path}/${id}`)).status).to.equal(404)
    const changes = world.database('changes').where({ type: 'absence', resource_id: id }).orderBy('sequence')
    expect(await changes.pluck('action')).to.deep.equal(['created', 'deleted'])
  })

  it('never overlap, even if several requests arrive at the same time', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => client.post(path, MARCH)))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409])
    const again = await client.post(path, { from: '2031-03-14', to: '2031-03-20' })
    expect([again.status, again.json.code]).to.deep.equal([409, 'already_away'])
    expect(again.json.detail).to.equal('The user is already away from 2031-03-03 to 2031-03-14.')
    const next = await client.post(path, { from: '2031-03-15', to: '2031-03-15' })
    expect(next.status, next.text).to.equal(200)
    const other = await createUser(world.database)
    expect((await client.post(`users/${other}/absences`, MARCH)).status).to.equal(200)
  })

  it('have a first day, a last day that is not before it, and at most 1,100 days', async () => {
    const refused = async (body: object) => (await client.post(path, body)).json.errors
    expect(await refused({})).to.have.all.keys('from', 'to')
    expect(await refused({ from: '2031-02-30', to: '2031-03-14' })).to.have.all.keys('from')
    expect(await refused({ ...MARCH, kind: 'ill' })).to.have.all.keys('kind')
    expect(await refused({ from: '2031-03-03', to: '2031-03-02' })).to.deep.equal({
      to: ['to must not be before the first day.'],
    })
    expect(await refused({ from: '2031-03-03', to: '2034-03-07' })).to.have.all.keys('to')
    expect((await client.post(path, { from: '2031-03-03', to: '2034-03-06' })).status).to.equal(200)
  })

  it('are recorded once if a request is repeated with its Idempotency-Key', async () => {
    const key = { 'Idempotency-Key': 'away-once' }
    const [first, again] = [await client.post(path, MARCH, key), await client.post(path, MARCH, key)]
    expect(again.text).to.equal(first.text)
    expect(again.headers.get('Idempotency-Replayed')).to.equal('true')
    expect(await listed()).to.have.length(1)
  })

  it('release the bookings from the first midnight on, if the day has two', async () => {
    const building_id = await createBuilding(world.database, { timezone: 'America/Havana' })
    const location_id = await createLocation(world.database, { building_id })
    const bookable_id = await createBookable(world.database, { location_id })
    const book = (from: string, to: string) =>
      createBooking(world.database, { user_id, bookable_id, from, to })
    await book('2031-11-02T03:00:00Z', '2031-11-02T04:00:00Z')
    await book('2031-11-02T04:10:00Z', '2031-11-02T04:50:00Z')
    await book('2031-11-03T04:10:00Z', '2031-11-03T04:50:00Z')
    await book('2031-11-03T05:00:00Z', '2031-11-03T06:00:00Z')
    const days = { from: '2031-11-02', to: '2031-11-02' }
    const created = await client.post(path, { ...days, release_bookings: true })
    expect(created.json.data.released_bookings).to.equal(2)
    expect(await readSpans()).to.deep.equal([
      ['2031-11-02T03:00:00', '2031-11-02T04:00:00'],
      ['2031-11-03T05:00:00', '2031-11-03T06:00:00'],
    ])
  })

  it('release the bookings on their days in each building’s time zone, if the request asks for it', async () => {
    const inZone = async (timezone: string) => {
      const building_id = await createBuilding(world.database, { timezone })
      const location_id = await createLocation(world.database, { building_id })
      return () => createBookable(world.database, { location_id })
    }
    const [auckland, utc] = [await inZone('Pacific/Auckland'), await inZone('UTC')]
    const book = async (place: () => Promise<number>, from: string, to: string | null, row = {}) =>
      createBooking(world.database, { ...row, user_id, bookable_id: await place(), from, to })
    // In Auckland the first day begins at 11:00 UTC of the day before.
    await book(auckland, '2031-03-02T10:00:00Z', '2031-03-02T11:00:00Z')
    await book(auckland, '2031-03-02T20:00:00Z', '2031-03-03T04:00:00Z')
    await book(utc, '2031-03-02T09:00:00Z', '2031-03-02T17:00:00Z')
    await book(utc, '2031-03-03T09:00:00Z', '2031-03-03T17:00:00Z')
    await book(utc, '2031-03-14T09:00:00Z', '2031-03-14T17:00:00Z', { guest_name: 'Grace' })
    await book(utc, '2031-03-01T00:00:00Z', null)
    await book(utc, '2031-03-15T09:00:00Z', '2031-03-15T17:00:00Z')
    const created = await client.post(path, { ...MARCH, release_bookings: true })
    expect(created.json.data.released_bookings).to.equal(3)
    expect(await readSpans()).to.deep.equal([
      ['2031-03-01T00:00:00', '2031-03-03T00:00:00'],
      ['2031-03-02T09:00:00', '2031-03-02T17:00:00'],
      ['2031-03-02T10:00:00', '2031-03-02T11:00:00'],
      ['2031-03-14T09:00:00', '2031-03-14T17:00:00'],
      ['2031-03-15T00:00:00', null],
      ['2031-03-15T09:00:00', '2031-03-15T17:00:00'],
    ])
  })

  it('leave all bookings unchanged unless the request releases them', async () => {
    const span = { from: '2031-03-03T09:00:00Z', to: '2031-03-03T17:00:00Z' }
    await createBooking(world.database, { ...span, user_id })
    expect((await client.post(path, MARCH)).json.data.released_bookings).to.equal(0)
    expect(await readSpans()).to.have.length(1)
  })

  it('leave a running booking whose time on the days is over', async () => {
    const day = new Date(Date.now() - DAY_MS).toISOString().slice(0, 10)
    const span = { from: `${day}T12:00:00Z`, to: hoursFromNow(3) }
    const bookable_id = await createBookable(world.database)
    await createBooking(world.database, { ...span, user_id, bookable_id })
    const created = await client.post(path, { from: day, to: day, release_bookings: true })
    expect(created.json.data.released_bookings).to.equal(0)
  })

  it('release nothing if the absence is refused', async () => {
    await client.post(path, MARCH)
    await createBooking(world.database, {
      user_id,
      from: '2031-03-03T09:00:00Z',
      to: '2031-03-03T17:00:00Z',
    })
    expect((await client.post(path, { ...MARCH, release_bookings: true })).status).to.equal(409)
    expect(await readSpans()).to.have.length(1)
  })

  it('are recorded only for active users, and with a personal token only for its owner', async () => {
    const gone = await createUser(world.database, { deactivated_at: new Date() })
    expect((await client.post(`users/${gone}/absences`, MARCH)).status).to.equal(404)
    expect((await client.get(`users/${gone}/absences`)).status).to.equal(404)
    const own = await createPersonalToken(world.database, user_id)
    const other = await createUser(world.database)
    expect((await client.post(path, MARCH, { Authorization: `Bearer ${own}` })).status).to.equal(200)
    const refused = await client.post(`users/${other}/absences`, MARCH, { Authorization: `Bearer ${own}` })
    expect([refused.status, refused.json.code]).to.deep.equal([403, 'personal_token'])
  })
})
