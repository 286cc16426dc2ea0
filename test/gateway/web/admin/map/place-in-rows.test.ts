// Tests a form that places many desks on a floor plan in rows, without scripts.

import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import { createBookable, createLocation } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

describe('desks and rooms that are placed in rows', () => {
  const world = useWorld({ workers: ['writes'] })
  const browser = useSignedIn(world)
  let location_id: number
  const address = () => `/dashboard/places/locations/${location_id}/arrange`

  beforeEach(async () => {
    location_id = await createLocation(world.database, createFloorPlanColumns(drawPng(300, 200)))
  })

  const addDesks = async (number: number) => {
    const ids: number[] = []
    for (let each = 1; each <= number; each++)
      ids.push(await createBookable(world.database, { location_id, name: `Desk ${each}` }))
    return ids
  }
  const positions = async () => {
    const rows = await world.database('bookables').where({ location_id }).orderBy('id')
    return rows.map(({ position_x, position_y }) => [position_x, position_y])
  }

  it('are all placed with one button, without overlaps', async () => {
    const ids = await addDesks(40)
    await browser.open(address())
    await browser.submit('Place in rows')
    expect(browser.page.path).to.equal(address())
    expect(browser.words)
      .to.include('40 desks and rooms placed in rows.')
      .and.include('Everything is on the floor plan.')
    const placed = await positions()
    expect(new Set(placed.map(String)).size).to.equal(40)
    expect(placed.flat().every((share) => share >= 0.1 && share <= 0.91)).to.equal(true)
    const entries = await world.database('audit_log').where({ action: 'bookables.set-position' })
    expect(entries.map(({ resource_id }) => resource_id)).to.have.members(ids)
  })

  it('include only the selected ones, at the position and with the gaps entered in the form', async () => {
    const [one, , three, four] = await addDesks(4)
    await world.database('bookables').where({ id: four }).update({ position_x: 0.9, position_y: 0.9 })
    await browser.open(address())
    const rows = { per_row: '2', first_left: '12,5', first_top: '20', across: '10.1', down: '30' }
    await browser.submit('Place in rows', { which: 'chosen', ids: [one, three, four].map(String), ...rows })
    expect(browser.words).to.include('3 desks and rooms placed in rows.')
    expect(await positions()).to.deep.equal([
      [0.125, 0.2],
      [null, null],
      [0.226, 0.2],
      [0.125, 0.5],
    ])
  })

  it('stay where they were if the last one does not fit on the floor plan; the form keeps its input', async () => {
    await addDesks(4)
    await browser.open(address())
    const rows = { per_row: '2', first_left: '50', first_top: '50', across: '51', down: '10' }
    expect((await browser.submit('Place in rows', rows)).status).to.equal(422)
    expect(browser.words).to.include(
      'The last desk would be off the floor plan. Use a smaller gap, or place fewer desks in each row.',
    )
    expect(browser.page.text).to.include('value="51"')
    await browser.submit('Place in rows', { ...rows, across: '50', down: '51' })
    expect(browser.words).to.include('Use a smaller gap, or place more desks in each row.')
    await browser.submit('Place in rows', { ...rows, which: 'chosen' })
    expect(browser.words).to.include('Choose at least one.')
    expect((await positions()).flat()).to.deep.equal(Array(8).fill(null))
    await browser.submit('Place in rows', { ...rows, which: 'waiting', across: '50', down: '50' })
    expect((await positions()).at(-1)).to.deep.equal([1, 1])
  })

  it('are refused if they belong to another location', async () => {
    await addDesks(1)
    const elsewhere = await createBookable(world.database)
    await browser.open(address())
    await browser.submit('Place in rows', { which: 'chosen', ids: [String(elsewhere)] })
    expect(browser.words).to.include('Some of the selected desks and rooms are no longer on this floor.')
    const [other] = await world.database('bookables').where({ id: elsewhere })
    expect(other.position_x).to.equal(null)
  })
})
