// Tests buildings and locations that the API creates, changes and deletes with the jobs of the dashboard.
import { expect } from 'chai'
import { createToken } from '../../../../../shared/tokens/token-store.ts'
import { createBookable, createBuilding, createLocation } from '../../../../support/factories.ts'
import { readEndOfFeed } from '../../../../support/http/feed.ts'
import { Client } from '../../../../support/http/http.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('buildings and locations that the API changes', () => {
  const world = useWorld()
  const client = useClient(world)
  const limitedTo = async (...buildingIds: number[]) => {
    const token = { name: 'limited', abilities: ['read', 'object-write'] as const, createdBy: 'test' }
    return new Client(world.url, (await createToken(world.database, { ...token, buildingIds })).token)
  }
  let counter = 0
  const nameOf = (noun: string) => `${noun} ${++counter}`

  it('are returned on creation in the same format as from GET', async () => {
    const name = nameOf('Harbour House')
    const created = await client.post('buildings', { name, address: 'Am Kai 1', timezone: 'Europe/Berlin' })
    const { id } = created.json.data
    expect(created.json.data).to.deep.equal({
      id,
      name,
      address: 'Am Kai 1',
      locations: [],
      timezone: 'Europe/Berlin',
      opening_hours: null,
    })
    const read = await client.get(`buildings/${id}`)
    expect([read.text, read.headers.get('ETag')]).to.deep.equal([created.text, created.headers.get('ETag')])
    const floor = await client.post('locations', { building_id: id, name: 'Ground floor', code: 'G' })
    expect(floor.json.data).to.deep.include({ name: 'Ground floor', code: 'G', plan: null })
    const { text, headers } = await client.get(`locations/${floor.json.data.id}`)
    expect([text, headers.get('ETag')]).to.deep.equal([floor.text, floor.headers.get('ETag')])
    const bare = (await client.post('buildings', { name: nameOf('Bare') })).json.data
    expect(bare).to.include({ address: '', timezone: 'UTC' })
  })

  it('keep omitted fields unchanged', async () => {
    const id = await createBuilding(world.database, { name: nameOf('Old'), address: 'Am Kai 1' })
    const changed = await client.patch(`buildings/${id}`, { timezone: 'Asia/Kolkata' })
    expect(changed.json.data).to.include({ address: 'Am Kai 1', timezone: 'Asia/Kolkata' })
    const location = await createLocation(world.database, { building_id: id, code: 'G' })
    const other = await createBuilding(world.database)
    const moved = await client.patch(`locations/${location}`, { building_id: other, name: 'Moved' })
    expect(moved.json.data).to.deep.include({ name: 'Moved', code: 'G' })
    expect(moved.json.data.building.id).to.equal(other)
  })

  it('are deleted if they are empty; otherwise the refusal says what they still contain', async () => {
    const building = await createBuilding(world.database, { name: nameOf('Full') })
    const location = await createLocation(world.database, { building_id: building, name: 'Floor' })
    const desk = await createBookable(world.database, { location_id: location })
    const remove = async (path: string) => {
      const answer = await client.delete(path)
      return answer.status === 204 ? 204 : [answer.status, answer.json.code, answer.json.detail]
    }
    expect(await remove(`buildings/${building}`)).to.deep.equal([
      409,
      'in_use',
      `Full ${counter} still has 1 location. Delete or move it first.`,
    ])
    const inUse = [409, 'in_use', 'Floor still has 1 bookable. Delete or move it first.']
    expect(await remove(`locations/${location}`)).to.deep.equal(inUse)
    await world.database('bookables').where({ id: desk }).delete()
    expect(await remove(`locations/${location}`)).to.equal(204)
    expect(await remove(`buildings/${building}`)).to.equal(204)
    for (const path of [`locations/${location}`, `buildings/${building}`])
      expect((await client.get(path)).status).to.equal(404)
  })

  it('are refused with the same invalid values as in the dashboard', async () => {
    const name = nameOf('Twin')
    const id = await createBuilding(world.database, { name })
    const other = await createBuilding(world.database)
    const errorsOf = async (method: 'post' | 'patch', path: string, body: object) => {
      const { status, json } = await client[method](path, body)
      return [status, ...Object.keys(json.errors ?? {})]
    }
    expect(await errorsOf('post', 'buildings', { name: name.toUpperCase() })).to.deep.equal([422, 'name'])
    expect(await errorsOf('patch', `buildings/${other}`, { name })).to.deep.equal([422, 'name'])
    expect(await errorsOf('patch', `buildings/${id}`, { timezone: 'Mars/Olympus' })).to.deep.equal([
      422,
      'timezone',
    ])
    expect(await errorsOf('post', 'buildings', {})).to.deep.equal([422, 'name'])
    expect(await errorsOf('post', 'locations', { building_id: 999_999, name: 'x' })).to.deep.equal([
      422,
      'building_id',
    ])
    expect(await errorsOf('patch', 'buildings/999999', { address: 'x' })).to.deep.equal([404])
    expect(await errorsOf('patch', 'locations/999999', { code: 'x' })).to.deep.equal([404])
  })

  it('are recorded in the audit log and the change feed, with the name of the token', async () => {
    const begun = await readEndOfFeed(world.database, client)
    const { id } = (await client.post('buildings', { name: nameOf('Told') })).json.data
    const location = (await client.post('locations', { building_id: id, name: 'Floor' })).json.data.id
    await client.delete(`locations/${location}`)
    const told: string[] = []
    // The feed serves a change once older transactions of the whole Postgres server end, so the test polls
    // until then.
    for (let after = begun; told.length < 3; ) {
      const { data, next } = (await client.get(`changes?after=${after}&types=building,location&wait=10`)).json
      for (const each of data) told.push(`${each.type} ${each.action} ${each.id}`)
      after = next
    }
    expect(told).to.deep.equal([
      `building created ${id}`,
      `location created ${location}`,
      `location deleted ${location}`,
    ])
    const entries = await world
      .database('audit_log')
      .where({ resource: 'buildings', resource_id: id })
      .select('action', 'actor_type')
    expect(entries).to.deep.equal([{ action: 'buildings.create', actor_type: 'token' }])
  })

  describe('buildings and locations, for a token that is limited to buildings', () => {
    it('new buildings cannot be created, and other buildings cannot be deleted', async () => {
      const [here, there] = [await createBuilding(world.database), await createBuilding(world.database)]
      const limited = await limitedTo(here)
      const refused = await limited.post('buildings', { name: nameOf('New') })
      expect([refused.status, refused.json.code]).to.deep.equal([403, 'outside_buildings'])
      expect((await limited.delete(`buildings/${there}`)).status).to.equal(404)
      expect((await client.get(`buildings/${there}`)).status).to.equal(200)
      expect((await limited.delete(`buildings/${here}`)).status).to.equal(204)
    })

    it('cannot be created in or moved to other buildings', async () => {
      const [here, there] = [await createBuilding(world.database), await createBuilding(world.database)]
      const location = await createLocation(world.database, { building_id: here })
      const limited = await limitedTo(here)
      for (const answer of [
        await limited.patch(`locations/${location}`, { building_id: there }),
        await limited.post('locations', { building_id: there, name: 'New' }),
      ])
        expect([answer.status, answer.json.errors]).to.deep.equal([
          422,
          { building_id: ['There is no building with this id.'] },
        ])
      expect(await world.database('locations').where({ building_id: there })).to.deep.equal([])
    })
  })
})
