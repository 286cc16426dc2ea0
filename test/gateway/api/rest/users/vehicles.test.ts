// Tests writes of a user's vehicles over HTTP.
import { expect } from 'chai'
import { lockImports } from '../../../../../shared/imports/import-lock.ts'
import { readAudit } from '../../../../support/dashboard/admin.ts'
import { createBooking, createUser, createVehicle, hoursFromNow } from '../../../../support/factories.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('vehicles that the API changes', () => {
  const world = useWorld()
  const client = useClient(world, 'user-write', 'read')
  let user_id: number
  let path: string
  beforeEach(async () => {
    user_id = await createUser(world.database)
    path = `users/${user_id}/vehicles`
  })
  const listed = async () => (await client.get(path)).json.data

  it('are listed once they are added, and count as changes of their user', async () => {
    const added = await client.post(path, { license_plate: ' HH AB 1 ' }, { 'X-Request-Id': 'vehicle-added' })
    expect(added.status, added.text).to.equal(200)
    expect(added.json).to.deep.equal({ data: { id: added.json.data.id, license_plate: 'HH AB 1' } })
    expect(await listed()).to.deep.equal([added.json.data])
    const [entry] = await readAudit(world, 'vehicle-added')
    expect(entry).to.include({ action: 'users.edit', resource_id: user_id, actor_type: 'token' })
    expect([entry.before.license_plates, entry.after.license_plates]).to.deep.equal([[], ['HH AB 1']])
    const changes = world.database('changes').where({ type: 'user', resource_id: user_id })
    expect(await changes.pluck('action')).to.deep.equal(['updated'])
  })

  it('can be changed or deleted without changing the plates of existing bookings', async () => {
    const vehicle_id = await createVehicle(world.database, { user_id, license_plate: 'OLD' })
    const times = { from: hoursFromNow(1), to: hoursFromNow(2) }
    const id = await createBooking(world.database, { ...times, user_id, vehicle_id, license_plate: 'OLD' })
    const booking = () => world.database('bookings').where({ id }).first('vehicle_id', 'license_plate')
    const changed = await client.patch(`${path}/${vehicle_id}`, { license_plate: 'NEW' })
    expect(changed.json).to.deep.equal({ data: { id: vehicle_id, license_plate: 'NEW' } })
    expect((await client.patch(`${path}/${vehicle_id}`, {})).json).to.deep.equal(changed.json)
    expect(await booking()).to.deep.equal({ vehicle_id, license_plate: 'OLD' })
    expect((await client.delete(`${path}/${vehicle_id}`)).status).to.equal(204)
    expect(await booking()).to.deep.equal({ vehicle_id: null, license_plate: 'OLD' })
    expect(await listed()).to.deep.equal([])
  })

  it('have plates that are unique for each user, even if two requests arrive at the same time', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => client.post(path, { license_plate: 'TWICE' })))
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 422, 422])
    const other = await createVehicle(world.database, { user_id })
    const refused = await client.patch(`${path}/${other}`, { license_plate: 'TWICE' })
    expect(refused.json.errors).to.deep.equal({
      license_plate: ['This user already has a vehicle with this plate.'],
    })
    await createVehicle(world.database, { license_plate: 'SHARED' })
    expect((await client.post(path, { license_plate: 'SHARED' })).status).to.equal(200)
    for (const license_plate of [undefined, '', 'a;b', 'x'.repeat(256)])
      expect((await client.post(path, { license_plate })).json.errors).to.have.all.keys('license_plate')
  })

  it('are stored in capital letters with single spaces, and only once for each user', async () => {
    const added = await client.post(path, { license_plate: ' b-er\u00a0  2 ' })
    expect(added.json.data.license_plate).to.equal('B-ER 2')
    const changed = await client.patch(`${path}/${added.json.data.id}`, { license_plate: 'tü  1e' })
    expect(changed.json.data.license_plate).to.equal('TÜ 1E')
    // An older release stored plates as people typed them.
    const old = await createVehicle(world.database, { user_id, license_plate: 'hh  al 1' })
    expect((await client.post(path, { license_plate: 'HH AL 1' })).status).to.equal(422)
    expect(
      (await client.patch(`${path}/${added.json.data.id}`, { license_plate: 'hh al 1' })).status,
    ).to.equal(422)
    const kept = await client.patch(`${path}/${old}`, { license_plate: 'hh al 1' })
    expect(kept.json.data).to.deep.equal({ id: old, license_plate: 'HH AL 1' })
  })

  it('keep their ids if a request sends all plates of the user, in any spelling', async () => {
    const old = await createVehicle(world.database, { user_id, license_plate: 'hh  al 1' })
    const answer = await client.patch(`users/${user_id}`, { license_plates: ['Hh Al 1', 'b 2', 'B  2'] })
    expect(answer.status, answer.text).to.equal(200)
    const vehicles = await listed()
    expect(vehicles.map((each: { license_plate: string }) => each.license_plate)).to.deep.equal([
      'hh  al 1',
      'B 2',
    ])
    expect(vehicles[0].id).to.equal(old)
  })

  it('cannot be found if they belong to another user or their user is deactivated', async () => {
    const others = await createVehicle(world.database)
    const own = await createVehicle(world.database, { user_id })
    const body = { license_plate: 'MINE' }
    for (const method of ['PATCH', 'DELETE']) {
      const refused = await client.ask(`${path}/${others}`, { method, body })
      expect([refused.status, refused.json.detail]).to.deep.equal([
        404,
        'This user has no vehicle with this id.',
      ])
    }
    await world.database('users').where({ id: user_id }).update({ deactivated_at: new Date() })
    for (const [method, where] of [
      ['POST', path],
      ['PATCH', `${path}/${own}`],
      ['DELETE', `${path}/${own}`],
    ] as const) {
      const refused = await client.ask(where, { method, body })
      expect([refused.status, refused.json.detail]).to.deep.equal([
        404,
        'There is no active user with this id.',
      ])
    }
    expect(await world.database('vehicles').whereIn('id', [own, others])).to.have.length(2)
  })

  it('cannot be changed during an import', async () => {
    const own = await createVehicle(world.database, { user_id })
    await world.database.transaction(async (importing) => {
      await lockImports(importing)
      for (const [method, where] of [
        ['POST', path],
        ['PATCH', `${path}/${own}`],
        ['DELETE', `${path}/${own}`],
      ] as const) {
        const refused = await client.ask(where, { method, body: { license_plate: 'LATE' } })
        expect(refused.json.code, method).to.equal('import_running')
      }
    })
  })
})
