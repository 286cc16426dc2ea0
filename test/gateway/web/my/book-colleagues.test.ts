// Tests booking near colleagues: the page Book uses their desk and hours on a day, and names nobody when the
// place is closed.
import { expect } from 'chai'
import { createBookable, createBooking, createLocation, createUser } from '../../../support/factories.ts'
import { createFloor, DAY, FROM, TO } from '../../../support/people/floor.ts'
import { useWorld } from '../../../support/world.ts'

const NEXT_DAY = '2031-02-12'
const DAY_MS = 24 * 3_600_000

describe('booking a desk near a colleague', () => {
  const world = useWorld()
  const add = (name: string, more: object = {}) => createUser(world.database, { name, ...more })
  const floor = (names = ['Desk 1', 'Desk 2', 'Desk 3', 'Desk 4'], rules?: object) =>
    createFloor(world, { names, rules })

  it('proposes the hours of the colleague, and finds the colleague again on another day', async () => {
    const { browser, desks, building_id } = await floor()
    const anna = await add('Anna Berg')
    const upstairs = await createLocation(world.database, { building_id, name: 'Fourth floor' })
    await createBookable(world.database, { location_id: upstairs, name: 'Desk 8' })
    const other = await createBookable(world.database, { location_id: upstairs, name: 'Desk 9' })
    const booked = { user_id: anna, bookable_id: desks[3] }
    await createBooking(world.database, { ...booked, from: `${DAY}T12:00:00Z`, to: `${DAY}T14:30:00Z` })
    await createBooking(world.database, {
      user_id: anna,
      bookable_id: other,
      from: `${NEXT_DAY}T09:00:00Z`,
      to: `${NEXT_DAY}T11:00:00Z`,
    })
    await browser.open(`/my/book?with=${anna}&date=${DAY}`)
    expect(browser.words).to.include('13:00 – 15:30').and.include('Third floor, Quay')
    expect(browser.words).to.match(/Desk 3\s+Nearest to Anna Berg \(Desk 4\).*Desk 2.*Desk 1/s)
    await browser.open(`/my/book?with=${anna}&date=${NEXT_DAY}`)
    expect(browser.words).to.include('10:00 – 12:00').and.include('Fourth floor, Quay')
    expect(browser.words).to.include('Nearest to Anna Berg (Desk 9)')
    await browser.open(`/my/book?with=${anna}&date=2031-02-13`)
    expect(browser.words).to.include('Anna Berg has no desk on this day.')
  })

  it('keeps the colleague and the other choices when the person changes the day', async () => {
    const { browser, place, desks } = await floor()
    const anna = await add('Anna Berg')
    await createBooking(world.database, { user_id: anna, bookable_id: desks[3], from: FROM, to: TO })
    await browser.open(place)
    await browser.follow('Anna Berg Desk 4 Sit nearby')
    expect(browser.words).to.include('Nearest to Anna Berg (Desk 4)')
    await browser.submit('Show', { from: '10:00', to: '11:00' })
    expect(browser.words).to.include('10:00 – 11:00').and.include('Nearest to Anna Berg (Desk 4)')
    const days = [...browser.page.text.matchAll(/href="(\/my\/book\?[^"]*)"/g)].map(
      ([, address = '']) => address,
    )
    const otherDay = days.find((each) => each.includes('date=') && !each.includes(DAY)) ?? ''
    await browser.open(otherDay.replaceAll('&amp;', '&'))
    expect(browser.words).to.include('Anna Berg has no desk on this day.')
  })

  it('starts from a colleague with their name and day, unless they have left their desk', async () => {
    const { browser, desks } = await floor()
    const anna = await add('Anna Berg')
    await createBooking(world.database, {
      user_id: anna,
      bookable_id: desks[3],
      from: new Date(Date.now() - 60_000).toISOString(),
      to: new Date(Date.now() + 8 * DAY_MS).toISOString(),
    })
    await browser.open(`/my/people/${anna}`)
    expect(browser.page.text).to.match(/\/my\/book\?with=\d+&amp;date=\d{4}-\d{2}-\d{2}/)
    await world
      .database('bookings')
      .where({ user_id: anna })
      .update({
        during: world.database.raw("tstzrange(now() - interval '2 minutes', now() - interval '1 minute')"),
      })
    await browser.open(`/my/people/${anna}`)
    expect(browser.page.text).to.not.include('/my/book?with=')
  })

  it('does not name people who have left, and says “Also booked at that time” if the day is not today', async () => {
    const { browser, place, desks } = await floor()
    const left = await add('Lea Left', { deactivated_at: new Date() })
    const owner = await add('Otto Owner', { deactivated_at: new Date() })
    await createBooking(world.database, { user_id: left, bookable_id: desks[0], from: FROM, to: TO })
    await world.database('bookables').where({ id: desks[2] }).update({ status: 2 })
    await world.database('bookable_assignees').insert({ bookable_id: desks[2], user_id: owner })
    await browser.open(place)
    expect(browser.words).to.not.include('Lea Left').and.not.include('Otto Owner').and.not.include('Someone')
    await createBooking(world.database, {
      user_id: await add('Anna Berg'),
      bookable_id: desks[1],
      from: FROM,
      to: TO,
    })
    await browser.open(place)
    expect(browser.words)
      .to.match(/Also booked at that time.*Anna Berg Desk 2/s)
      .and.not.include('Already here')
  })

  it('lists colleagues who work from home under a separate heading', async () => {
    const { browser, place, location_id } = await floor()
    const home = await createBookable(world.database, { location_id, type: 3, name: 'Home' })
    const user_id = await add('Anna Berg')
    await createBooking(world.database, { user_id, bookable_id: home, from: FROM, to: TO, exclusive: false })
    await browser.open(`${place}&type=3`)
    expect(browser.words)
      .to.match(/Also working from home.*Anna Berg/s)
      .and.not.include('Also booked at that time')
  })

  it('offers no desks on a day when the place is closed, and does not name the desks’ owners', async () => {
    const closed = [{ from: `${DAY}T00:00:00Z`, to: `${NEXT_DAY}T00:00:00Z`, reason: 'Holiday' }]
    const { browser, place, desks } = await floor(['Desk 1', 'Desk 2', 'Desk 3'], { closed })
    await world.database('bookables').where({ id: desks[2] }).update({ status: 2 })
    await world
      .database('bookable_assignees')
      .insert({ bookable_id: desks[2], user_id: await add('Otto Owner') })
    await createBooking(world.database, {
      user_id: await add('Anna Berg'),
      bookable_id: desks[1],
      from: FROM,
      to: TO,
    })
    await browser.open(place)
    expect(browser.words).to.include('Holiday').and.include('Anna Berg Desk 2')
    expect(browser.words).to.not.include('Otto Owner').and.not.include('Sit nearby')
  })

  it('lists the desks that the person books most first, and other desks by name', async () => {
    const { browser, place, desks, user_id } = await floor([
      'Desk 10',
      'Desk 2',
      'Desk 9',
      'Desk 1',
      'Desk 3',
    ])
    const hour = 3_600_000
    // Books the desks different numbers of times.
    for (const [index, desk] of [3, 3, 2, 2, 2, 0, 0, 4].entries()) {
      const start = Date.now() - (index + 1) * 24 * hour
      const [from, to] = [start, start + hour].map((each) => new Date(each).toISOString()) as [string, string]
      await createBooking(world.database, { user_id, bookable_id: desks[desk], from, to })
    }
    await browser.open(place)
    expect(browser.words).to.match(/Desk 9\s+usual\s+Desk 1\s+usual\s+Desk 10\s+usual\s+Desk 2\s+Desk 3/)
  })

  it('proposes the current time in the zone of the building when only the floor changes', async () => {
    const { browser, location_id, building_id } = await floor()
    await world
      .database('buildings')
      .where({ id: building_id })
      .update({ timezone: findZoneAt(12) })
    const { location_id: far, building_id: farBuilding } = await floor()
    await world
      .database('buildings')
      .where({ id: farBuilding })
      .update({ timezone: findZoneAt(15) })
    for (const id of [location_id, far])
      await createBookable(world.database, { location_id: id, type: 2, name: 'Room' })
    await browser.open(`/my/book?type=2&location=${location_id}`)
    await browser.follow('Now')
    const [, from = ''] = /(\d\d:\d\d) – \d\d:\d\d/.exec(browser.words) ?? []
    expect(from).to.match(/^1[12]:/)
    await browser.submit('Show', { location: String(far) })
    expect(browser.words).to.match(/1[45]:\d\d – 1[56]:\d\d/)
    await browser.submit('Show', { from: '18:00', to: '19:00' })
    await browser.submit('Show', { location: String(location_id) })
    expect(browser.words).to.include('18:00 – 19:00')
  })
})

/** Returns a time zone in which it is now about the given hour. */
function findZoneAt(hour: number): string {
  const ahead = hour - new Date().getUTCHours()
  const within = ahead > 12 ? ahead - 24 : ahead
  return `Etc/GMT${within > 0 ? '-' : '+'}${Math.abs(within)}`
}
