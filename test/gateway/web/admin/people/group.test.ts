// Tests the page of a group: its leads, chosen by name, and its team days with how many members come.
import { expect } from 'chai'
import { createSignedIn, parseForms, useSignedIn } from '../../../../support/dashboard/dashboard.ts'
import {
  createBookable,
  createBooking,
  createGroup,
  createLocation,
  createUser,
} from '../../../../support/factories.ts'
import { sendDuring } from '../../../../support/faults/lock-waits.ts'
import { useWorld } from '../../../../support/world.ts'

const DAY_MS = 86_400_000
const dateIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10)

describe('the page of a group', () => {
  const world = useWorld()
  const browser = useSignedIn(world)
  let [group, ada, adam] = [0, 0, 0]

  beforeEach(async () => {
    const { database } = world
    await database('users').update({ name: 'Somebody else' })
    group = await createGroup(database)
    ada = await createUser(database, { name: 'Ada Lovelace' })
    adam = await createUser(database, { name: 'Adam Smith' })
    await database('group_members').insert([ada, adam].map((user_id) => ({ group_id: group, user_id })))
    await browser.open(`/dashboard/people/groups/${group}`)
  })

  const leads = async () =>
    (await world.database('group_leads').where({ group_id: group }).orderBy('user_id').pluck('user_id')).map(
      Number,
    )

  function removeLead(id: number) {
    const forms = parseForms(browser.page.text)
    const form = forms.find(
      ({ buttons, controls }) =>
        buttons.includes('Remove') &&
        controls.some(({ name, value }) => name === 'id' && value === String(id)),
    )
    return browser.send(form ?? expect.fail(`No lead ${id}`))
  }

  it('adds leads by name, and asks which of several people is meant', async () => {
    expect(browser.words).to.include('2 active people').and.include('Nobody leads this group.')
    await browser.submit('Add lead', { person: 'Ada' })
    expect(browser.words).to.include('Several people match “Ada”:').and.include('Adam Smith')
    await browser.submit('Add lead', { person: 'Nemo' })
    expect(browser.words).to.include('There is no active person called “Nemo”.')
    await browser.submit('Add lead', { person: 'ada lovelace' })
    expect(browser.words).to.include('Ada Lovelace leads this group.')
    const { email } = await world.database('users').where({ id: adam }).first()
    await browser.submit('Add lead', { person: `Adam Smith <${email}>` })
    expect(await leads()).to.deep.equal([ada, adam])
    const outsider = await createUser(world.database, { name: 'Olga Outside' })
    await browser.submit('Add lead', { person: 'Olga Outside' })
    expect(browser.words).to.include('Only active members of the group can lead it.')
    expect(await leads()).to.not.include(outsider)
  })

  it('removes a lead, and keeps who may set team days', async () => {
    await world.database('group_leads').insert({ group_id: group, user_id: ada })
    await browser.open(`/dashboard/people/groups/${group}`)
    await browser.submit('Save', { anybody: 'true' })
    expect(await leads()).to.deep.equal([ada])
    await browser.submit('Remove')
    expect(await leads()).to.deep.equal([])
    const { anybody_names_team_days } = await world.database('groups').where({ id: group }).first()
    expect(anybody_names_team_days).to.equal(true)
  })

  it('keeps deactivated leads, who do not prevent changes of the others', async () => {
    const { database } = world
    const carol = await createUser(database, { name: 'Carol Shaw' })
    await database('group_members').insert({ group_id: group, user_id: carol })
    await database('group_leads').insert([ada, adam].map((user_id) => ({ group_id: group, user_id })))
    await database('users').where({ id: ada }).update({ deactivated_at: new Date() })
    await browser.open(`/dashboard/people/groups/${group}`)
    await browser.submit('Save', { anybody: 'true' })
    expect(browser.words).to.include('Changes saved.')
    expect(browser.words).to.match(/Ada Lovelace \S+ deactivated/)
    await browser.submit('Add lead', { person: 'Carol Shaw' })
    expect(await leads()).to.deep.equal([ada, adam, carol])
    await database('users').where({ id: adam }).update({ deactivated_at: new Date() })
    await removeLead(adam)
    expect(await leads()).to.deep.equal([ada, carol])
    await removeLead(ada)
    expect(await leads()).to.deep.equal([carol])
  })

  it('keeps the lead whom another administrator adds at the same time', async () => {
    await sendDuring(world, {
      lock: (trx) => trx('groups').where({ id: group }).forUpdate(),
      send: () => browser.submit('Add lead', { person: 'Ada Lovelace' }),
      write: (trx) => trx('group_leads').insert({ group_id: group, user_id: adam }),
    })
    expect(await leads()).to.deep.equal([ada, adam])
  })

  it('lists team days that are not over with how many members come, and deletes them', async () => {
    const { database } = world
    const [soon, past] = [dateIn(3), dateIn(-3)]
    await database('team_days').insert([
      { group_id: group, date: soon, note: 'Planning' },
      { group_id: group, date: past, note: 'Long gone' },
    ])
    const span = { from: `${soon}T09:00:00Z`, to: `${soon}T10:00:00Z` }
    await createBooking(database, { bookable_id: await createBookable(database), user_id: ada, ...span })
    const home = await createBookable(database, { type: 3 })
    await createBooking(database, { bookable_id: home, user_id: adam, exclusive: false, ...span })
    const colleague = await createUser(database)
    await createBooking(database, {
      bookable_id: await createBookable(database),
      user_id: colleague,
      ...span,
    })
    await browser.open(`/dashboard/people/groups/${group}`)
    expect(browser.words)
      .to.match(/Come Note Actions .* 1 Planning/)
      .and.not.include('Long gone')
    await browser.submit('Delete')
    expect(browser.words).to.include('Team day deleted. Bookings stay.')
    expect(await database('team_days').where({ group_id: group }).pluck('note')).to.deep.equal(['Long gone'])
  })

  it('adds a team day, for one date or for every week', async () => {
    const { database } = world
    await createLocation(database, { name: 'Ground floor' })
    const location_id = await createLocation(database, { name: 'Roof' })
    await browser.open(`/dashboard/people/groups/${group}`)
    const date = dateIn(5)
    await browser.submit('Add team day', { date, location: String(location_id), note: 'Planning' })
    expect(browser.words)
      .to.include('Everybody in the group now sees this day.')
      .and.match(/Roof Planning/)
    await browser.submit('Add team day', { date: '2031-03-04', is_weekly: 'true' })
    expect(browser.words).to.include('Every Tuesday, next on')
    await browser.submit('Add team day', { date: '' })
    expect(browser.words).to.include('Day is required.')
    const days = await database('team_days')
      .where({ group_id: group })
      .orderBy('id')
      .select('weekday', 'location_id', 'note', database.raw('date::text'))
    expect(
      days.map((day) => ({ ...day, location_id: day.location_id && Number(day.location_id) })),
    ).to.deep.equal([
      { weekday: null, location_id, note: 'Planning', date },
      { weekday: 2, location_id: null, note: null, date: null },
    ])
  })

  it('shows readers the leads without anything to change them', async () => {
    await world.database('group_leads').insert({ group_id: group, user_id: ada })
    const reader = await createSignedIn(world, 'reader@group.example', 'reader')
    await reader.open(`/dashboard/people/groups/${group}`)
    expect(reader.words)
      .to.include('Ada Lovelace')
      .and.not.include('Add lead')
      .and.not.include('Add team day')
  })
})
