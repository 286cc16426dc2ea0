// Tests the content and the readers of notifications about changes by others, reminders, offers and requests. Each is
// sent once, without names, and never about changes that were undone.
import { expect } from 'chai'
import { createLog } from '../../../../shared/utilities/log.ts'
import { offerPlaces } from '../../../../workers/pollers/holds/offering.ts'
import { createSignedIn } from '../../../support/dashboard/dashboard.ts'
import { createBookable, createBooking, createUser, hoursFromNow } from '../../../support/factories.ts'
import { Client } from '../../../support/http/http.ts'
import { createPersonalToken } from '../../../support/personal-tokens.ts'
import { eventually } from '../../../support/time.ts'
import { useClient } from '../../../support/world.ts'
import { book } from '../mail/mailed-person.ts'
import { type PushedPerson, usePushes } from './use-pushes.ts'

const log = createLog('test', 'silent')
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString()

describe('notifications to a person’s browsers', function suite() {
  this.timeout(120_000)
  const { world, createPushedPerson, pushesOf, send, turnOn } = usePushes()
  const client = useClient(world)
  const titles = async (person: PushedPerson) => (await send(person)).map(({ shown }) => shown.title)

  it('say that somebody else has moved or cancelled a booking, and open its page', async () => {
    const person = await createPushedPerson(['changed'])
    const id = await book(client, person)
    expect(await titles(person)).to.deep.equal([])
    const later = { from_time: hoursFromNow(31), to_time: hoursFromNow(33) }
    expect((await client.patch(`bookings/${id}`, later)).status).to.equal(200)
    const [moved, ...more] = await send(person)
    expect(more).to.deep.equal([])
    expect(moved?.shown.title).to.match(new RegExp(`^New time: ${person.name} on `))
    expect(moved?.shown).to.include({ path: `bookings/${id}`, tag: `booking-${id}`, language: 'en' })
    expect(moved?.headers['urgency']).to.equal('normal')
    await client.delete(`bookings/${id}`)
    const [, cancelled] = await send(person)
    expect(cancelled?.shown).to.include({ path: '', tag: `booking-${id}` })
    expect(cancelled?.shown.title).to.match(new RegExp(`^Cancelled: ${person.name} on `))
    expect(cancelled?.headers['topic']).to.equal(moved?.headers['topic'])
  })

  it('shorten long names and places, because push services refuse long notifications', async () => {
    const person = await createPushedPerson(['changed'])
    const { location_id } = person
    const place = await world.database('locations').where({ id: location_id }).first('building_id')
    await world
      .database('buildings')
      .where({ id: place.building_id })
      .update({ name: 'Ö'.repeat(255), address: 'Площадь 😀 "'.repeat(80) })
    const desks = [person]
    for (const mark of ['1', '2']) {
      const name = `${mark}${'會'.repeat(254)}`
      const bookable_id = await createBookable(world.database, { location_id, name })
      desks.push({ ...person, bookable_id, name })
    }
    const ids: number[] = []
    for (const desk of desks) ids.push(await book(client, desk))
    const browser = await createSignedIn(world, 'long@tell.example', 'owner')
    await browser.open(`/dashboard/bookings/selected?ids=${ids.join()}`)
    await browser.submit('Cancel bookings')
    const [{ shown } = expect.fail('no notification')] = await send(person)
    expect(shown.title).to.match(/^3 bookings cancelled/)
    const lines = shown.body.split('\n')
    expect(lines).to.have.length(3)
    for (const line of lines) expect(line).to.match(/…, .+ \d\d:\d\d–\d\d:\d\d$/)
    expect(shown.body.isWellFormed()).to.equal(true)
  })

  it('count as telling the person: the people to notify do not include them as muted', async () => {
    const person = await createPushedPerson(['changed'], { muted_mails: ['changed'] })
    const id = await book(client, person)
    await send(person)
    const browser = await createSignedIn(world, 'pushed@tell.example', 'owner')
    await browser.open(`/dashboard/bookings/selected?ids=${id}`)
    await browser.submit('Cancel bookings')
    await browser.follow('People to notify')
    expect(browser.words).to.not.include('switched off by the person')
    await send(person)
    await browser.open(browser.page.path)
    expect(browser.words).to.include('notified in their browser')
    const { text } = await browser.open(`${browser.page.path}?_download=csv`)
    expect(text).to.include('notified in their browser')
  })

  it('are not sent about what was undone within 15 seconds', async () => {
    const person = await createPushedPerson(['changed'])
    const id = await book(client, person)
    const times = { from_time: hoursFromNow(30), to_time: hoursFromNow(32) }
    await client.patch(`bookings/${id}`, { from_time: hoursFromNow(31), to_time: hoursFromNow(33) })
    await client.patch(`bookings/${id}`, times)
    expect(await titles(person)).to.deep.equal([])
    expect(await pushesOf(person)).to.have.length(2)
  })

  it('compare a booking with its state after the person’s own last change', async () => {
    const person = await createPushedPerson(['changed'])
    const id = await book(client, person)
    const [first, second] = [30, 31].map((hour) => ({
      from_time: hoursFromNow(hour),
      to_time: hoursFromNow(hour + 2),
    }))
    await client.patch(`bookings/${id}`, second)
    expect(await titles(person)).to.have.length(1)
    const own = new Client(world.url, await createPersonalToken(world.database, person.user_id))
    expect((await own.patch(`bookings/${id}`, first)).status).to.equal(200)
    expect(await titles(person)).to.have.length(1)
    await client.patch(`bookings/${id}`, second)
    expect(await titles(person)).to.have.length(2)
  })

  it('name no people, guests, purposes or titles', async () => {
    const person = await createPushedPerson(['changed'])
    const made = await client.post('bookings', {
      bookable_id: person.bookable_id,
      location_id: person.location_id,
      user_id: person.user_id,
      from_time: hoursFromNow(30),
      to_time: hoursFromNow(32),
      guest_name: 'Grace Hopper',
      booking_info: 'A secret purpose',
    })
    await client.delete(`bookings/${made.json.data[0].id}`)
    const [{ shown } = expect.fail()] = await send(person)
    expect(JSON.stringify(shown))
      .to.include(person.name)
      .and.not.match(/Grace|secret|Test/)
  })

  it('remind the person once to check in, urgently, until the deadline, and in their language', async () => {
    const person = await createPushedPerson(['reminder'], { language: 'de', muted_mails: ['reminder'] })
    await createBooking(world.database, {
      bookable_id: person.bookable_id,
      user_id: person.user_id,
      from: minutesFromNow(-20),
      to: hoursFromNow(8),
      check_in_from: minutesFromNow(-20),
      check_in_until: minutesFromNow(15),
      created_at: hoursFromNow(-20),
    })
    await eventually(async () => expect(await pushesOf(person)).to.have.length(1))
    const [push, ...more] = await send(person)
    expect(more).to.deep.equal([])
    expect(push?.shown.title).to.match(new RegExp(`^Einchecken bis \\d\\d:\\d\\d: ${person.name}`))
    expect(push?.shown).to.include({ path: '', language: 'de' })
    expect(push?.headers['urgency']).to.equal('high')
    expect(Number(push?.headers['ttl'])).to.be.within(1, 15 * 60)
    expect(await world.database('mails').where({ user_id: person.user_id })).to.deep.equal([])
  })

  it('say until when a place is offered, unless the person has answered the offer', async () => {
    const person = await createPushedPerson(['offer'])
    const during = world.database.raw('tstzrange(?, ?)', [hoursFromNow(24), hoursFromNow(32)])
    await world.database('waits').insert({ user_id: person.user_id, bookable_id: person.bookable_id, during })
    await offerPlaces(world.database, log)
    await eventually(async () => expect(await pushesOf(person)).to.have.length(1))
    const [push] = await send(person)
    expect(push?.shown.title).to.match(new RegExp(`^Available for you until \\d\\d:\\d\\d: ${person.name}`))
    expect(push?.shown.path).to.equal('waits')
  })

  it('go to every browser of the person, but not to people who turned them off or were deactivated', async () => {
    const [person, muted, gone] = [
      await createPushedPerson(['changed']),
      await createPushedPerson(['reminder']),
      await createPushedPerson(['changed']),
    ]
    const { phone: second } = await turnOn(person.user_id)
    const ids = [await book(client, person), await book(client, muted), await book(client, gone)]
    await world.database('users').where({ id: gone.user_id }).update({ deactivated_at: new Date() })
    for (const id of ids) await client.delete(`bookings/${id}`)
    expect(await titles(person)).to.have.length(1)
    expect(second.received).to.have.length(1)
    for (const each of [muted, gone]) expect(await titles(each)).to.deep.equal([])
  })

  it('inform approvers about requests and requesters about decisions, without names', async () => {
    const person = await createPushedPerson(['approval'])
    const approver = await createPushedPerson(['approval'])
    const rules = { approvers: { user_ids: [approver.user_id] } }
    await world
      .database('locations')
      .where({ id: person.location_id })
      .update({ rules: JSON.stringify(rules) })
    const asked = await client.post('booking-requests', {
      bookable_id: person.bookable_id,
      location_id: person.location_id,
      user_id: person.user_id,
      from_time: hoursFromNow(30),
      to_time: hoursFromNow(32),
    })
    expect(asked.status, asked.text).to.equal(200)
    const [request] = await send(approver)
    expect(request?.shown.title).to.match(new RegExp(`^To approve: ${person.name} on `))
    expect(request?.shown.path).to.equal('requests')
    const { name } = await world.database('users').where({ id: person.user_id }).first('name')
    expect(JSON.stringify(request?.shown)).to.not.include(name)
    const declined = await client.post(`booking-requests/${asked.json.data.id}/decline`, {})
    expect(declined.status, declined.text).to.equal(200)
    expect(await titles(person)).to.have.length(1)
  })

  it('are not sent to erased people', async () => {
    const person = await createPushedPerson(['changed'])
    const id = await book(client, person)
    await client.delete(`bookings/${id}`)
    await world.database('users').where({ id: person.user_id }).delete()
    for (const table of ['push_subscriptions', 'pushes', 'pushed_bookings'])
      expect(await world.database(table).where({ user_id: person.user_id })).to.deep.equal([])
    await createUser(world.database)
    expect(person.phone.received).to.deep.equal([])
  })
})
