// Places in German: plural forms of counted things, and refusals.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBookable, createLocation } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

describe('places in German', () => {
  const world = useWorld({ workers: ['writes'] })
  const browser = useSignedIn(world)

  it('count desks and rooms', async () => {
    await browser.open('/dashboard/language/de')
    const location_id = await createLocation(world.database, { name: 'Deck' })
    const ofLocation = `/dashboard/places/locations/${location_id}`
    await browser.open(`${ofLocation}/delete`)
    await createBookable(world.database, { location_id })
    await browser.submit('Etage löschen')
    expect(browser.words).to.include('Deck hat noch 1 Tisch oder Raum. Löschen oder verschieben Sie')
    await browser.open('/dashboard/places')
    expect(browser.words).to.include('1 Tisch oder Raum')

    await createBookable(world.database, { location_id })
    await browser.open('/dashboard/places')
    expect(browser.words).to.include('2 Tische und Räume')
    await browser.open(`${ofLocation}/copy`)
    await browser.submit('Etage kopieren', { name: 'Oberdeck' })
    expect(browser.words).to.include('Etage kopiert, mit 2 Tischen und Räumen.')
  })
})
