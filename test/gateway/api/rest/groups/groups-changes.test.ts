// Tests that groups can be created, renamed, deleted and given members over HTTP.
import { expect } from 'chai'
import { lockImports } from '../../../../../shared/imports/import-lock.ts'
import { createToken } from '../../../../../shared/tokens/token-store.ts'
import { readAudit } from '../../../../support/dashboard/admin.ts'
import { createBuilding, createGroup, createUser } from '../../../../support/factories.ts'
import { countLockWaits } from '../../../../support/faults/pipeline.ts'
import { Client } from '../../../../support/http/http.ts'
import { eventually } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('groups that the API changes', () => {
  const world = useWorld()
  const client = useClient(world, 'user-write', 'read', 'object-write')

  const changesOf = (resource_id: number) =>
    world.database('changes').where({ type: 'group', resource_id }).orderBy('sequence').pluck('action')
  const membersOf = (group_id: number) =>
    world.database('group_members').where({ group_id }).orderBy('user_id').pluck('user_id')

  it('are returned by a write in the same format as by GET, with the same ETag', async () => {
    const created = await client.post('groups', { name: ' Chess ' }, { 'X-Request-Id': 'group-created' })
    expect(created.status, created.text).to.equal(200)
    const { id } = created.json.data
    expect(created.json).to.deep.equal({ data: { id, name: 'Chess' } })
    const found = await client.get(`groups/${id}`)
    expect([found.text, found.headers.get('ETag')]).to.deep.equal([created.text, created.headers.get('ETag')])
    const [entry] = await readAudit(world, 'group-created')
    expect(entry).to.include({ action: 'groups.create', resource_id: id, actor_type: 'token' })
    expect(await changesOf(id)).to.deep.equal(['created'])
  })

  it('have unique names, even if two requests with the same name arrive at the same time', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => client.post('groups', { name: 'Once' })))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 422, 422])
    const other = await createGroup(world.database)
    const refused = await client.patch(`groups/${other}`, { name: 'Once' })
    expect(refused.json.errors).to.deep.equal({ name: ['Another group has this name.'] })
    for (const name of ['', 'a;b', 'x'.repeat(256), null, 7])
      expect((await client.post('groups', { name })).json.errors, String(name)).to.have.all.keys('name')
  })

  it('keep their members when renamed', async () => {
    const id = await createGroup(world.database)
    const user_id = await createUser(world.database)
    await world.database('group_members').insert({ group_id: id, user_id })
    const renamed = await client.patch(`groups/${id}`, { name: `Renamed ${id}` })
    expect(renamed.json).to.deep.equal({ data: { id, name: `Renamed ${id}` } })
    expect((await client.patch(`groups/${id}`, {})).json).to.deep.equal(renamed.json)
    expect(await membersOf(id)).to.deep.equal([user_id])
  })

  it('disappear when deleted, but their members remain users', async () => {
    const id = await createGroup(world.database)
    const user_id = await createUser(world.database)
    await world.database('group_members').insert({ group_id: id, user_id })
    expect((await client.delete(`groups/${id}`)).status).to.equal(204)
    expect((await client.get(`groups/${id}`)).status).to.equal(404)
    expect((await client.get(`users/${user_id}`)).status).to.equal(200)
    expect(await changesOf(id)).to.deep.equal(['deleted'])
    expect((await client.delete(`groups/${id}`)).json.detail).to.equal('There is no group with this id.')
  })

  it('cannot be deleted while rules name them; the refusal names the place only to tokens that may see it', async () => {
    const id = await createGroup(world.database)
    const building = await createBuilding(world.database, { name: 'Harbour House' })
    const rules = (group_ids: number[]) => client.put(`buildings/${building}/rules`, { group_ids })
    expect((await rules([id])).status).to.equal(200)
    const refused = await client.delete(`groups/${id}`)
    expect([refused.status, refused.json.code]).to.deep.equal([409, 'in_use'])
    expect(refused.json.detail).to.equal('The rules of Harbour House use this group. Change the rules first.')
    const buildingIds = [await createBuilding(world.database)]
    const abilities = ['user-write' as const]
    const limited = { name: 'limited', abilities, createdBy: 'test', buildingIds }
    const elsewhere = new Client(world.url, (await createToken(world.database, limited)).token)
    expect((await elsewhere.delete(`groups/${id}`)).json.detail).to.equal(
      'The rules of a place use this group. Change the rules first.',
    )
    await rules([await createGroup(world.database)])
    expect((await client.delete(`groups/${id}`)).status).to.equal(204)
  })

  it('cannot be named in rules while they are being deleted', async () => {
    const building = await createBuilding(world.database)
    const id = await createGroup(world.database)
    const deleting = await world.database.transaction()
    await deleting('groups').where({ id }).delete()
    const named = client.put(`buildings/${building}/rules`, { group_ids: [id] })
    await eventually(async () => expect(await countLockWaits(world)).to.equal(1))
    await deleting.commit()
    expect((await named).json.errors).to.deep.equal({ group_ids: [`There is no group with the id ${id}.`] })
  })

  describe('the members of a group', () => {
    let group: number
    let [one, two, three, gone]: number[] = []
    beforeEach(async () => {
      group = await createGroup(world.database)
      const create = (row = {}) => createUser(world.database, row)
      ;[one, two, three] = [await create(), await create(), await create()]
      gone = await create({ deactivated_at: new Date() })
      const members = [one, two, gone].map((user_id) => ({ group_id: group, user_id }))
      await world.database('group_members').insert(members)
    })
    const set = (user_ids: unknown, headers = {}) =>
      client.ask(`groups/${group}/members`, { method: 'PUT', body: { user_ids }, headers })

    it('are exactly the users of the request, except that deactivated members stay', async () => {
      const answer = await set([two, three, two], { 'X-Request-Id': 'members' })
      expect(answer.json).to.deep.equal({ data: { added: 1, removed: 1 } })
      expect(await membersOf(group)).to.deep.equal([two, three, gone])
      const listed = await client.get(`users?group_id=${group}`)
      expect(listed.json.data.map(({ id }: { id: number }) => id)).to.deep.equal([two, three])
      const [entry] = await readAudit(world, 'members')
      expect(entry).to.include({ action: 'groups.set-members', resource_id: group })
      expect(entry.after).to.deep.equal({ added: [three], removed: [one] })
      expect(await changesOf(group)).to.deep.equal(['updated'])
      expect((await set([])).json).to.deep.equal({ data: { added: 0, removed: 2 } })
    })

    it('stay unchanged if a user of the request is unknown or deactivated', async () => {
      const refused = await set([three, gone, 999_999])
      expect(refused.status).to.equal(422)
      expect(refused.json.errors).to.deep.equal({
        user_ids: [`There is no active user with these ids: ${gone}, 999999.`],
      })
      expect(await membersOf(group)).to.deep.equal([one, two, gone])
    })

    it('can be set to 20,000 users in one request', async function many() {
      this.timeout(60_000)
      const { rows } = await world.database.raw(
        `INSERT INTO users (name, email) SELECT 'M', 'm' || n || '@members.example' FROM generate_series(1, 20000) AS n
         RETURNING id`,
      )
      const ids = rows.map(({ id }: { id: number }) => id)
      expect((await set(ids)).json).to.deep.equal({ data: { added: 20_000, removed: 2 } })
      expect((await set([...ids, one])).json.errors).to.deep.equal({
        user_ids: ['user_ids must have at most 20000 items.'],
      })
    })

    it('come from one of two simultaneous requests, never from both', async () => {
      await Promise.all([set([one, two]), set([three]), set([one, three]), set([three])])
      expect((await membersOf(group)).filter((id) => id !== gone)).to.be.deep.oneOf([
        [one, two],
        [three],
        [one, three],
      ])
    })
  })

  it('cannot be changed during an import', async () => {
    const id = await createGroup(world.database)
    const send: Array<[method: string, path: string, body?: unknown]> = [
      ['POST', 'groups', { name: 'Late' }],
      ['PATCH', `groups/${id}`, { name: 'Late' }],
      ['PUT', `groups/${id}/members`, { user_ids: [] }],
      ['DELETE', `groups/${id}`],
    ]
    await world.database.transaction(async (importing) => {
      await lockImports(importing)
      for (const [method, path, body] of send)
        expect((await client.ask(path, { method, body })).json.code, path).to.equal('import_running')
    })
  })
})
