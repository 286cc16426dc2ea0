// Tests the requests in Okta's documentation and in its tests for new integrations.
import { expect } from 'chai'
import { createUser } from '../../../support/factories.ts'
import { createOktaGroup, createOktaUser, useScim } from '../../../support/http/scim.ts'
import { useWorld } from '../../../support/world.ts'

let counter = 0
const createUserName = (what: string) => `${what}-${++counter}@okta.local`

describe('requests of Okta to SCIM', () => {
  const world = useWorld()
  const scim = useScim(world)

  it('read a first user and the groups, as the tests of Okta require', async () => {
    await createUser(world.database, { name: 'Ada King Lovelace' })
    const { json } = await scim.get('Users?count=1&startIndex=1')
    expect(json.schemas).to.deep.equal(['urn:ietf:params:scim:api:messages:2.0:ListResponse'])
    expect(json).to.include({ itemsPerPage: 1, startIndex: 1 })
    const [first] = json.Resources
    expect(first.name).to.deep.equal({
      formatted: 'Ada King Lovelace',
      familyName: 'Lovelace',
      givenName: 'Ada King',
    })
    expect(first.emails[0].value).to.equal(first.userName)
    expect(first.active).to.equal(true)
    expect((await scim.get('Groups?startIndex=1&count=100')).json.schemas).to.deep.equal(json.schemas)
    expect((await scim.get('Users/010101001010101011001010101011')).status).to.equal(404)
  })

  it('create a user once', async () => {
    const userName = createUserName('test.user')
    expect(
      (await scim.find('Users', `userName eq "${userName}"`, '&startIndex=1&count=100')).json.totalResults,
    ).to.equal(0)
    const created = await scim.post('Users', createOktaUser(userName))
    expect(created.status, created.text).to.equal(201)
    expect(created.json).to.deep.include({
      userName,
      active: true,
      displayName: 'Test User',
      name: { formatted: 'Test User', familyName: 'User', givenName: 'Test' },
    })
    expect(created.text).to.not.include('1mz050nq')
    const again = await scim.post('Users', createOktaUser(userName))
    expect([again.status, again.json.scimType]).to.deep.equal([409, 'uniqueness'])
  })

  it('replace, deactivate and reactivate a user', async () => {
    const userName = createUserName('replaced')
    const { id, meta } = (await scim.post('Users', createOktaUser(userName))).json
    const body = createOktaUser(userName, {
      id,
      meta,
      displayName: 'Another Name',
      name: { givenName: 'Another', familyName: 'Name' },
      externalId: undefined,
    })
    const replaced = await scim.put(`Users/${id}`, body)
    expect(replaced.status, replaced.text).to.equal(200)
    expect(replaced.json).to.deep.include({ displayName: 'Another Name' }).and.not.have.property('externalId')
    expect(replaced.json.name).to.deep.equal({
      formatted: 'Another Name',
      familyName: 'Name',
      givenName: 'Another',
    })
    const off = await scim.patch(`Users/${id}`, [{ op: 'replace', value: { active: false } }])
    expect(off.json.active).to.equal(false)
    const on = await scim.put(`Users/${id}`, { ...body, active: true })
    expect(on.json.active).to.equal(true)
    const { password, ...rest } = body
    expect(password).to.not.equal(undefined)
    expect((await scim.put(`Users/${id}`, { ...rest, active: false })).json.active).to.equal(false)
  })

  it('push a group: they send its name with its id, add members, and remove one or all members', async () => {
    const created = await scim.post('Groups', createOktaGroup(`Test SCIMv2 ${++counter}`))
    expect(created.status, created.text).to.equal(201)
    const { id } = created.json
    const users = await Promise.all([1, 2, 3].map(() => createUser(world.database)))
    // Sorts the users, because members are listed in the order of their ids.
    const [one, two, three] = users.sort((a, b) => a - b).map(String)
    const membersOf = async () =>
      (await scim.get(`Groups/${id}`)).json.members.map(({ value }: { value: string }) => value)
    const patch = async (...operations: object[]) => {
      const { status, text } = await scim.patch(`Groups/${id}`, operations)
      expect([status, text]).to.deep.equal([204, ''])
    }
    await patch({ op: 'replace', value: { id, displayName: `Renamed ${id}` } })
    await patch({
      op: 'add',
      path: 'members',
      value: [{ value: one, display: 'test.user@okta.local' }, { value: two }],
    })
    expect(await membersOf()).to.deep.equal([one, two])
    await patch(
      { op: 'remove', path: `members[value eq "${one}"]` },
      { op: 'add', path: 'members', value: [{ value: three }] },
    )
    expect(await membersOf()).to.deep.equal([two, three])
    await patch({ op: 'replace', path: 'members', value: [{ value: one }] })
    expect(await membersOf()).to.deep.equal([one])
    const put = await scim.put(`Groups/${id}`, {
      ...createOktaGroup(`Put ${id}`),
      members: [{ value: two }, { value: three }],
    })
    expect(put.status, put.text).to.equal(200)
    expect(put.json.displayName).to.equal(`Put ${id}`)
    expect(put.json.members.map(({ value }: { value: string }) => value)).to.deep.equal([two, three])
    await patch({ op: 'remove', path: 'members' })
    expect(await membersOf()).to.deep.equal([])
    const taken = await scim.post('Groups', createOktaGroup(`PUT ${id}`))
    expect([taken.status, taken.json.scimType]).to.deep.equal([409, 'uniqueness'])
  })
})
