// Tests the pages of a room and a building: the current and next bookings, and the people who are in the
// office.

import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-20T09:30:00Z')
const at = (time: string) => `2026-11-${time}Z`

describe('the dashboard page of a room or building', () => {
  const world = useWorld({ now: createClock(NOW) })
  const browser = useSignedIn(world)
  let building_id: number
  let location_id: number
  let ada: number
  beforeEach(async () => {
    building_id = await createBuilding(world.database, { name: 'Harbour', timezone: 'Europe/Berlin' })
    location_id = await createLocation(world.database, { building_id, name: 'Deck' })
    ada = await createUser(world.database, { name: 'Ada Lovelace' })
  })

  it('shows current and upcoming bookings and events of a room, ordered by start', async () => {
    const { database } = world
    const [hostile = ''] = HOSTILE_TEXTS
    const bookable_id = await createBookable(database, { location_id, name: 'Bridge', type: 2 })
    const book = (from: string, to: string | null, row = {}) =>
      createBooking(database, { bookable_id, user_id: ada, from, to, ...row })
    await browser.open(`/dashboard/places/bookables/${bookable_id}`)
    expect(browser.words).to.include('No current or upcoming booking.')
    await book(at('19T08:00:00'), at('19T09:00:00'), { guest_name: 'Past guest' })
    await book(at('20T09:00:00'), at('20T10:00:00'), { guest_name: hostile })
    const event_id = await createEvent(database, {
      name: 'Launch',
      from: at('20T10:00:00'),
      to: at('20T11:00:00'),
    })
    await createBooking(database, { bookable_id, event_id, from: at('20T10:00:00'), to: at('20T11:00:00') })
    await browser.open(`/dashboard/places/bookables/${bookable_id}`)
    expect(browser.words).to.match(
      /Now and next Ada Lovelace for .* now 20 Nov 2026, 10:00 to 11:00 Launch 20 Nov 2026, 11:00 to 12:00/,
    )
    expect(browser.words).to.not.include('Past guest')
    expectHarmless(browser.page.text, hostile)
    for (let hour = 11; hour < 17; hour++) await book(at(`20T${hour}:00:00`), at(`20T${hour}:30:00`))
    await browser.open(`/dashboard/places/bookables/${bookable_id}`)
    expect(browser.words).to.include('Only the first 6 are shown.')
    await browser.follow('Search its bookings')
    expect(browser.words).to.include('1–7 of 7')
  })

  it('shows the floors of a building with the people who are in the office today', async () => {
    const { database } = world
    const bookable_id = await createBookable(database, { location_id })
    const home = await createBookable(database, { location_id, type: 3 })
    await createLocation(database, { building_id, name: 'Attic' })
    await browser.open(`/dashboard/places/buildings/${building_id}`)
    expect(browser.words).to.include('Nobody has booked for today.')
    await createBooking(database, {
      bookable_id,
      user_id: ada,
      from: at('20T08:00:00'),
      to: at('20T12:00:00'),
    })
    const bob = await createUser(database, { name: 'Bob' })
    const leaver = await createUser(database, { name: 'Leo', deactivated_at: new Date() })
    const day = { from: at('20T08:00:00'), to: at('20T12:00:00'), exclusive: false }
    for (const user_id of [bob, leaver]) await createBooking(database, { bookable_id: home, user_id, ...day })
    await browser.open(`/dashboard/places/buildings/${building_id}`)
    expect(browser.words).to.include('1 person is in today, 1 of them right now. At home: Bob')
    expect(browser.words)
      .to.match(/Deck Ada .*Attic/)
      .and.not.include('Leo')
  })
})
