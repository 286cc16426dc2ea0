// Tests rules and check-in in the dashboard: how administrators set the rules of a place, and how the page
// shows their origin.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBuilding,
  createClosedTimes,
  createGroup,
  createLocation,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

type ClosedRow = { from?: string; from_time?: string; to?: string; to_time?: string; reason?: string }
const createClosedRows = (...rows: ClosedRow[]) =>
  Object.fromEntries(
    (['from', 'from_time', 'to', 'to_time', 'reason'] as const).map((column) => [
      `closed.${column}`,
      rows.map((row) => row[column] ?? ''),
    ]),
  )
const hours = (days: number[], from: string, to: string) =>
  Object.fromEntries(
    days.flatMap((day) => [
      [`opening_hours.from${day}`, from],
      [`opening_hours.to${day}`, to],
    ]),
  )
const CHRISTMAS = { from: '2027-12-24', from_time: '12:00', to: '2027-12-26', reason: 'Christmas' }

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

  it('can be set, and appear with their origin at every place below', async () => {
    const group = await createGroup(world.database, { name: 'Sailors' })
    await open('buildings')
    expect(browser.words).to.include('No rules')
    await browser.submit('Save rules', {
      ...hours([1, 2, 3, 4, 5], '07:00', '20:00'),
      ...hours([6], '9:00', '12:00'),
      'slots.name': ['Morning', 'Late'],
      'slots.from': ['8:00', '12:00'],
      'slots.to': ['12:00', '00:00'],
      slot_only: 'yes',
      days_ahead_max: '14',
      minutes_max: '480',
      one_at_a_time: 'yes',
      one_desk_a_day: 'yes',
      groups: 'Sailors',
      opens_minutes_before: '15',
      release_minutes_after: '20',
      checkin_by: '10:00',
      ...createClosedRows(CHRISTMAS),
    })
    expect(browser.words).to.include('Rules saved.')
    const week = [1, 2, 3, 4, 5].map((day) => ({ day, from: '07:00', to: '20:00' }))
    expect(await rulesOf('buildings')).to.deep.equal({
      opening_hours: [...week, { day: 6, from: '09:00', to: '12:00' }],
      slots: [
        { name: 'Morning', from: '08:00', to: '12:00' },
        { name: 'Late', from: '12:00', to: '24:00' },
      ],
      slot_only: true,
      days_ahead_max: 14,
      minutes_max: 480,
      one_at_a_time: true,
      one_desk_a_day: true,
      group_ids: [group],
      check_in: { opens_minutes_before: 15, release_minutes_after: 20, by: '10:00' },
      closed: [
        { from: '2027-12-24T11:00:00.000000Z', to: '2027-12-26T23:00:00.000000Z', reason: 'Christmas' },
      ],
    })
    for (const place of ['locations', 'bookables'] as const) {
      await open(place)
      expect(browser.words, place)
        .to.include('Mon–Fri 07:00–20:00, Sat 09:00–12:00 set for Harbour House')
        .and.include('Morning (08:00–12:00), Late (12:00–24:00) set for Harbour House')
        .and.include('480 minutes set for Harbour House')
        .and.include('Sailors set for Harbour House')
        .and.include(
          '20 minutes after the start; until 10:00 for bookings that begin earlier that day set for Harbour House',
        )
        .and.include('24 December 2027 at 12:00 – 27 December 2027 at 00:00: Christmas set for Harbour House')
    }
  })

  it('appear in the form as entered, and are removed by an empty form', async () => {
    await open('locations')
    const lunch = { 'opening_hours.from1': ['08:00', '13:00'], 'opening_hours.to1': ['12:00', '00:00'] }
    await browser.submit('Save rules', {
      ...lunch,
      minutes_min: '30',
      one_desk_a_day: 'yes',
      ...createClosedRows(CHRISTMAS),
    })
    expect(browser.words).to.include('Limits per person One desk a day: yes')
    const set = await rulesOf('locations')
    expect(set.opening_hours).to.deep.equal([
      { day: 1, from: '08:00', to: '12:00' },
      { day: 1, from: '13:00', to: '24:00' },
    ])
    await browser.submit('Save rules', {})
    expect(await rulesOf('locations')).to.deep.equal(set)
    await browser.submit('Save rules', {
      ...hours([1], '', ''),
      minutes_min: '',
      one_desk_a_day: '',
      ...createClosedRows({}),
    })
    expect(await rulesOf('locations')).to.equal(null)
  })

  it('can close one day, or several days including the last day', async () => {
    await open('buildings')
    const rows = [
      { from: '2027-11-26', reason: 'Bridge day' },
      { from: '2027-12-24', to: '2027-12-27', reason: 'Christmas' },
    ]
    // Accepts empty rows, and rows that a script has added.
    await browser.submit('Save rules', createClosedRows(...rows.slice(0, 1), {}, {}, ...rows.slice(1)))
    const closed = [
      { from: '2027-11-25T23:00:00.000000Z', to: '2027-11-26T23:00:00.000000Z', reason: 'Bridge day' },
      { from: '2027-12-23T23:00:00.000000Z', to: '2027-12-27T23:00:00.000000Z', reason: 'Christmas' },
    ]
    expect(await rulesOf('buildings')).to.deep.equal({ closed })
    expect(browser.words)
      .to.include('Fri, 26 November 2027: Bridge day')
      .and.include('Fri, 24 December – Mon, 27 December 2027: Christmas')
    await browser.submit('Save rules', createClosedRows(...rows))
    expect(await rulesOf('buildings')).to.deep.equal({ closed })
  })

  it('keep past closed times until an administrator removes them', async () => {
    const past = { from: '2020-12-23T23:00:00.000000Z', to: '2020-12-26T23:00:00.000000Z', reason: 'Old' }
    const rules = JSON.stringify({ closed: [past] })
    await world.database('buildings').where({ id: ids.buildings }).update({ rules })
    await open('locations')
    expect(browser.words).not.to.include('Old')
    await open('buildings')
    expect(browser.words).to.include('1 past closed time').and.include('26 December 2020: Old')
    await browser.submit('Save rules', createClosedRows({ from: '2027-11-26', reason: 'New' }))
    const reasons = async () => (await rulesOf('buildings')).closed.map((each: ClosedRow) => each.reason)
    expect(await reasons()).to.deep.equal(['Old', 'New'])
    await browser.submit('Save rules', { removes_past: 'true' })
    expect(await reasons()).to.deep.equal(['New'])
  })

  it('refuse more than 50 closed times, including past ones, and show the error at the closed times', async () => {
    const rules = JSON.stringify({ closed: createClosedTimes(50) })
    await world.database('buildings').where({ id: ids.buildings }).update({ rules })
    await open('buildings')
    const row = createClosedRows({ from: '2027-11-26', reason: 'New' })
    expect((await browser.submit('Save rules', row)).status).to.equal(422)
    expect(browser.words)
      .to.include('would have 51 closed times, but at most 50 are allowed. Delete past closed times first.')
      .and.include('Not saved. Please fix the marked fields.')
    await browser.submit('Save rules', { ...row, removes_past: 'true' })
    expect((await rulesOf('buildings')).closed).to.have.length(1)
  })

  it('keep closed times from the API to the microsecond if the form is saved unchanged', async () => {
    const closed = [
      { from: '2031-12-23T23:00:00.000000Z', to: '2031-12-26T23:00:00.000000Z', reason: 'Christmas' },
      { from: '2031-10-26T00:30:00.000000Z', to: '2031-10-26T01:30:00.123456Z', reason: 'twice\n 02:30' },
    ]
    const rules = JSON.stringify({ closed })
    await world.database('buildings').where({ id: ids.buildings }).update({ rules })
    await open('buildings')
    await browser.submit('Save rules', {})
    expect(await rulesOf('buildings')).to.deep.equal({ closed })
  })

  it('can be lifted with a checkbox for a place that inherits them', async () => {
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
    [
      hours([1], '20:00', '07:00'),
      'Monday needs times such as 08:00 to 18:00, with the end after the start.',
    ],
    [hours([7], '08:00', ''), 'Sunday needs times'],
    [hours([1], '07:00', '25:00'), 'Monday needs times'],
    [createClosedRows({ ...CHRISTMAS, to: '2027-12-23' }), '“Christmas” must end after it begins.'],
    [createClosedRows({ from: '2027-12-24' }), 'Each closed time needs a first day and a reason.'],
    [createClosedRows({ reason: 'Christmas' }), 'Each closed time needs a first day and a reason.'],
    [createClosedRows({ from: '2027-02-30', reason: 'x' }), '“2027-02-30” is not a day such as'],
    [createClosedRows({ from: '24.12.2027', reason: 'x' }), '“24.12.2027” is not a day such as'],
    [createClosedRows({ ...CHRISTMAS, from_time: '25:00' }), '“2027-12-24 25:00” is not a day such as'],
    [{ 'slots.name': 'Late', 'slots.from': '12:00', 'slots.to': '08:00' }, 'Each slot needs a name'],
    [{ 'slots.from': '12:00', 'slots.to': '13:00' }, 'Each slot needs a name'],
    [{ groups: 'Nobody' }, 'There is no group called “Nobody”.'],
    [{ minutes_min: '60', minutes_max: '30' }, 'The longest booking must not be shorter than the shortest.'],
    [{ opens_minutes_before: '15' }, 'Enter both: when check-in opens'],
    [{ checkin_by: '10:00' }, 'Enter both: when check-in opens'],
    [{ days_ahead_max: '-1' }, 'must be a whole number'],
  ] as const) {
    it(`are refused with an error for the input ${JSON.stringify(typed)}`, async () => {
      await open('buildings')
      await browser.submit('Save rules', typed)
      expect(browser.words).to.include(sentence)
      for (const value of Object.values(typed).flat().filter(Boolean))
        expect(browser.page.text, 'what was typed').to.include(value)
      expect(await rulesOf('buildings')).to.equal(null)
    })
  }
})
