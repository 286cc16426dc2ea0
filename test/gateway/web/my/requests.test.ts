// Requests on people's own pages: approvers see and decide them, the person who asked sees the outcome, and nobody else
// sees either.
import { expect } from 'chai'
import { createSignedIn } from '../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createHold,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const SPAN = { from: hoursFromNow(24), to: hoursFromNow(32) }

describe('requests on the own pages', () => {
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
    const id = await createHold(database, { ...SPAN, bookable_id, user_id: asker, ...more })
    return { id, approver, second, asker }
  }
  const rowOf = (id: number) => world.database('holds').where({ id }).first()

  it('are announced on My day, with their number, and approved with one press', async () => {
    const { id, approver } = await createRequest()
    const browser = await signInAs(world, approver)
    expect(browser.words).to.include('1 request waits for your decision')
    await browser.open('/my/requests')
    expect(browser.words).to.include('Waiting for your decision').and.include('Bow')
    expect((await rowOf(id)).state).to.equal('pending')
    await browser.submit('Approve')
    expect(browser.words).to.include('Approved: it is booked.').and.include('Recently decided by you')
    expect(await rowOf(id)).to.include({ state: 'approved', decided_by_user_id: approver })
    await browser.open('/my')
    expect(browser.words).to.not.include('waits for your decision')
  })

  it('name the person who asks, even one who hides, but only to approvers', async () => {
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

  it('are declined with a reason, which the person who asked reads with the name of who decided', async () => {
    const { id, approver, asker } = await createRequest()
    const browser = await signInAs(world, approver)
    await browser.open('/my/requests')
    await browser.submit('Decline', { reason: 'Closed that day' })
    expect(await rowOf(id)).to.include({ state: 'declined', reason: 'Closed that day' })
    const own = await signInAs(world, asker)
    await own.open('/my/requests')
    expect(own.words).to.include('Declined Ada Approver, ').and.include('Reason: Closed that day')
  })

  it('do not name an approver who hides, either to the person who asked or to the other approver', async () => {
    const { approver, second, asker } = await createRequest()
    await world.database('person_settings').insert({ user_id: approver, visibility: 'nobody' })
    const [first, other] = [await signInAs(world, approver), await signInAs(world, second)]
    for (const each of [first, other]) await each.open('/my/requests')
    await first.submit('Decline')
    const own = await signInAs(world, asker)
    await own.open('/my/requests')
    expect(own.words).to.include('Declined').and.not.include('Ada')
    await other.submit('Approve')
    expect(other.words).to.include('A colleague has declined the request already.').and.not.include('Ada')
  })

  it('are decided once: the other approver reads who was first', async () => {
    const { id, approver, second } = await createRequest()
    const [first, other] = [await signInAs(world, approver), await signInAs(world, second)]
    for (const each of [first, other]) await each.open('/my/requests')
    await first.submit('Approve')
    await other.submit('Decline')
    expect(other.page.status).to.equal(409)
    expect(other.words).to.include('Ada Approver has approved the request already.')
    expect((await rowOf(id)).state).to.equal('approved')
  })

  it('name the office team when an administrator has decided first', async () => {
    const { id, approver } = await createRequest()
    const browser = await signInAs(world, approver)
    await browser.open('/my/requests')
    const admin = await createSignedIn(world)
    await admin.open(`/dashboard/bookings/requests/${id}`)
    await admin.submit('Approve')
    await browser.submit('Decline')
    expect(browser.words).to.include('The office team has approved the request already.').and.not.include('@')
  })

  it('are withdrawn by the person who asked, for whom My day says that they are open', async () => {
    const { id, asker } = await createRequest({ guest_name: 'Grace', booking_info: 'Visit' })
    const browser = await signInAs(world, asker)
    expect(browser.words).to.include('You have 1 open request')
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

  it('cannot be decided by somebody who sends another person’s form', async () => {
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
