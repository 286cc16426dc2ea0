// People in German: sentences whose word order and plurals differ from the English ones.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBookable, createBooking, createUser, hoursFromNow } from '../../../../support/factories.ts'
import { removeUsers } from '../../../../support/user-lists.ts'
import { useWorld } from '../../../../support/world.ts'

const PEOPLE = '/dashboard/people'
const GERMAN = { headers: { 'Accept-Language': 'de' } }

describe('people in German', () => {
  const world = useWorld({ workers: [] })
  const browser = useSignedIn(world)
  beforeEach(() => removeUsers(world.database))

  it('are listed with what deactivated people still have', async () => {
    const user_id = await createUser(world.database, { name: 'Ada', deactivated_at: new Date() })
    const bookable_id = await createBookable(world.database, { status: 2 })
    await world.database('bookable_assignees').insert({ bookable_id, user_id })
    for (const hours of [1, 3])
      await createBooking(world.database, { user_id, from: hoursFromNow(hours), to: hoursFromNow(hours + 1) })
    await browser.open(PEOPLE, GERMAN)
    expect(browser.words).to.include(
      '1 deaktivierte Person hat noch 2 Buchungen und 1 zugewiesenen Tisch oder Raum. Prüfen',
    )
    await browser.open(`${PEOPLE}/${user_id}/release`, GERMAN)
    expect(browser.words).to.include('2 Buchungen von Ada freigeben?')
    await browser.open(PEOPLE)
    expect(browser.words).to.include(
      '1 deactivated person still has 2 bookings and 1 assigned desk or room. Review',
    )
  })

  it('have other searches in a sentence with links', async () => {
    await browser.open(`${PEOPLE}?q=nobody`, GERMAN)
    expect(browser.words).to.include(
      'Suchen Sie auch unter deaktivierten Personen oder lassen Sie sich alle aktiven Personen anzeigen .',
    )
  })
})
