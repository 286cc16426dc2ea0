// Rules and check-in in the dashboard: the rules of a place and where they come from, set in lines that people type.
import { expect } from 'chai'
import { useSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createBookable, createBuilding, createGroup, createLocation } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

describe('the rules of a place in the dashboard', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  let ids: { buildings: number; locations: number; bookables: number }

  beforeEach(async () => {
    const { database } = world
    const buildings = await createBuilding(database, { name: 'Harbour House', timezone: 'Europe/Berlin' })
    const locations = await createLocation(database, { building_id: buildings, name: 'Deck' })
    const bookables = await createBookable(database, { location_id: locations, name: 'Bow 1' })
    ids = { buildings, locations, bookables }
  })

  const open = (place: keyof typeof ids) => browser.open(`/dashboard/places/${place}/${ids[place]}/rules`)
  const rulesOf = async (place: keyof typeof ids) =>
    (await world.database(place).where({ id: ids[place] }).first()).rules

  it('are set in lines, and shown at each place below with their origin', async () => {
    const group = await createGroup(world.database, { name: 'Sailors' })
    await open('buildings')
    expect(browser.words).to.include('No rules')
    await browser.submit('Save rules', {
      opening_hours: 'Mon-Fri 7:00-20:00\nSat 09:00–12:00',
      days_ahead_max: '14',
      minutes_max: '480',
      one_at_a_time: 'yes',
      groups: 'Sailors',
      opens_minutes_before: '15',
      release_minutes_after: '20',
      closed: '2027-12-24 12:00 to 2027-12-26 Christmas',
    })
    expect(browser.words).to.include('Rules saved.')
    const week = [1, 2, 3, 4, 5].map((day) => ({ day, from: '07:00', to: '20:00' }))
    expect(await rulesOf('buildings')).to.deep.equal({
      opening_hours: [...week, { day: 6, from: '09:00', to: '12:00' }],
      days_ahead_max: 14,
      minutes_max: 480,
      one_at_a_time: true,
      group_ids: [group],
      check_in: { opens_minutes_before: 15, release_minutes_after: 20 },
      closed: [
        { from: '2027-12-24T11:00:00.000000Z', to: '2027-12-26T23:00:00.000000Z', reason: 'Christmas' },
      ],
    })
    for (const path of [
      `locations/${ids.locations}`,
      `bookables/${ids.bookables}`,
      `bookables/${ids.bookables}/rules`,
    ]) {
      await browser.open(`/dashboard/places/${path}`)
      expect(browser.words, path)
        .to.include('Sat 09:00-12:00 set for Harbour House')
        .and.include('480 minutes set for Harbour House')
        .and.include('Sailors set for Harbour House')
        .and.include('from 15 minutes before to 20 minutes after the start set for Harbour House')
        .and.include('2027-12-24 12:00 to 2027-12-26 Christmas set for Harbour House')
    }
  })

  it('come back into the form as typed, and an empty form removes them', async () => {
    await open('locations')
    const closed = '2027-12-24 12:00 to 2027-12-27 00:00 Christmas'
    await browser.submit('Save rules', { opening_hours: 'Mon 07:00-24:00', minutes_min: '30', closed })
    const set = await rulesOf('locations')
    await browser.submit('Save rules', {})
    expect(await rulesOf('locations')).to.deep.equal(set)
    await browser.submit('Save rules', { opening_hours: '', minutes_min: '', closed: '' })
    expect(await rulesOf('locations')).to.equal(null)
  })

  it('close a single day, and the last day of a range', async () => {
    await open('buildings')
    const lines = ['2026-11-27 Bridge day', '2026-12-24 to 2026-12-27 Christmas']
    await browser.submit('Save rules', { closed: `2026-11-27 to ${lines.join('\n')}` })
    const closed = [
      { from: '2026-11-26T23:00:00.000000Z', to: '2026-11-27T23:00:00.000000Z', reason: 'Bridge day' },
      { from: '2026-12-23T23:00:00.000000Z', to: '2026-12-27T23:00:00.000000Z', reason: 'Christmas' },
    ]
    expect(await rulesOf('buildings')).to.deep.equal({ closed })
    expect(browser.words).to.include(lines[0]).and.include(lines[1])
    await browser.submit('Save rules', { closed: lines.join('\n') })
    expect(await rulesOf('buildings')).to.deep.equal({ closed })
  })

  it('keep closed times of the API to the microsecond when the form is saved unchanged', async () => {
    const closed = [
      // Typed as “to 2026-12-27” when ranges did not yet include the last day.
      { from: '2026-12-23T23:00:00.000000Z', to: '2026-12-26T23:00:00.000000Z', reason: 'Christmas' },
      { from: '2026-10-25T00:30:00.000000Z', to: '2026-10-25T01:30:00.123456Z', reason: 'twice\n 02:30' },
    ]
    const rules = JSON.stringify({ closed })
    await world.database('buildings').where({ id: ids.buildings }).update({ rules })
    await open('buildings')
    expect(browser.words).to.include('2026-12-24 to 2026-12-26 Christmas')
    await browser.submit('Save rules', {})
    expect(await rulesOf('buildings')).to.deep.equal({ closed })
  })

  it('of a parent place are lifted by one checkbox', async () => {
    await world
      .database('buildings')
      .where({ id: ids.buildings })
      .update({ rules: JSON.stringify({ minutes_max: 60 }) })
    await open('bookables')
    expect(browser.words).to.include('60 minutes set for Harbour House')
    await browser.submit('Save rules', { lifted: 'minutes_max' })
    expect(await rulesOf('bookables')).to.deep.equal({ minutes_max: null })
    expect(browser.words).to.include('none set for Bow 1')
  })

  for (const [typed, sentence] of [
    [{ opening_hours: 'Mon 20:00-07:00' }, '“Mon 20:00-07:00” is not a line such as'],
    [{ opening_hours: 'Fri-Mon 07:00-20:00' }, 'is not a line such as'],
    [{ opening_hours: 'Mon 07:00-25:00' }, 'is not a line such as'],
    [{ closed: '2027-12-27 to 2027-12-24 Christmas' }, 'is not a line such as'],
    [{ closed: '2027-12-24 to 2027-12-27' }, 'is not a line such as'],
    [{ closed: '2027-02-30 to 2027-13-27 x' }, 'is not a line such as'],
    [{ closed: '2027-02-30 x' }, 'is not a line such as'],
    [{ closed: '2027-12-24 until 2027-12-27 x' }, 'is not a line such as'],
    [{ closed: '2027-12-24 to 27 December' }, 'is not a line such as'],
    [{ closed: '2027-12-24 12:00 Christmas' }, 'is not a line such as'],
    [{ groups: 'Nobody' }, 'There is no group called “Nobody”.'],
    [{ minutes_min: '60', minutes_max: '30' }, 'The longest booking must not be shorter than the shortest.'],
    [{ opens_minutes_before: '15' }, 'Check-in needs both'],
    [{ days_ahead_max: '-1' }, 'must be a whole number'],
  ] as const) {
    it(`are refused with a sentence for the input ${JSON.stringify(typed)}`, async () => {
      await open('buildings')
      await browser.submit('Save rules', typed)
      expect(browser.words).to.include(sentence)
      expect(await rulesOf('buildings')).to.equal(null)
    })
  }
})
