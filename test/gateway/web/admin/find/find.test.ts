// Tests the global search: what each role finds, and which page a result opens.
import { expect } from 'chai'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { deleteAllResources } from '../../../../support/office.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the global search of the dashboard', () => {
  const world = useWorld({ workers: [] })
  const browser = useSignedIn(world)
  let ids: Record<'building' | 'location' | 'desk' | 'anna' | 'booking', number>
  beforeEach(async () => {
    await deleteAllResources(world.database)
    const building = await createBuilding(world.database, { name: 'Harbour House' })
    const location = await createLocation(world.database, { building_id: building, name: '3rd floor' })
    const desk = await createBookable(world.database, { location_id: location, name: 'Desk 7' })
    const anna = await createUser(world.database, { name: 'Anna Harbour' })
    const booking = await createBooking(world.database, {
      bookable_id: desk,
      user_id: anna,
      from: hoursFromNow(-1),
      to: hoursFromNow(1),
    })
    ids = { building, location, desk, anna, booking }
  })

  const find = (q: string) => browser.open(`/dashboard/find?${new URLSearchParams({ q })}`)
  const found = () =>
    [...browser.page.text.matchAll(/<li><a href="\/dashboard([^"]*)">/g)].map(([, path]) => path)

  it('finds people, desks, places and pages by their words', async () => {
    await find('harbour')
    expect(found()).to.include.members([
      `/people/${ids.anna}`,
      `/places/bookables/${ids.desk}`,
      `/places/buildings/${ids.building}`,
      `/places/locations/${ids.location}`,
    ])
    await find('new')
    expect(found()).to.include.members(['/bookings/new', '/events/new'])
  })

  it('redirects to the result if it is the only one, such as a booking found by number', async () => {
    for (const [words, path] of [
      ['anna', `/people/${ids.anna}`],
      ['Desk 7', `/places/bookables/${ids.desk}`],
      ['audit', '/audit-log'],
      ['webhooks', '/integrations/webhooks'],
      [`#${ids.booking}`, `/bookings/${ids.booking}`],
    ] as const) {
      await find(words)
      expect(browser.page.path, words).to.equal(`/dashboard${path}`)
    }
  })

  it('finds pages by their names in the administrator’s language', async () => {
    const findInGerman = (q: string) =>
      browser.open(`/dashboard/find?q=${q}`, { headers: { 'Accept-Language': 'de' } })
    await findInGerman('protokoll')
    expect(browser.page.path).to.equal('/dashboard/audit-log')
    await findInGerman('audit')
    expect(browser.words).to.include('Nichts gefunden.')
  })

  it('says that nothing was found, and asks for words if the search is empty', async () => {
    expect((await find('%')).status).to.equal(200)
    expect(browser.words).to.include('Nothing found.')
    await browser.open('/dashboard/find')
    expect(browser.words).to.not.include('Nothing found.')
  })

  it('offers no page that the administrator’s role may not open', async () => {
    const reader = await createSignedIn(world, 'r@example.com', 'reader')
    await reader.open('/dashboard/find?q=new')
    expect(reader.page.text).to.not.include('/bookings/new').and.to.not.include('/integrations/tokens/new')
  })

  it('shows where each person sits today, and who is not in the office', async () => {
    await createUser(world.database, { name: 'Anna Absent' })
    await find('anna')
    expect(browser.words).to.match(
      /Anna Harbour \S+ · Desk 7, 3rd floor, Harbour House, until .*? Map .*Anna Absent|Anna Absent .*· not in today.* Anna Harbour \S+ · Desk 7, 3rd floor, Harbour House, until /,
    )
  })

  it('prefers desks to parking spots and current bookings to later ones, and omits bookings for guests', async () => {
    const { database } = world
    const times = { from: hoursFromNow(-1), to: hoursFromNow(1) }
    const make = (row: object) => createBookable(database, { location_id: ids.location, ...row })
    const [spot, later, guest, own] = await Promise.all([
      make({ name: 'Spot 1', type: 1 }),
      make({ name: 'Desk later' }),
      make({ name: 'Desk of a guest' }),
      make({ name: 'Desk own' }),
    ])
    const [driver, early, host, assignee] = await Promise.all(
      ['Dora', 'Ella', 'Hugo', 'Otto'].map((name) => createUser(database, { name: `${name} Zett` })),
    )
    const book = (user_id: number | undefined, bookable_id: number, row: object = {}) =>
      createBooking(database, { user_id, bookable_id, ...times, ...row })
    await book(driver, spot)
    await book(host, guest, { guest_name: 'Grace' })
    await database('bookable_assignees').insert({ bookable_id: own, user_id: assignee })
    await book(early, later)
    await find('zett')
    const { words } = browser
    expect(words).to.match(/Dora Zett \S+ · Spot 1,/)
    expect(words).to.match(/Ella Zett \S+ · Desk later, .*? until/)
    expect(words).to.match(/Hugo Zett \S+ · not in today/)
    expect(words).to.match(/Otto Zett \S+ · Desk own, .*? assigned, not booked/)
    await book(driver, own)
    await find('zett')
    expect(browser.words).to.match(/Dora Zett \S+ · Desk own,/)
  })

  it('suggests a few results of each kind, and only those that the role may open', async () => {
    const { database } = world
    for (let number = 1; number <= 7; number++)
      await createUser(database, { name: `Harbour Person ${number}` })
    const suggest = (reader: typeof browser, q: string) =>
      reader.open(`/dashboard/find?${new URLSearchParams({ q, _part: 'suggestions' })}`)
    await suggest(browser, 'harbour')
    const { text } = browser.page
    expect(text.match(/role="option"[^>]*data-address="\/dashboard\/people\/\d+"/g)).to.have.length(5)
    expect(text).to.include(`data-address="/dashboard/places/buildings/${ids.building}"`)
    expect(text).to.include('data-address="/dashboard/find?q=harbour"').and.not.include('<a ')
    await suggest(browser, 'nobody has this name')
    expect(browser.page.text).to.include('aria-disabled="true">Nothing found.')
    const reader = await createSignedIn(world, 's@example.com', 'reader')
    await suggest(reader, 'new')
    expect(reader.page.text).to.not.include('/bookings/new').and.to.not.include('/integrations/tokens/new')
    await suggest(browser, 'new')
    expect(browser.page.text).to.include('data-address="/dashboard/bookings/new"')
  })

  it('escapes hostile texts', async () => {
    for (const text of HOSTILE_TEXTS) {
      await world.database('bookables').where({ id: ids.desk }).update({ name: text })
      await createUser(world.database, { name: text })
      await find(text.trim().slice(0, 200))
      expectHarmless(browser.page.text, text)
      await browser.open(
        `/dashboard/find?${new URLSearchParams({ q: text.trim().slice(0, 200), _part: 'suggestions' })}`,
      )
      expectHarmless(browser.page.text, text)
    }
  })
})
