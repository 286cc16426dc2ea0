// Rules in German: its words, weekdays and dates.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBuilding } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the rules of a place in German', () => {
  const world = useWorld()
  const browser = useSignedIn(world)

  it('are shown in German words, and refused in them', async () => {
    const id = await createBuilding(world.database, { name: 'Hafenhaus', timezone: 'Europe/Berlin' })
    await browser.open('/dashboard/language/de')
    await browser.open(`/dashboard/places/buildings/${id}/rules`)
    await browser.submit('Regeln speichern', {
      'opening_hours.from6': '09:00',
      'opening_hours.to6': '12:00',
      minutes_max: '480',
      'closed.from': '2027-12-24',
      'closed.to': '2027-12-26',
      'closed.reason': 'Weihnachten',
    })
    expect(browser.words)
      .to.include('Regeln gespeichert.')
      .and.include('Sa 09:00–12:00 festgelegt für Hafenhaus')
      .and.include('480 Minuten festgelegt für Hafenhaus')
      .and.include('Fr., 24. – So., 26. Dezember 2027: Weihnachten festgelegt für Hafenhaus')
    await browser.submit('Regeln speichern', { 'opening_hours.to6': '08:00' })
    expect(browser.words).to.include(
      'Samstag braucht Uhrzeiten wie 08:00 bis 18:00, das Ende nach dem Anfang.',
    )
  })
})
