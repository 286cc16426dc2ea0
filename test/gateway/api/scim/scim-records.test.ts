// Tests the effects of SCIM on the audit log and on imports from files.
import { expect } from 'chai'
import { readAudit } from '../../../support/dashboard/admin.ts'
import { createEntraGroup, createEntraUser, useScim } from '../../../support/http/scim.ts'
import { useWorld } from '../../../support/world.ts'

let counter = 0
const createUserName = (what: string) => `${what}-${++counter}@records.example`

describe('records of SCIM writes', () => {
  const world = useWorld({ workers: ['writes', 'imports'] })
  const scim = useScim(world)
  const create = async (userName: string, changes = {}) =>
    (await scim.post('Users', createEntraUser(userName, changes))).json

  it('contain each change of externalId in the audit log', async () => {
    const before = { externalId: 'former' }
    const user = await create(createUserName('external'), before)
    const group = (await scim.post('Groups', { ...createEntraGroup(createUserName('external')), ...before }))
      .json
    const changed = [{ op: 'Replace', path: 'externalId', value: 'present' }]
    for (const [resource, path] of [
      ['users', `Users/${user.id}`],
      ['groups', `Groups/${group.id}`],
    ] as const) {
      const headers = { 'X-Request-Id': `external-${resource}` }
      await scim.patch(path, changed, headers)
      await scim.patch(path, changed, headers)
      const entries = await readAudit(world, headers['X-Request-Id'])
      const action = resource === 'users' ? 'users.edit' : 'groups.update'
      expect(entries.map((each) => each.action)).to.deep.equal([action])
      expect([entries[0]?.before.external_id, entries[0]?.after.external_id]).to.deep.equal([
        'former',
        'present',
      ])
      const [created] = await world
        .database('audit_log')
        .where({ action: `${resource}.create`, resource_id: entries[0]?.resource_id })
      expect(created.after.external_id).to.equal('former')
    }
  })

  it('store and show the address of the provider’s picture, and delete it together with “photos”', async () => {
    const address = (name: string) => `https://pictures.example/${name}.jpg`
    const photos = [
      { value: address('small'), type: 'thumbnail' },
      { value: address('large'), type: 'photo' },
    ]
    const user = await create(createUserName('photos'), { photos })
    const shown = (name: string) => [{ value: address(name), type: 'photo', primary: true }]
    expect((await scim.get(`Users/${user.id}`)).json.photos).to.deep.equal(shown('large'))
    const find = () => world.database('user_pictures').where({ user_id: user.id }).first()
    expect((await find()).fetch_at).to.not.equal(null)
    // A PUT without photos, which some providers never send, changes nothing.
    await scim.put(`Users/${user.id}`, createEntraUser(user.userName))
    expect(await find()).to.include({ provider_url: address('large') })
    const replaced = [{ op: 'Replace', path: 'photos', value: [{ value: address('new') }] }]
    expect((await scim.patch(`Users/${user.id}`, replaced)).json.photos).to.deep.equal(shown('new'))
    await scim.patch(`Users/${user.id}`, [{ op: 'Remove', path: 'photos' }])
    expect(await find()).to.equal(undefined)
    expect((await scim.get(`Users/${user.id}`)).json).to.not.have.property('photos')
    await scim.patch(`Users/${user.id}`, [
      { op: 'Add', path: 'photos', value: [{ value: 'data:image/png;base64,AA' }] },
    ])
    expect(await find()).to.equal(undefined)
  })

  it('let an import find a renamed user by the new UPN, and keep the user’s e-mail', async () => {
    const [former, present] = [createUserName('upn'), createUserName('upn')]
    const { id } = await create(former)
    const renamed = await scim.patch(`Users/${id}`, [{ op: 'Replace', path: 'userName', value: present }])
    expect(renamed.json).to.deep.include({ userName: present })
    expect(renamed.json.emails[0].value).to.equal(former)
    const file = (upn: string) => `email,upn,name\n${former},${upn},Renamed by file`
    const options = { key_column: 'upn', update: 'true' }
    const { json } = await scim.client.import(file(present), options)
    expect(json).to.deep.include({ updated: [2], created: [], errors: [] })
    // The import finds nobody by the old UPN, and the e-mail is taken.
    expect((await scim.client.import(file(former), options)).json).to.deep.include({ errors: [2] })
    expect((await scim.get(`Users/${id}`)).json).to.include({
      userName: present,
      displayName: 'Renamed by file',
    })
  })
})
