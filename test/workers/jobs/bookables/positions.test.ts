// Tests a job that puts many bookables on a floor plan: all of them or none, each with its own audit entry and its own
// change in the outbox.

import { expect } from 'chai'
import { readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import { createBookable, createLocation } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

describe('the positions of many bookables', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  let one: number
  let two: number

  beforeEach(async () => {
    const location_id = await createLocation(world.database)
    one = await createBookable(world.database, { location_id, name: 'Desk 1' })
    two = await createBookable(world.database, {
      location_id,
      name: 'Desk 2',
      position_x: 0.5,
      position_y: 0.25,
    })
  })

  const find = async () => {
    const rows = await world.database('bookables').whereIn('id', [one, two]).orderBy('id')
    return rows.map(({ position_x, position_y }) => [position_x, position_y])
  }
  const ask = (positions: object[], requestId?: string) =>
    admin.ask('bookables.set-positions', { positions }, requestId ? { requestId } : {})

  it('are set together, without an audit entry for unchanged bookables', async () => {
    const both = [
      { id: two, version: '50000 25000', x: null, y: null },
      { id: one, version: 'none', x: 0.1, y: 0.2 },
    ]
    expect((await ask(both, 'first')).json.data).to.deep.equal({ changed: 2 })
    const placed = [
      [0.1, 0.2],
      [null, null],
    ]
    expect(await find()).to.deep.equal(placed)
    const entries = await readAudit(world, 'first')
    expect(entries.map(({ action, resource_id }) => [action, resource_id])).to.deep.equal([
      ['bookables.set-position', one],
      ['bookables.set-position', two],
    ])
    expect(entries[1]?.before).to.include({ position_x: 0.5 })
    const changes = await world.database('changes').where({ request_id: 'first' }).orderBy('resource_id')
    expect(changes.map(({ resource_id }) => resource_id)).to.deep.equal([one, two])
    const again = [
      { id: one, x: 0.1, y: 0.2 },
      { id: two, x: 0.3, y: 0.3 },
    ]
    expect((await ask(again, 'again')).json.data).to.deep.equal({ changed: 1 })
    expect((await readAudit(world, 'again')).map(({ resource_id }) => resource_id)).to.deep.equal([two])
  })

  it('include a rotation, which is part of the version and stays if the write contains none', async () => {
    const turnOf = async () =>
      (await world.database('bookables').where({ id: two }).first()).position_rotation
    const turned = { id: two, version: '50000 25000', x: 0.5, y: 0.25, rotation: 90 }
    expect((await ask([turned])).json.data).to.deep.equal({ changed: 1 })
    expect((await ask([turned])).status).to.equal(409)
    expect((await ask([{ ...turned, version: '50000 25000 90' }])).json.data).to.deep.equal({ changed: 0 })
    expect((await ask([{ id: two, x: 0.1, y: 0.1 }])).json.data).to.deep.equal({ changed: 1 })
    expect(await turnOf()).to.equal(90)
    await admin.ask('bookables.set-position', { id: two, x: 0.2, y: 0.2, rotation: 0 })
    expect(await turnOf()).to.equal(0)
    expect((await ask([{ ...turned, rotation: 360 }])).status).to.equal(422)
  })

  it('stay unchanged if one bookable has been moved since, is deleted or is named twice', async () => {
    const before = await find()
    const first = { id: one, version: 'none', x: 0.1, y: 0.2 }
    const moved = await ask([first, { id: two, version: '50000 24000', x: 0.6, y: 0.6 }])
    expect(moved.json.code).to.equal('changed_meanwhile')
    expect(moved.json.detail).to.equal('Somebody else has moved Desk 2 in the meantime. Nothing was saved.')
    expect((await ask([first, { id: 999_999, x: 0, y: 0 }])).status).to.equal(422)
    expect((await ask([first, { ...first, x: 0.7 }])).status).to.equal(422)
    expect((await ask([first, { id: two, x: 1.1, y: 0 }])).status).to.equal(422)
    expect((await ask([])).status).to.equal(422)
    expect(await find()).to.deep.equal(before)
  })
})
