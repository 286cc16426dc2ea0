// Tests the check of room calendars by npm run doctor.
import { tmpdir } from 'node:os'
import { expect } from 'chai'
import { checkCalendars } from '../../commands/doctor/calendars.ts'
import { readSettings } from '../../commands/doctor/settings.ts'
import { connectPool } from '../../shared/database/database.ts'
import { createProviderRoom } from '../support/dashboard/room-calendar-examples.ts'
import { createBookable, createRoomCalendar } from '../support/factories.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'

describe('the check of room calendars by npm run doctor', () => {
  const world = useWorld({ workers: [] })
  const pool = use(() => connectPool(world.databaseUrl), { close: (each) => each.end() })
  const check = async () =>
    (await checkCalendars(pool, { calendars: undefined, publicUrl: 'http://localhost:3000' })).map(
      ({ level, about, says, todo }) => [level, about, says, ...(todo ? [todo] : [])].join(' | '),
    )

  it('names a key file that is missing or cannot be read, and goes on with all other checks', () => {
    const environment = {
      DATABASE_URL: 'postgres://localhost/berth',
      REDIS_URL: 'redis://localhost',
      CALENDARS_GOOGLE_SUBJECT: 'berth@example.com',
      CALENDARS_CALDAV_URL: 'https://dav.example.com/',
      CALENDARS_CALDAV_USER: 'berth',
      CALENDARS_CALDAV_PASSWORD: 'secret',
    }
    const files = {
      '/none.json': 'CALENDARS_GOOGLE_KEY_FILE names a file that does not exist.',
      // Nobody can read a folder as a file, not even root.
      [tmpdir()]: 'CALENDARS_GOOGLE_KEY_FILE names a file that this process may not read.',
    }
    for (const [file, problem] of Object.entries(files)) {
      const { config, findings } = readSettings({ ...environment, CALENDARS_GOOGLE_KEY_FILE: file })
      const problems = findings.filter(({ level }) => level === 'problem').map(({ says }) => says)
      expect(problems).to.deep.equal([problem])
      expect(findings.map(({ about, says }) => `${about} ${says}`)).not.to.include('settings can be used')
      expect(findings.map(({ about }) => about)).to.include('gateway role')
      expect(config?.calendars).to.have.property('google', undefined)
      expect(config?.calendars?.caldav?.user).to.equal('berth')
    }
    const both = readSettings({ ...environment, DATABASE_URL: '', CALENDARS_GOOGLE_KEY_FILE: '/none.json' })
    expect(both.config).to.equal(undefined)
    expect(both.findings.map(({ says }) => says)).to.deep.equal([
      'DATABASE_URL is not set.',
      'CALENDARS_GOOGLE_KEY_FILE names a file that does not exist.',
    ])
  })

  it('says nothing without a provider, then what the provider answered and what to do in its words', async () => {
    const { database } = world
    expect(await check()).to.deep.equal([])
    await createProviderRoom(database, { calendar: 'elbe@example.com', name: 'Elbe' })
    const room = await createBookable(database, { type: 2 })
    await createRoomCalendar(database, {
      bookable_id: room,
      calendar: 'elbe@example.com',
      provider: 'microsoft',
    })
    const [rooms, address, ...others] = await check()
    expect(rooms).to.equal(
      'ok | microsoft | rooms of Microsoft 365: 1 listed, 1 linked, 1 in step (not tried from here, because the CALENDARS_… settings are not set here)',
    )
    expect(address).to.match(/^warning .* PUBLIC_URL is not an https address/)
    expect(others).to.deep.equal([])

    const providers = () => database('calendar_providers').where({ provider: 'microsoft' })
    const fault = JSON.stringify({
      text: '{0} does not allow this. The permission {1} may be missing.',
      values: ['Microsoft 365', 'Place.Read.All'],
    })
    await providers().update({ fault, fault_kind: 'forbidden', fault_since: new Date() })
    const [refused] = await check()
    expect(refused).to.match(
      /^problem \| microsoft \| Microsoft 365 does not allow this\. The permission Place\.Read\.All may be missing\./,
    )
    expect(refused).to.include('“Grant admin consent”')

    await providers().update({ fault: null, fault_kind: null, fault_since: null })
    await database('room_calendars').update({ in_step_at: null })
    expect((await check())[0]).to.match(/^warning \| microsoft \| .* 1 linked, 0 in step/)
    await providers().update({ seen_at: '2020-01-01' })
    expect((await check())[0]).to.include(
      'no running process reads and writes the calendars of Microsoft 365; linked rooms: 1',
    )
  })
})
