// Tests undoing team days: a named one is deleted, and a deleted one comes back with its id.
import { expect } from 'chai'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import { createGroup, createUser } from '../../../support/factories.ts'
import { countLockWaits } from '../../../support/faults/pipeline.ts'
import { signInAs } from '../../../support/people/person.ts'
import { eventually } from '../../../support/time.ts'
import { useWorld } from '../../../support/world.ts'

describe('undoing team days', () => {
  const world = useWorld()
  const admin = useAdmin(world)
  const list = (group_id: number) => world.database('team_days').where({ group_id }).orderBy('id')
  const undo = async (action: string, resource_id: number) => {
    const entries = world.database('audit_log').where({ action, resource_id }).orderBy('id', 'desc')
    return admin.ask('audit-entries.undo', { id: (await entries.first()).id })
  }

  it('deletes a team day that was named, and restores one that was deleted', async () => {
    const group_id = await createGroup(world.database)
    const named = await admin.ask('team-days.create', { group_id, date: '2031-03-04', note: 'All in' })
    const { id } = named.json.data
    expect((await undo('team_days.create', id)).status).to.equal(200)
    expect(await list(group_id)).to.deep.equal([])
    expect((await undo('team_days.create', id)).json.code).to.equal('changed_meanwhile')

    const weekly = (await admin.ask('team-days.create', { group_id, weekday: 2 })).json.data
    await admin.ask('team-days.delete', { group_id, team_day_id: weekly.id })
    expect((await undo('team_days.delete', weekly.id)).status).to.equal(200)
    const [restored] = await list(group_id)
    expect(restored).to.include({ id: weekly.id, weekday: 2 })
    expect((await undo('team_days.delete', weekly.id)).json.code).to.equal('changed_meanwhile')
  })

  it('is refused if somebody else undoes the same change at the same moment', async () => {
    const group_id = await createGroup(world.database)
    const named = (await admin.ask('team-days.create', { group_id, weekday: 4 })).json.data
    const deleted = (await admin.ask('team-days.create', { group_id, weekday: 5 })).json.data
    await admin.ask('team-days.delete', { group_id, team_day_id: deleted.id })
    const changes = [
      ['team_days.create', named.id],
      ['team_days.delete', deleted.id],
    ] as const
    for (const [action, id] of changes) {
      const trx = await world.database.transaction()
      await trx('groups').where({ id: group_id }).forNoKeyUpdate()
      const undone = [undo(action, id), undo(action, id)]
      await eventually(async () => expect(await countLockWaits(world)).to.equal(2))
      await trx.commit()
      const answers = await Promise.all(undone)
      const codes = answers.map(({ status, json }) => `${status} ${json.code}`).sort()
      expect(codes, action).to.deep.equal(['200 undefined', '409 changed_meanwhile'])
    }
  })

  it('is refused if the group has been deleted since', async () => {
    const group_id = await createGroup(world.database)
    const { id } = (await admin.ask('team-days.create', { group_id, weekday: 3 })).json.data
    await admin.ask('groups.delete', { id: group_id })
    expect((await undo('team_days.create', id)).json.code).to.equal('changed_meanwhile')
  })

  it('refuses to restore one if the group has another on that day since', async () => {
    const group_id = await createGroup(world.database)
    const { id } = (await admin.ask('team-days.create', { group_id, weekday: 3 })).json.data
    await admin.ask('team-days.delete', { group_id, team_day_id: id })
    await admin.ask('team-days.create', { group_id, weekday: 3 })
    expect((await undo('team_days.delete', id)).status).to.equal(422)
  })

  it('is one press on the page of the team, and refused once the person no longer leads it', async () => {
    const group_id = await createGroup(world.database)
    const user_id = await createUser(world.database)
    await world.database('group_members').insert({ group_id, user_id })
    await world.database('group_leads').insert({ group_id, user_id })
    const browser = await signInAs(world, user_id)
    await browser.open(`/my/week/teams/${group_id}`)
    await browser.submit('Add team day')
    expect(await list(group_id)).to.have.length(1)
    await browser.submit('Undo')
    expect(await list(group_id)).to.deep.equal([])
    await browser.open(`/my/week/teams/${group_id}`)
    await browser.submit('Add team day')
    await world.database('group_leads').where({ group_id }).delete()
    await browser.submit('Undo')
    expect(browser.words).to.not.include('Undone.')
    expect(await list(group_id)).to.have.length(1)
  })
})
