// Tests cancelling many bookings in one write: selected bookings of the list, and a person's bookings on
// chosen days.
import { expect } from 'chai'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

// The current day is a Wednesday.
const NOW = Date.parse('2026-11-25T09:30:00Z')
const createDaySpan = (date: string) => ({ from: `${date}T08:00:00Z`, to: `${date}T16:00:00Z` })
const [MONDAY, TODAY, FRIDAY, NEXT_MONDAY] = [
  createDaySpan('2026-11-23'),
  createDaySpan('2026-11-25'),
  createDaySpan('2026-11-27'),
  createDaySpan('2026-11-30'),
]

describe('bookings that an administrator cancels together', () => {
  const world = useWorld({ workers: ['writes'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  let desk: number
  beforeEach(async () => {
    const location_id = await createLocation(world.database, { name: 'Deck' })
    desk = await createBookable(world.database, { location_id, name: 'Bow 1' })
  })

  const book = (user_id: number, span: { from: string; to: string }, row = {}) =>
    createBooking(world.database, { bookable_id: desk, user_id, ...span, ...row })
  const rowOf = (id: number) => world.database('bookings').where({ id }).first()
  const checked = () =>
    browser
      .form('Cancel bookings')
      .controls.filter(({ name, checked }) => name === 'ids' && checked)
      .map(({ value }) => Number(value))

  it('can be a person’s week: current bookings end, later ones are cancelled, others stay', async () => {
    const anna = await createUser(world.database, { name: 'Anna Bauer' })
    const over = await book(anna, MONDAY)
    const running = await book(anna, TODAY)
    const later = await book(anna, FRIDAY)
    const nextWeek = await book(anna, NEXT_MONDAY)
    await browser.open(`/dashboard/people/${anna}`)
    await browser.follow('Cancel several')
    await browser.follow('Next week')
    expect(checked()).to.deep.equal([nextWeek])
    await browser.follow('This week')
    expect(checked()).to.deep.equal([running, later])
    await browser.submit('Cancel bookings')
    expect(browser.words).to.include('2 bookings cancelled.')
    expect((await rowOf(over))?.during).to.include('16:00:00')
    expect((await rowOf(running))?.during).to.match(/,"2026-11-25 09:3/)
    expect(await rowOf(later)).to.equal(undefined)
    expect(await rowOf(nextWeek)).to.include({ id: nextWeek })
    const audited = await world
      .database('audit_log')
      .where({ resource: 'bookings' })
      .whereIn('resource_id', [running, later])
    expect(audited.map(({ action, actor_type }) => [action, actor_type])).to.have.deep.members([
      ['bookings.update', 'admin'],
      ['bookings.delete', 'admin'],
    ])
  })

  it('include a booking that lasts beyond the chosen days only if it is checked', async () => {
    const anna = await createUser(world.database)
    const long = await book(anna, { from: FRIDAY.from, to: NEXT_MONDAY.to })
    await browser.open(`/dashboard/people/${anna}/cancel-bookings`)
    expect(checked()).to.deep.equal([])
    expect(browser.words).to.include('Bookings that last beyond these days are not selected.')
    await browser.submit('Cancel bookings')
    expect(browser.words).to.include('must not be empty')
    expect(await rowOf(long)).to.include({ id: long })
  })

  it('can be selected in the list, except past bookings and event rooms', async () => {
    const [anna, ben] = [await createUser(world.database), await createUser(world.database)]
    const [one, two] = [await book(anna, FRIDAY), await book(ben, TODAY)]
    const over = await book(ben, MONDAY)
    const event_id = await createEvent(world.database, NEXT_MONDAY)
    const room = await createBooking(world.database, { bookable_id: desk, event_id, ...NEXT_MONDAY })
    await browser.open('/dashboard/bookings?from=2026-11-25&to=2026-11-27')
    await browser.submit('Cancel selected', { ids: [String(one), String(two)] })
    expect(checked()).to.have.members([one, two])
    await browser.submit('Cancel bookings', { ids: [one, over, room].map(String) })
    expect(browser.words).to.include('1 booking cancelled.').and.include('2 bookings were not changed')
    expect(await rowOf(one)).to.equal(undefined)
    for (const id of [two, over, room]) expect(await rowOf(id), `${id}`).to.include({ id })
  })

  it('are cancelled once by two simultaneous administrators; the second sees which ones stayed', async () => {
    const anna = await createUser(world.database)
    const id = await book(anna, FRIDAY)
    const other = await createSignedIn(world)
    const path = `/dashboard/people/${anna}/cancel-bookings`
    await Promise.all([browser.open(path), other.open(path)])
    await Promise.all([browser, other].map((each) => each.submit('Cancel bookings')))
    const notices = [browser.words, other.words].map((words) => words.includes('1 booking cancelled.'))
    expect(notices).to.have.members([true, false])
    expect(
      await world.database('audit_log').where({ action: 'bookings.delete', resource_id: id }),
    ).to.have.length(1)
  })
})
