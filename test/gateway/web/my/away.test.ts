// Tests being away on people's own pages: recording an absence, releasing bookings with it, undoing all of it, and what
// colleagues see.
import { expect } from 'chai'
import {
  createAbsence,
  createBooking,
  createBuilding,
  createGroup,
  createUser,
} from '../../../support/factories.ts'
import { createFloor } from '../../../support/people/floor.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const TWO_WEEKS = '[2031-02-03,2031-02-17)'
const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)

describe('the pages of a person who is away', () => {
  const world = useWorld()
  const absencesOf = (user_id: number) => world.database('absences').where({ user_id })
  const bookingsOf = (user_id: number) => world.database('bookings').where({ user_id }).pluck('id')

  it('record an absence of two weeks with one choice and one button', async () => {
    const { browser, user_id } = await createFloor(world)
    await browser.open('/my/me')
    await browser.submit('I am away', { length: '14' })
    expect(browser.words).to.include('You are away: ')
    const [{ days }] = await absencesOf(user_id).select(
      world.database.raw('upper(days) - lower(days) AS days'),
    )
    expect(days).to.equal(14)
    await browser.open('/my/me')
    await browser.submit('Remove')
    expect(await absencesOf(user_id)).to.deep.equal([])
  })

  it('offer to release the bookings on these days, and Undo restores everything', async () => {
    const { browser, user_id, desks } = await createFloor(world)
    const book = (day: number) =>
      createBooking(world.database, {
        user_id,
        bookable_id: desks[0],
        from: `${inDays(day)}T09:00:00Z`,
        to: `${inDays(day)}T15:00:00Z`,
      })
    const booked = [await book(3), await book(5), await book(30)]
    await browser.open('/my/me')
    await browser.submit('I am away', { from: inDays(2), length: '14' })
    expect(browser.words).to.include('You have 2 bookings on these days.')
    await browser.submit('Release my 2 bookings')
    expect(browser.words).to.include('2 bookings are released.')
    expect(await bookingsOf(user_id)).to.deep.equal(booked.slice(2))
    await browser.submit('Undo')
    expect(await absencesOf(user_id)).to.deep.equal([])
    expect(await bookingsOf(user_id)).to.have.members(booked)
  })

  it('keep the bookings if the person chooses that, and refuse a last day before the first', async () => {
    const { browser, user_id, desks } = await createFloor(world)
    const span = { from: `${inDays(3)}T09:00:00Z`, to: `${inDays(3)}T15:00:00Z` }
    const id = await createBooking(world.database, { user_id, bookable_id: desks[0], ...span })
    await browser.open('/my/away')
    await browser.submit('I am away', { from: inDays(3), to: inDays(1) })
    expect(browser.words).to.include('Last day must not be before the first day.')
    await browser.submit('I am away', { from: inDays(3), to: inDays(4) })
    await browser.submit('Keep my bookings')
    expect(await bookingsOf(user_id)).to.deep.equal([id])
    expect(await absencesOf(user_id)).to.have.length(1)
  })

  it('refuse an absence that is too long, and show the error at its last day', async () => {
    const { browser, user_id, desks } = await createFloor(world)
    const tooLong = { from: '2031-02-03', to: '2036-02-03' }
    const submit = async () => {
      await browser.open('/my/me')
      expect((await browser.submit('I am away', tooLong)).status).to.equal(422)
      expect(browser.words)
        .to.include('Last day must be at most 1100 days after the first day.')
        .and.include('Not saved. Please fix the marked fields.')
    }
    await submit()
    await createBooking(world.database, {
      user_id,
      bookable_id: desks[0],
      from: '2031-02-04T09:00:00Z',
      to: '2031-02-04T15:00:00Z',
    })
    await submit()
    expect(await absencesOf(user_id)).to.deep.equal([])
  })

  it('refuse to confirm an absence whose last day is before the first day', async () => {
    const { browser, user_id, desks } = await createFloor(world)
    const span = { from: '2031-02-04T09:00:00Z', to: '2031-02-04T15:00:00Z' }
    await createBooking(world.database, { user_id, bookable_id: desks[0], ...span })
    await browser.open('/my/away?from=2031-02-03&to=2031-02-05')
    const { status } = await browser.submit('Keep my bookings', { from: '2031-02-05', to: '2031-02-03' })
    expect(status).to.equal(422)
    expect(browser.words).to.include('must not be before the first day.')
    expect(await absencesOf(user_id)).to.deep.equal([])
  })

  it('show the form if the last day in the address is before the first day or too long after it', async () => {
    const { browser } = await createFloor(world)
    for (const to of ['2031-02-01', '2036-02-03']) {
      expect((await browser.open(`/my/away?from=2031-02-03&to=${to}`)).status).to.equal(200)
      expect(() => browser.form('I am away')).to.not.throw()
    }
  })

  it('show colleagues that the person is away, unless the person hides', async () => {
    const { database } = world
    const away = await createUser(database, { name: 'Grace Hopper' })
    await createAbsence(database, { user_id: away, days: `[${inDays(-2)},${inDays(40)})` })
    const viewer = await createUser(database)
    const group_id = await createGroup(database)
    for (const user_id of [away, viewer]) await database('group_members').insert({ group_id, user_id })
    const browser = await signInAs(world, viewer)
    await browser.open(`/my/people/${away}`)
    expect(browser.words).to.include('away until').and.include('away')
    await browser.open('/my/people?q=grace+hopper')
    expect(browser.words).to.include('away until')
    await database('person_settings').insert({ user_id: away, visibility: 'nobody' })
    await browser.open('/my/people?q=grace+hopper')
    expect(browser.words).to.not.include('away until')
    await browser.open(`/my/people/${away}`)
    expect(browser.words).to.not.include('Grace Hopper')
  })

  it('ask for confirmation before somebody books for a colleague who is away', async () => {
    const { browser, desks, place } = await createFloor(world, {
      rules: { book_for_others: { everybody: true } },
    })
    const colleague = await createUser(world.database, {
      name: 'Grace Away',
      email: 'grace.away@example.com',
    })
    await createAbsence(world.database, { user_id: colleague, days: TWO_WEEKS })
    await browser.open(place.replace('/my/book?', `/my/book/${desks[0]}?`))
    await browser.submit('Book', { colleague: 'grace.away@example.com' })
    expect(browser.words).to.include('Grace Away is away from ')
    expect(await bookingsOf(colleague)).to.deep.equal([])
    const form = browser.form('Book anyway')
    const button = { name: 'overrides_absence', value: 'true', type: 'submit', checked: false, options: [] }
    await browser.send({ ...form, controls: [...form.controls, button] })
    expect(await bookingsOf(colleague)).to.have.length(1)
  })
})

describe('the badge of colleagues who are away', () => {
  const world = useWorld({ workers: [] })

  it('follows the local day of the buildings, not of the server', async () => {
    // At any time, it is another day than in UTC in one of these zones.
    const isLate = new Date().getUTCHours() >= 10
    const timezone = isLate ? 'Pacific/Kiritimati' : 'Etc/GMT+12'
    await createBuilding(world.database, { timezone })
    const here = new Date(Date.now() + (isLate ? 14 : -12) * 3_600_000).toISOString().slice(0, 10)
    const onlyOn = (day: string) => `[${day},${day}]`
    const names = { [here]: 'Grace Here', [inDays(0)]: 'Hedy There' }
    for (const [day, name] of Object.entries(names))
      await createAbsence(world.database, {
        user_id: await createUser(world.database, { name }),
        days: onlyOn(day),
      })
    const browser = await signInAs(world, await createUser(world.database))
    await browser.open('/my/people?q=grace')
    expect(browser.words).to.include('Grace Here').and.include('away until')
    await browser.open('/my/people?q=hedy')
    expect(browser.words).to.include('Hedy There').and.not.include('away until')
  })
})
