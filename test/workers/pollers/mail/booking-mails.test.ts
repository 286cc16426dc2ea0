// Tests mails to people about their bookings: one for each change, none for changes that were undone, and calendar
// parts that add and remove bookings.
import { expect } from 'chai'
import { BOOKABLE_TYPES } from '../../../../shared/bookables/bookables.ts'
import { parseCalendar } from '../../../gateway/api/rest/calendars/parse-icalendar.ts'
import { hasPython, readWithPython } from '../../../gateway/api/rest/calendars/python-icalendar.ts'
import { useAdmin } from '../../../support/dashboard/admin.ts'
import {
  createBookable,
  createBooking,
  createLocation,
  createUser,
  hoursFromNow,
} from '../../../support/factories.ts'
import { signInAs } from '../../../support/people/person.ts'
import { eventually, promised } from '../../../support/time.ts'
import { useClient } from '../../../support/world.ts'
import { book as bookDesk, type MailedPerson } from './mailed-person.ts'
import type { ReceivedMail } from './smtp-server.ts'
import { useMails } from './use-mails.ts'

describe("a mail about a person's bookings", () => {
  const { smtp, world, createPerson, mailsOf, queued, send } = useMails()
  const client = useClient(world)
  const admin = useAdmin(world)

  const book = (person: MailedPerson) => bookDesk(client, person)
  const move = async (id: number, { location_id }: MailedPerson, name = 'Desk 99') => {
    const bookable_id = await createBookable(world.database, { location_id, name })
    expect((await client.post(`bookings/${id}/move`, { bookable_id })).status).to.equal(200)
  }
  const cancel = async (id: number) => expect((await client.delete(`bookings/${id}`)).status).to.equal(204)

  const eventOf = (mail: ReceivedMail | undefined) => {
    const calendar = parseCalendar(mail?.calendar ?? expect.fail('It has no calendar part'))
    const [event] = calendar.components
    const of = (name: string) => event?.properties.get(name)
    return {
      method: calendar.properties.get('METHOD'),
      uid: of('UID'),
      sequence: Number(of('SEQUENCE')),
      status: of('STATUS'),
      file: mail?.calendar ?? '',
    }
  }

  it('contains a calendar invitation, and later its updates and its cancellation', async () => {
    const person = await createPerson()
    const id = await book(person)
    const [made] = await send(person)
    expect(made?.headers).to.match(new RegExp(`^Subject: ${person.name} on \\w+day \\d+ \\w+`, 'm'))
    expect(made?.text).to.include('A connected program has booked a place for you.').and.include(person.name)
    expect(made?.text).to.include('http://desks.example.com/my')
    await move(id, person)
    const [, moved] = await send(person)
    expect(moved?.headers).to.include('Subject: Moved: Desk 99 on ')
    expect(moved?.text).to.include('has moved your booking').and.include(`Before: ${person.name}, `)
    await cancel(id)
    const all = await send(person)
    expect(all).to.have.length(3)
    expect(all[2]?.headers).to.include('Subject: Cancelled: Desk 99 on ')
    const events = all.map(eventOf)
    expect(events.map(({ method }) => method)).to.deep.equal(['REQUEST', 'REQUEST', 'CANCEL'])
    expect(new Set(events.map(({ uid }) => uid)).size).to.equal(1)
    const [first = 0, second = 0, third = 0] = events.map(({ sequence }) => sequence)
    expect(first < second && second < third, 'each is newer').to.equal(true)
    expect(events.map(({ status }) => status)).to.deep.equal(['CONFIRMED', 'CONFIRMED', 'CANCELLED'])
    expect(new Set(all.map(({ headers }) => /^Message-ID: .*/m.exec(headers)?.[0])).size).to.equal(3)
  })

  it('says that a booked room has become a meeting', async () => {
    const person = await createPerson()
    await world
      .database('bookables')
      .where({ id: person.bookable_id })
      .update({ type: BOOKABLE_TYPES.meetingRoom })
    const booking_id = await book(person)
    await send(person)
    const browser = await signInAs(world, person.user_id)
    await browser.open(`/my/bookings/${booking_id}/invite`)
    await browser.submit('Invite', { people: 'grace@navy.example.org' })
    const subject = `Subject: Now a meeting: ${person.name} on `
    const changed = (await send(person)).find(({ headers }) => headers.includes(subject))
    expect(changed?.text).to.include('Your booking is now a meeting in the same place.')
  })

  it('has calendar parts that python3-icalendar reads as changes of one event', async function python() {
    if (!hasPython()) this.skip()
    const person = await createPerson()
    const id = await book(person)
    await send(person)
    await cancel(id)
    const read = (await send(person)).map((mail) => readWithPython(eventOf(mail).file).events[0])
    expect(read.map((event) => event?.errors)).to.deep.equal([[], []])
    expect(read[1]?.uid).to.equal(read[0]?.uid)
    expect(read[1]?.sequence).to.be.greaterThan(read[0]?.sequence ?? 0)
  })

  it('has the same UID and sequence as in the calendar that the person subscribes to', async () => {
    const person = await createPerson()
    const made = await client.post('calendars', { user_id: person.user_id })
    await book(person)
    const { uid, sequence } = eventOf((await send(person))[0])
    const feed = await fetch(made.json.data.url.replace('http://desks.example.com', world.url))
    const [event] = parseCalendar(await feed.text()).components
    expect(event?.properties.get('UID')).to.equal(uid)
    expect(Number(event?.properties.get('SEQUENCE'))).to.equal(sequence)
  })

  it('is not sent if the booking is cancelled in the meantime, and is sent once if the booking moves', async () => {
    const [gone, moved] = [await createPerson(), await createPerson()]
    await cancel(await book(gone))
    await move(await book(moved), moved)
    expect(await send(gone)).to.deep.equal([])
    const mails = await send(moved)
    expect(mails).to.have.length(1)
    expect(mails[0]?.headers).to.include('Subject: Desk 99 on ')
  })

  it('does not say that a home office is in the building', async () => {
    const person = await createPerson()
    const { location_id } = person
    const location = await world.database('locations').where({ id: location_id }).first('name')
    const home = await createBookable(world.database, {
      location_id,
      type: BOOKABLE_TYPES.homeOffice,
      name: 'Home',
    })
    await book({ ...person, bookable_id: home })
    const [mail] = await send(person)
    expect(mail?.text)
      .to.match(/Home\r?\n/)
      .and.not.include(location.name)
    expect(mail?.calendar).to.include('LOCATION:Home\r\n')
  })

  it('is written in the person’s language', async () => {
    const person = await createPerson({ language: 'de' })
    const id = await book(person)
    const [made] = await send(person)
    expect(made?.text).to.include('Ein verbundenes Programm hat einen Platz für Sie gebucht.')
    expect(made?.headers).to.match(new RegExp(`^Subject: ${person.name} am \\w+(?:tag|woch), \\d+\\. `, 'm'))
    await cancel(id)
    expect((await send(person))[1]?.text).to.include('hat Ihre Buchung storniert.')
  })

  it('is not sent if the person has switched off such mails, unless others change the booking', async () => {
    const none = await createPerson({ muted_mails: ['confirmation', 'changed'] })
    await cancel(await book(none))
    const changes = await createPerson({ muted_mails: ['confirmation'] })
    const id = await book(changes)
    expect(await send(changes)).to.deep.equal([])
    await cancel(id)
    expect((await send(changes)).map((mail) => eventOf(mail).method)).to.deep.equal(['CANCEL'])
    expect(await send(none)).to.deep.equal([])
  })

  it('lists all bookings of a series', async () => {
    const person = await createPerson()
    const { bookable_id, location_id, user_id } = person
    const repeat = { every: 'day', interval: 1, count: 40 }
    const times = { from_time: hoursFromNow(30), to_time: hoursFromNow(31) }
    const made = await client.post('bookings/series', { bookable_id, location_id, user_id, ...times, repeat })
    expect(made.status, made.text).to.equal(200)
    const mails = await send(person)
    expect(mails).to.have.length(1)
    const calendar = parseCalendar(mails[0]?.calendar ?? '')
    expect(calendar.properties.get('METHOD')).to.equal('PUBLISH')
    expect(calendar.components).to.have.length(40)
  })

  it('uses the plural if one write creates or moves several bookings', async () => {
    const person = await createPerson()
    const { bookable_id, location_id, user_id } = person
    const repeat = { every: 'day', interval: 1, count: 2 }
    const times = { from_time: hoursFromNow(30), to_time: hoursFromNow(31) }
    await client.post('bookings/series', { bookable_id, location_id, user_id, ...times, repeat })
    const [made] = await send(person)
    expect(made?.text).to.include('A connected program has made these bookings for you.')
    await createBookable(world.database, { location_id, name: 'Desk 99' })
    const blocking = { ids: [bookable_id], status: 1, in_the_way: 'move' }
    expect((await admin.ask('bookables.set-status', blocking)).status).to.equal(200)
    const [, moved] = await send(person)
    expect(moved?.text).to.include('The office team has moved your bookings.')
    expect(moved?.text.match(/^Moved: Desk 99, /gm)).to.have.length(2)
  })

  it('gives the reason for several cancellations, and cancels each booking in calendar programs', async () => {
    const person = await createPerson()
    const { bookable_id, location_id, user_id } = person
    const repeat = { every: 'day', interval: 1, count: 3 }
    const times = { from_time: hoursFromNow(30), to_time: hoursFromNow(31) }
    await client.post('bookings/series', { bookable_id, location_id, user_id, ...times, repeat })
    await send(person)
    const day = (hours: number) => hoursFromNow(hours).slice(0, 16)
    const closed = [{ from: day(20), to: day(120), reason: 'Asbestos in the ceiling' }]
    const done = await admin.ask('bookables.close', { ids: [bookable_id], closed, in_the_way: 'release' })
    expect(done.status).to.equal(200)
    const [, mail] = await send(person)
    expect(mail?.headers).to.include('Subject: 3 bookings cancelled: ')
    expect(mail?.text).to.include('Reason: the place is closed at that time (Asbestos in the ceiling).')
    expect(mail?.text).to.include(' has cancelled your bookings.')
    const { location, building } = await world
      .database('locations')
      .join('buildings', 'buildings.id', 'building_id')
      .where({ 'locations.id': location_id })
      .first({ location: 'locations.name', building: 'buildings.name' })
    expect(mail?.text).to.match(new RegExp(`Cancelled: .+, ${location}, ${building}`))
    const parts = (mail?.calendars ?? []).map(parseCalendar)
    expect(parts.map(({ properties }) => properties.get('METHOD'))).to.deep.equal([
      'CANCEL',
      'CANCEL',
      'CANCEL',
    ])
    expect(parts.map(({ components }) => components.length)).to.deep.equal([1, 1, 1])
    const uids = parts.map(({ components: [event] }) => event?.properties.get('UID'))
    expect(new Set(uids)).to.have.length(3)
    if (hasPython())
      expect((mail?.calendars ?? []).flatMap((file) => readWithPython(file).events[0]?.errors)).to.deep.equal(
        [],
      )
  })

  it('gives the reason for a cancellation if the desk is blocked or no longer exists', async () => {
    const [blocked, deleted] = [await createPerson(), await createPerson()]
    for (const each of [blocked, deleted]) {
      await book(each)
      await send(each)
    }
    const patch = { ids: [blocked.bookable_id], status: 1, in_the_way: 'release' }
    expect((await admin.ask('bookables.set-status', patch)).status).to.equal(200)
    expect(
      (await admin.ask('bookables.delete', { ids: [deleted.bookable_id], in_the_way: 'release' })).status,
    ).to.equal(200)
    expect((await send(blocked))[1]?.text).to.include('Reason: the place is blocked.')
    expect((await send(deleted))[1]?.text).to.include('Reason: the place no longer exists.')
  })

  it('is sent once by several workers, and again unchanged if a worker dies', async () => {
    const others = [await world.startWorkers(['upkeep']), await world.startWorkers(['upkeep'])]
    const people = await Promise.all(Array.from({ length: 8 }, () => createPerson()))
    for (const each of people) await book(each)
    for (const each of people) expect(await send(each), each.email).to.have.length(1)
    for (const each of others) await each.stop()
  })

  it('shows the current booking, even if the mail server refused it temporarily at first', async () => {
    const person = await createPerson()
    smtp.refusing = 450
    const id = await book(person)
    await queued()
    await world.database('mails').whereNotNull('next_at').update({ next_at: world.database.fn.now() })
    await eventually(async () => expect((await mailsOf(person))[0].error).to.be.a('string'))
    await move(id, person)
    smtp.refusing = undefined
    const mails = await send(person)
    expect(mails.map(({ headers }) => /^Subject: (.*) on /m.exec(headers)?.[1])).to.deep.equal(['Desk 99'])
  })

  it('counts as not sent if the server refuses the mail after its last line', async () => {
    const person = await createPerson()
    smtp.beforeAnswer = () => Promise.reject(Object.assign(new Error('Busy'), { responseCode: 452 }))
    const id = await book(person)
    await queued()
    await world.database('mails').whereNotNull('next_at').update({ next_at: world.database.fn.now() })
    await eventually(async () => expect((await mailsOf(person))[0].error).to.be.a('string'))
    expect((await mailsOf(person))[0].sent_at).to.equal(null)
    const before = smtp.sentTo(person.email).length
    smtp.beforeAnswer = undefined
    await cancel(id)
    expect(await send(person)).to.have.length(before)
  })

  it('is not sent if the change is undone in the meantime', async () => {
    const person = await createPerson()
    const id = await book(person)
    await send(person)
    const browser = await signInAs(world, person.user_id)
    await browser.open(`/my/bookings/${id}`)
    await browser.submit('Cancel it')
    await browser.submit('Undo')
    expect(await world.database('bookings').where({ id })).to.have.length(1)
    expect(await send(person)).to.have.length(1)
  })

  it('is sent once to each of 200 people whose bookings are moved together', async () => {
    const location_id = await createLocation(world.database)
    const span = { from: hoursFromNow(30), to: hoursFromNow(32) }
    const create = () => createBookable(world.database, { location_id })
    const ids = await Promise.all(Array.from({ length: 200 }, create))
    const people = await Promise.all(ids.map(() => createUser(world.database)))
    for (const [index, bookable_id] of ids.entries())
      await createBooking(world.database, { bookable_id, user_id: people[index], ...span })
    await Promise.all(ids.map(create))
    const blocked = { ids, status: 1, in_the_way: 'move' }
    expect((await admin.ask('bookables.set-status', blocked)).status).to.equal(200)
    await queued()
    const mails = await world.database('mails').whereIn('user_id', people)
    expect(mails).to.have.length(200)
    expect(new Set(mails.map(({ user_id }) => user_id)).size).to.equal(200)
    await world.database('mails').whereNotNull('next_at').update({ next_at: world.database.fn.now() })
    const isSent = async () =>
      expect(await world.database('mails').whereIn('user_id', people).whereNull('sent_at')).to.deep.equal([])
    await eventually(isSent, promised(120_000))
    const emails = await world.database('users').whereIn('id', people).pluck('email')
    expect(emails.filter((email) => smtp.sentTo(email).length !== 1)).to.deep.equal([])
  })
})
