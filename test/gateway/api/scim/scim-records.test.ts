// What SCIM writes where others read it: the audit log, and imports of files.
import { expect } from 'chai'
import { auditOf } from '../../../support/dashboard/admin.ts'
import { entraGroup, entraUser, useScim } from '../../../support/http/scim.ts'
import { useWorld } from '../../../support/world.ts'

let counter = 0
const nameOf = (what: string) => `${what}-${++counter}@records.example`

describe('SCIM writes', () => {
  const world = useWorld({ workers: ['writes', 'imports'] })
  const scim = useScim(world)
  const create = async (userName: string, changes = {}) =>
    (await scim.post('Users', entraUser(userName, changes))).json

  it('shows each change of externalId in the audit log', async () => {
    const before = { externalId: 'former' }
    const user = await create(nameOf('external'), before)
    const group = (await scim.post('Groups', { ...entraGroup(nameOf('external')), ...before })).json
    const changed = [{ op: 'Replace', path: 'externalId', value: 'present' }]
    for (const [resource, path] of [
      ['users', `Users/${user.id}`],
      ['groups', `Groups/${group.id}`],
    ] as const) {
      const headers = { 'X-Request-Id': `external-${resource}` }
      await scim.patch(path, changed, headers)
      await scim.patch(path, changed, headers)
      const entries = await auditOf(world, headers['X-Request-Id'])
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

  it('renames a user whom a file finds by the new UPN, and whose e-mail stays', async () => {
    const [former, present] = [nameOf('upn'), nameOf('upn')]
    const { id } = await create(former)
    const renamed = await scim.patch(`Users/${id}`, [{ op: 'Replace', path: 'userName', value: present }])
    expect(renamed.json).to.deep.include({ userName: present })
    expect(renamed.json.emails[0].value).to.equal(former)
    const file = (upn: string) => `email,upn,name\n${former},${upn},Renamed by file`
    const options = { key_column: 'upn', update: 'true' }
    const { json } = await scim.client.import(file(present), options)
    expect(json).to.deep.include({ updated: [2], created: [], errors: [] })
    // A file finds nobody by this UPN, and the e-mail is taken.
    expect((await scim.client.import(file(former), options)).json).to.deep.include({ errors: [2] })
    expect((await scim.get(`Users/${id}`)).json).to.include({
      userName: present,
      displayName: 'Renamed by file',
    })
  })
})
