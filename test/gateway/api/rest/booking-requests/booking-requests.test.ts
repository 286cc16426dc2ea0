// Tests bookings that need approval: who can request them, who decides, and what happens after the decision.
import { expect } from 'chai'
import { WEEKDAYS } from '../../../../../shared/rules/opening-hours.ts'
import { createLog } from '../../../../../shared/utilities/log.ts'
import { lapseHolds } from '../../../../../workers/pollers/holds/lapsing.ts'
import {
  createBookable,
  createBooking,
  createDesk,
  createGroup,
  createHold,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { readEndOfFeed } from '../../../../support/http/feed.ts'
import { Client } from '../../../../support/http/http.ts'
import { createPersonalToken } from '../../../../support/personal-tokens.ts'
import { eventually } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const REQUESTED_TIMES = { from_time: hoursFromNow(48), to_time: hoursFromNow(50) }
const NEEDS_APPROVAL_MESSAGE = 'Bookings of Bow need approval. Send a request instead.'

describe('booking requests', () => {
  const world = useWorld({ workers: ['writes'], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const client = useClient(world)
  let location_id: number
  let bookable_id: number
  let user_id: number
  let approver: number

  beforeEach(async () => {
    approver = await createUser(world.database, { name: 'Ada Approver' })
    user_id = await createUser(world.database, { name: 'Rita Requester' })
    location_id = await createLocation(world.database, {
      rules: JSON.stringify({ approvers: { user_ids: [approver] } }),
    })
    bookable_id = await createBookable(world.database, { location_id, name: 'Bow' })
  })

  const wanted = (more: object = {}) => ({ bookable_id, location_id, user_id, ...REQUESTED_TIMES, ...more })
  const personal = async (id: number) => new Client(world.url, await createPersonalToken(world.database, id))
  async function request(more: object = {}) {
    const answer = await client.post('booking-requests', wanted(more))
    expect(answer.status, answer.text).to.equal(200)
    return answer.json.data
  }
  const stateOf = async (id: number) => (await client.get(`booking-requests/${id}`)).json.data.state
  const claimsOf = (id = bookable_id) => world.database('bookings').where({ bookable_id: id })
  const bookings = async () =>
    (
      await client.get(
        `bookables/${bookable_id}/bookings?from=${REQUESTED_TIMES.from_time}&to=${REQUESTED_TIMES.to_time}`,
      )
    ).json.data
  const lapse = async (id: number) => {
    await world
      .database('holds')
      .where({ id })
      .update({ expires_at: hoursFromNow(-2) })
    await lapseHolds(world.database, createLog('test', 'silent'))
  }

  describe('booking requests where a rule requires approval', () => {
    it('are suggested in the refusals of every endpoint that creates bookings', async () => {
      const other = await createLocation(world.database)
      const free = await createBookable(world.database, { location_id: other })
      const booking = await createBooking(world.database, {
        from: REQUESTED_TIMES.from_time,
        to: REQUESTED_TIMES.to_time,
        bookable_id: free,
        user_id,
      })
      const attendees = [{ type: 'bookable', id: String(bookable_id) }]
      const event = { name: 'Talk', organizer_user_id: user_id, attendees, ...REQUESTED_TIMES }
      for (const answer of [
        await client.post('bookings', wanted()),
        await client.post('bookings/series', wanted({ repeat: { every: 'day', count: 2 } })),
        await client.post('bookings/batch', { bookings: [wanted()], atomic: true }),
        await client.post(`bookings/${booking}/move`, { bookable_id }),
        await client.post('events', event),
      ]) {
        expect([answer.status, answer.json.code], answer.text).to.deep.equal([409, 'needs_approval'])
        expect(answer.json.detail).to.equal(NEEDS_APPROVAL_MESSAGE)
      }
      const check = await client.post('bookings/check', wanted())
      expect(check.json.data).to.deep.include({ allowed: false, code: 'needs_approval' })
    })

    it('are not needed by approvers, nor on a bookable whose own rules lift the requirement', async () => {
      expect((await client.post('bookings', wanted({ user_id: approver }))).status).to.equal(200)
      const lifted = await createBookable(world.database, {
        location_id,
        name: 'Stern',
        rules: JSON.stringify({ approvers: null }),
      })
      expect((await client.post('bookings', wanted({ bookable_id: lifted }))).status).to.equal(200)
      const needless = await client.post(
        'booking-requests',
        wanted({
          bookable_id: lifted,
          from_time: hoursFromNow(60),
          to_time: hoursFromNow(61),
        }),
      )
      expect(needless.status).to.equal(422)
      expect(needless.json.errors.bookable_id).to.deep.equal([
        'This user can book Stern without approval. Create a booking instead.',
      ])
      const free = await createDesk(world.database)
      const { status } = await client.post('booking-requests', {
        ...free,
        from_time: hoursFromNow(60),
        to_time: hoursFromNow(61),
      })
      expect(status, 'a place without any rules').to.equal(422)
    })

    it('can be decided by any member of an approving group, which cannot be deleted while a rule names it', async () => {
      const group = await createGroup(world.database)
      await client.put(`bookables/${bookable_id}/rules`, { approvers: { group_ids: [group] } })
      expect((await client.post('bookings', wanted({ user_id: approver }))).json.code).to.equal(
        'needs_approval',
      )
      await world.database('group_members').insert({ group_id: group, user_id: approver })
      expect((await client.post('bookings', wanted({ user_id: approver }))).status).to.equal(200)
      expect((await client.delete(`groups/${group}`)).json.code).to.equal('in_use')
    })

    it('require at least one approver who exists', async () => {
      const put = async (approvers: object) =>
        (await client.put(`bookables/${bookable_id}/rules`, { approvers })).json.errors
      expect(await put({ user_ids: [999_999] })).to.deep.equal({
        'approvers.user_ids': ['There is no active user with the id 999999.'],
      })
      expect(await put({ group_ids: [999_999] })).to.deep.equal({
        'approvers.group_ids': ['There is no group with the id 999999.'],
      })
      expect(await put({})).to.deep.equal({
        approvers: ['approvers must include at least one user or group.'],
      })
    })
  })

  describe('pending booking requests', () => {
    it('reserve their time, but are not listed as bookings', async () => {
      const made = await request({ guest_name: 'Gus', booking_info: 'Visit' })
      expect(made).to.deep.include({
        state: 'pending',
        guest: 'Gus',
        booking_info: 'Visit',
        booking_id: null,
      })
      expect(made.user.name).to.equal('Rita Requester')
      expect(await bookings()).to.deep.equal([])
      const other = await client.post('bookings', wanted({ user_id: approver }))
      expect([other.status, other.json.code]).to.deep.equal([409, 'booking_conflict'])
      const again = await client.post('booking-requests', wanted())
      expect([again.status, again.json.code]).to.deep.equal([409, 'booking_conflict'])
    })

    it('are refused for the same reasons as bookings', async () => {
      await client.put(`bookables/${bookable_id}/rules`, { minutes_max: 60 })
      expect((await client.post('booking-requests', wanted())).json.code).to.equal('too_long')
      expect((await client.post('booking-requests', wanted({ user_id: 999_999 }))).status).to.equal(422)
      expect(await claimsOf()).to.deep.equal([])
    })

    it('are limited to ten for each person, even if many arrive at the same time', async () => {
      const desks = await Promise.all(
        Array.from({ length: 14 }, () => createBookable(world.database, { location_id })),
      )
      const answers = await Promise.all(
        desks.map((id) => client.post('booking-requests', wanted({ bookable_id: id }))),
      )
      const refused = answers.filter(({ status }) => status !== 200)
      expect(refused.map(({ json }) => json.code)).to.deep.equal(Array(4).fill('too_many_open_requests'))
      await client.delete(`booking-requests/${answers.find(({ status }) => status === 200)?.json.data.id}`)
      await request()
    })

    it('expire after 24 working hours or when their time begins, and free that time', async () => {
      const { building_id } = await world.database('locations').where({ id: location_id }).first()
      const opening_hours = WEEKDAYS.map((day) => ({ day, from: '00:00', to: '24:00' }))
      await world
        .database('buildings')
        .where({ id: building_id })
        .update({ rules: JSON.stringify({ opening_hours }) })
      const late = await request()
      expect(Date.parse(late.expires_at) - Date.parse(late.created_at)).to.equal(24 * 3_600_000)
      const soon = await request({ from_time: hoursFromNow(3), to_time: hoursFromNow(4) })
      expect(Date.parse(soon.expires_at)).to.equal(Date.parse(hoursFromNow(3)))
      await lapse(late.id)
      expect(await stateOf(late.id)).to.equal('lapsed')
      expect(await stateOf(soon.id)).to.equal('pending')
      expect(await claimsOf()).to.have.length(1)
      const { json, status } = await client.post(`booking-requests/${late.id}/approve`, undefined)
      expect([status, json.code]).to.deep.equal([409, 'request_decided'])
      expect(json.detail).to.equal('The request has lapsed: nobody decided in time.')
    })

    it('cannot share a time: only one of several requests, or an approver’s booking, gets the time', async () => {
      const users = await Promise.all(Array.from({ length: 6 }, () => createUser(world.database)))
      const answers = await Promise.all([
        ...users.map((each) => client.post('booking-requests', wanted({ user_id: each }))),
        client.post('bookings', wanted({ user_id: approver })),
      ])
      const statuses = answers.map(({ status }) => status)
      expect(statuses.filter((status) => status === 200)).to.have.length(1)
      expect(statuses.filter((status) => status === 409)).to.have.length(6)
      expect(await claimsOf()).to.have.length(1)
    })
  })

  describe('booking requests that approvers decide', () => {
    it('become bookings when approved, and are announced like other new bookings', async () => {
      const { id } = await request({
        guest_name: 'Gus',
        guest_email: 'gus@example.com',
        booking_info: 'Visit',
      })
      const next = await readEndOfFeed(world.database, client)
      const answer = await (await personal(approver)).post(`booking-requests/${id}/approve`, undefined)
      expect(answer.status, answer.text).to.equal(200)
      const { state, booking_id, decided_by } = answer.json.data
      expect({ state, decided_by }).to.deep.equal({
        state: 'approved',
        decided_by: { type: 'user', id: approver, name: 'Ada Approver' },
      })
      const booking = (await client.get(`bookings/${booking_id}`)).json.data
      expect(booking).to.deep.include({ guest: 'Gus', guest_email: 'gus@example.com', booking_info: 'Visit' })
      expect(booking.user.id).to.equal(user_id)
      expect((await bookings()).map((each: { id: number }) => each.id)).to.deep.equal([booking_id])
      expect(await claimsOf()).to.have.length(1)
      // The feed waits for open transactions, so the changes may appear later.
      await eventually(async () => {
        const changes = (await client.get(`changes?after=${next}`)).json.data
        const told = changes.map(({ type, action }: Record<string, string>) => `${type}.${action}`)
        expect(told.slice(-2)).to.deep.equal(['booking.created', 'booking_request.approved'])
        expect(changes.at(-1).previous.state).to.equal('pending')
      })
    })

    it('do not reveal the name of a hidden approver to the person who requested the booking', async () => {
      const { id } = await request()
      await (await personal(approver)).post(`booking-requests/${id}/approve`, undefined)
      await world.database('person_settings').insert({ user_id: approver, visibility: 'nobody' })
      const asker = await personal(user_id)
      for (const path of [`booking-requests/${id}`, 'booking-requests']) {
        const { json, text } = await asker.get(path)
        expect([json.data].flat()[0]).to.include({ state: 'approved', decided_by: null })
        expect(text).to.not.include('Ada Approver')
      }
      const { decided_by } = (await client.get(`booking-requests/${id}`)).json.data
      expect(decided_by).to.include({ id: approver })
      // The requester decides requests for another place, and knows the hidden approver from such a request.
      const rules = JSON.stringify({ approvers: { user_ids: [user_id] } })
      await createHold(world.database, {
        bookable_id: await createBookable(world.database, { rules }),
        user_id: approver,
        from: hoursFromNow(60),
        to: hoursFromNow(61),
      })
      const { json } = await asker.get(`booking-requests/${id}`)
      expect(json.data).to.include({ state: 'approved', decided_by: null })
      expect(JSON.stringify((await asker.get('booking-requests')).json)).to.include('Ada Approver')
    })

    it('are checked on approval against rules and deactivations that came after the request', async () => {
      const { id } = await request()
      const approve = async () => (await client.post(`booking-requests/${id}/approve`, undefined)).json
      const close = [{ from: hoursFromNow(47), to: hoursFromNow(52), reason: 'Moving' }]
      await client.put(`bookables/${bookable_id}/rules`, { closed: close })
      expect((await approve()).code).to.equal('closed')
      await client.put(`bookables/${bookable_id}/rules`, {})
      await world.database('users').where({ id: user_id }).update({ deactivated_at: new Date() })
      expect((await approve()).errors).to.have.property('user_id')
      expect(await stateOf(id)).to.equal('pending')
      expect(await claimsOf()).to.have.length(1)
    })

    it('do not tell the approver what else the requester has booked', async () => {
      await world.database('person_settings').insert({ user_id, visibility: 'nobody' })
      const { id } = await request()
      const rules = { approvers: { user_ids: [approver] }, one_at_a_time: true }
      await client.put(`locations/${location_id}/rules`, rules)
      const elsewhere = await createDesk(world.database, { name: 'Desk 9' })
      expect((await client.post('bookings', wanted({ ...elsewhere, user_id }))).status).to.equal(200)
      const path = `booking-requests/${id}/approve`
      const { status, json } = await (await personal(approver)).post(path, undefined)
      expect([status, json.code]).to.deep.equal([409, 'already_booked'])
      expect(json.detail).to.include('already has something and').and.not.include('Desk 9')
      expect((await client.post(path, undefined)).json.detail, 'for programs').to.include('Desk 9')
    })

    it('are ended when an administrator blocks their bookable', async () => {
      const { id } = await request()
      await client.patch(`bookables/${bookable_id}`, { status: 1 })
      expect(await stateOf(id)).to.equal('released')
      expect(await claimsOf()).to.deep.equal([])
      const approved = await client.post(`booking-requests/${id}/approve`, undefined)
      expect(approved.json.code).to.equal('request_decided')
      await client.patch(`bookables/${bookable_id}`, { status: 0 })
    })

    it('show the reason when an approver declines, and free their time', async () => {
      const { id } = await request()
      const declined = await client.post(`booking-requests/${id}/decline`, { reason: ' Full ' })
      expect(declined.json.data).to.deep.include({ state: 'declined', reason: 'Full', decided_by: null })
      expect(await claimsOf()).to.deep.equal([])
      const again = await client.post(`booking-requests/${id}/approve`, undefined)
      expect(again.json.detail).to.equal('The request has already been declined.')
    })

    it('can be withdrawn by the requester, and can still be read afterwards', async () => {
      const { id } = await request()
      expect((await (await personal(user_id)).delete(`booking-requests/${id}`)).status).to.equal(204)
      expect(await stateOf(id)).to.equal('withdrawn')
      expect(await claimsOf()).to.deep.equal([])
    })

    it('are decided once, by the first approver; the second learns who decided', async () => {
      const second = await createUser(world.database, { name: 'Bob Approver' })
      await client.put(`locations/${location_id}/rules`, { approvers: { user_ids: [approver, second] } })
      const approvers = await Promise.all([approver, second].map(personal))
      for (const verbs of [
        ['approve', 'approve'],
        ['approve', 'decline'],
        ['decline', 'decline'],
      ]) {
        const { id } = await request()
        const answers = await Promise.all(
          approvers.map((each, index) => each.post(`booking-requests/${id}/${verbs[index]}`, {})),
        )
        const statuses = answers.map(({ status }) => status).sort()
        expect(statuses).to.deep.equal([200, 409])
        const [done, other] = answers.sort((a, b) => a.status - b.status).map(({ json }) => json)
        const { state, decided_by } = done.data
        expect(other.code).to.equal('request_decided')
        expect(other.detail).to.equal(`${decided_by.name} has already ${state} the request.`)
        const claims = await claimsOf()
        expect(claims).to.have.length(state === 'approved' ? 1 : 0)
        await world.database('bookings').where({ bookable_id }).delete()
      }
    })

    it('have exactly one outcome, even if several decisions arrive at the same time', async () => {
      for (let round = 0; round < 8; round++) {
        const { id } = await request()
        await world
          .database('holds')
          .where({ id })
          .update({ expires_at: hoursFromNow(round % 2 ? 1 : -1) })
        await Promise.all([
          client.post(`booking-requests/${id}/approve`, undefined),
          client.post(`booking-requests/${id}/decline`, {}),
          client.delete(`booking-requests/${id}`),
          lapseHolds(world.database, createLog('test', 'silent')),
        ])
        await lapseHolds(world.database, createLog('test', 'silent'))
        const state = await stateOf(id)
        const claims = await claimsOf()
        expect(state).to.not.equal('pending')
        expect(claims).to.have.length(state === 'approved' ? 1 : 0)
        const ends = await world
          .database('audit_log')
          .where({ resource: 'booking_requests', resource_id: id })
          .whereNot({ action: 'booking_requests.create' })
        expect(ends).to.have.length(1)
        await world.database('bookings').where({ bookable_id }).delete()
      }
    })
  })

  describe('booking requests of a person', () => {
    it('are visible only to the requester and to the approvers who may decide', async () => {
      const { id } = await request()
      const list = async (person: number) =>
        (await (await personal(person)).get('booking-requests')).json.data
      for (const person of [user_id, approver]) {
        const [found, ...others] = await list(person)
        expect(others).to.deep.equal([])
        expect([found.id, found.user.name]).to.deep.equal([id, 'Rita Requester'])
      }
      const stranger = await createUser(world.database)
      expect(await list(stranger)).to.deep.equal([])
      const other = await personal(stranger)
      for (const answer of [
        await other.get(`booking-requests/${id}`),
        await other.post(`booking-requests/${id}/approve`, undefined),
        await other.post(`booking-requests/${id}/decline`, {}),
        await other.delete(`booking-requests/${id}`),
      ])
        expect(answer.status).to.equal(404)
    })

    it('cannot be decided by the requester, nor by a former approver', async () => {
      const { id } = await request()
      const own = await (await personal(user_id)).post(`booking-requests/${id}/approve`, undefined)
      expect([own.status, own.json.code]).to.deep.equal([403, 'personal_token'])
      await client.put(`locations/${location_id}/rules`, { approvers: { user_ids: [user_id] } })
      expect(
        (await (await personal(approver)).post(`booking-requests/${id}/approve`, undefined)).status,
      ).to.equal(404)
      expect(await stateOf(id)).to.equal('pending')
    })

    it('can be withdrawn only by the requester', async () => {
      const { id } = await request()
      expect((await (await personal(approver)).delete(`booking-requests/${id}`)).status).to.equal(404)
      expect(await stateOf(id)).to.equal('pending')
    })
  })

  it('are listed in pages, with filters by state, person and bookable', async () => {
    const first = await request()
    const second = await request({ from_time: hoursFromNow(60), to_time: hoursFromNow(61) })
    await client.delete(`booking-requests/${second.id}`)
    const ids = async (query: string) =>
      (await client.get(`booking-requests?${query}`)).json.data.map(({ id }: { id: number }) => id)
    expect(await ids(`bookable_id=${bookable_id}`)).to.deep.equal([first.id, second.id])
    expect(await ids(`user_id=${user_id}&state=pending`)).to.deep.equal([first.id])
    expect(await ids(`user_id=${approver}`)).to.deep.equal([])
    expect(await ids(`bookable_id=${bookable_id}&limit=1`)).to.deep.equal([first.id])
    expect((await client.get('booking-requests?state=lost')).status).to.equal(422)
  })
})
