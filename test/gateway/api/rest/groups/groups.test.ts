// Tests reads of groups over HTTP.
import { expect } from 'chai'
import { createGroup } from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('GET groups', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'read')
  beforeEach(() => world.database('groups').delete())

  it('answers with all groups, in exactly the documented format', async () => {
    const id = await createGroup(world.database, { name: 'Söhne & “Töchter”' })
    const answer = await client.get('groups')
    expect(answer.status).to.equal(200)
    expect(answer.json).to.deep.equal({ data: [{ id, name: 'Söhne & “Töchter”' }] })
  })

  it('answers with an empty list if no groups exist', async () => {
    expect((await client.get('groups')).json).to.deep.equal({ data: [] })
  })

  it('orders groups by id, regardless of their names and last changes', async () => {
    const ids = [
      await createGroup(world.database, { name: 'Zebras' }),
      await createGroup(world.database, { name: 'Apes' }),
      await createGroup(world.database, { name: 'Mice' }),
    ]
    // An update moves a row to the end of its table, so the order cannot come from the table.
    await world.database('groups').where({ id: ids[0] }).update({ name: 'Yaks' })
    const answer = await client.get('groups?order=name')
    expect(answer.json.data).to.deep.equal([
      { id: ids[0], name: 'Yaks' },
      { id: ids[1], name: 'Apes' },
      { id: ids[2], name: 'Mice' },
    ])
  })

  it('lists all groups without a limit', async () => {
    const rows = Array.from({ length: 1_500 }, (_, number) => ({ name: `Team ${number}` }))
    await world.database('groups').insert(rows)
    expect((await client.get('groups')).json.data).to.have.length(1_500)
  })
})
