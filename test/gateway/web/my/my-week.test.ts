// Tests My week: one press sets a day, another one repeats the week before, and Undo reverses the whole press.
import { expect } from 'chai'
import { listTwoWeeks } from '../../../../gateway/web/my/week/working-days.ts'
import { parseForms } from '../../../support/dashboard/dashboard.ts'
import {
  createAbsence,
  createBookable,
  createBooking,
  createGroup,
  createUser,
} from '../../../support/factories.ts'
import { createFloor } from '../../../support/people/floor.ts'
import { useWorld } from '../../../support/world.ts'

const ZONE = 'Europe/Berlin'
const DAY_MS = 24 * 3_600_000

describe('My week', () => {
  const world = useWorld()

  /** Returns a floor with desks and a home office, the working days of the next week, and how to set one. */
  async function createWeek(options: Parameters<typeof createFloor>[1] = {}) {
    // Without other floors, this one is the person's usual floor.
    await world.database.raw('TRUNCATE users, buildings, groups RESTART IDENTITY CASCADE')
    const floor = await createFloor(world, options)
    const home = await createBookable(world.database, {
      location_id: floor.location_id,
      type: 3,
      name: 'Home',
    })
    const days = (listTwoWeeks(new Date().toISOString(), ZONE)[1] ?? []).map(({ date }) => date)
    const { browser } = floor
    await browser.open('/my/week')
    const set = async (date: string | undefined, kind: string) => {
      const [form] = parseForms(browser.page.text).filter(({ buttons }) => buttons.includes('Office'))
      if (!form) throw new Error(`There is no form: ${browser.page.status} ${browser.words}`)
      const day = { name: 'day', value: `${date} ${kind}`, type: 'text', checked: false, options: [] }
      await browser.send({ ...form, controls: [...form.controls, day] })
    }
    return { ...floor, home, days, set }
  }

  const formatDay = (date = '') =>
    new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' })
      .format(new Date(date))
      .replace(',', '')
  const weekBefore = (date = '') => new Date(Date.parse(date) - 7 * DAY_MS).toISOString().slice(0, 10)
  const hoursOn = (date = '') => ({ from: `${date}T10:00:00Z`, to: `${date}T12:00:00Z` })
  const held = async (user_id: number) =>
    (await world.database('bookings').where({ user_id }).orderBy('during')).map(({ bookable_id, during }) => [
      during.slice(2, 12),
      bookable_id,
    ])
  const absent = (user_id: number) => world.database('absences').where({ user_id }).pluck('days')

  it('books a desk, then a home office instead, and Undo restores the desk', async () => {
    const { browser, desks, home, user_id, days, set } = await createWeek()
    const [day] = days
    await set(day, 'office')
    expect(browser.words).to.include(`${formatDay(day)}: Desk 1, Third floor.`)
    expect(await held(user_id)).to.deep.equal([[day, desks[0]]])
    await set(day, 'home')
    expect(browser.words).to.include(`${formatDay(day)}: home office.`)
    expect(await held(user_id)).to.deep.equal([[day, home]])
    const released = await world.database('audit_log').where({ action: 'bookings.release-day' })
    expect(released.map(({ before }) => before.bookable_id)).to.deep.equal([desks[0]])
    await browser.submit('Undo')
    expect(browser.words).to.include('Undone.')
    expect(await held(user_id)).to.deep.equal([[day, desks[0]]])
  })

  it('clears a day that is set, and replaces an absence of one day, but not a longer one', async () => {
    const { browser, desks, user_id, days, set } = await createWeek()
    const [day, second, third] = days
    await set(day, 'away')
    expect(browser.words).to.include(`${formatDay(day)}: away.`)
    expect(await absent(user_id)).to.have.length(1)
    await set(day, 'office')
    expect(await absent(user_id)).to.have.length(0)
    expect(await held(user_id)).to.deep.equal([[day, desks[0]]])
    await set(day, 'none')
    expect(await held(user_id)).to.have.length(0)
    await set(day, 'away')
    await set(day, 'none')
    expect(await absent(user_id)).to.have.length(0)
    await createAbsence(world.database, { user_id, days: `[${second},${third}]` })
    await set(third, 'office')
    expect(browser.words).to.include('already away from')
    expect(await held(user_id)).to.have.length(0)
  })

  it('keeps the other days of a longer booking, and bookings of rooms and for guests', async () => {
    const { desks, home, user_id, days, set, location_id } = await createWeek()
    const [monday, tuesday, wednesday] = days
    const room = await createBookable(world.database, { location_id, type: 2, name: 'Lagoon' })
    const span = { from: `${monday}T08:00:00Z`, to: `${wednesday}T16:00:00Z` }
    await createBooking(world.database, { bookable_id: desks[0], user_id, ...span })
    await createBooking(world.database, { bookable_id: room, user_id, ...hoursOn(tuesday) })
    const guest = { guest_name: 'Grace Hopper', ...hoursOn(tuesday) }
    await createBooking(world.database, { bookable_id: desks[1], user_id, ...guest })
    await set(tuesday, 'home')
    const booked = await held(user_id)
    expect(booked.map(([, bookable]) => bookable).sort()).to.deep.equal(
      [desks[0], desks[0], desks[1], home, room].sort(),
    )
  })

  it('repeats the week before where possible, names other desks and days that are not free, and is undone as a whole', async () => {
    const { browser, desks, home, user_id, days } = await createWeek({ names: ['Desk 1', 'Desk 2'] })
    const [monday, tuesday, wednesday, thursday] = days
    const { database } = world
    for (const day of [monday, tuesday, thursday])
      await createBooking(database, { bookable_id: desks[0], user_id, ...hoursOn(weekBefore(day)) })
    await createBooking(database, { bookable_id: home, user_id, ...hoursOn(weekBefore(wednesday)) })
    const others = await createUser(database, { name: 'Anna Bauer' })
    const taken = { user_id: others, ...hoursOn(tuesday) }
    await createBooking(database, { bookable_id: desks[0], ...taken })
    for (const bookable_id of desks)
      await createBooking(database, { bookable_id, user_id: others, ...hoursOn(thursday) })
    const before = await held(user_id)
    await browser.open('/my/week')
    const buttons = parseForms(browser.page.text).filter(({ buttons }) =>
      buttons.includes('As the week before'),
    )
    const next = buttons.at(-1)
    if (!next) throw new Error('There is no button')
    await browser.send(next)
    expect(browser.words)
      .to.include('Planned as last week: 3 days.')
      .and.include(`Another place: ${formatDay(tuesday)} Desk 2.`)
      .and.include(`Skipped: ${formatDay(thursday)} (taken).`)
    expect((await held(user_id)).slice(before.length)).to.deep.equal([
      [monday, desks[0]],
      [tuesday, desks[1]],
      [wednesday, home],
    ])
    await browser.submit('Undo')
    expect(await held(user_id)).to.deep.equal(before)
  })

  it('chooses the usual desk or one near a favourite, and shows who is in, without people who hide', async () => {
    const names = ['Desk 1', 'Desk 2', 'Desk 3', 'Desk 4', 'Desk 5']
    const { browser, desks, user_id, days, set } = await createWeek({ names })
    const { database } = world
    for (const [index, id] of desks.entries())
      await database('bookables')
        .where({ id })
        .update({ position_x: index / 10, position_y: 0.5 })
    const [monday, tuesday] = days
    const colleague = await createUser(database, { name: 'Anna Bauer' })
    const hidden = await createUser(database, { name: 'Henry Versteckt' })
    await database('person_settings').insert({ user_id: hidden, visibility: 'nobody' })
    for (const colleague_id of [colleague, hidden])
      await database('favourite_colleagues').insert({ user_id, colleague_id })
    await createBooking(database, { bookable_id: desks[3], user_id: colleague, ...hoursOn(monday) })
    await createBooking(database, { bookable_id: desks[4], user_id: hidden, ...hoursOn(monday) })
    await browser.open('/my/week')
    expect(browser.page.text).to.include('Anna Bauer').and.not.include('Versteckt')
    await set(monday, 'office')
    expect(await held(user_id)).to.deep.equal([[monday, desks[2]]])
    for (const weeks of [1, 2])
      await createBooking(database, {
        bookable_id: desks[1],
        user_id,
        ...hoursOn(new Date(Date.parse(tuesday ?? '') - (weeks + 1) * 7 * DAY_MS).toISOString().slice(0, 10)),
      })
    await set(tuesday, 'office')
    expect((await held(user_id)).at(-1)).to.deep.equal([tuesday, desks[1]])
  })

  it('says when no desk is free, and refuses days that it does not show', async () => {
    const { browser, user_id, days, set } = await createWeek({ names: [] })
    await set(days[0], 'office')
    expect(browser.words).to.include('No desk is free for you on')
    await set('2031-02-11', 'home')
    expect(browser.words).to.include('Choose one of the days of this week or the next.')
    expect(await held(user_id)).to.have.length(0)
  })

  it('shows the team days that leads set, and books a desk near a teammate with one press', async () => {
    const names = ['Desk 1', 'Desk 2', 'Desk 3', 'Desk 4', 'Desk 5']
    const { browser, desks, user_id, days, set } = await createWeek({ names })
    const { database } = world
    for (const [index, id] of desks.entries())
      await database('bookables')
        .where({ id })
        .update({ position_x: index / 10, position_y: 0.5 })
    const [monday] = days
    const anna = await createUser(database, { name: 'Anna Bauer' })
    const henry = await createUser(database, { name: 'Henry Versteckt' })
    await database('person_settings').insert({ user_id: henry, visibility: 'nobody' })
    const group_id = await createGroup(database, { name: 'Design' })
    for (const each of [user_id, anna, henry])
      await database('group_members').insert({ group_id, user_id: each })
    await createBooking(database, { bookable_id: desks[4], user_id: anna, ...hoursOn(monday) })
    await createBooking(database, { bookable_id: desks[3], user_id: henry, ...hoursOn(monday) })
    await browser.open(`/my/week/teams/${group_id}`)
    expect(browser.words).to.include('1 comes').and.not.include('Add team day').and.not.include('Versteckt')
    await database('group_leads').insert({ group_id, user_id })
    await browser.open(`/my/week/teams/${group_id}`)
    await browser.submit('Add team day', { date: monday ?? '', note: 'We are all in' })
    expect(browser.words).to.include('Everybody in the group now sees this day.')
    const { id } = await database('team_days').where({ group_id }).first()
    await browser.open('/my/week')
    expect(browser.words).to.include('Team day Design · We are all in')
    await set(monday, `join ${id}`)
    expect(await held(user_id)).to.deep.equal([[monday, desks[2]]])
    await browser.open(`/my/week/teams/${group_id}`)
    expect(browser.words).to.include('You and 1 more')
    await browser.submit('Delete')
    expect(await database('team_days').where({ group_id })).to.have.length(0)
    await browser.open('/my/week/teams/999')
    expect(browser.page.status).to.equal(404)
  })

  it('shows all members of a small team, and joins it, even if the person is also in a group with hundreds of people', async () => {
    const names = ['Desk 1', 'Desk 2', 'Desk 3', 'Desk 4', 'Desk 5']
    const { browser, desks, user_id, days, set } = await createWeek({ names })
    const { database } = world
    for (const [index, id] of desks.entries())
      await database('bookables')
        .where({ id })
        .update({ position_x: index / 10, position_y: 0.5 })
    const [monday] = days
    const all = await createGroup(database, { name: 'All staff' })
    await database.raw(
      `WITH added AS (
         INSERT INTO users (name, email) SELECT 'Anna ' || number, 'anna' || number || '@example.com'
         FROM generate_series(1, 310) AS number RETURNING id)
       INSERT INTO group_members (group_id, user_id) SELECT ?::bigint, id FROM added UNION ALL SELECT ?::bigint, ?::bigint`,
      [all, all, user_id],
    )
    const zebra = await createGroup(database, { name: 'Zebra' })
    const zoe = await createUser(database, { name: 'Zoe Zabel' })
    for (const each of [user_id, zoe])
      await database('group_members').insert({ group_id: zebra, user_id: each })
    await createBooking(database, { bookable_id: desks[4], user_id: zoe, ...hoursOn(monday) })
    await browser.open(`/my/week/teams/${zebra}`)
    expect(browser.words).to.include('1 comes').and.not.include('are counted')

    await database('group_leads').insert({ group_id: zebra, user_id })
    await browser.open(`/my/week/teams/${zebra}`)
    await browser.submit('Add team day', { date: monday ?? '' })
    const { id } = await database('team_days').where({ group_id: zebra }).first()
    await browser.open('/my/week')
    expect(browser.words).to.include(
      'Only 300 of your favourites and of the people in your groups are counted.',
    )
    await set(monday, `join ${id}`)
    expect(await held(user_id)).to.deep.equal([[monday, desks[3]]])

    await browser.open(`/my/week/teams/${all}`)
    expect(browser.words).to.include('Only 300 people of this group are counted.')
    for (const path of ['/my', '/my/people']) {
      await browser.open(path)
      expect(browser.words, path).to.include('Only 300 of your favourites')
    }
  })
})
