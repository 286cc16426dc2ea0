// Tests requests on people's own pages: approvers see and decide them, the requester sees the outcome, and
// nobody else sees a request.
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { Browser, createSignedIn } from '../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createEvent,
  createGroup,
  createHold,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const REQUESTED_SPAN = { from: hoursFromNow(24), to: hoursFromNow(32) }

describe('booking requests on people’s own pages', () => {
  const world = useWorld()

  /** Creates a request by somebody who hides from everybody. */
  async function createRequest(more: object = {}) {
    const { database } = world
    const [approver, second, asker] = [
      await createUser(database, { name: 'Ada Approver' }),
      await createUser(database, { name: 'Sam Second' }),
      await createUser(database, { name: 'Hedda Hidden' }),
    ]
    await database('person_settings').insert({ user_id: asker, visibility: 'nobody' })
    const rules = { approvers: { user_ids: [approver, second] } }
    const location_id = await createLocation(database, { rules: JSON.stringify(rules) })
    const bookable_id = await createBookable(database, { location_id, name: 'Bow' })
    const id = await createHold(database, { ...REQUESTED_SPAN, bookable_id, user_id: asker, ...more })
    return { id, approver, second, asker, bookable_id }
  }
  const rowOf = (id: number) => world.database('holds').where({ id }).first()

  it('appear with their number on My day, where an approver approves them with one press', async () => {
    const { id, approver } = await createRequest()
    const browser = await signInAs(world, approver)
    expect(browser.words).to.include('1 request is waiting for your decision')
    await browser.open('/my/requests')
    expect(browser.words).to.include('Waiting for your decision').and.include('Bow')
    expect((await rowOf(id)).state).to.equal('pending')
    await browser.submit('Approve')
    expect(browser.words).to.include('Approved and booked.').and.include('Recently decided by you')
    expect(await rowOf(id)).to.include({ state: 'approved', decided_by_user_id: approver })
    await browser.open('/my')
    expect(browser.words).to.not.include('waiting for your decision')
  })

  it('cannot be approved with the link in a mail if the requester has left the permitted groups', async () => {
    const { database } = world
    const { id, approver, bookable_id } = await createRequest()
    const group = await createGroup(database, { name: 'Rowers' })
    const rules = { approvers: { user_ids: [approver] }, group_ids: [group] }
    await database('bookables')
      .where({ id: bookable_id })
      .update({ rules: JSON.stringify(rules) })
    const hash = createHash('sha256').update('link').digest()
    await database('decision_links').insert({
      hash,
      hold_id: id,
      user_id: approver,
      expires_at: hoursFromNow(1),
    })
    const browser = new Browser(world.url)
    await browser.open('/my/requests/decide?token=link')
    const { status } = await browser.submit('Approve')
    expect(status).to.equal(409)
    expect(browser.words).to.include('Only members of the group Rowers can book Bow.')
    expect((await rowOf(id)).state).to.equal('pending')
  })

  it('name a requester only to approvers, even if the requester is hidden', async () => {
    const { approver } = await createRequest()
    const browser = await signInAs(world, approver)
    await browser.open('/my/requests')
    expect(browser.words).to.include('Hedda Hidden')
    for (const path of ['/my/people', '/my/people?q=Hedda']) {
      await browser.open(path)
      expect(browser.page.text.replaceAll(/ value="[^"]*"/g, ''), path).to.not.include('Hidden')
    }
    const stranger = await signInAs(world, await createUser(world.database))
    expect(stranger.words).to.not.include('request')
    await stranger.open('/my/requests')
    expect(stranger.words).to.include('There are no requests.').and.not.include('Hedda')
  })

  it('can be declined with a reason, which the requester sees with the name of the approver', async () => {
    const { id, approver, asker } = await createRequest()
    const browser = await signInAs(world, approver)
    await browser.open('/my/requests')
    await browser.submit('Decline', { reason: 'Closed that day' })
    expect(await rowOf(id)).to.include({ state: 'declined', reason: 'Closed that day' })
    const own = await signInAs(world, asker)
    await own.open('/my/requests')
    expect(own.words).to.include('Declined Ada Approver, ').and.include('Reason: Closed that day')
  })

  it('do not name a hidden approver to the requester or to other approvers', async () => {
    const { approver, second, asker } = await createRequest()
    await world.database('person_settings').insert({ user_id: approver, visibility: 'nobody' })
    const [first, other] = [await signInAs(world, approver), await signInAs(world, second)]
    for (const each of [first, other]) await each.open('/my/requests')
    await first.submit('Decline')
    const own = await signInAs(world, asker)
    await own.open('/my/requests')
    expect(own.words).to.include('Declined').and.not.include('Ada')
    await other.submit('Approve')
    expect(other.words).to.include('A colleague has already declined the request.').and.not.include('Ada')
  })

  it('do not name a hidden approver to somebody who attends one of their meetings', async () => {
    const { database } = world
    const { id, approver, asker } = await createRequest()
    const { bookable_id } = await rowOf(id)
    await database('person_settings').insert({ user_id: approver, visibility: 'nobody' })
    const event_id = await createEvent(database, { organizer_user_id: approver, ...REQUESTED_SPAN })
    await database('event_attendees').insert({ event_id, user_id: asker })
    const own = await signInAs(world, asker)
    await own.open(`/my/book/${bookable_id}?date=${hoursFromNow(72).slice(0, 10)}&from=10:00&to=11:00`)
    expect(own.words).to.include('Approved by Sam Second').and.not.include('Ada')
    const browser = await signInAs(world, approver)
    await browser.open('/my/requests')
    await browser.submit('Decline')
    await own.open('/my/requests')
    expect(own.words).to.include('Declined').and.not.include('Ada')
  })

  it('are decided only once, and the second approver sees who decided first', async () => {
    const { id, approver, second } = await createRequest()
    const [first, other] = [await signInAs(world, approver), await signInAs(world, second)]
    for (const each of [first, other]) await each.open('/my/requests')
    await first.submit('Approve')
    await other.submit('Decline')
    expect(other.page.status).to.equal(409)
    expect(other.words).to.include('Ada Approver has already approved the request.')
    expect((await rowOf(id)).state).to.equal('approved')
  })

  it('name the office team as the one who decided if an administrator has decided first', async () => {
    const { id, approver } = await createRequest()
    const browser = await signInAs(world, approver)
    await browser.open('/my/requests')
    const admin = await createSignedIn(world)
    await admin.open(`/dashboard/bookings/requests/${id}`)
    await admin.submit('Approve')
    await browser.submit('Decline')
    expect(browser.words).to.include('The office team has already approved the request.').and.not.include('@')
  })

  it('can be withdrawn by the requester, and stay listed as open on My day until then', async () => {
    const { id, asker } = await createRequest({ guest_name: 'Grace', booking_info: 'Visit' })
    const browser = await signInAs(world, asker)
    expect(browser.words).to.include('Requested: waits until')
    await browser.open('/my/requests')
    expect(browser.words)
      .to.include('For Grace')
      .and.include('Purpose: Visit')
      .and.match(/Waits until /)
    expect(browser.words).to.not.include('Approve')
    await browser.submit('Withdraw')
    expect((await rowOf(id)).state).to.equal('withdrawn')
    expect(browser.words).to.include('Withdrawn. The time is free again.').and.include('Withdrawn')
  })

  it('tell the approver that the requester’s other bookings are in the way, without naming them', async () => {
    const { id, approver, asker } = await createRequest()
    const { location_id } = await world
      .database('bookables')
      .where({ id: (await rowOf(id)).bookable_id })
      .first()
    const elsewhere = await createBookable(world.database, { name: 'Desk 9' })
    await createBooking(world.database, { bookable_id: elsewhere, user_id: asker, ...REQUESTED_SPAN })
    const browser = await signInAs(world, approver)
    for (const [rule, words] of [
      [{ one_at_a_time: true }, 'The person already has something'],
      [{ bookings_ahead_max: 0 }, 'A person can have at most 0'],
    ] as const) {
      const rules = JSON.stringify({ approvers: { user_ids: [approver] }, ...rule })
      await world.database('locations').where({ id: location_id }).update({ rules })
      await browser.open('/my/requests')
      await browser.submit('Approve')
      expect(browser.words).to.include(words).and.not.include('Desk 9').and.not.include('You ')
      expect((await rowOf(id)).state).to.equal('pending')
    }
  })

  it('stay approved if somebody who may no longer decide tries to undo the approval', async () => {
    const { id, approver, second } = await createRequest()
    const browser = await signInAs(world, approver)
    await browser.open('/my/requests')
    await browser.submit('Approve')
    const { address } = browser.form('Undo')
    const { bookable_id } = await rowOf(id)
    const { location_id } = await world.database('bookables').where({ id: bookable_id }).first()
    const setApprovers = (ids: number[]) =>
      world
        .database('locations')
        .where({ id: location_id })
        .update({ rules: JSON.stringify({ approvers: { user_ids: ids } }) })
    await setApprovers([second])
    await browser.open(address)
    await browser.submit('Undo')
    expect([browser.page.status, browser.words]).to.satisfy(
      ([status, words]: [number, string]) => status === 404 && words.includes('There is no booking request'),
    )
    expect((await rowOf(id)).state).to.equal('approved')
    await setApprovers([approver])
    await browser.open(address)
    await browser.submit('Undo')
    expect((await rowOf(id)).state).to.equal('pending')
  })

  it('keep their approval if the booking is cancelled and the cancellation is undone', async () => {
    const { id, approver, asker } = await createRequest()
    const deciding = await signInAs(world, approver)
    await deciding.open('/my/requests')
    await deciding.submit('Approve')
    const { booking_id } = await rowOf(id)
    const before = await world.database('bookings').where({ id: booking_id }).first()
    const browser = await signInAs(world, asker)
    await browser.open(`/my/bookings/${booking_id}`)
    await browser.submit('Cancel it')
    await browser.submit('Undo')
    expect(browser.words).to.include('Undone.')
    const after = await world.database('bookings').where({ id: booking_id }).first()
    expect(after).to.include({ bookable_id: before.bookable_id, during: before.during, user_id: asker })
  })

  it('cannot be decided by a person who sends another person’s form', async () => {
    const { id, approver } = await createRequest()
    const { approver: stranger } = await createRequest()
    expect(stranger).to.not.equal(approver)
    const browser = await signInAs(world, stranger)
    await browser.open('/my/requests')
    await browser.submit('Approve', { id: String(id) })
    expect(browser.page.status).to.equal(404)
    expect((await rowOf(id)).state).to.equal('pending')
  })
})
