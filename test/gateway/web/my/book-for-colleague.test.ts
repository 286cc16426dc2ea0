// Tests booking for a colleague on people's own pages: the form offers it if a rule allows it, the booking belongs to
// the colleague, and both can cancel it.
import { expect } from 'chai'
import {
  createBookable,
  createEvent,
  createGroup,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

describe('booking for a colleague on people’s own pages', () => {
  const world = useWorld()
  // A name of its own for the colleague of each office, so that no name is ambiguous.
  let offices = 0

  async function createOffice(
    rules: (group: number) => object = () => ({ book_for_others: { everybody: true } }),
  ) {
    const { database } = world
    const name = `Ben ${'ABCDEFGHIJKLMNOP'.charAt(offices++).repeat(4)}`
    const [anna, ben] = [
      await createUser(database, { name: 'Anna Berg' }),
      await createUser(database, { name }),
    ]
    const group = await createGroup(database)
    for (const user_id of [anna, ben]) await database('group_members').insert({ group_id: group, user_id })
    const location_id = await createLocation(database, { rules: JSON.stringify(rules(group)) })
    const desk = await createBookable(database, { location_id, name: 'Desk 12' })
    const { email } = await database('users').where({ id: ben }).first('email')
    const path = `/my/book/${desk}?date=${hoursFromNow(48).slice(0, 10)}&from=10:00&to=11:00`
    return { anna, ben, name, email, desk, location_id, path }
  }
  const bookingsOf = (desk: number) => world.database('bookings').where({ bookable_id: desk })

  it('is not offered without a rule, or to people that the rule excludes', async () => {
    for (const rules of [() => ({}), () => ({ book_for_others: null })]) {
      const { anna, path } = await createOffice(rules)
      const browser = await signInAs(world, anna)
      await browser.open(path)
      expect(browser.words).to.include('For a guest').and.not.include('For a colleague')
    }
    const { path } = await createOffice((group) => ({ book_for_others: { group_ids: [group] } }))
    const stranger = await signInAs(world, await createUser(world.database))
    await stranger.open(path)
    expect(stranger.words).to.not.include('For a colleague')
  })

  it('gives the desk to the colleague, who sees who booked it and can cancel it', async () => {
    const { anna, ben, name, email, desk, path } = await createOffice((group) => ({
      book_for_others: { group_ids: [group] },
    }))
    const browser = await signInAs(world, anna)
    await browser.open(path)
    await browser.submit('Book', { colleague: email })
    expect(browser.words).to.include(`is booked for ${name}`).and.include(`For ${name}`)
    const [booking] = await bookingsOf(desk)
    expect(booking).to.include({ user_id: ben, booked_by_user_id: anna })
    const own = await signInAs(world, ben)
    expect(own.words).to.include('Desk 12').and.include('Booked by Anna Berg')
    await own.open(`/my/bookings/${booking.id}`)
    expect(own.words).to.include('Booked by Anna Berg')
    await own.submit('Cancel it')
    expect(await bookingsOf(desk)).to.deep.equal([])
    await browser.open('/my')
    expect(browser.words).to.not.include(`For ${name}`)
  })

  it('lets the person cancel on My day, and undo that', async () => {
    const { anna, ben, name, desk, path } = await createOffice()
    const browser = await signInAs(world, anna)
    await browser.open(path)
    await browser.submit('Book', { colleague: name })
    await browser.submit('Cancel it')
    expect(await bookingsOf(desk)).to.deep.equal([])
    expect(browser.words).to.include('Cancelled.').and.not.include(`For ${name}`)
    await browser.submit('Undo')
    expect((await bookingsOf(desk))[0]).to.include({ user_id: ben, booked_by_user_id: anna })
    await browser.open('/my')
    expect(browser.words).to.include(`For ${name}`)
  })

  it('lets the person undo it only while they may cancel the booking', async () => {
    const { anna, ben, name, desk, path } = await createOffice()
    const browser = await signInAs(world, anna)
    await browser.open(path)
    await browser.submit('Book', { colleague: name })
    const { address } = browser.form('Undo')
    await world.database('person_settings').insert({ user_id: ben, visibility: 'nobody' })
    await browser.open(address)
    await browser.submit('Undo')
    expect(browser.page.status).to.equal(404)
    expect(browser.words).to.include('There is no booking with this id.')
    expect(await bookingsOf(desk)).to.have.length(1)
    await world.database('person_settings').where({ user_id: ben }).update({ visibility: 'everybody' })
    await browser.open(address)
    await browser.submit('Undo')
    expect(await bookingsOf(desk)).to.deep.equal([])
  })

  it('lets the person undo a cancellation only while they may book for the colleague', async () => {
    const { anna, name, desk, path, location_id } = await createOffice()
    const browser = await signInAs(world, anna)
    await browser.open(path)
    await browser.submit('Book', { colleague: name })
    await browser.submit('Cancel it')
    const { address } = browser.form('Undo')
    const setRules = (rules: object) =>
      world
        .database('locations')
        .where({ id: location_id })
        .update({ rules: JSON.stringify(rules) })
    await setRules({})
    await browser.open(address)
    await browser.submit('Undo')
    expect(browser.page.status).to.equal(403)
    expect(browser.words).to.include('You are not allowed to change this.')
    expect(await bookingsOf(desk)).to.deep.equal([])
    await setRules({ book_for_others: { everybody: true } })
    await browser.open(address)
    await browser.submit('Undo')
    expect(await bookingsOf(desk)).to.have.length(1)
  })

  it('does not name the colleague’s other booking when a cancellation cannot be undone', async () => {
    const { anna, ben, name, desk, path, location_id } = await createOffice(() => ({
      book_for_others: { everybody: true },
      one_at_a_time: true,
    }))
    const browser = await signInAs(world, anna)
    await browser.open(path)
    await browser.submit('Book', { colleague: name })
    const [booking] = await bookingsOf(desk)
    await browser.submit('Cancel it')
    const other = await createBookable(world.database, { location_id, name: 'Desk 13' })
    const { during } = booking
    await world.database('bookings').insert({ bookable_id: other, user_id: ben, during, exclusive: true })
    await browser.submit('Undo')
    expect(browser.words).to.include('The person already has something').and.not.include('Desk 13')
    expect(await bookingsOf(desk)).to.deep.equal([])
  })

  it('refuses names in the same way whether they are unknown or belong to somebody who hides', async () => {
    const { anna, ben, name, email, desk, path } = await createOffice()
    await world.database('person_settings').insert({ user_id: ben, visibility: 'nobody' })
    const browser = await signInAs(world, anna)
    for (const typed of [email, name, 'nobody@example.com', 'Nobody Atall']) {
      await browser.open(path)
      await browser.submit('Book', { colleague: typed })
      expect(browser.words).to.include(`No colleague found with the name or e-mail address ${typed}.`)
    }
    expect(await bookingsOf(desk)).to.deep.equal([])
  })

  it('no longer shows the booking after the colleague hides', async () => {
    const { anna, ben, name, path } = await createOffice()
    const browser = await signInAs(world, anna)
    await browser.open(path)
    await browser.submit('Book', { colleague: name })
    await world.database('person_settings').insert({ user_id: ben, visibility: 'nobody' })
    await browser.open('/my')
    expect(browser.words).to.not.include(`For ${name}`).and.not.include('Ben')
  })

  it('does not name a colleague who hides, not even to somebody who attends one of their meetings', async () => {
    const { anna, ben, name, desk, path } = await createOffice()
    const browser = await signInAs(world, anna)
    await browser.open(path)
    await browser.submit('Book', { colleague: name })
    await world.database('person_settings').insert({ user_id: anna, visibility: 'nobody' })
    const times = { from: hoursFromNow(72), to: hoursFromNow(73) }
    const event_id = await createEvent(world.database, { organizer_user_id: anna, ...times })
    await world.database('event_attendees').insert({ event_id, user_id: ben })
    const own = await signInAs(world, ben)
    expect(own.words).to.include('Desk 12').and.not.include('Booked by')
    const [booking] = await bookingsOf(desk)
    await own.open(`/my/bookings/${booking.id}`)
    expect(own.words).to.include('Desk 12').and.not.include('Anna')
  })

  it('explains why a place cannot be booked for the colleague', async () => {
    const { anna, ben, name, desk, path, location_id } = await createOffice(() => ({
      book_for_others: { everybody: true },
      one_at_a_time: true,
    }))
    const other = await createBookable(world.database, { location_id, name: 'Desk 13' })
    const browser = await signInAs(world, anna)
    const answerTo = async (address: string, fields: Record<string, string>) => {
      await browser.open(address)
      await browser.submit('Book', fields)
      return browser.words
    }
    expect(await answerTo(path, { colleague: name, guest_name: 'Gus' })).to.include(
      'Book either for a colleague or for a guest.',
    )
    expect(await answerTo(path, { colleague: `${name}, Nobody Atall` })).to.include('No colleague found')
    expect(await answerTo(path, { colleague: name })).to.include(`is booked for ${name}`)
    const again = await answerTo(path.replace(String(desk), String(other)), { colleague: name })
    expect(again).to.include('The person already has something').and.not.include('Desk 12')
    expect(await bookingsOf(other)).to.deep.equal([])
    const { path: elsewhere } = await createOffice((group) => ({ book_for_others: { group_ids: [group] } }))
    await browser.open(elsewhere)
    expect(browser.words).to.not.include('For a colleague')
    expect(await world.database('bookings').where({ user_id: ben })).to.have.length(1)
  })
})
