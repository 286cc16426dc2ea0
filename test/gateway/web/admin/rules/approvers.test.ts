// Tests how administrators choose approvers: people by name or e-mail, and groups by name.
import { expect } from 'chai'
import { useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import { createBuilding, createGroup, createUser } from '../../../../support/factories.ts'
import { useWorld } from '../../../../support/world.ts'

describe('the approvers of a place', () => {
  const world = useWorld()
  const browser = useSignedIn(world)

  it('are chosen by name, and shown by name', async () => {
    const { database } = world
    const building = await createBuilding(database)
    const ada = await createUser(database, { name: 'Ada Lovelace', email: 'ada@approve.example' })
    const grace = await createUser(database, { name: 'Grace Hopper', email: 'grace@approve.example' })
    await createUser(database, { name: 'Grace Kelly' })
    const crew = await createGroup(database, { name: 'Crew' })
    await browser.open(`/dashboard/places/buildings/${building}/rules`)
    await browser.submit('Save rules', { approvers: 'Grace\nNobody Here\nada@approve.example' })
    expect(browser.words)
      .to.include('Several people match “Grace”:')
      .and.include('There is no active person called “Nobody Here”.')
    await browser.submit('Save rules', { approvers: 'grace hopper\nAda@approve.example\nCrew' })
    const { rules } = await database('buildings').where({ id: building }).first()
    expect(rules.approvers).to.deep.equal({ user_ids: [grace, ada], group_ids: [crew] })
    expect(browser.words).to.include('Grace Hopper, Ada Lovelace, Crew')
    expect(browser.page.text).to.include('Grace Hopper &lt;grace@approve.example&gt;')
    // What the form shows can be saved as it is.
    await browser.submit('Save rules', {})
    expect((await database('buildings').where({ id: building }).first()).rules).to.deep.equal(rules)
  })

  it('stay if they are deactivated and their line is unchanged, but cannot be added then', async () => {
    const { database } = world
    const building = await createBuilding(database)
    const dora = await createUser(database, { name: 'Dora Marsden', email: 'dora@approve.example' })
    const emil = await createUser(database, { name: 'Emil Nolde', email: 'emil@approve.example' })
    const staff = await createGroup(database, { name: 'Staff' })
    const approvers = { user_ids: [dora, emil], group_ids: [staff] }
    await database('buildings')
      .where({ id: building })
      .update({ rules: JSON.stringify({ approvers }) })
    await database('users').where({ id: dora }).update({ deactivated_at: new Date() })
    const rulesOf = async () => (await database('buildings').where({ id: building }).first()).rules
    await browser.open(`/dashboard/places/buildings/${building}/rules`)
    await browser.submit('Save rules', { days_ahead_max: '7' })
    expect(await rulesOf()).to.deep.equal({ approvers, days_ahead_max: 7 })
    // The others can be removed.
    await browser.submit('Save rules', { approvers: 'Dora Marsden <dora@approve.example>\nStaff' })
    expect((await rulesOf()).approvers).to.deep.equal({ user_ids: [dora], group_ids: [staff] })
    await browser.submit('Save rules', { approvers: 'Staff' })
    await browser.submit('Save rules', { approvers: 'dora@approve.example' })
    expect(browser.words).to.include('There is no active person with the e-mail “dora@approve.example”.')
    expect((await rulesOf()).approvers.user_ids).to.deep.equal([])
  })

  it('are suggested while an administrator types', async () => {
    await createUser(world.database, { name: 'Zora Zimt', email: 'zora@approve.example' })
    const { text } = await browser.open('/dashboard/find?_part=people&q=zora')
    expect(text).to.include('data-entry="Zora Zimt &lt;zora@approve.example&gt;"')
  })
})
