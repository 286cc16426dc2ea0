// Closed bookables are marked in the list of their floor, which can filter by that status, and on their own pages.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBookable, createBuilding, createLocation } from '../../../../support/factories.ts'
import { clockFrom } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-12-28T09:30:00Z')
const UNTIL = 'closed until Sat, 2 Jan 2027, 00:00: Between the years'

describe('a desk that is closed now', () => {
  const world = useWorld({ workers: [], now: clockFrom(NOW) })
  const browser = useSignedIn(world)
  let [floor, bow, stern] = [0, 0, 0]
  const rulesOf = (from: string, to: string, reason: string) =>
    JSON.stringify({ closed: [{ from, to, reason }] })

  before(async () => {
    const building_id = await createBuilding(world.database, { timezone: 'Europe/Berlin' })
    floor = await createLocation(world.database, { building_id })
    const rules = rulesOf('2026-12-23T23:00:00Z', '2027-01-01T23:00:00Z', 'Between the years')
    bow = await createBookable(world.database, { location_id: floor, name: 'Bow 1', rules })
    const later = rulesOf('2026-12-30T23:00:00Z', '2027-01-01T23:00:00Z', 'Works')
    stern = await createBookable(world.database, { location_id: floor, name: 'Stern 2', rules: later })
  })

  it('shows until when and why it is closed, in the list of its floor and on its own page', async () => {
    await browser.open(`/dashboard/places/locations/${floor}`)
    expect(browser.words).to.include(UNTIL).and.include('Stern 2').and.not.include('Works')
    await browser.open(`/dashboard/places/bookables/${bow}`)
    expect(browser.words).to.include(UNTIL)
    await browser.open(`/dashboard/places/bookables/${stern}`)
    expect(browser.words).to.not.include('closed until')
  })

  it('is found by its status, also to change all matching desks', async () => {
    await browser.open(`/dashboard/places/locations/${floor}?status=3`)
    expect(browser.words).to.include('Bow 1').and.not.include('Stern 2')
    await browser.open(`/dashboard/places/locations/${floor}/selected?status=3&all=true`)
    expect(browser.words).to.include('Bow 1').and.not.include('Stern 2')
    await browser.open(`/dashboard/places/locations/${floor}?status=0`)
    expect(browser.words).to.include('Bow 1').and.include('Stern 2')
  })

  it('closes with its building, but a home office does not', async () => {
    const closed = rulesOf('2026-12-28T09:00:00Z', '2026-12-28T17:00:00Z', 'Fire drill')
    await world.database('buildings').update({ rules: closed })
    const home = await createBookable(world.database, { location_id: floor, name: 'At home', type: 3 })
    await browser.open(`/dashboard/places/bookables/${stern}`)
    expect(browser.words).to.include('Fire drill')
    await browser.open(`/dashboard/places/bookables/${home}`)
    expect(browser.words).to.not.include('Fire drill')
  })
})
