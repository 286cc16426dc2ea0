// Tests over HTTP which calendars a room can be linked to, and that each calendar and each room has one link, however a caller
// spells the calendar and even if several callers link at the same time.
import { expect } from 'chai'
import { createProviderRoom } from '../../../../support/dashboard/room-calendar-examples.ts'
import { createBookable, createCalendarProvider, createLocation } from '../../../../support/factories.ts'
import { eventually } from '../../../../support/time.ts'
import { useClient, useWorld } from '../../../../support/world.ts'

const ELBE = '/berth/elbe%40example.com/'

describe('linking a room to a calendar', () => {
  const world = useWorld({ workers: ['writes'] })
  const client = useClient(world, 'read', 'object-write')
  let rooms: number[]

  beforeEach(async () => {
    const { database } = world
    await database('room_calendars').delete()
    await database('calendar_providers').delete()
    await createProviderRoom(database, { provider: 'caldav', calendar: ELBE, name: 'Elbe' })
    await createProviderRoom(database, { calendar: 'alster@example.com', name: 'Alster' })
    await createCalendarProvider(database, 'google')
    const location_id = await createLocation(database)
    rooms = []
    for (const name of ['Room 1', 'Room 2', 'Room 3', 'Room 4', 'Room 5', 'Room 6'])
      rooms.push(await createBookable(database, { name, type: 2, location_id }))
  })

  const link = (room: number, provider: string, calendar: string) =>
    client.put(`bookables/${room}/calendar`, { provider, calendar })
  const listLinks = () => world.database('room_calendars').select('bookable_id', 'calendar')

  it('refuses a calendar that another write is linking to another room, and says which room has it', async () => {
    const { database } = world
    const [first = 0, second = 0] = rooms
    const links = await database.transaction(async (trx) => {
      // This lock lets both writes read and lock rows, so they wait only when they store their links.
      await trx.raw('LOCK TABLE room_calendars IN SHARE MODE')
      const sent = [link(first, 'caldav', ELBE), link(second, 'caldav', ELBE)]
      await eventually(async () => {
        const { rows } = await database.raw(
          "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
        )
        expect(rows).to.have.length(2)
      })
      return sent
    })
    const answers = await Promise.all(links)
    const [refused] = answers.filter(({ status }) => status !== 200)
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409])
    expect(refused?.json.message).to.match(/Room [12]/)
  })

  it('treats all spellings of the path of a CalDAV calendar as the same calendar', async () => {
    const [first = 0, second = 0] = rooms
    const spellings = [
      '/berth/elbe@example.com',
      '/berth/elbe%40example.com',
      '/berth/%65lbe@example.com/',
      '/berth/./alster/../elbe@example.com//',
      '//berth/elbe%40example.com/',
    ]
    for (const calendar of spellings) {
      const answer = await link(first, 'caldav', calendar)
      expect(answer.status, `${calendar}: ${answer.text}`).to.equal(200)
      expect(answer.json.data.calendar).to.equal(ELBE)
      const refused = await link(second, 'caldav', calendar)
      expect([refused.status, refused.json.code], calendar).to.deep.equal([409, 'in_use'])
    }
    expect(await listLinks()).to.deep.equal([{ bookable_id: first, calendar: ELBE }])
  })

  it('refuses paths that are too long once they are escaped, or that no server has, and says why', async () => {
    const [room = 0] = rooms
    for (const calendar of [
      `/${'ü'.repeat(900)}/`,
      '/..',
      '/%00/',
      '/%/',
      '/\ud800/',
      '/berth\\elbe@example.com/',
    ]) {
      const { status, json } = await link(room, 'caldav', calendar)
      expect(status, calendar).to.equal(422)
      expect(json.errors.calendar, calendar).to.have.length(1)
    }
  })

  it('refuses a mailbox that the provider does not list as a room, such as a person’s', async () => {
    const [room = 0] = rooms
    const refusal = async (provider: string, calendar: string) => {
      const { status, json } = await link(room, provider, calendar)
      expect(status).to.equal(422)
      return json.errors.calendar
    }
    expect(await refusal('microsoft', 'ada@example.com')).to.deep.equal([
      'Microsoft 365 lists no room ada@example.com. If the room is new, first press “List the rooms again” in Settings → Calendars.',
    ])
    expect(await refusal('caldav', '/ada/private/')).to.have.length(1)
    expect(await refusal('google', 'alster@example.com')).to.deep.equal([
      'Google Workspace has not listed its rooms yet, so Berth does not know which calendars are rooms. Settings → Calendars says why.',
    ])
    expect(await listLinks()).to.deep.equal([])
  })

  it('still changes the link of a room that the provider no longer lists', async () => {
    const [room = 0] = rooms
    await link(room, 'microsoft', 'alster@example.com')
    await world.database('provider_rooms').delete()
    const body = { provider: 'microsoft', calendar: 'Alster@example.com', names: 'none' }
    const answer = await client.put(`bookables/${room}/calendar`, body)
    expect(answer.json.data).to.deep.include({ calendar: 'alster@example.com', names: 'none' })
  })

  it('gives a calendar to one of six rooms that are linked to it at the same time, and says which room has it', async () => {
    const spellings = ['', '/', '//', '/.', '/./', '/../elbe@example.com']
    const answers = await Promise.all(
      rooms.map((room, index) => link(room, 'caldav', `/berth/elbe@example.com${spellings[index]}`)),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409, 409, 409])
    const [row] = await listLinks()
    const name = `Room ${rooms.indexOf(row.bookable_id) + 1}`
    for (const { status, json } of answers)
      if (status === 409)
        expect(json.detail).to.equal(`The calendar ${ELBE} is linked to ${name}. Unlink it there first.`)
    expect(await listLinks()).to.deep.equal([{ bookable_id: row.bookable_id, calendar: ELBE }])
    const actions = await world
      .database('audit_log')
      .where({ action: 'bookables.link-calendar', resource_id: row.bookable_id })
    expect(actions).to.have.length(1)
  })

  it('leaves at most one link if several callers link and unlink a room at the same time', async () => {
    const [room = 0] = rooms
    const answers = await Promise.all([
      link(room, 'caldav', ELBE),
      link(room, 'microsoft', 'alster@example.com'),
      client.delete(`bookables/${room}/calendar`),
      link(room, 'caldav', ELBE),
      link(room, 'microsoft', 'alster@example.com'),
      client.delete(`bookables/${room}/calendar`),
    ])
    for (const { status } of answers) expect(status).to.be.oneOf([200, 204, 404])
    expect((await listLinks()).length).to.be.at.most(1)
    expect((await link(room, 'caldav', ELBE)).status).to.equal(200)
  })
})
