// Tests team days over HTTP: who may create, list and delete them.
import { expect } from 'chai'
import { createGroup, createUser } from '../../../../support/factories.ts'
import { Client } from '../../../../support/http/http.ts'
import { createPersonalToken } from '../../../../support/personal-tokens.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

describe('team days of a group', () => {
  const world = useWorld()
  const client = useClient(world, 'booking-write', 'read', 'user-write')
  let group: number
  let path: string
  let user_id: number
  beforeEach(async () => {
    group = await createGroup(world.database)
    path = `groups/${group}/team-days`
    user_id = await createUser(world.database)
    await world.database('group_members').insert({ group_id: group, user_id })
  })

  it('are created for a date or for every week, listed and deleted', async () => {
    const once = await client.post(path, { date: '2031-03-04', note: 'We are in on Tuesday' })
    expect(once.status, once.text).to.equal(200)
    const weekly = await client.post(path, { weekday: 2 })
    const day = { group_id: group, location_id: null }
    const [one, other] = [
      { id: once.json.data.id, ...day, date: '2031-03-04', weekday: null, note: 'We are in on Tuesday' },
      { id: weekly.json.data.id, ...day, date: null, weekday: 2, note: null },
    ]
    expect((await client.get(path)).json.data).to.deep.equal([one, other])
    expect((await client.delete(`${path}/${one.id}`)).status).to.equal(204)
    expect((await client.delete(`${path}/${one.id}`)).status).to.equal(404)
    expect((await client.get(path)).json.data).to.deep.equal([other])
  })

  it('are refused if the day is taken, the floor is unknown, or not exactly one of date and weekday is given', async () => {
    await client.post(path, { weekday: 2 })
    const again = await client.post(path, { weekday: 2 })
    expect([again.status, Object.keys(again.json.errors)]).to.deep.equal([422, ['weekday']])
    const refused = async (body: object) => (await client.post(path, body)).status
    expect(await refused({})).to.equal(422)
    expect(await refused({ weekday: 3, date: '2031-03-04' })).to.equal(422)
    expect(await refused({ weekday: 3, location_id: 999_999 })).to.equal(422)
    expect((await client.post('groups/999999/team-days', { weekday: 2 })).status).to.equal(404)
  })

  it('can be created by leads with personal tokens, and by every member if the group allows it', async () => {
    const own = new Client(world.url, await createPersonalToken(world.database, user_id))
    const day = { weekday: 2 }
    const refused = await own.post(path, day)
    expect([refused.status, refused.json.code]).to.deep.equal([403, 'personal_token'])
    expect((await own.get(path)).json.data).to.deep.equal([])
    const stranger = new Client(
      world.url,
      await createPersonalToken(world.database, await createUser(world.database)),
    )
    expect((await stranger.post(path, day)).status).to.equal(404)
    expect((await stranger.get(path)).status).to.equal(404)
    const leads = await client.put(`groups/${group}/leads`, { user_ids: [user_id] })
    expect(leads.json.data).to.deep.equal({ user_ids: [user_id], anybody: false })
    expect((await client.get(`groups/${group}/leads`)).json.data).to.deep.equal(leads.json.data)
    const named = await own.post(path, day)
    expect(named.status, named.text).to.equal(200)
    expect((await client.put(`groups/${group}/members`, { user_ids: [] })).status).to.equal(200)
    expect((await client.get(`groups/${group}/leads`)).json.data.user_ids).to.deep.equal([])
    expect((await own.delete(`${path}/${named.json.data.id}`)).status).to.equal(404)
    await client.put(`groups/${group}/members`, { user_ids: [user_id] })
    await client.put(`groups/${group}/leads`, { user_ids: [], anybody: true })
    expect((await own.delete(`${path}/${named.json.data.id}`)).status).to.equal(204)
    const outside = await client.put(`groups/${group}/leads`, {
      user_ids: [await createUser(world.database)],
    })
    expect(outside.status).to.equal(422)
  })

  it('can keep a deactivated lead, but cannot get a deactivated one', async () => {
    const { database } = world
    const other = await createUser(database)
    await client.put(`groups/${group}/members`, { user_ids: [user_id, other] })
    await client.put(`groups/${group}/leads`, { user_ids: [user_id] })
    await database('users').whereIn('id', [user_id, other]).update({ deactivated_at: new Date() })
    const kept = await client.put(`groups/${group}/leads`, { user_ids: [user_id], anybody: true })
    expect(kept.json.data, kept.text).to.deep.equal({ user_ids: [user_id], anybody: true })
    const added = await client.put(`groups/${group}/leads`, { user_ids: [user_id, other] })
    expect(added.json.errors).to.deep.equal({ user_ids: ['Only active members of the group can lead it.'] })
  })
})
