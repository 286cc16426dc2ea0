// Tests the usual desk on My day: it is offered for the same hours as on the page Book, which follow the
// opening hours of the place.
import { expect } from 'chai'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { useWorld } from '../../../support/world.ts'

const HOUR_MS = 3_600_000
// A time zone in which it is about noon now, so that no day ends during a test.
const ahead = 12 - new Date().getUTCHours()
const TIME_ZONE = `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
const weekday = new Date(Date.now() + ahead * HOUR_MS).getUTCDay() || 7

describe('the offer to book the usual desk', () => {
  const world = useWorld()

  async function openMyDay(day: number, hours: { from: string; to: string }) {
    const { database } = world
    const building_id = await createBuilding(database, { timezone: TIME_ZONE })
    const rules = JSON.stringify({ opening_hours: [{ day, ...hours }] })
    const location_id = await createLocation(database, { building_id, rules })
    const desk = await createBookable(database, { location_id, name: 'Bow' })
    const user_id = await createUser(database)
    const start = Date.now() - 7 * 24 * HOUR_MS
    const [from, to] = [start, start + HOUR_MS].map((each) => new Date(each).toISOString()) as [
      string,
      string,
    ]
    await createBooking(database, { user_id, bookable_id: desk, from, to })
    return signInAs(world, user_id)
  }

  it('books the desk until the place closes', async () => {
    const browser = await openMyDay(weekday, { from: '10:00', to: '18:30' })
    await browser.submit('Book my usual desk today')
    expect(browser.words).to.match(/Bow \(.+, .+\) is booked: .+ – 18:30\./)
  })

  it('is not shown for a day when the place is closed', async () => {
    const browser = await openMyDay((weekday % 7) + 1, { from: '10:00', to: '18:30' })
    expect(browser.words).to.not.include('Book my usual desk today')
  })
})
