// Bookings in German: whole sentences with German word order, and German numbers and dates.

import { expect } from 'chai'
import { COOKIES } from '../../../../../gateway/web/sessions/cookies.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createEvent,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { clockFrom } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-20T09:30:00Z')
const MORNING = { from: '2026-11-24T08:00:00Z', to: '2026-11-24T09:00:00Z' }
const NOON = { from: '2026-11-24T11:00:00Z', to: '2026-11-24T12:00:00Z' }

describe('bookings in German', () => {
  const world = useWorld({ workers: ['writes'], now: clockFrom(NOW) })
  const browser = useSignedIn(world)
  let location_id: number
  let ada: number
  before(async () => {
    const building_id = await createBuilding(world.database, { name: 'Hafen', timezone: 'Europe/Berlin' })
    location_id = await createLocation(world.database, { name: 'Deck', building_id })
    ada = await createUser(world.database, { name: 'Ada', email: 'ada@example.com' })
    browser.cookies.set(COOKIES.language, 'de')
  })

  const makeDesk = (name: string) => createBookable(world.database, { location_id, name })
  const open = (bookable: number) =>
    browser.open(
      `/dashboard/bookings/new?user=${ada}&bookable=${bookable}&from=2026-11-24T09:00&to=2026-11-24T17:00`,
    )

  it('name the conflict after its time', async () => {
    const { database } = world
    const desk = await makeDesk('Bug 1')
    await makeDesk('Bug 2')
    await createBooking(database, { bookable_id: desk, user_id: ada, ...MORNING })
    const event_id = await createEvent(database, { name: 'Start', organizer_user_id: ada, ...NOON })
    await createBooking(database, { bookable_id: desk, event_id, ...NOON })
    await open(desk)
    expect((await browser.submit('Buchung erstellen')).status).to.equal(409)
    expect(browser.words).to.include(
      'Bug 1 ist am 24. Nov. 2026 von 09:00 bis 10:00 belegt: Ada (ada@example.com). ' +
        'Bug 1 ist am 24. Nov. 2026 von 12:00 bis 13:00 belegt: Termin „Start“ (Ada).',
    )
    expect(browser.words).to.match(/Zu dieser Zeit frei: .*Bug 2/)
  })

  it('count the created bookings, and name the omitted days', async () => {
    const desk = await makeDesk('Heck 1')
    await createBooking(world.database, {
      bookable_id: desk,
      from: '2026-11-25T08:00:00Z',
      to: '2026-11-25T09:00:00Z',
    })
    await open(desk)
    await browser.submit('Buchung erstellen', { more_days: '2026-11-25', skips: 'true' })
    expect(browser.words).to.include('1 Buchung von Heck 1 für Ada erstellt. Ausgelassen: Mi., 25. Nov.')
    expect(browser.words).to.not.include('Nov..')
    const other = await makeDesk('Heck 2')
    await open(other)
    expect((await browser.submit('Buchung erstellen', { more_days: 'Dienstag' })).status).to.equal(422)
    expect(browser.words).to.include('„Dienstag“ ist kein Datum wie 2026-11-25.')
    await browser.submit('Buchung erstellen', { more_days: '2026-11-26' })
    expect(browser.words).to.include('2 Buchungen von Heck 2 für Ada erstellt.')
  })

  it('ask before a cancellation, and confirm it', async () => {
    const user_id = await createUser(world.database, { name: 'Bob' })
    const id = await createBooking(world.database, {
      bookable_id: await makeDesk('Mast 1'),
      user_id,
      from: MORNING.from,
      to: null,
    })
    await browser.open(`/dashboard/bookings/${id}`)
    expect(browser.words).to.include('Mast 1 für Bob').and.include('Bis unbefristet')
    await browser.follow('Buchung stornieren')
    expect(browser.words)
      .to.include('Buchung von Mast 1 stornieren?')
      .and.include('Gebucht für Bob ab 24. Nov. 2026, 09:00 MEZ, unbefristet (Deck).')
    await browser.submit('Buchung stornieren')
    expect(browser.words).to.include('Buchung von Mast 1 für Bob storniert.')
  })
})
