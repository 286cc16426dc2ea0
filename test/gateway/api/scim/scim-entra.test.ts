// Tests the requests in the documentation of Entra ID, in the same order and with the same bodies. SCIMMY, another
// implementation of SCIM, reads every answer and applies the same operations.
import { expect } from 'chai'
import SCIMMY from 'scimmy'
import { createEntraGroup, createEntraUser, useScim } from '../../../support/http/scim.ts'
import { useWorld } from '../../../support/world.ts'

let counter = 0
const createUserName = (what: string) => `${what}-${++counter}@testuser.com`

describe('requests of Entra ID to SCIM', () => {
  const world = useWorld()
  const scim = useScim(world)

  const create = async (userName: string, changes = {}) => {
    const created = await scim.post('Users', createEntraUser(userName, changes))
    expect(created.status, created.text).to.equal(201)
    return created.json
  }

  it('test the connection by asking for a user who does not exist', async () => {
    const found = await scim.find('Users', 'userName eq "non-existent user"')
    expect(found.status, found.text).to.equal(200)
    expect(found.json).to.deep.include({ totalResults: 0, Resources: [], startIndex: 1 })
    expect(found.headers.get('Content-Type')).to.equal('application/scim+json; charset=utf-8')
  })

  it('create a user, and find them by name, e-mail and id', async () => {
    const userName = createUserName('Test_User')
    const created = await scim.post('Users', createEntraUser(userName))
    expect(created.status, created.text).to.equal(201)
    const { id, meta, ...shown } = created.json
    expect(shown).to.deep.equal({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      externalId: `external-${userName}`,
      userName,
      name: { formatted: 'Anna Meier', familyName: 'Meier', givenName: 'Anna' },
      displayName: 'Anna Meier',
      emails: [{ value: userName, type: 'work', primary: true }],
      active: true,
      groups: [],
    })
    expect(created.headers.get('Location')).to.equal(meta.location)
    expect(meta.location).to.equal(`${world.url}/scim/v2/Users/${id}`)
    const [user] = await world.database('users').where({ id })
    expect(user).to.include({ name: 'Anna Meier', email: userName, upn: userName, deactivated_at: null })
    const got = await scim.get(`Users/${id}`)
    expect(got.json).to.deep.equal(created.json)
    for (const filter of [
      `userName eq "${userName.toUpperCase()}"`,
      `emails[type eq "work"].value eq "${userName}"`,
      `externalId eq "external-${userName}"`,
      `urn:ietf:params:scim:schemas:core:2.0:User:USERNAME Eq "${userName}" and active eq true`,
      `emails[value eq "${userName}" and primary eq true]`,
      `displayName eq "anna meier" and userName sw "${userName.slice(0, 11)}" and emails sw "${userName}"`,
    ]) {
      const found = await scim.find('Users', filter)
      expect(found.json.Resources, filter).to.deep.equal([created.json])
      const list = new SCIMMY.Messages.ListResponse(found.json)
      expect(list.totalResults).to.equal(1)
    }
    const nobody = ['emails[type eq "home"].value eq "x"', `userName eq "${userName}" and active eq false`]
    for (const filter of nobody)
      expect((await scim.find('Users', filter)).json.totalResults, filter).to.equal(0)
    expect(new SCIMMY.Schemas.User(got.json, 'out')).to.deep.include({ userName, active: true })
  })

  it('get 404 for an unknown user, and 409 for a name that is taken', async () => {
    const missing = await scim.get('Users/23123')
    expect(missing.json).to.deep.equal({
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      status: '404',
      detail: 'There is no user with this id.',
    })
    const userName = createUserName('taken')
    await create(userName)
    const again = await scim.post('Users', createEntraUser(userName.toUpperCase()))
    expect(again.json).to.include({ status: '409', scimType: 'uniqueness' })
    expect(() => new SCIMMY.Messages.ErrorResponse(again.json))
      .to.throw()
      .with.property('scimType', 'uniqueness')
  })

  const patches: Record<string, { operations: object[]; shown: object; alike?: string[] }> = {
    'several attributes': {
      operations: [
        { op: 'Replace', path: 'emails[type eq "work"].value', value: 'updatedEmail@microsoft.com' },
        { op: 'Replace', path: 'name.familyName', value: 'updatedFamilyName' },
      ],
      shown: {
        emails: [{ value: 'updatedEmail@microsoft.com', type: 'work', primary: true }],
        name: { formatted: 'Anna updatedFamilyName', familyName: 'updatedFamilyName', givenName: 'Anna' },
      },
      alike: ['emails', 'userName', 'active'],
    },
    'one attribute': {
      operations: [{ op: 'Replace', path: 'userName', value: '5b50642d@testuser.com' }],
      shown: { userName: '5b50642d@testuser.com' },
      alike: ['userName', 'emails', 'active'],
    },
    'the attribute active as a string': {
      operations: [{ op: 'Replace', path: 'active', value: 'False' }],
      shown: { active: false },
    },
    'attributes that Berth does not have': {
      operations: [
        {
          op: 'Add',
          path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department',
          value: 'IT',
        },
        { op: 'Add', path: 'addresses[type eq "work"].formatted', value: '1 Quay Street' },
        { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager', value: '7' },
        { op: 'Add', path: 'displayName', value: 'Anna M.' },
        { op: 'Remove', path: 'title' },
      ],
      shown: { displayName: 'Anna M.' },
    },
    'attributes named by paths inside a value': {
      operations: [
        {
          op: 'replace',
          value: {
            'name.givenName': 'Ann',
            'emails[type eq "work"].value': 'ann@testuser.com',
            active: 'True',
          },
        },
      ],
      shown: { active: true, name: { formatted: 'Ann Meier', familyName: 'Meier', givenName: 'Ann' } },
    },
  }
  for (const [what, { operations, shown, alike = [] }] of Object.entries(patches)) {
    it(`update a user with ${what}`, async () => {
      const user = await create(createUserName('patched'))
      const patched = await scim.patch(`Users/${user.id}`, operations)
      expect(patched.status, patched.text).to.equal(200)
      expect(patched.json).to.deep.include(shown)
      const again = await scim.patch(`Users/${user.id}`, operations)
      expect(again.text, 'a repeated PATCH changes nothing').to.equal(patched.text)
      expect((await scim.get(`Users/${user.id}`)).text).to.equal(patched.text)
      if (alike.length === 0) return
      const message = { schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], Operations: operations }
      const other = await new SCIMMY.Messages.PatchOp(message as never).apply(
        new SCIMMY.Schemas.User(user, 'out') as never,
      )
      for (const name of alike)
        expect(JSON.parse(JSON.stringify(patched.json[name])), name).to.deep.equal(
          JSON.parse(JSON.stringify((other as unknown as Record<string, unknown>)[name])),
        )
    })
  }

  it('deactivate, restore and delete a user', async () => {
    const userName = createUserName('leaver')
    const { id } = await create(userName)
    const hash = Buffer.from(userName)
    await world.database('calendars').insert({ user_id: id, hash })
    const disabled = await scim.patch(`Users/${id}`, [{ op: 'Replace', path: 'active', value: false }])
    expect(disabled.json.active).to.equal(false)
    expect(await world.database('calendars').where({ hash }), 'as when deactivated by hand').to.deep.equal([])
    expect((await scim.find('Users', `userName eq "${userName}"`)).json.Resources[0].active).to.equal(false)
    const restored = await scim.patch(`Users/${id}`, [{ op: 'Replace', path: 'active', value: true }])
    expect(restored.json.active).to.equal(true)
    expect((await scim.delete(`Users/${id}`)).status).to.equal(204)
    expect((await scim.delete(`Users/${id}`)).status).to.equal(404)
    expect((await scim.get(`Users/${id}`)).status).to.equal(404)
    expect((await scim.find('Users', `userName eq "${userName}"`)).json.totalResults).to.equal(0)
    const [user] = await world.database('users').where({ id })
    expect(user.deactivated_at, 'the bookings of the user stay').to.not.equal(null)
    const back = await create(userName)
    expect([back.id, back.active]).to.deep.equal([id, true])
  })

  it('create a group, change its name and members, and delete it', async () => {
    const name = createUserName('group')
    const created = await scim.post('Groups', createEntraGroup(name))
    expect(created.status, created.text).to.equal(201)
    const { id } = created.json
    expect(created.json).to.deep.include({ displayName: name, members: [], externalId: `external-${name}` })
    const got = await scim.get(`Groups/${id}?excludedAttributes=members`)
    expect(got.json).to.deep.include({ displayName: name }).and.not.have.property('members')
    const found = await scim.find('Groups', `displayName eq "${name}"`, '&excludedAttributes=members')
    expect(found.json.Resources).to.deep.equal([got.json])
    const renamed = await scim.patch(`Groups/${id}`, [
      { op: 'Replace', path: 'displayName', value: `${name} new` },
    ])
    expect([renamed.status, renamed.text]).to.deep.equal([204, ''])
    const user = await create(createUserName('member'))
    const members = [{ $ref: null, value: user.id }]
    for (const op of ['Add', 'Add', 'Remove', 'Remove']) {
      expect((await scim.patch(`Groups/${id}`, [{ op, path: 'members', value: members }])).status).to.equal(
        204,
      )
      const has = await scim.find('Groups', `id eq "${id}" and members eq "${user.id}"`)
      expect(has.json.totalResults, op).to.equal(op === 'Add' ? 1 : 0)
    }
    const changes = world.database('changes').where({ type: 'group', resource_id: id })
    expect(await changes.orderBy('sequence').pluck('action')).to.deep.equal([
      'created',
      'updated',
      'updated',
      'updated',
    ])
    expect((await scim.delete(`Groups/${id}`)).status).to.equal(204)
    expect((await scim.get(`Groups/${id}`)).status).to.equal(404)
  })
})
