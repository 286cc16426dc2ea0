// Tests lending one's own desk on the Me page, on My day, on the page of the desk and with an absence, and ending a
// loan.
import { expect } from 'chai'
import { createBooking, createUser, hoursFromNow } from '../../../../support/factories.ts'
import { createFloor } from '../../../../support/people/floor.ts'
import { signInAs } from '../../../../support/people/person.ts'
import { useWorld } from '../../../../support/world.ts'

const MARKED = 'Not saved. Please fix the marked fields.'

describe('one’s own desk on people’s pages', () => {
  const world = useWorld()

  const createOwner = async () => {
    const floor = await createFloor(world, { names: ['Desk 1'] })
    const [bookable_id = 0] = floor.desks
    await world.database('bookables').where({ id: bookable_id }).update({ status: 2 })
    await world.database('bookable_assignees').insert({ bookable_id, user_id: floor.user_id })
    return { ...floor, bookable_id }
  }
  const readLoans = async (bookable_id: number) => {
    const { rows } = await world.database.raw(
      'SELECT upper(days) - lower(days) AS days FROM loans WHERE bookable_id = ? ORDER BY days',
      [bookable_id],
    )
    return rows.map(({ days }: { days: number }) => days)
  }

  it('is lent for next week with a chip and one press', async () => {
    const { browser, bookable_id } = await createOwner()
    await browser.open('/my/me')
    await browser.submit('Lend my desk', { days: 'next' })
    expect(browser.words).to.include('Desk 1 is lent from')
    expect(await readLoans(bookable_id)).to.deep.equal([7])
    await browser.submit('Undo')
    expect(await readLoans(bookable_id)).to.deep.equal([])
  })

  it('stays lent while somebody has booked it, and the page says so', async () => {
    const { browser, bookable_id } = await createOwner()
    await browser.open('/my/me')
    await browser.submit('Lend my desk', { days: 'today' })
    const booking = await createBooking(world.database, {
      bookable_id,
      from: hoursFromNow(-1),
      to: hoursFromNow(1),
    })
    await browser.submit('End loan')
    expect(browser.words).to.include('so the loan cannot end yet')
    await world.database('bookings').where({ id: booking }).delete()
    await browser.open('/my/me')
    await browser.submit('End loan')
    expect(await readLoans(bookable_id)).to.deep.equal([])
  })

  it('is lent until a given day, and the card is missing for people without their own desk', async () => {
    const { browser, bookable_id, desks } = await createOwner()
    await browser.open('/my/me')
    await browser.submit('Lend my desk', { days: 'until', until: '' })
    expect(browser.words).to.include('Enter the last day.')
    await world.database('bookable_assignees').where({ bookable_id: desks[0] }).delete()
    await browser.open('/my/me')
    expect(browser.words).to.not.include('Lend my desk')
    expect(await readLoans(bookable_id)).to.deep.equal([])
  })

  it('cannot be lent until a day that is in the past or more than 366 days away', async () => {
    const { browser, bookable_id } = await createOwner()
    const lendUntil = (until: string) => browser.submit('Lend my desk', { days: 'until', until })
    await browser.open('/my/me')
    expect((await lendUntil('2001-01-01')).status).to.equal(422)
    expect(browser.words).to.include('Last day must be today or later.').and.include(MARKED)
    expect((await lendUntil('2199-01-01')).status).to.equal(422)
    expect(browser.words)
      .to.include('Last day must be at most 366 days after the first day.')
      .and.include(MARKED)
    expect(await readLoans(bookable_id)).to.deep.equal([])
  })

  it('is lent for today from My day, where the loan can also end', async () => {
    const { browser, bookable_id } = await createOwner()
    await browser.open('/my/')
    expect(browser.words).to.include('Your own desk: Desk 1, Third floor')
    await browser.submit('Lend my desk today')
    expect(browser.page.path).to.equal('/my')
    expect(browser.words).to.include('Desk 1, Third floor, is lent until')
    expect(await readLoans(bookable_id)).to.deep.equal([1])
    await browser.open('/my/')
    await browser.submit('End loan')
    expect(await readLoans(bookable_id)).to.deep.equal([])
  })

  it('is not called a desk if it is a parking spot', async () => {
    const { browser, bookable_id } = await createOwner()
    await world.database('bookables').where({ id: bookable_id }).update({ type: 1, name: 'Spot 1' })
    await browser.open('/my/')
    expect(browser.words).to.include('Assigned to you: Spot 1').and.not.include('own desk')
    await browser.open('/my/me')
    expect(browser.words).to.include('Assigned to me').and.not.include('My own desk')
    await browser.submit('Lend it', { days: 'today' })
    expect(await readLoans(bookable_id)).to.deep.equal([1])
  })

  it('is lent from the page of the desk, which shows others until when', async () => {
    const { browser, bookable_id } = await createOwner()
    await browser.open(`/my/book/${bookable_id}`)
    await browser.submit('Lend my desk', { days: 'today' })
    expect(browser.page.path).to.equal(`/my/book/${bookable_id}`)
    expect(await readLoans(bookable_id)).to.deep.equal([1])
    const other = await signInAs(world, await createUser(world.database))
    await other.open(`/my/book/${bookable_id}?date=${hoursFromNow(0).slice(0, 10)}`)
    expect(other.words).to.include('Ada Lovelace lends this place until').and.not.include('My own desk')
    const { user_id } = await world.database('loans').where({ bookable_id }).first()
    await world.database('person_settings').insert({ user_id, visibility: 'nobody' })
    await other.open(`/my/book/${bookable_id}?date=${hoursFromNow(0).slice(0, 10)}`)
    expect(other.words).to.include('Lent until').and.not.include('Ada Lovelace')
  })

  it('is lent together with an absence, and one Undo reverses both', async () => {
    const { browser, bookable_id, user_id } = await createOwner()
    const absences = () => world.database('absences').where({ user_id })
    const from = hoursFromNow(48).slice(0, 10)
    await browser.open('/my/me')
    await browser.submit('I am away', { from, length: '7' })
    expect(browser.words).to.include('Your own desk: Desk 1. If you lend it,')
    await browser.submit('Lend my desk for that time')
    expect(browser.words).to.include('You are away: ').and.include('Your desk is lent for that time.')
    expect([await absences(), await readLoans(bookable_id)].map((rows) => rows.length)).to.deep.equal([1, 1])
    await browser.submit('Undo')
    expect([await absences(), await readLoans(bookable_id)]).to.deep.equal([[], []])

    const span = { from: `${from}T10:00:00Z`, to: `${from}T11:00:00Z` }
    const booking = await createBooking(world.database, { user_id, ...span })
    await browser.open('/my/me')
    await browser.submit('I am away', { from, length: '7' })
    await browser.submit('Release my 1 booking and lend my desk')
    const has = () => world.database('bookings').where({ id: booking }).pluck('id')
    expect([await has(), await readLoans(bookable_id)]).to.deep.equal([[], [7]])
    await browser.submit('Undo')
    expect([await has(), await absences(), await readLoans(bookable_id)]).to.deep.equal([[booking], [], []])

    await browser.open('/my/me')
    await browser.submit('I am away', { from, length: '1' })
    await browser.submit('Keep my bookings')
    expect([await absences(), await readLoans(bookable_id)].map((rows) => rows.length)).to.deep.equal([1, 0])
  })

  it('is not offered with an absence if another owner lends it, and a late refusal is told together with the absence', async () => {
    const { browser, bookable_id, user_id } = await createOwner()
    const { database } = world
    const ben = await createUser(database)
    await database('bookable_assignees').insert({ bookable_id, user_id: ben })
    const from = hoursFromNow(48).slice(0, 10)
    const span = { from: `${from}T10:00:00Z`, to: `${from}T11:00:00Z` }
    const booking = await createBooking(database, { user_id, ...span })
    const state = async () => ({
      absences: (await database('absences').where({ user_id })).length,
      bookings: await database('bookings').where({ id: booking }).pluck('id'),
      loans: await readLoans(bookable_id),
    })
    await browser.open('/my/me')
    await browser.submit('I am away', { from, length: '7' })
    await database('loans').insert({ bookable_id, user_id: ben, days: `[${from},${from}]` })
    await browser.submit('Release my 1 booking and lend my desk')
    expect(browser.words)
      .to.match(/You are away: .*\. 1 booking is released\. Not lent: Desk 1 is already lent from /)
      .and.not.include('Your desk is lent')
    expect(await state()).to.deep.equal({ absences: 1, bookings: [], loans: [1] })
    await browser.submit('Undo')
    expect(await state()).to.deep.equal({ absences: 0, bookings: [booking], loans: [1] })

    await browser.open('/my/me')
    await browser.submit('I am away', { from, length: '7' })
    expect(browser.words).to.include('Keep my bookings').and.not.include('lend')
  })

  it('says until when it is lent if the absence is longer than a loan can be, and why it is not lent', async () => {
    const { browser, bookable_id, user_id } = await createOwner()
    const [from, to] = [hoursFromNow(48).slice(0, 10), hoursFromNow(24 * 900).slice(0, 10)]
    await browser.open('/my/me')
    await browser.submit('I am away', { from, to })
    await browser.submit('Lend my desk for that time')
    expect(browser.words)
      .to.match(/Your desk is lent until .*20\d\d/)
      .and.not.include('for that time')
    expect(await readLoans(bookable_id)).to.deep.equal([366])
    await browser.submit('Undo')

    await browser.open(`/my/away?from=${from}&to=${to}`)
    await world.database('bookable_assignees').where({ bookable_id, user_id }).delete()
    await browser.submit('Lend my desk for that time')
    expect(browser.words)
      .to.include('You are away: ')
      .and.include('Not lent: This desk or room is no longer assigned to you.')
  })

  it('is not called a desk if it is a parking spot, also together with an absence', async () => {
    const { browser, bookable_id } = await createOwner()
    await world.database('bookables').where({ id: bookable_id }).update({ name: 'Spot 1', type: 1 })
    await browser.open('/my/me')
    await browser.submit('I am away', { from: hoursFromNow(48).slice(0, 10), length: '7' })
    expect(browser.words).to.include('Assigned to you: Spot 1. If you lend it,').and.include('Keep my place')
    expect(browser.words).to.not.match(/\bdesks?\b/)
    await browser.submit('Lend my place for that time')
    expect(browser.words).to.include('Your place is lent for that time.')
    expect(await readLoans(bookable_id)).to.deep.equal([7])
  })
})
