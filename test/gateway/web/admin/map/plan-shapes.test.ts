// Tests drawing rooms, zones and walls on a floor plan with forms, without scripts.
import { expect } from 'chai'
import type { PlanShape } from '../../../../../shared/locations/plan-shapes.ts'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { HOSTILE_TEXTS } from '../../../../support/dashboard/hostile-texts.ts'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import { createBookable, createLocation } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

describe('rooms, zones and walls on a floor plan', () => {
  const world = useWorld({ workers: ['writes'] })
  const browser = useSignedIn(world)
  const shapesOf = async (id: number): Promise<PlanShape[]> =>
    (await world.database('locations').where({ id }).first()).plan_shapes

  it('are added and removed with forms that show their errors', async () => {
    const id = await createLocation(world.database, createFloorPlanColumns(drawPng(300, 200)))
    await browser.open(`/dashboard/places/locations/${id}/arrange`)
    const area = {
      kind: 'area',
      name: 'Quiet zone',
      tone: 'green',
      left: '50',
      top: '10',
      right: '20',
      bottom: '40',
    }
    await browser.submit('Add', { ...area, right: '101', bottom: '' })
    expect(browser.words).to.match(/must be a number from 0 to 100/i)
    expect(await shapesOf(id)).to.equal(null)
    await browser.submit('Add', area)
    await browser.submit('Remove')
    expect(await shapesOf(id)).to.deep.equal([])
    await browser.submit('Add', area)
    await browser.submit('Add', { ...area, kind: 'wall', name: '' })
    const corners = { x1: 0.5, y1: 0.1, x2: 0.2, y2: 0.4 }
    expect(await shapesOf(id)).to.deep.equal([
      { kind: 'area', name: 'Quiet zone', tone: 'green', ...corners, x1: 0.2, x2: 0.5 },
      { kind: 'wall', name: '', tone: 'green', ...corners },
    ])
    expect(browser.words).to.include('Quiet zone')
  })

  it('can be added without an uploaded floor plan', async () => {
    const id = await createLocation(world.database)
    await browser.open(`/dashboard/places/locations/${id}/arrange`)
    await browser.submit('Draw a floor plan')
    expect(await world.database('locations').where({ id }).first()).to.include({
      floor_plan_type: 'image/svg+xml',
      floor_plan_width: 1200,
      floor_plan_height: 800,
    })
    expect(browser.words).to.include('Rooms, zones and walls')
  })

  it('escape hostile names', async () => {
    const shape = { kind: 'area', tone: 'red', x1: 0, y1: 0, x2: 1, y2: 1 }
    const plan_shapes = JSON.stringify(HOSTILE_TEXTS.map((name) => ({ ...shape, name: name.slice(0, 60) })))
    const id = await createLocation(world.database, {
      ...createFloorPlanColumns(drawPng(300, 200)),
      plan_shapes,
    })
    await createBookable(world.database, { location_id: id })
    for (const path of [`/dashboard/map?location=${id}`, `/dashboard/places/locations/${id}/arrange`]) {
      await browser.open(path)
      expect(browser.page.text)
        .to.include('plan-shapes')
        .and.not.match(/<script>alert|<img src=x/i)
    }
  })
})
