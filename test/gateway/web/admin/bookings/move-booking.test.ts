// Tests moving a booking to another desk: the offered desks, the refusals, and the values that stay the same.

import { expect } from 'chai'
import { type Form, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createBuilding,
  createLocation,
  createUser,
  createVehicle,
} from '../../../../support/factories.ts'
import { createClock } from '../../../../support/time.ts'
import { useWorld } from '../../../../support/world.ts'

const NOW = Date.parse('2026-11-20T09:30:00Z')
const MONDAY = { from: '2026-11-23T08:00:00Z', to: '2026-11-23T16:00:00Z' }

describe('moving a booking in the dashboard', () => {
  const world = useWorld({ workers: ['writes'], now: createClock(NOW) })
  const browser = useSignedIn(world)
  let building_id: number
  let location_id: number
  let anna: number
  before(async () => {
    building_id = await createBuilding(world.database, { name: 'Harbour', timezone: 'Europe/Berlin' })
    location_id = await createLocation(world.database, { building_id, name: 'Deck' })
    anna = await createUser(world.database, { name: 'Anna Bauer' })
  })

  const makeDesk = (name: string, row = {}) => createBookable(world.database, { location_id, name, ...row })
  const book = (bookable_id: number, row = {}) =>
    createBooking(world.database, { bookable_id, user_id: anna, ...MONDAY, ...row })
  const rowOf = (id: number) => world.database('bookings').where({ id }).first()
  const open = (id: number, query = '') => browser.open(`/dashboard/bookings/${id}/move${query}`)
  const offered = () =>
    browser
      .form('Move booking')
      .controls.filter(({ name }) => name === 'bookable_id')
      .map(({ value }) => Number(value))

  it('lists the nearest desks first: by the floor plan, then in its location, then elsewhere', async () => {
    const picture = Buffer.from('a picture twice as wide as high')
    const building_id = await createBuilding(world.database)
    const hall = await createLocation(world.database, {
      building_id,
      name: 'Hall',
      floor_plan: picture,
      floor_plan_type: 'image/png',
      floor_plan_width: 2_000,
      floor_plan_height: 1_000,
      floor_plan_orientation: 1,
      floor_plan_sha256: picture,
    })
    const make = (name: string, x?: number, y?: number) =>
      makeDesk(name, { location_id: hall, position_x: x ?? null, position_y: y ?? null })
    const unplaced = await make('Unplaced')
    const far = await make('0.11', 0.9, 0.5)
    const beside = await make('0.2', 0.5, 0.6)
    const across = await make('0.3', 0.4, 0.5)
    const own = await make('0.1', 0.5, 0.5)
    const upstairs = await createLocation(world.database, { building_id, name: 'Attic' })
    const [tenth, second] = [
      await makeDesk('A 10', { location_id: upstairs }),
      await makeDesk('A 2', { location_id: upstairs }),
    ]
    await open(await book(own))
    expect(offered()).to.deep.equal([beside, across, far, unplaced, second, tenth])
    await open(await book(own, { from: '2026-11-24T08:00:00Z', to: '2026-11-24T16:00:00Z' }), '?place=0.')
    expect(offered(), 'found by name').to.deep.equal([beside, across, far])
  })

  it('lists bookables of the same type and building that are free for the whole booking', async () => {
    const [one, two, three] = [
      await makeDesk('Bow 1'),
      await makeDesk('Bow 2'),
      await makeDesk('Bow 3', { tags: ['window'] }),
    ]
    await makeDesk('Spot', { type: 1 })
    await makeDesk('Blocked', { status: 1 })
    const upstairs = await createLocation(world.database, { building_id, name: 'Attic' })
    const away = await makeDesk('Attic 1', { location_id: upstairs })
    await book(two, { user_id: await createUser(world.database) })
    const id = await book(one)
    await browser.open(`/dashboard/bookings/${id}`)
    await browser.follow('Move to another place')
    expect(offered()).to.deep.equal([three, away])
    await browser.submit('Show free', { location: String(upstairs) })
    expect(offered()).to.deep.equal([away])
    await open(id, '?tags=window')
    expect(offered()).to.deep.equal([three])
    await open(id, '?place=bow')
    expect(offered()).to.deep.equal([three])
    const before = await rowOf(id)
    await browser.submit('Move booking')
    expect(browser.words, 'nothing is chosen beforehand')
      .to.include('Choose where to move the booking.')
      .and.not.include('marked fields')
    await browser.submit('Move booking', { bookable_id: String(three) })
    expect(browser.words).to.include('Moved to Bow 3.').and.include('Bow 3 for Anna Bauer')
    const after = await rowOf(id)
    expect(after).to.include({ bookable_id: three, during: before.during, user_id: anna })
    const entry = await world
      .database('audit_log')
      .where({ action: 'bookings.update', resource_id: id })
      .first()
    expect([entry.before.bookable_id, entry.after.bookable_id]).to.deep.equal([one, three])
    const change = await world
      .database('changes')
      .where({ type: 'booking', resource_id: id })
      .orderBy('sequence', 'desc')
      .first()
    expect(change).to.include({ action: 'updated' })
    expect(JSON.parse(change.data).bookable.id).to.equal(three)
  })

  it('leaves a booking where it is if the new desk was just taken, and names the conflict', async () => {
    const [one, two] = [await makeDesk('Mast 1'), await makeDesk('Mast 2')]
    const id = await book(one)
    await open(id)
    await book(two, { user_id: await createUser(world.database, { name: 'Bob', email: 'bob@example.com' }) })
    const { status } = await browser.submit('Move booking', { bookable_id: String(two) })
    expect(status).to.equal(409)
    expect(browser.words).to.include('Mast 2 is taken by Bob (bob@example.com)')
    expect(await rowOf(id)).to.include({ bookable_id: one })
  })

  it('is refused for the same reasons as a new booking of the new desk', async () => {
    const one = await makeDesk('Keel 1')
    const id = await book(one)
    await makeDesk('Keel 2')
    const cases: Array<[object, number, string]> = [
      [{ status: 1 }, 409, 'is blocked.'],
      [{ status: 2 }, 409, 'is assigned to somebody else.'],
      [{ type: 3 }, 422, 'cannot be swapped with a desk'],
      [{ type: 1, requires_vehicle: true }, 422, 'can only be booked with a vehicle.'],
      [{ rules: JSON.stringify({ minutes_max: 60 }) }, 409, 'at most 1 hour'],
      [{ deleted_at: new Date() }, 422, 'There is no desk or room'],
    ]
    for (const [row, status, sentence] of cases) {
      const target = await makeDesk('Target', row)
      await open(id)
      const answer = await browser.submit('Move booking', { bookable_id: String(target) })
      expect(answer.status, sentence).to.equal(status)
      expect(browser.words).to.include(sentence)
    }
    expect(await rowOf(id)).to.include({ bookable_id: one })
  })

  it('keeps the vehicle for another parking spot, and keeps an open end', async () => {
    const [one, two] = [
      await makeDesk('Spot 1', { type: 1 }),
      await makeDesk('Spot 2', { type: 1, requires_vehicle: true }),
    ]
    const vehicle_id = await createVehicle(world.database, { user_id: anna, license_plate: 'HH-A 1' })
    const id = await book(one, { to: null, vehicle_id, license_plate: 'HH-A 1' })
    await open(id)
    await browser.submit('Move booking', { bookable_id: String(two) })
    const row = await rowOf(id)
    expect(row).to.include({ bookable_id: two, vehicle_id, license_plate: 'HH-A 1' })
    expect(row.during).to.match(/,\)$/)
  })

  it('is refused once the booking is over', async () => {
    const id = await book(await makeDesk('Past'), {
      from: '2026-11-19T08:00:00Z',
      to: '2026-11-19T16:00:00Z',
    })
    expect((await open(id)).status).to.equal(409)
    expect(browser.words).to.include('This booking is over and can no longer be moved.')
  })

  it('swaps two places only with the help of a third one, and two attempts do not deadlock', async () => {
    const [one, two, three] = [await makeDesk('Swap 1'), await makeDesk('Swap 2'), await makeDesk('Swap 3')]
    const [mine, theirs] = [await book(one), await book(two, { user_id: await createUser(world.database) })]
    const forms: Form[] = []
    for (const id of [mine, theirs]) {
      await open(id)
      forms.push(browser.form('Move booking'))
    }
    const answers = await Promise.all(
      [two, one].map((id, index) => browser.send(forms[index] ?? expect.fail(), { bookable_id: String(id) })),
    )
    expect(answers.map(({ status }) => status)).to.deep.equal([409, 409])
    await open(mine)
    await browser.submit('Move booking', { bookable_id: String(three) })
    await open(theirs)
    await browser.submit('Move booking', { bookable_id: String(one) })
    expect(await rowOf(theirs)).to.include({ bookable_id: one })
  })
})
