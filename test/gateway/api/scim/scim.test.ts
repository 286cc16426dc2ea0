// Tests SCIM 2.0 beyond the requests of Entra and Okta: its description of itself, versions, limits of
// tokens, and hostile requests.
import { expect } from 'chai'
import type { Knex } from 'knex'
import SCIMMY from 'scimmy'
import { lockImports } from '../../../../shared/imports/import-lock.ts'
import { createToken } from '../../../../shared/tokens/token-store.ts'
import { readAudit } from '../../../support/dashboard/admin.ts'
import { createBuilding, createGroup, createUser } from '../../../support/factories.ts'
import { sendDuring } from '../../../support/faults/lock-waits.ts'
import { Client } from '../../../support/http/http.ts'
import {
  createEntraGroup,
  createEntraUser,
  createOktaGroup,
  ScimClient,
  useScim,
} from '../../../support/http/scim.ts'
import { useWorld } from '../../../support/world.ts'

let counter = 0
const createUserName = (what: string) => `${what}-${++counter}@scim.example`

describe('the SCIM endpoint', () => {
  const world = useWorld({ environment: { BODY_BYTES_MAX: '200000' } })
  const scim = useScim(world)
  const create = async (userName = createUserName('user'), changes = {}) =>
    (await scim.post('Users', createEntraUser(userName, changes))).json

  it('publishes its features, schemas and resource types', async () => {
    const { json: config } = await scim.get('ServiceProviderConfig')
    expect(config).to.deep.include({
      patch: { supported: true },
      etag: { supported: true },
      sort: { supported: false },
    })
    expect(new SCIMMY.Schemas.ServiceProviderConfig(config, 'out')).to.deep.include({
      patch: { supported: true },
    })
    for (const [list, ids] of [
      ['ResourceTypes', ['User', 'Group']],
      ['Schemas', ['User', 'Group'].map((name) => `urn:ietf:params:scim:schemas:core:2.0:${name}`)],
    ] as const) {
      const { json } = await scim.get(list)
      expect(json.Resources.map(({ id }: { id: string }) => id)).to.deep.equal(ids)
      for (const [index, id] of ids.entries())
        expect((await scim.get(`${list}/${id}`)).json, id).to.deep.equal(json.Resources[index])
      expect((await scim.get(`${list}/Robot`)).status).to.equal(404)
    }
  })

  it('returns every attribute of its schemas, and no other attribute', async () => {
    const { json } = await scim.get('Schemas')
    const photos = [{ value: 'https://pictures.example/ada.jpg', type: 'photo' }]
    const { id } = await create(createUserName('shown'), { photos })
    const group = await scim.post('Groups', {
      ...createEntraGroup(createUserName('group')),
      members: [{ value: id }],
    })
    const shown = [(await scim.get(`Users/${id}`)).json, group.json]
    for (const [index, { attributes }] of json.Resources.entries()) {
      const { schemas, id: _, externalId, meta, ...rest } = shown[index]
      expect([schemas.length, externalId, meta.resourceType]).to.not.include(undefined)
      expect(rest).to.have.all.keys(attributes.map(({ name }: { name: string }) => name))
      for (const { name, subAttributes = [] } of attributes) {
        if (subAttributes.length === 0) continue
        const [value] = [rest[name]].flat()
        expect(value, name).to.have.all.keys(subAttributes.map((each: { name: string }) => each.name))
      }
    }
  })

  it('requires the ability user-write, and shows all users even to a token limited to buildings', async () => {
    const reader = new ScimClient(await world.client('read'))
    const refused = await reader.get('Users')
    expect([refused.status, refused.json.status, refused.json.schemas]).to.deep.equal([
      403,
      '403',
      ['urn:ietf:params:scim:api:messages:2.0:Error'],
    ])
    expect((await reader.get('ServiceProviderConfig')).status).to.equal(200)
    const nobody = new ScimClient(new Client(world.url))
    const unknown = await nobody.get('Users')
    expect([unknown.status, unknown.headers.get('WWW-Authenticate')]).to.deep.equal([401, 'Bearer'])
    const buildingIds = [await createBuilding(world.database)]
    const options = { name: 'limited', abilities: ['user-write' as const], createdBy: 'test', buildingIds }
    const limited = new ScimClient(new Client(world.url, (await createToken(world.database, options)).token))
    const { id, userName } = await create()
    expect((await limited.find('Users', `userName eq "${userName}"`)).json.Resources[0].id).to.equal(id)
    expect((await limited.get(`Users/${id}`)).json.id).to.equal(id)
  })

  it('creates only one of two users with the same name that arrive at the same time', async () => {
    const userName = createUserName('twice')
    const answers = await Promise.all([1, 2, 3, 4].map(() => scim.post('Users', createEntraUser(userName))))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409])
    const other = await create()
    const renamed = await scim.patch(`Users/${other.id}`, [
      { op: 'replace', path: 'userName', value: userName },
    ])
    expect([renamed.status, renamed.json.scimType]).to.deep.equal([409, 'uniqueness'])
  })

  it('uses the e-mail as the user name of a user without a UPN', async () => {
    const email = createUserName('imported')
    const id = await createUser(world.database, { email, name: 'Ida Imported' })
    const found = await scim.find('Users', `userName eq "${email}"`)
    expect(found.json.Resources).to.have.length(1)
    expect(found.json.Resources[0]).to.include({ id: String(id), userName: email })
    const taken = await scim.post(
      'Users',
      createEntraUser(email, { emails: [{ value: createUserName('else') }] }),
    )
    expect(taken.status).to.equal(409)
    await scim.patch(`Users/${id}`, [{ op: 'add', path: 'externalId', value: 'x-1' }])
    const [user] = await world.database('users').where({ id })
    expect(user).to.include({ upn: null, email, name: 'Ida Imported' })
  })

  it('discards given and family name when a user is renamed elsewhere', async () => {
    const { id } = await create(createUserName('renamed'), {
      name: { givenName: 'Ana Maria', familyName: 'da Silva' },
    })
    const nameIs = async () => (await scim.get(`Users/${id}`)).json.name
    expect(await nameIs()).to.deep.equal({
      formatted: 'Ana Maria da Silva',
      familyName: 'da Silva',
      givenName: 'Ana Maria',
    })
    await world.database('users').where({ id }).update({ name: 'Ana Costa' })
    expect(await nameIs()).to.deep.equal({ formatted: 'Ana Costa', familyName: 'Costa', givenName: 'Ana' })
  })

  it('returns versions, and refuses a write based on an outdated version', async () => {
    const { id, meta } = await create()
    const got = await scim.get(`Users/${id}`)
    expect(got.headers.get('ETag')).to.equal(meta.version)
    expect((await scim.get(`Users/${id}`, { 'If-None-Match': meta.version })).status).to.equal(304)
    const rename = (etag: string) =>
      scim.patch(`Users/${id}`, [{ op: 'replace', path: 'displayName', value: 'New' }], { 'If-Match': etag })
    const renamed = await rename(meta.version)
    expect([renamed.status, renamed.headers.get('ETag')]).to.deep.equal([200, renamed.json.meta.version])
    expect((await rename(meta.version)).status).to.equal(412)
    expect((await scim.delete(`Users/${id}`, { 'If-Match': meta.version })).status).to.equal(412)
    const group = (await scim.post('Groups', createOktaGroup(createUserName('group')))).json
    const add = () =>
      scim.patch(`Groups/${group.id}`, [{ op: 'add', path: 'members', value: [{ value: id }] }], {
        'If-Match': group.meta.version,
      })
    expect([(await add()).status, (await add()).status]).to.deep.equal([204, 412])
    const after = await scim.get(`Groups/${group.id}?excludedAttributes=members`)
    expect(after.json.meta.version, 'it names the members').to.not.equal(group.meta.version)
    const few = await scim.get(`Groups/${group.id}?excludedAttributes=members`)
    const { meta: present } = (await scim.get(`Groups/${group.id}`)).json
    expect(few.json.meta.version).to.equal(present.version)
    const stale = { 'If-Match': group.meta.version }
    expect((await scim.delete(`Groups/${group.id}`, stale)).status).to.equal(412)
    for (const [path, value] of [
      ['displayName', createUserName('other')],
      ['externalId', createUserName('other')],
      // Replaces the member by another one, so that the number of members stays the same.
      ['members', [{ value: (await create()).id }]],
    ]) {
      const { version } = (await scim.get(`Groups/${group.id}`)).json.meta
      await scim.patch(`Groups/${group.id}`, [{ op: 'replace', path, value }])
      expect((await scim.get(`Groups/${group.id}`)).json.meta.version, String(path)).to.not.equal(version)
    }
  })

  it('returns only the attributes that the request names', async () => {
    const { id, userName } = await create()
    const { json } = await scim.get(`Users/${id}?attributes=userName,name.givenName,emails`)
    expect(json).to.deep.equal({
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      id,
      userName,
      name: { givenName: 'Anna' },
      emails: [{ value: userName, type: 'work', primary: true }],
    })
    const without = await scim.get(`Users/${id}?excludedAttributes=groups,name,id`)
    expect(without.json).to.include({ id, userName }).and.not.have.any.keys('groups', 'name')
  })

  it('returns pages that are numbered from 1', async () => {
    for (let n = 0; n < 3; n++) await create(createUserName('page'))
    const listOf = async (query: string) => (await scim.get(`Users?filter=userName sw "page-"&${query}`)).json
    const all = (await listOf('')).Resources.map(({ id }: { id: string }) => id)
    expect(all).to.have.length(3)
    for (const [query, ids] of [
      ['startIndex=2&count=1', all.slice(1, 2)],
      ['startIndex=0&count=2', all.slice(0, 2)],
      ['startIndex=4', []],
      ['count=0', []],
      ['count=-1', []],
    ] as const) {
      const page = await listOf(query)
      expect(page).to.include({ totalResults: 3, itemsPerPage: ids.length })
      expect(
        page.Resources.map(({ id }: { id: string }) => id),
        query,
      ).to.deep.equal(ids)
    }
    for (const query of ['count=x', 'startIndex=1.5'])
      expect(await listOf(query)).to.include({ scimType: 'invalidValue' })
  })

  it('runs a write once for each Idempotency-Key, and names the token in the audit log', async () => {
    const headers = { 'Idempotency-Key': createUserName('key'), 'X-Request-Id': 'scim-created' }
    const body = createEntraUser(createUserName('once'))
    const [first, second] = [await scim.post('Users', body, headers), await scim.post('Users', body, headers)]
    expect([first.status, second.status, second.text]).to.deep.equal([201, 201, first.text])
    expect(second.headers.get('Idempotency-Replayed')).to.equal('true')
    const [entry] = await readAudit(world, 'scim-created')
    expect(entry).to.include({
      action: 'users.create',
      resource_id: Number(first.json.id),
      actor_type: 'token',
    })
  })

  it('asks the caller to retry later while an import runs', async () => {
    await world.database.transaction(async (importing) => {
      await lockImports(importing)
      const refused = await scim.post('Users', createEntraUser(createUserName('later')))
      expect([refused.status, refused.headers.get('Retry-After')]).to.deep.equal([503, '5'])
    })
  })

  it('creates a new user if another write first erases the deleted user with the same name', async () => {
    const userName = createUserName('erased')
    const id = await createDeletedUser(userName)
    const { status, json, text } = await createDuring(id, userName, (trx) =>
      trx('users').where({ id }).delete(),
    )
    expect(status, text).to.equal(201)
    expect([json.userName, json.id === id]).to.deep.equal([userName, false])
  })

  it('refuses to create a user if another write first restores the deleted user with the same name', async () => {
    const userName = createUserName('restored')
    const id = await createDeletedUser(userName)
    const { status, json } = await createDuring(id, userName, (trx) =>
      trx('users').where({ id }).update({ deactivated_at: null }),
    )
    expect([status, json.scimType]).to.deep.equal([409, 'uniqueness'])
  })

  async function createDeletedUser(userName: string): Promise<string> {
    const { id } = await create(userName)
    expect((await scim.delete(`Users/${id}`)).status).to.equal(204)
    return id
  }

  /** Sends a request that creates a user, which waits until another transaction has changed the deleted user. */
  const createDuring = (
    id: string,
    userName: string,
    write: (trx: Knex.Transaction) => PromiseLike<unknown>,
  ) =>
    sendDuring(world, {
      lock: (trx) => trx('users').where({ id }).forUpdate(),
      send: () => scim.post('Users', createEntraUser(userName)),
      write,
    })

  it('refuses to delete a group while rules name it', async () => {
    const id = await createGroup(world.database)
    await createBuilding(world.database, { rules: JSON.stringify({ group_ids: [id] }) })
    expect((await scim.delete(`Groups/${id}`)).status).to.equal(409)
  })
})
