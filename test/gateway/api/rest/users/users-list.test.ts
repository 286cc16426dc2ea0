// Tests listings and searches of users, and the groups and vehicles of a user.
import { expect } from 'chai'
import { createGroup, createUser, createVehicle } from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('GET users', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'read')
  let ada: number
  let grace: number
  let percent: number
  let group: number

  before(async () => {
    const { database } = world
    grace = await createUser(database, { name: 'Grace Hopper', email: 'grace@navy.example' })
    ada = await createUser(database, { name: 'Ada Lovelace', email: 'ADA@engine.example' })
    percent = await createUser(database, { name: '100 % Ünal_', email: 'unal@example.com' })
    await createUser(database, {
      name: 'Ada Gone',
      email: 'gone@engine.example',
      deactivated_at: new Date(),
    })
    group = await createGroup(database)
    for (const user_id of [ada, percent]) await database('group_members').insert({ user_id, group_id: group })
  })

  const idsOf = async (query: string): Promise<number[]> => {
    const { status, json, text } = await client.get(`users${query}`)
    expect(status, text).to.equal(200)
    return json.data.map(({ id }: { id: number }) => id)
  }

  it('answers with all active users, ordered by id, in the format of users/{id}', async () => {
    const { json } = await client.get('users')
    expect(await idsOf('')).to.deep.equal([grace, ada, percent])
    for (const user of json.data) {
      expect({ data: user }).to.deep.equal((await client.get(`users/${user.id}`)).json)
    }
  })

  for (const [search, names] of Object.entries({
    ada: ['ada'],
    'LOVELACE ada': ['ada'],
    'engine lovel': ['ada'],
    'ada hopper': [],
    example: ['grace', 'ada', 'percent'],
    '%': ['percent'],
    _: ['percent'],
    ünal: ['percent'],
    '\\': [],
    '  ': ['grace', 'ada', 'percent'],
  })) {
    it(`finds ${names.join(', ') || 'nobody'} by “${search}”`, async () => {
      const ids = { ada, grace, percent }
      expect(await idsOf(`?search=${encodeURIComponent(search)}`)).to.deep.equal(
        names.map((name) => ids[name as keyof typeof ids]),
      )
    })
  }

  it('finds the members of a group, and refuses an unknown group', async () => {
    expect(await idsOf(`?group_id=${group}`)).to.deep.equal([ada, percent])
    expect(await idsOf(`?group_id=${group}&search=ada`)).to.deep.equal([ada])
    const unknown = await client.get('users?group_id=999999')
    expect([unknown.status, unknown.json.detail]).to.deep.equal([404, 'There is no group with this id.'])
    expect((await client.get('users?group_id=first')).json.errors).to.have.keys('group_id')
    expect((await client.get(`users?search=${'a'.repeat(256)}`)).json.errors).to.have.keys('search')
  })

  it('returns pages that together equal the unpaginated list, with and without filters', async () => {
    const seen: number[] = []
    for (let path = `users?group_id=${group}&limit=1`; path !== ''; ) {
      const { json, headers, text } = await client.get(path)
      expect(json.data, text).to.be.an('array')
      seen.push(...json.data.map(({ id }: { id: number }) => id))
      const [, next] = /^<[^>]*\/api\/v1\/([^>]*)>; rel="next"$/.exec(headers.get('Link') ?? '') ?? []
      path = next ?? ''
    }
    expect(seen).to.deep.equal([ada, percent])
  })
})

describe('GET users/{id}/groups', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'read')

  it('answers with only the groups of this user, ordered by id, with or without pages', async () => {
    const [user_id, other] = [await createUser(world.database), await createUser(world.database)]
    const groups = [await createGroup(world.database), await createGroup(world.database)]
    const foreign = await createGroup(world.database)
    for (const group_id of groups.toReversed())
      await world.database('group_members').insert({ user_id, group_id })
    await world.database('group_members').insert({ user_id: other, group_id: foreign })
    const all = (await client.get('groups')).json.data
    const { json } = await client.get(`users/${user_id}/groups`)
    expect(json.data).to.deep.equal(all.filter(({ id }: { id: number }) => groups.includes(id)))
    const page = await client.get(`users/${user_id}/groups?limit=1`)
    expect(page.json.data).to.deep.equal(json.data.slice(0, 1))
    expect(page.headers.get('Link')).to.include('rel="next"')
    const alone = await createUser(world.database)
    expect((await client.get(`users/${alone}/groups`)).json).to.deep.equal({ data: [] })
  })

  it('answers 404 for a deactivated or unknown user', async () => {
    const user_id = await createUser(world.database, { deactivated_at: new Date() })
    await world.database('group_members').insert({ user_id, group_id: await createGroup(world.database) })
    for (const id of [user_id, 999_999]) expect((await client.get(`users/${id}/groups`)).status).to.equal(404)
  })
})

describe('GET users/{id}/vehicles', () => {
  const world = useWorld({ workers: [] })
  const client = useClient(world, 'read')

  it('answers with the vehicle ids that a booking accepts', async () => {
    const user_id = await createUser(world.database)
    await createVehicle(world.database)
    const first = await createVehicle(world.database, { user_id, license_plate: 'HH-B 1' })
    const second = await createVehicle(world.database, { user_id, license_plate: 'HH-A “2”' })
    expect((await client.get(`users/${user_id}/vehicles`)).json).to.deep.equal({
      data: [
        { id: first, license_plate: 'HH-B 1' },
        { id: second, license_plate: 'HH-A “2”' },
      ],
    })
    expect((await client.get(`users/${await createUser(world.database)}/vehicles`)).json.data).to.deep.equal(
      [],
    )
  })

  it('answers 404 for a deactivated or unknown user', async () => {
    const gone = await createUser(world.database, { deactivated_at: new Date() })
    await createVehicle(world.database, { user_id: gone })
    for (const id of [gone, 999_999]) expect((await client.get(`users/${id}/vehicles`)).status).to.equal(404)
  })
})
