// Tests that names in lists are in natural order: 0.1, 0.2, 0.11.
import { expect } from 'chai'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createBookable, createBuilding, createGroup, createLocation } from '../../../support/factories.ts'
import { createClock } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

describe('lists of names in the dashboard', () => {
  const world = useWorld({ workers: ['writes'], now: createClock(Date.parse('2026-11-20T09:30:00Z')) })
  const browser = useSignedIn(world)
  const DESKS = ['Tisch 0.1', 'tisch 0.2', 'Tisch 0.11', 'Tisch 1.2', 'Übertisch']
  let building_id: number
  let location_id: number

  before(async () => {
    for (const name of ['Haus 10', 'Haus 9']) building_id = await createBuilding(world.database, { name })
    location_id = await createLocation(world.database, { building_id, name: 'Saal' })
    for (const name of DESKS.toReversed()) await createBookable(world.database, { location_id, name })
    for (const name of ['Team 10', 'Team 9']) await createGroup(world.database, { name })
  })

  const expectOrder = async (path: string, names: string[]) => {
    const { status, text } = await browser.open(`/dashboard${path}`)
    expect(status, path).to.equal(200)
    const end = (name: string) => text.search(new RegExp(`>\\s*${name.replace('.', '\\.')}\\s*<`))
    expect(
      names.toSorted((one, other) => end(one) - end(other)),
      path,
    ).to.deep.equal(names)
    expect(names.map(end), path).to.not.include(-1)
  }

  it('sort desks by the numbers in their names on every page', async () => {
    for (const path of [
      `/places/locations/${location_id}`,
      `/places/locations/${location_id}?sort=name`,
      `/places/locations/${location_id}/selected?all=true`,
      `/map?location=${location_id}`,
      `/day?location=${location_id}`,
      '/bookings/new',
      '/bookings/new?place=tisch',
      '/find?q=tisch',
    ]) {
      await expectOrder(path, DESKS)
    }
    await expectOrder(`/places/locations/${location_id}?sort=-name`, DESKS.toReversed())
  })

  it('sort buildings and groups by the numbers in their names', async () => {
    for (const path of ['/places', '/bookings/new', '/bookings']) {
      await expectOrder(path, ['Haus 9', 'Haus 10'])
    }
    await expectOrder('/people/groups', ['Team 9', 'Team 10'])
  })

  it('sort names by their numbers in the sentence of a refusal', async () => {
    await browser.open(`/dashboard/places/locations/${location_id}/add`)
    await browser.submit('Add desks, rooms or parking', { names: 'Tisch 0.11\nTisch 0.2\nTisch 0.1' })
    expect(browser.words).to.include('Tisch 0.1, Tisch 0.2, Tisch 0.11 already exist')
  })
})
