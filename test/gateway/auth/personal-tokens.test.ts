// Tests personal tokens: what they hide, when they stop working, and meetings with other people.
import { expect } from 'chai'
import { limitTextToPerson, PERSONAL_TABLES } from '../../../gateway/reads/limits/personal-limits.ts'
import { eraseUser } from '../../../shared/erasures/erase-user.ts'
import { createToken, isWellFormedToken, rotateToken } from '../../../shared/tokens/token-store.ts'
import { createCampus } from '../../support/campus.ts'
import { createBooking, createDesk, createEvent, createUser, hoursFromNow } from '../../support/factories.ts'
import { Client } from '../../support/http/http.ts'
import { createPersonalToken } from '../../support/personal-tokens.ts'
import { eventually } from '../../support/time.ts'
import { useWorld } from '../../support/world.ts'

const LATER_TIMES = { from_time: hoursFromNow(5), to_time: hoursFromNow(6) }

// Tables that refer to users, but are never visible to a personal token.
const HIDDEN_TABLES = [
  'arrivals',
  'decision_links',
  'device_authorizations',
  'invitations',
  'mails',
  'person_sessions',
  'push_subscriptions',
  'pushed_bookings',
  'pushes',
  'screens',
  'sign_in_links',
  'told_bookings',
  'unknown_organizer',
]

