// Tests requests for meetings in rooms that need approval: a request stores the title and the people, and approving it
// creates the event.
import { expect } from 'chai'
import { eraseUser } from '../../../../../shared/erasures/erase-user.ts'
import { createToken } from '../../../../../shared/tokens/token-store.ts'
import {
  createBookable,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { readEndOfFeed } from '../../../../support/http/feed.ts'
import { Client } from '../../../../support/http/http.ts'
import { createPersonalToken } from '../../../../support/personal-tokens.ts'
import { eventually } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const TIMES = { from_time: hoursFromNow(48), to_time: hoursFromNow(50) }
const MEETING_ROOM = 2

describe('requests for meetings', () => {
  const world = useWorld({ workers: ['writes'], environment: { RATE_LIMIT_PER_MINUTE: '100000' } })
  const client = useClient(world)
  let location_id: number
  let bookable_id: number
  let user_id: number
  let approver: number
  let guest: number
  let email: string

  beforeEach(async () => {
    approver = await createUser(world.database, { name: 'Ada Approver' })
    user_id = await createUser(world.database, { name: 'Rita Requester' })
    guest = await createUser(world.database, { name: 'Colin Colleague' })
    email = (await world.database('users').where({ id: guest }).first()).email
    location_id = await createLocation(world.database, {
      rules: JSON.stringify({ approvers: { user_ids: [approver] } }),
    })
    bookable_id = await createBookable(world.database, { location_id, name: 'Aula', type: MEETING_ROOM })
  })

  const attendees = () => [
    { type: 'user', id: guest },
    { type: 'visitor', email: 'vera@example.com', name: 'Vera' },
  ]
  const wanted = (more: object = {}) => ({
    bookable_id,
    location_id,
    user_id,
    title: 'Kick-off',
    attendees: attendees(),
    ...TIMES,
    ...more,
  })
  const personal = async (id: number) => new Client(world.url, await createPersonalToken(world.database, id))
  async function request(more: object = {}, query = '') {
    const answer = await client.post(`booking-requests${query}`, wanted(more))
    expect(answer.status, answer.text).to.equal(200)
    return answer.json.data
  }
  const approve = (id: number) => client.post(`booking-requests/${id}/approve`, undefined)
  const eventsOf = () => world.database('events').where({ organizer_user_id: user_id })

  it('store the title and the people, and create no event until they are approved', async () => {
    const made = await request({ booking_info: 'Plans' }, '?invite=true')
    expect(made).to.deep.include({ state: 'pending', title: 'Kick-off', invite: true, event_id: null })
    expect(made.attendees).to.deep.equal([
      { type: 'user', user_id: guest, name: 'Colin Colleague', email },
      { type: 'visitor', user_id: null, name: 'Vera', email: 'vera@example.com' },
    ])
    expect(await eventsOf()).to.deep.equal([])
    expect(await world.database('invitations').where({ user_id: guest })).to.deep.equal([])
    const other = await client.post('booking-requests', wanted({ user_id: guest, attendees: [] }))
    expect([other.status, other.json.code]).to.deep.equal([409, 'booking_conflict'])
  })

  it('become events with a room and people when they are approved, as one change in the feed', async () => {
    const { id } = await request({ booking_info: 'Plans' }, '?invite=true')
    const next = await readEndOfFeed(world.database, client)
    const answer = await (await personal(approver)).post(`booking-requests/${id}/approve`, undefined)
    expect(answer.status, answer.text).to.equal(200)
    const { state, event_id, booking_id } = answer.json.data
    expect({ state, booking_id }).to.deep.equal({ state: 'approved', booking_id: null })
    const event = (await client.get(`events/${event_id}?include=details`)).json.data
    expect(event).to.deep.include({ name: 'Kick-off', description: 'Plans' })
    expect(event.organizer.id).to.equal(user_id)
    expect(event.bookables.map((each: { id: number }) => each.id)).to.deep.equal([bookable_id])
    expect(event.attendees.map((each: { name: string }) => each.name)).to.deep.equal([
      'Rita Requester',
      'Colin Colleague',
      'Vera',
    ])
    expect((await eventsOf())[0].invites).to.equal(true)
    await eventually(async () => {
      const changes = (await client.get(`changes?after=${next}`)).json.data
      const told = changes.map(({ type, action }: Record<string, string>) => `${type}.${action}`)
      expect(told.slice(-2)).to.deep.equal(['event.created', 'booking_request.approved'])
      expect(changes.at(-1).data.attendees).to.have.length(2)
    })
  })

  it('are in the audit log with the event and its room when they are approved', async () => {
    const { id } = await request()
    const { event_id } = (await approve(id)).json.data
    const [approval] = await world
      .database('audit_log')
      .where({ action: 'booking_requests.approve', resource_id: id })
    expect(approval.after).to.include({ state: 'approved', event_id })
    const entries = await world
      .database('audit_log')
      .where({ attempt: approval.attempt })
      .orderBy('id')
      .select('action', 'resource_id', 'after')
    expect(entries.map(({ action, resource_id }) => [action, resource_id])).to.deep.equal([
      ['events.create', event_id],
      ['booking_requests.approve', id],
    ])
    const { name, organizer_user_id, bookables, attendees: invited } = entries[0].after
    expect({ name, organizer_user_id, bookables }).to.deep.equal({
      name: 'Kick-off',
      organizer_user_id: user_id,
      bookables: [bookable_id],
    })
    expect(invited).to.have.length(3)
  })

  it('create no event and invite nobody when they are declined or withdrawn', async () => {
    const declined = await request({}, '?invite=true')
    await client.post(`booking-requests/${declined.id}/decline`, { reason: 'Full' })
    const withdrawn = await request({}, '?invite=true')
    await client.delete(`booking-requests/${withdrawn.id}`)
    expect(await eventsOf()).to.deep.equal([])
    expect(await world.database('bookings').where({ bookable_id })).to.deep.equal([])
    expect((await client.get(`booking-requests/${withdrawn.id}`)).json.data).to.include({
      state: 'withdrawn',
      event_id: null,
    })
  })

  it('are refused if they have fields that a meeting cannot have', async () => {
    const errorsOf = async (more: object) => (await client.post('booking-requests', wanted(more))).json.errors
    const desk = await createBookable(world.database, { location_id, name: 'Bow' })
    expect(await errorsOf({ bookable_id: desk })).to.deep.equal({ title: ['Bow is not an event room.'] })
    expect(await errorsOf({ guest_name: 'Gus' })).to.have.property('guest_name')
    expect(await errorsOf({ title: null })).to.have.property('attendees')
    expect(await errorsOf({ attendees: [{ type: 'bookable', id: bookable_id }] })).to.have.property(
      'attendees.0.type',
    )
    expect(await errorsOf({ attendees: [{ type: 'user', id: 999_999 }] })).to.have.property('attendees.0.id')
    expect(await errorsOf({ to_time: hoursFromNow(-1), from_time: hoursFromNow(-2) })).to.have.property(
      'to_time',
    )
    await client.put(`bookables/${bookable_id}/rules`, { minutes_max: 60 })
    expect((await client.post('booking-requests', wanted())).json.code).to.equal('too_long')
  })

  it('do not reveal the name of a room to a token that is limited to other buildings', async () => {
    const other = await createBuilding(world.database)
    const wantedToken = {
      name: 'limited',
      abilities: ['booking-write' as const],
      buildingIds: [other],
      createdBy: 'test',
    }
    const limited = new Client(world.url, (await createToken(world.database, wantedToken)).token)
    const desk = await createBookable(world.database, { location_id, name: 'Bow' })
    const answers = [desk, bookable_id, 999_999_999].map(async (id) => {
      const { status, json } = await limited.post('booking-requests', wanted({ bookable_id: id }))
      return [status, json.errors]
    })
    const [first, ...others] = await Promise.all(answers)
    for (const each of others) expect(each).to.deep.equal(first)
  })

  it('leave out people who were deactivated or erased before the approval', async () => {
    const left = await createUser(world.database, { name: 'Lea Left' })
    const erased = await createUser(world.database, { name: 'Erika Erased', email: 'erika@example.com' })
    const people = [left, erased, guest].map((id) => ({ type: 'user', id }))
    const { id } = await request({ attendees: people })
    await world.database('users').where({ id: left }).update({ deactivated_at: new Date() })
    const author = {
      actor: { type: 'system' as const, id: null, name: 'test' },
      requestId: 'test',
      attempt: null,
    }
    await world.database.transaction((trx) => eraseUser(trx, { id: erased, now: hoursFromNow(0) }, author))
    const names = (data: { attendees: Array<{ name: string }> }) => data.attendees.map(({ name }) => name)
    expect(names((await client.get(`booking-requests/${id}`)).json.data)).to.deep.equal(['Colin Colleague'])
    const { event_id } = (await approve(id)).json.data
    expect(names((await client.get(`events/${event_id}`)).json.data)).to.deep.equal([
      'Rita Requester',
      'Colin Colleague',
    ])
  })

  it('are checked on approval against rules that were set after the request', async () => {
    const { id } = await request()
    const closed = [{ from: hoursFromNow(47), to: hoursFromNow(52), reason: 'Moving' }]
    await client.put(`bookables/${bookable_id}/rules`, { closed })
    expect((await approve(id)).json.code).to.equal('closed')
    expect(await eventsOf()).to.deep.equal([])
    await client.put(`bookables/${bookable_id}/rules`, {})
    expect((await approve(id)).status).to.equal(200)
  })

  it('create one event, even if several approvals arrive at once', async () => {
    const { id } = await request()
    const answers = await Promise.all([approve(id), approve(id), approve(id)])
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409])
    expect(await eventsOf()).to.have.length(1)
  })

  describe('people who hide', () => {
    const hide = (id: number) =>
      world.database('person_settings').insert({ user_id: id, visibility: 'nobody' })
    const people = async (id: number, reader: number) =>
      (await (await personal(reader)).get(`booking-requests/${id}`)).json.data.attendees

    it('are not shown to an approver from whom they hide, neither in reads nor in the reply to the approval', async () => {
      const { id } = await request()
      await hide(guest)
      expect(await people(id, approver)).to.have.length(1)
      expect((await (await personal(approver)).get('booking-requests')).text).to.not.include(email)
      const answer = await (await personal(approver)).post(`booking-requests/${id}/approve`, undefined)
      expect(answer.text).to.not.include('Colin').and.not.include(email)
      const attending = await world.database('event_attendees').where({ event_id: answer.json.data.event_id })
      expect(attending.map((each) => each.user_id)).to.include(guest)
    })

    it('look like strangers to a person who requests a meeting with their address', async () => {
      await hide(guest)
      const asker = await personal(user_id)
      const answerTo = async (address: string) => {
        const answer = await asker.post(
          'booking-requests',
          wanted({ attendees: [{ type: 'user', email: address }] }),
        )
        expect(answer.status, answer.text).to.equal(200)
        await asker.delete(`booking-requests/${answer.json.data.id}`)
        return answer.json.data.attendees
      }
      const shape = (address: string) => [{ type: 'visitor', user_id: null, name: address, email: address }]
      expect(await answerTo(email)).to.deep.equal(shape(email))
      expect(await answerTo('nobody@example.com')).to.deep.equal(shape('nobody@example.com'))
    })
  })
})
