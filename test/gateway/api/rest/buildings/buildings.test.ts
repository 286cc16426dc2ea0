// Tests GET buildings over HTTP, which includes the locations of each building.

import { expect } from 'chai'
import { createFloorPlanColumns, drawPng } from '../../../../support/dashboard/pictures.ts'
import { createBuilding, createLocation } from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('GET buildings', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'read')
  beforeEach(async () => {
    await world.database('locations').delete()
    await world.database('buildings').delete()
  })

  it('answers with every building and its locations, in exactly the documented format', async () => {
    const id = await createBuilding(world.database, {
      name: 'Harbour House',
      address: 'Am Kai 1\n20457 Hamburg',
      timezone: 'Europe/Berlin',
    })
    const floor = await createLocation(world.database, {
      building_id: id,
      name: 'Ground floor',
      code: 'HH-0',
      ...createFloorPlanColumns(drawPng(4, 3)),
    })
    const answer = await client.get('buildings')
    expect(answer.status).to.equal(200)
    expect(answer.json).to.deep.equal({
      data: [
        {
          id,
          name: 'Harbour House',
          address: 'Am Kai 1\n20457 Hamburg',
          locations: [{ id: floor, name: 'Ground floor', code: 'HH-0' }],
        },
      ],
    })
  })

  it('answers with an empty list if no buildings exist', async () => {
    expect((await client.get('buildings')).json).to.deep.equal({ data: [] })
  })

  it('lists buildings without locations, and keeps empty texts', async () => {
    const id = await createBuilding(world.database, { name: 'Empty', address: '' })
    expect((await client.get('buildings')).json.data).to.deep.equal([
      { id, name: 'Empty', address: '', locations: [] },
    ])
    const location = await createLocation(world.database, { building_id: id, name: 'Roof', code: '' })
    expect((await client.get('buildings')).json.data[0].locations).to.deep.equal([
      { id: location, name: 'Roof', code: '' },
    ])
  })

  it('orders buildings by id, and the locations of a building by id', async () => {
    const first = await createBuilding(world.database, { name: 'Z' })
    const second = await createBuilding(world.database, { name: 'A' })
    const locations = [
      await createLocation(world.database, { building_id: second, name: 'Upper' }),
      await createLocation(world.database, { building_id: first, name: 'Z' }),
      await createLocation(world.database, { building_id: second, name: 'Lower' }),
      await createLocation(world.database, { building_id: first, name: 'A' }),
    ]
    // An update moves a row to the end of its table, so the order cannot come from the table.
    await world.database('buildings').where({ id: first }).update({ address: '2 Quay Street' })
    await world.database('locations').where({ id: locations[0] }).update({ name: 'Top' })
    const { data } = (await client.get('buildings?from=2026-01-01')).json
    const ids = (rows: Array<{ id: number }>) => rows.map((row) => row.id)
    expect(ids(data)).to.deep.equal([first, second])
    expect(ids(data[0].locations)).to.deep.equal([locations[1], locations[3]])
    expect(ids(data[1].locations)).to.deep.equal([locations[0], locations[2]])
  })
})
