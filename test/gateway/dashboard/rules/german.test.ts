// Rules in German: lines are shown and typed in its words, and English ones are read there too.
import { expect } from 'chai'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createBuilding } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

describe('the rules of a place in German', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  let id: number

  beforeEach(async () => {
    id = await createBuilding(world.database, { name: 'Hafenhaus', timezone: 'Europe/Berlin' })
    await browser.open('/dashboard/language/de')
    await openRules()
  })

  const openRules = () => browser.open(`/dashboard/places/buildings/${id}/rules`)
  const saved = async () => (await world.database('buildings').where({ id }).first()).rules
  const typed = (name: string) =>
    browser.form('Regeln speichern').controls.find((control) => control.name === name)?.value
  const weekdays = [1, 2, 3, 4, 5].map((day) => ({ day, from: '07:00', to: '20:00' }))
  const christmas = { from: '2027-12-24T11:00:00.000000Z', to: '2027-12-26T23:00:00.000000Z' }

  it('are typed and shown in German words', async () => {
    await browser.submit('Regeln speichern', {
      opening_hours: 'Mo-Fr 7:00-20:00\nSamstag 09:00–12:00',
      minutes_max: '480',
      closed: '2027-12-24 12:00 bis 2027-12-26 Weihnachten',
    })
    expect(browser.words).to.include('Regeln gespeichert.')
    const rules = {
      opening_hours: [...weekdays, { day: 6, from: '09:00', to: '12:00' }],
      minutes_max: 480,
      closed: [{ ...christmas, reason: 'Weihnachten' }],
    }
    expect(await saved()).to.deep.equal(rules)
    expect(browser.words)
      .to.include('Sa 09:00-12:00 festgelegt für Hafenhaus')
      .and.include('480 Minuten festgelegt für Hafenhaus')
      .and.include('2027-12-24 12:00 bis 2027-12-26 Weihnachten')
    expect(typed('opening_hours')).to.include('Mo 07:00-20:00')
    await browser.submit('Regeln speichern')
    expect(await saved(), 'as it was typed').to.deep.equal(rules)

    await browser.open('/dashboard/language/en')
    await openRules()
    expect(browser.words).to.include('Sat 09:00-12:00 set for Hafenhaus').and.include('480 minutes set for')
  })

  it('are read in English too', async () => {
    await browser.submit('Regeln speichern', {
      opening_hours: 'Mon-Friday 7:00-20:00',
      closed: '2027-12-24 12:00 to 2027-12-26 Weihnachten',
    })
    expect(await saved()).to.deep.equal({
      opening_hours: weekdays,
      closed: [{ ...christmas, reason: 'Weihnachten' }],
    })
  })

  it('are refused with the line that is wrong', async () => {
    await browser.submit('Regeln speichern', { opening_hours: 'Fr-Mo 07:00-20:00' })
    expect(browser.words).to.include('„Fr-Mo 07:00-20:00“ ist keine Zeile wie „Mo-Fr 07:00-20:00“.')
    await openRules()
    await browser.submit('Regeln speichern', { closed: '2027-12-24 until 2027-12-27 Weihnachten' })
    expect(browser.words).to.include(
      'ist keine Zeile wie „2026-12-24 12:00 bis 2026-12-27 Weihnachten“ oder „2026-11-27 Feiertag“.',
    )
    expect(await saved()).to.equal(null)
  })
})