describe('a personal token', () => {
  const world = useWorld({ workers: ['writes'] })
  const clientOf = async (
    userId: number,
    ...[abilities, limits]: [
      Parameters<typeof createPersonalToken>[2]?,
      Parameters<typeof createPersonalToken>[3]?,
    ]
  ) => new Client(world.url, await createPersonalToken(world.database, userId, abilities, limits))

  it('shows its owner in a field that other tokens omit', async () => {
    const email = 'whose@example.com'
    const id = await createUser(world.database, { name: 'Whose Itis', email })
    expect((await (await clientOf(id)).get('me')).json.data.user).to.deep.equal({
      id,
      name: 'Whose Itis',
      email,
    })
    const other = new Client(world.url, await createPersonalToken(world.database, undefined))
    expect((await other.get('me')).json.data).to.not.have.property('user')
  })

  it('books for its owner if the request names no user', async () => {
    const { free, location, user } = await createCampus(world.database, 'Mine')
    const client = await clientOf(user)
    const booking = { bookable_id: free, location_id: location }
    const check = await client.post('bookings/check', { ...booking, ...LATER_TIMES })
    expect(check.json.data).to.deep.equal({ allowed: true })
    const booked = await client.post('bookings', { ...booking, ...LATER_TIMES })
    expect(booked.json.data[0].user.id).to.equal(user)
    const times = { from_time: hoursFromNow(7), to_time: hoursFromNow(8) }
    const batch = await client.post('bookings/batch', { bookings: [{ ...booking, ...times }] })
    expect(batch.json.data[0].booking.user.id).to.equal(user)
    const event = await client.post('events?include=details', { name: 'Talk', ...LATER_TIMES })
    expect(event.json.data.organizer.id).to.equal(user)
    const ordinary = new Client(world.url, await createPersonalToken(world.database, undefined))
    expect((await ordinary.post('bookings', { ...booking, ...LATER_TIMES })).json.errors).to.have.property(
      'user_id',
    )
  })

  it('sees the bookings of other users only as taken times', async () => {
    const { desk, location } = await createCampus(world.database, 'Mine')
    const client = await clientOf(await createUser(world.database))
    const { occupied } = (await client.get(`locations/${location}/bookables/occupancy`)).json.data[0]
    expect(occupied).to.equal(true)
    const span = `from=${hoursFromNow(0)}&to=${hoursFromNow(1)}`
    expect((await client.get(`bookables/${desk}/availability?${span}`)).json.data.free).to.deep.equal([])
    const free = (await client.get(`availability?location_id=${location}&${span}`)).json.data
    expect(free.map(({ name }: { name: string }) => name)).to.deep.equal(['Mine assigned', 'Mine free'])
    expect((await client.get(`bookables/${desk}/bookings?${span}`)).json.data).to.deep.equal([])
  })

  it('learns nothing about other users from filters', async () => {
    const { user, group, location } = await createCampus(world.database, 'Mine')
    const client = await clientOf(await createUser(world.database))
    const span = `from=${hoursFromNow(0)}&to=${hoursFromNow(1)}`
    for (const path of [
      `bookings?user_id=${user}&${span}`,
      `bookings?group_id=${group}&${span}`,
      `availability?user_id=${user}&location_id=${location}&${span}`,
    ])
      expect((await client.get(path)).status, path).to.equal(404)
  })

  it('sees the attendees of its owner’s meetings, but changes only meetings its owner organizes', async () => {
    const { user: organizer, room } = await createCampus(world.database, 'Mine')
    const guest = await createUser(world.database, { name: 'Guest Of Honour' })
    const event = await createEvent(world.database, { organizer_user_id: organizer, ...span(20) })
    await createBooking(world.database, { ...span(20), bookable_id: room, event_id: event })
    await world.database('event_attendees').insert({ event_id: event, user_id: guest })
    const path = `events/${event}?include=details`
    for (const user of [organizer, guest]) {
      const { json } = await (await clientOf(user)).get(path)
      expect(json.data.attendees.map(({ name }: { name: string }) => name)).to.deep.equal(['Guest Of Honour'])
    }
    const attending = await clientOf(guest)
    expect((await attending.get(`users/${organizer}`)).status).to.equal(404)
    for (const refused of [
      await attending.patch(`events/${event}`, { name: 'Mine now' }),
      await attending.delete(`events/${event}`),
      await attending.post(`events/${event}/check-in`, undefined),
    ])
      expect([refused.status, refused.json.code]).to.deep.equal([403, 'personal_token'])
    const organizing = await clientOf(organizer)
    const handedOver = await organizing.patch(`events/${event}`, { organizer_user_id: guest })
    expect([handedOver.status, handedOver.json.code]).to.deep.equal([403, 'personal_token'])
    const kept = (await organizing.get(path)).json.data.attendees
    const answer = await organizing.patch(path, { name: 'Renamed', attendees: kept })
    expect(answer.json.data).to.deep.include({ name: 'Renamed' })
  })

  it('invites other users by e-mail, not by id', async () => {
    const { user } = await createCampus(world.database, 'Mine')
    const email = 'invited@example.com'
    const id = String(await createUser(world.database, { email }))
    const client = await clientOf(user)
    const invite = (attendee: object) =>
      client.post('events', { name: 'Talk', ...LATER_TIMES, attendees: [{ type: 'user', ...attendee }] })
    expect((await invite({ email })).status).to.equal(200)
    expect((await invite({ email, id })).status).to.equal(200)
    const unknown = await invite({ id: '999999' })
    for (const attendee of [{ id }, { id, email: 'other@example.com' }]) {
      const refused = await invite(attendee)
      expect([refused.status, refused.json.errors]).to.deep.equal([422, unknown.json.errors])
    }
  })

  it('sees its owner’s bookings only in the buildings of the token', async () => {
    const [here, there] = [
      await createCampus(world.database, 'Here'),
      await createCampus(world.database, 'There'),
    ]
    await createBooking(world.database, { ...span(30), bookable_id: there.desk, user_id: here.user })
    const range = `from=${hoursFromNow(0)}&to=${hoursFromNow(40)}`
    const client = await clientOf(here.user, ['read'], { buildingIds: [here.building] })
    expect((await client.get(`bookings?${range}`)).json.data).to.have.length(1)
    expect((await client.get(`users/${here.user}/bookings?${range}`)).json.data).to.have.length(1)
    expect((await (await clientOf(here.user)).get(`bookings?${range}`)).json.data).to.have.length(2)
  })

  it('stops working when its owner is deactivated, and works again once the owner is restored', async () => {
    const user = await createUser(world.database)
    const client = await clientOf(user)
    expect((await client.get('me')).status).to.equal(200)
    const setActive = (deactivated_at: Date | null) =>
      world.database('users').where({ id: user }).update({ deactivated_at })
    await setActive(new Date())
    // Writes check the token in the database rather than in the cache.
    expect((await client.delete('bookings/999999')).status).to.equal(401)
    await eventually(async () => expect((await client.get('me')).status).to.equal(401))
    await setActive(null)
    await eventually(async () => expect((await client.get('me')).status).to.equal(200))
  })

  it('is deleted when its owner is erased', async () => {
    const user = await createUser(world.database)
    const client = await clientOf(user)
    const author = {
      actor: { type: 'system', id: null, name: 'test' },
      requestId: 'test',
      attempt: null,
    } as const
    await world.database.transaction((trx) =>
      eraseUser(trx, { id: user, now: new Date().toISOString() }, author),
    )
    expect((await client.delete('bookings/999999')).status).to.equal(401)
    expect(await world.database('tokens').where({ user_id: user })).to.deep.equal([])
  })

  it('has a secret that earlier releases refuse, even after a rotation', async () => {
    const user = await createUser(world.database)
    const wanted = {
      name: 'program',
      abilities: ['read'] as const,
      expiresAt: hoursFromNow(24),
      createdBy: 'test',
    }
    const { id, token } = await createToken(world.database, { ...wanted, userId: user })
    const rotated = (await rotateToken(world.database, id, 0)) ?? ''
    for (const secret of [token, rotated]) {
      expect(secret).to.match(/^berth_personal_[0-9A-Za-z]{36}$/)
      expect(isWellFormedToken(secret)).to.equal(true)
      // Earlier releases recognise a token by this pattern.
      expect(secret).to.not.match(/^berth_[0-9A-Za-z]{36}$/)
    }
    expect((await new Client(world.url, rotated).get('me')).json.data.user.id).to.equal(user)
  })

  it('must have an expiry date', async () => {
    const user = await createUser(world.database)
    const wanted = { name: 'program', abilities: ['read'] as const, userId: user, createdBy: 'test' }
    const refused = await createToken(world.database, wanted).catch((error) => error.constraint)
    expect(refused).to.equal('tokens__personal_expires')
  })

  it('is subject to row-level restrictions in every table that refers to users', async () => {
    const { rows } = await world.database.raw<{ rows: Array<{ name: string }> }>(
      `SELECT DISTINCT conrelid::regclass::text AS name FROM pg_constraint
       WHERE contype = 'f' AND confrelid = 'users'::regclass`,
    )
    expect(rows.length).to.be.at.least(8)
    expect([...PERSONAL_TABLES, ...HIDDEN_TABLES]).to.include.members(rows.map(({ name }) => name))
  })

  it('sees only its owner’s rows in tables about people, even if a statement asks for all rows', async () => {
    const users = [await createUser(world.database), await createUser(world.database)] as const
    const { bookable_id } = await createDesk(world.database)
    for (const user_id of users) {
      await world.database('vehicles').insert({ user_id, license_plate: 'HH 1' })
      await world.database('bookable_assignees').insert({ bookable_id, user_id })
      await world.database('provisioned_users').insert({ user_id })
    }
    for (const table of ['vehicles', 'bookable_assignees', 'provisioned_users']) {
      const limited = limitTextToPerson('own')(`SELECT user_id FROM ${table}`, 0)
      // Replaces numbered parameters, which knex does not support.
      const { rows } = await world.database.raw(limited.replaceAll('$1', String(users[0])))
      expect(rows, table).to.deep.equal([{ user_id: users[0] }])
    }
  })
})

const span = (hours: number) => ({ from: hoursFromNow(hours), to: hoursFromNow(hours + 1) })
