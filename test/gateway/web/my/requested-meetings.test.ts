// Tests meetings in rooms that need approval, on people's own pages: the form requests the room with everybody, the
// approver sees the title and the people, and an approval can be undone.
import { expect } from 'chai'
import { createSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createBookable, createLocation, createUser, hoursFromNow } from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const MEETING_ROOM = 2

describe('requested meetings on people’s own pages', () => {
  const world = useWorld()

  async function createRoom() {
    const { database } = world
    const approver = await createUser(database, { name: 'Ada Approver' })
    const asker = await createUser(database, { name: 'Rita Requester' })
    const guest = await createUser(database, { name: 'Colin Colleague' })
    const rules = JSON.stringify({ approvers: { user_ids: [approver] } })
    const location_id = await createLocation(database, { rules })
    const room = await createBookable(database, { location_id, name: 'Aula', type: MEETING_ROOM })
    const date = hoursFromNow(48).slice(0, 10)
    const { email } = await database('users').where({ id: guest }).first('email')
    return { approver, asker, guest, email, room, path: `/my/book/${room}?date=${date}&from=10:00&to=11:00` }
  }
  const holdOf = (room: number) => world.database('holds').where({ bookable_id: room }).first()
  const eventsOf = (asker: number) => world.database('events').where({ organizer_user_id: asker })

  /** Requests a meeting with a colleague and a guest. */
  async function request() {
    const scene = await createRoom()
    const browser = await signInAs(world, scene.asker)
    await browser.open(scene.path)
    expect(browser.words).to.include('You request the room with everybody.')
    await browser.submit('Send request', { people: `${scene.email}, vera@example.com`, title: 'Kick-off' })
    expect(browser.words).to.include('is requested with everybody').and.include('the request lapses.')
    return { ...scene, browser }
  }

  it('are requested with everybody, and nobody is invited before the approval', async () => {
    const { asker, room, browser, guest } = await request()
    expect(await holdOf(room)).to.include({ state: 'pending', title: 'Kick-off', invites: true })
    expect(await eventsOf(asker)).to.deep.equal([])
    expect(await world.database('invitations').where({ user_id: guest })).to.deep.equal([])
    await browser.open('/my/requests')
    expect(browser.words).to.include('Kick-off').and.include('With Colin Colleague, vera@example.com')
  })

  it('are requests for a booking if nobody is invited and no title is entered', async () => {
    const { asker, room, path } = await createRoom()
    const browser = await signInAs(world, asker)
    await browser.open(path)
    await browser.submit('Send request')
    expect(browser.words).to.include('is requested: ').and.not.include('everybody')
    expect(await holdOf(room)).to.include({ state: 'pending', title: null, invites: false })
  })

  it('are shown with title and people to the approver, whose approval creates the meeting', async () => {
    const { approver, asker, browser } = await request()
    const own = await signInAs(world, approver)
    await own.open('/my/requests')
    expect(own.words).to.include('Kick-off').and.include('With Colin Colleague, vera@example.com')
    await own.submit('Approve')
    expect(own.words).to.include('Approved and booked.')
    const [event] = await eventsOf(asker)
    expect(event).to.include({ name: 'Kick-off', invites: true })
    await browser.open('/my/requests')
    await browser.follow('Kick-off')
    expect(browser.page.path).to.equal(`/my/meetings/${event.id}`)
    expect(browser.words).to.include('Colin Colleague')
  })

  it('do not show the approver a person who hides from them', async () => {
    const { approver, guest, email } = await request()
    await world.database('person_settings').insert({ user_id: guest, visibility: 'nobody' })
    const own = await signInAs(world, approver)
    await own.open('/my/requests')
    expect(own.words).to.include('With vera@example.com').and.not.include('Colin').and.not.include(email)
  })

  it('wait for a decision again if the approver undoes the approval, which cancels the meeting', async () => {
    const { approver, asker, room } = await request()
    const own = await signInAs(world, approver)
    await own.open('/my/requests')
    await own.submit('Approve')
    await own.submit('Undo')
    expect(own.words).to.include('Undone.')
    expect(await holdOf(room)).to.include({ state: 'pending', event_id: null, decided_by_user_id: null })
    expect(await eventsOf(asker)).to.have.length(1)
    expect((await eventsOf(asker))[0].status).to.equal(2)
    const claims = await world.database('bookings').where({ bookable_id: room })
    expect(claims.map(({ hold_id }) => hold_id)).to.deep.equal([(await holdOf(room)).id])
    await own.open('/my/requests')
    await own.submit('Approve')
    expect(await holdOf(room)).to.include({ state: 'approved' })
  })

  it('cannot be undone after somebody has changed the meeting', async () => {
    const { approver, asker, room } = await request()
    const own = await signInAs(world, approver)
    await own.open('/my/requests')
    await own.submit('Approve')
    await world.database('events').where({ organizer_user_id: asker }).update({ name: 'Other' })
    await own.submit('Undo')
    expect(own.words).to.include('Nothing was undone.')
    expect(await holdOf(room)).to.include({ state: 'approved' })
  })

  it('are shown with title and people in the dashboard, where an approval can be undone too', async () => {
    const { room } = await request()
    const { id } = await holdOf(room)
    const admin = await createSignedIn(world)
    await admin.open(`/dashboard/bookings/requests/${id}`)
    expect(admin.words).to.include('Kick-off').and.include('Colin Colleague, vera@example.com')
    await admin.submit('Approve')
    await admin.submit('Undo')
    expect(await holdOf(room)).to.include({ state: 'pending', event_id: null })
    await admin.open(`/dashboard/bookings/requests/${id}`)
    expect(admin.words).to.include('undid the approval')
  })
})
