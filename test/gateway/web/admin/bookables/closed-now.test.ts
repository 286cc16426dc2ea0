// Tests that closed bookables are marked on their pages and in the list of their floor, which can be filtered
// by that status.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBookable, createBuilding, createLocation } from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-12-28T09:30:00Z')
const CLOSED_UNTIL_TEXT = 'closed until Sat, 2 Jan 2027, 00:00: Between the years'

describe('a desk that is closed now', () => {
  const world = useWorld({ workers: [], now: createClock(NOW) })
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

  it('shows the reason and end of its closing in the list of its floor and on its own page', async () => {
    await browser.open(`/dashboard/places/locations/${floor}`)
    expect(browser.words).to.include(CLOSED_UNTIL_TEXT).and.include('Stern 2').and.not.include('Works')
    await browser.open(`/dashboard/places/bookables/${bow}`)
    expect(browser.words).to.include(CLOSED_UNTIL_TEXT)
    await browser.open(`/dashboard/places/bookables/${stern}`)
    expect(browser.words).to.not.include('closed until')
  })

  it('can be found by its status, and changed together with all desks that match', async () => {
    await browser.open(`/dashboard/places/locations/${floor}?status=3`)
    expect(browser.words).to.include('Bow 1').and.not.include('Stern 2')
    await browser.open(`/dashboard/places/locations/${floor}/selected?status=3&all=true`)
    expect(browser.words).to.include('Bow 1').and.not.include('Stern 2')
    await browser.open(`/dashboard/places/locations/${floor}?status=0`)
    expect(browser.words).to.include('Bow 1').and.include('Stern 2')
  })

  it('is closed with its building, unlike a home office', async () => {
    const closed = rulesOf('2026-12-28T09:00:00Z', '2026-12-28T17:00:00Z', 'Fire drill')
    await world.database('buildings').update({ rules: closed })
    const home = await createBookable(world.database, { location_id: floor, name: 'At home', type: 3 })
    await browser.open(`/dashboard/places/bookables/${stern}`)
    expect(browser.words).to.include('Fire drill')
    await browser.open(`/dashboard/places/bookables/${home}`)
    expect(browser.words).to.not.include('Fire drill')
  })
})
