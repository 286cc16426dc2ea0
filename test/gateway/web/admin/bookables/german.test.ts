// Desks in German: counts and names in German word order, refusals, and numbers in German notation.

import { expect } from 'chai'
import { COOKIES } from '../../../../../gateway/web/sessions/cookies.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { drawnPng, floorPlanColumns } from '../../../../support/dashboard/pictures.ts'
import {
  createBookable,
  createBooking,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

describe('desks in German', () => {
  const world = useWorld({ workers: ['writes'] })
  const browser = useSignedIn(world)
  let location_id: number
  before(() => browser.cookies.set(COOKIES.language, 'de'))
  beforeEach(async () => {
    location_id = await createLocation(world.database, { name: 'Deck' })
  })

  const open = (path: string) => browser.open(`/dashboard/places/locations/${location_id}${path}`)
  const createDesks = () =>
    Promise.all(['Tisch 1', 'Tisch 2'].map((name) => createBookable(world.database, { location_id, name })))
  const select = (ids: number[], more = '') =>
    open(`/selected?${ids.map((id) => `ids=${id}`).join('&')}${more}`)

  it('are counted by their type', async () => {
    const added: Array<[names: string, type: string, notice: string]> = [
      ['Tisch 1-1200', '0', '„Tisch 1-1200“ ergibt mehr als 1000 Namen.'],
      ['Tisch 1-3', '0', '3 Tische hinzugefügt: Tisch 1 bis Tisch 3.'],
      ['P1\nP2', '1', '2 Parkplätze hinzugefügt: P1 bis P2.'],
      ['Koje', '2', 'Koje hinzugefügt.'],
      ['Tisch 2\nKoje\nHeck', '0', 'Koje, Tisch 2 gibt es auf dieser Etage schon.'],
      ['Bug 1-20', '0', '20 Tische hinzugefügt: Bug 1 bis Bug 20.'],
      ['Bug 1-20', '0', 'und 15 weitere gibt es auf dieser Etage schon.'],
    ]
    for (const [names, type, notice] of added) {
      await open('/add')
      await browser.submit('Tische, Räume oder Parkplätze hinzufügen', { names, type })
      expect(browser.words).to.include(notice)
    }
  })

  it('are assigned with the person before the verb', async () => {
    const ids = await createDesks()
    const user = await createUser(world.database, { name: 'Cora Lind' })
    await select(ids, `&user=${user}`)
    expect(browser.words).to.include('2 Tische und Räume ändern')
    await browser.submit('An Cora Lind zuweisen')
    expect(browser.words).to.include('2 Tische und Räume sind jetzt Cora Lind zugewiesen.')
    await select(ids.slice(0, 1))
    expect(browser.words).to.include('Tisch 1 ändern')
    await browser.submit('Zuweisungen beenden')
    expect(browser.words).to.include('1 Zuweisung beendet.')
  })

  it('are blocked once the administrator chooses what happens to their bookings', async () => {
    const [desk = 0, other = 0] = await createDesks()
    const user_id = await createUser(world.database, { name: 'Anna Berg' })
    await createBooking(world.database, {
      bookable_id: desk,
      user_id,
      from: hoursFromNow(1),
      to: hoursFromNow(2),
    })
    await select([desk, other])
    expect((await browser.submit('Sperren')).status).to.equal(409)
    expect(browser.words)
      .to.include('1 Buchung kollidiert')
      .and.include('1 Buchung kollidiert damit, auch Termine zählen: Tisch 1. Noch wurde nichts geändert.')
    await browser.submit('Sperren', { in_the_way: 'release' })
    expect(browser.words).to.include(
      '2 Tische und Räume gesperrt. Die kollidierenden Buchungen wurden freigegeben.',
    )
  })

  it('have positions with a comma', async () => {
    await world
      .database('locations')
      .where({ id: location_id })
      .update(floorPlanColumns(drawnPng(300, 200)))
    const [id = 0] = await createDesks()
    await browser.open(`/dashboard/places/bookables/${id}`)
    await browser.submit('Position speichern', { left: '33,3', top: '' })
    expect(browser.words).to.include('Geben Sie beide Zahlen ein')
    await browser.submit('Position speichern', { left: '33,3', top: '101' })
    expect(browser.words).to.include('Von oben (%) muss eine Zahl von 0 bis 100 sein.')
    await browser.submit('Position speichern', { left: '33,3', top: '50' })
    expect(browser.words).to.include('Position gespeichert.')
    expect(browser.form('Position speichern').controls.find(({ name }) => name === 'left')?.value).to.equal(
      '33,3',
    )
    expect((await world.database('bookables').where({ id }).first()).position_x).to.equal(0.333)
  })
})
