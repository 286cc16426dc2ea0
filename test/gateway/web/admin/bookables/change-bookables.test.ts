// Tests selecting many desks of a floor and changing them together, and copying a floor, without scripts.

import { expect } from 'chai'
import { addDaysToDate } from '../../../../../gateway/web/pages/time/instants.ts'
import { createSignedIn, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { expectHarmless, HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import {
  createBookable,
  createBooking,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

describe('several selected desks of a floor', () => {
  const world = useWorld({ workers: ['writes'] })
  const browser = useSignedIn(world)
  let location_id: number
  let desks: number[]
  const list = (query = '') => `/dashboard/places/locations/${location_id}${query}`

  beforeEach(async () => {
    location_id = await createLocation(world.database, { name: 'Deck' })
    desks = []
    for (const name of ['Desk 1', 'Desk 2', 'Desk 3'])
      desks.push(await createBookable(world.database, { location_id, name }))
  })

  const rows = () => world.database('bookables').where({ location_id }).orderBy('id')
  const statuses = async () => (await rows()).map(({ status }) => status)
  const select = async (...ids: Array<number | undefined>) => {
    await browser.open(list())
    await browser.submit('Change selected', { ids: ids.map(String) })
  }

  it('can be blocked and unblocked while the other desks stay unchanged', async () => {
    await select(desks[0], desks[2])
    expect(browser.words)
      .to.include('Change 2 desks and rooms')
      .and.include('Desk 3')
      .and.not.include('Desk 2')
    await browser.submit('Block')
    expect(browser.page.path).to.equal(list())
    expect(browser.words).to.include('2 desks and rooms blocked.')
    expect(await statuses()).to.deep.equal([1, 0, 1])
    await select(desks[0], desks[1])
    await browser.submit('Unblock')
    expect(browser.words).to.include('1 desk or room unblocked.')
    expect(await statuses()).to.deep.equal([0, 0, 1])
  })

  it('can be blocked once until a chosen day, with a reason, and keep their other rules', async () => {
    const rules = () => rows().then((all) => all.map((row) => row.rules))
    await world.database('bookables').where({ id: desks[0] }).update({ rules: '{"minutes_max":60}' })
    const until = addDaysToDate(new Date().toISOString().slice(0, 10), 10)
    await select(desks[0], desks[1])
    await browser.submit('Block until then', { until, reason: 'New lamps' })
    expect(browser.words).to.include('2 desks and rooms blocked until').and.include('Existing bookings stay.')
    const [first, second, third] = await rules()
    expect(first).to.include({ minutes_max: 60 })
    expect(second.closed).to.have.length(1)
    expect(second.closed[0]).to.include({
      reason: 'New lamps',
      to: `${addDaysToDate(until, 1)}T00:00:00.000000Z`,
    })
    expect(third).to.equal(null)
    await browser.submit('Undo')
    expect(await rules()).to.deep.equal([{ minutes_max: 60 }, null, null])
    for (const told of ['1 desk or room blocked until', 'Nothing to change.']) {
      await select(desks[1])
      await browser.submit('Block until then', { until, reason: 'New lamps' })
      expect(browser.words).to.include(told)
    }
    expect(browser.page.text).to.include('class="notice neutral"')
    await select(desks[1])
    await browser.submit('Block until then', { until: '2020-01-01', reason: 'Late' })
    expect(browser.words).to.include('must be today or later')
  })

  it('can be selected across all pages of a search, to which the form then returns', async () => {
    await world.database.raw(
      `INSERT INTO bookables (location_id, name, type) SELECT ?, 'Spot ' || i, 1 FROM generate_series(1, 120) AS i`,
      [location_id],
    )
    await browser.open(list('?type=1&sort=-name'))
    expect(browser.words).to.include('All 120 that match').and.include('1–100 of 120')
    await browser.submit('Change selected', { all: 'true' })
    expect(browser.words).to.include('Change 120 desks and rooms')
    // This desk matches the search only after the list was shown.
    await createBookable(world.database, { location_id, name: 'Spot 121', type: 1 })
    await browser.submit('Block')
    expect(browser.page.path).to.equal(list('?type=1&sort=-name'))
    expect(browser.words).to.include('120 desks and rooms blocked.')
    expect(await world.database('bookables').where({ location_id, status: 1 })).to.have.length(120)
    await world.database.raw(
      `INSERT INTO bookables (location_id, name, type) SELECT ?, 'More ' || i, 1 FROM generate_series(1, 900) AS i`,
      [location_id],
    )
    await browser.open(list('?type=1'))
    await browser.submit('Change selected', { all: 'true' })
    expect(browser.words).to.include('More than 1,000 match.')
  })

  it('are blocked only after the administrator chooses what happens to their bookings', async () => {
    const [hostile = ''] = HOSTILE_TEXTS
    const user_id = await createUser(world.database, { name: hostile })
    const times = { from: hoursFromNow(1), to: hoursFromNow(2) }
    const id = await createBooking(world.database, { bookable_id: desks[1], user_id, ...times })
    await select(...desks)
    expect((await browser.submit('Block')).status).to.equal(409)
    expect(browser.words)
      .to.include('1 conflicting booking')
      .and.include('What should happen to these bookings?')
    expectHarmless(browser.page.text, hostile)
    expect(await statuses()).to.deep.equal([0, 0, 0])
    await browser.submit('Block', { in_the_way: 'release' })
    expect(browser.words).to.include('3 desks and rooms blocked. Conflicting bookings were released.')
    expect(await world.database('bookings').where({ id })).to.have.length(0)
  })

  it('can be assigned to a person found by search, and released from them', async () => {
    await createUser(world.database, { name: 'Cora Lind', email: 'cora.lind@example.com' })
    await select(desks[0], desks[1])
    await browser.submit('Search', { person: 'cora.lind' })
    expect(browser.words, 'what was selected is kept').to.include('Change 2 desks and rooms')
    await browser.follow('Choose')
    await browser.submit('Assign to Cora Lind')
    expect(browser.words).to.include('2 desks and rooms assigned to Cora Lind.')
    expect(await statuses()).to.deep.equal([2, 2, 0])
    await select(...desks)
    expect((await browser.submit('Block')).status).to.equal(409)
    expect(browser.words).to.include('Desk 1, Desk 2 are assigned. End the assignment first')
    await browser.submit('End assignments')
    expect(browser.words).to.include('2 assignments ended.')
    expect(await statuses()).to.deep.equal([0, 0, 0])
  })

  it('can be tagged, and can be moved to another floor', async () => {
    await select(desks[0], desks[1])
    await browser.submit('Change tags', {})
    expect(browser.words).to.include('Enter a tag to add or to remove.')
    await browser.submit('Change tags', { add: 'window, quiet' })
    expect(browser.words).to.include('Tags changed on 2 desks and rooms.')
    expect((await rows()).map(({ tags }) => tags)).to.deep.equal([
      ['window', 'quiet'],
      ['window', 'quiet'],
      [],
    ])

    const attic = await createLocation(world.database, { name: 'Attic' })
    await createBookable(world.database, { location_id: attic, name: 'Desk 2' })
    await select(desks[0], desks[1])
    await browser.submit('Move', { location_id: String(attic) })
    expect(browser.page.status).to.equal(422)
    expect(browser.words)
      .to.include('Desk 2 already exists on this floor.')
      .and.include('Change 2 desks and rooms')
    await select(desks[0])
    await browser.submit('Move', { location_id: String(attic) })
    expect(browser.words).to.include('1 desk or room moved to Attic.')
    expect(await world.database('bookables').where({ id: desks[0], location_id: attic })).to.have.length(1)
  })

  it('cannot be selected by administrators with the role reader', async () => {
    const reader = await createSignedIn(world, 'reader@example.com', 'reader')
    await reader.open(list())
    expect(reader.words).to.include('Desk 1').and.not.include('Change selected')
    expect(reader.page.text).to.not.include('type="checkbox"')
    expect((await reader.open(`${list()}/selected?ids=${desks[0]}`)).status).to.equal(403)
  })

  it('are copied together with their floor and its floor plan', async () => {
    const plan = createFloorPlanColumns(drawPng(60, 40))
    await world.database('locations').where({ id: location_id }).update(plan)
    await world.database('bookables').where({ id: desks[0] }).update({ position_x: 0.25, position_y: 0.5 })
    await browser.open(list())
    await browser.follow('Copy')
    expect(browser.words).to.include('3 desks and rooms and the floor plan')
    await browser.submit('Copy floor', { name: 'Upper deck' })
    expect(browser.words).to.include('Floor copied, with 3 desks and rooms.').and.include('Upper deck')
    const copy = await world.database('locations').where({ name: 'Upper deck' }).first()
    expect(copy.floor_plan.equals(plan.floor_plan)).to.equal(true)
    const [first] = await world.database('bookables').where({ location_id: copy.id }).orderBy('id')
    expect(first).to.include({ name: 'Desk 1', position_x: 0.25, position_y: 0.5 })
  })

  it('can be created as a range of names with a hyphen', async () => {
    await browser.open(`${list()}/add`)
    await browser.submit('Add desks, rooms or parking', { names: 'Berth 1-40' })
    expect(browser.words).to.include('40 desks added: Berth 1 to Berth 40.')
  })
})
