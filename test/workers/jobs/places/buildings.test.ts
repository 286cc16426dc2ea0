// Tests buildings that administrators create, change and delete.

import { expect } from 'chai'
import { ADMIN_ACTOR, readAudit, useAdmin } from '../../../support/dashboard/admin.ts'
import { createBuilding, createLocation } from '../../../support/factories.ts'
import { useWorld } from '../../../support/world.ts'

describe('an administrator’s buildings', () => {
  const world = useWorld()
  const admin = useAdmin(world)

  const find = (id: number) => world.database('buildings').where({ id }).first()

  it('can be created, changed field by field and deleted, each time with an audit entry', async () => {
    const body = { name: ' Harbour House ', address: 'Am Kai 1\n20457 Hamburg', timezone: 'Europe/Berlin' }
    const made = await admin.ask('buildings.create', body, { requestId: 'one' })
    expect(made.status).to.equal(200)
    const { id } = made.json.data
    const row = { id, ...body, name: 'Harbour House', rules: null }
    expect(await find(id)).to.deep.equal(row)
    await admin.ask('buildings.update', { id, address: '' }, { requestId: 'two' })
    expect(await find(id)).to.deep.equal({ ...row, address: '' })
    expect((await admin.ask('buildings.delete', { id }, { requestId: 'three' })).status).to.equal(204)
    expect(await find(id)).to.equal(undefined)
    const log = await world
      .database('audit_log')
      .where({ resource: 'buildings', resource_id: id })
      .orderBy('id')
    expect(log.map(({ action, before, after }) => ({ action, before, after }))).to.deep.equal([
      { action: 'buildings.create', before: null, after: row },
      { action: 'buildings.update', before: row, after: { ...row, address: '' } },
      { action: 'buildings.delete', before: { ...row, address: '' }, after: null },
    ])
    for (const [index, requestId] of ['one', 'two', 'three'].entries()) {
      expect(log[index]).to.include({ actor_type: 'admin', actor_id: ADMIN_ACTOR.id, request_id: requestId })
    }
  })

  it('need names that differ in more than letter case, except for existing duplicates', async () => {
    const twins = [
      await createBuilding(world.database, { name: 'Twin' }),
      await createBuilding(world.database, { name: 'Twin' }),
    ]
    const [id] = twins
    const other = await createBuilding(world.database, { name: 'Other' })
    for (const refused of [
      await admin.ask('buildings.create', { name: 'tWIN' }),
      await admin.ask('buildings.update', { id: other, name: 'Twin' }),
    ]) {
      expect(refused.status).to.equal(422)
      expect(refused.json.errors).to.deep.equal({ name: ['Another building has this name.'] })
    }
    expect((await admin.ask('buildings.update', { id, name: 'TWIN', address: 'Am Kai 2' })).status).to.equal(
      200,
    )
    expect((await admin.ask('buildings.update', { id: other, name: 'OTHER' })).status).to.equal(200)
    const both = await Promise.all([1, 2].map(() => admin.ask('buildings.create', { name: 'At once' })))
    expect(both.map(({ status }) => status)).to.have.members([200, 422])
  })

  it('have a time zone that both Node and Postgres know, or UTC by default', async () => {
    const { id } = (await admin.ask('buildings.create', { name: 'House' })).json.data
    expect(await find(id)).to.include({ timezone: 'UTC', address: '' })
    for (const timezone of ['Mars/Olympus', '+02:00', '', 'Europe/Berlin; DROP TABLE users']) {
      for (const [job, body] of [
        ['buildings.create', { name: 'House', timezone }],
        ['buildings.update', { id, timezone }],
      ] as const) {
        const { status, json } = await admin.ask(job, body)
        expect(status, timezone).to.equal(422)
        expect(json.errors).to.have.all.keys('timezone')
      }
    }
    expect((await admin.ask('buildings.update', { id, timezone: 'Asia/Kolkata' })).status).to.equal(200)
  })

  it('cannot be deleted while they have locations; the refusal contains the number of locations', async () => {
    const id = await createBuilding(world.database, { name: 'Full' })
    await createLocation(world.database, { building_id: id })
    await createLocation(world.database, { building_id: id })
    const { status, json } = await admin.ask('buildings.delete', { id }, { requestId: 'refused' })
    expect(status).to.equal(409)
    expect(json).to.include({
      code: 'in_use',
      detail: 'Full still has 2 locations. Delete or move them first.',
    })
    expect(await find(id)).to.include({ name: 'Full' })
    expect(await readAudit(world, 'refused')).to.deep.equal([])
  })

  it('are never deleted while their first location is being created', async () => {
    for (let round = 0; round < 10; round++) {
      const building_id = await createBuilding(world.database)
      const [deleted, made] = await Promise.all([
        admin.ask('buildings.delete', { id: building_id }),
        admin.ask('locations.create', { building_id, name: 'Floor' }),
      ])
      expect([deleted.status, made.status].join()).to.be.oneOf(['204,422', '409,200'])
      if (made.status === 422) expect(made.json.errors).to.have.all.keys('building_id')
    }
  })

  it('are refused with a sentence if a field is invalid or an id is unknown', async () => {
    const { json } = await admin.ask('buildings.create', { name: '', address: 'x'.repeat(1001) })
    expect(json.errors).to.have.all.keys('name', 'address')
    expect((await admin.ask('buildings.update', { id: 999_999, name: 'x' })).status).to.equal(404)
    expect((await admin.ask('buildings.delete', { id: 999_999 })).status).to.equal(404)
  })
})
