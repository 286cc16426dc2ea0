// Tests that npm run doctor tries each provider of room calendars itself, and says what to do in the provider's own words.
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { checkCalendars } from '../../commands/doctor/calendars.ts'
import type { Finding } from '../../commands/doctor/findings.ts'
import {
  checkNotificationAddress,
  tryNotificationAddress,
} from '../../commands/doctor/notification-address.ts'
import { connectPool } from '../../shared/database/database.ts'
import type { ProviderOptions } from '../../shared/room-calendars/providers/open-providers.ts'
import { describeWithRadicale } from '../support/calendars/caldav-servers.ts'
import { createBookable, createRoomCalendar } from '../support/factories.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'
import { createSettings } from '../workers/calendars/engine-world.ts'
import {
  openCalDav,
  openGoogle,
  openMicrosoft,
  type ProviderWorld,
} from '../workers/calendars/provider-worlds.ts'
import { runAgainst } from './support/run.ts'

const TOKEN_PATH = /\/token$/
const DAY_MS = 24 * 3_600_000

describe('npm run doctor, with the settings of providers', () => {
  const world = useWorld({ workers: [] })
  const pool = use(() => connectPool(world.databaseUrl), { close: (each) => each.end() })

  function useProvider<Outside extends ProviderWorld>(open: () => Promise<Outside>) {
    let outside: Outside
    beforeEach(async () => {
      outside = await open()
      await world.database('room_calendars').delete()
      await world.database('calendar_providers').delete()
    })
    afterEach(() => outside.close())
    const link = async (calendar = outside.calendar.id) => {
      const bookable_id = await createBookable(world.database, { type: 2, name: 'Aquarium' })
      await createRoomCalendar(world.database, { bookable_id, calendar, provider: outside.provider.name })
    }
    type Changes = { settings?: Parameters<typeof createSettings>[1]; options?: ProviderOptions }
    /** Returns the findings, without those about the process `hooks` and about notifications. */
    const examine = async ({ settings, options }: Changes = {}) => {
      const { name } = outside.provider
      const calendars = createSettings(outside, settings)
      const google = name === 'google' ? { googleUrl: outside.proxy.url } : {}
      const found = await checkCalendars(pool, { calendars, publicUrl: undefined }, { ...google, ...options })
      return found
        .filter(({ says }) => !/no running process|not been asked|PUBLIC_URL|rooms of /.test(says))
        .map(({ level, says, todo = '' }) => ({ level, says, todo }))
    }
    const examineProblem = async (changes?: Changes) => {
      const [first, ...others] = await examine(changes)
      expect(others).to.deep.equal([])
      expect(first?.level, first?.says).to.equal('problem')
      return `${first?.says} -> ${first?.todo}`
    }
    return { get: () => outside, link, examine, examineProblem }
  }

  describe('of Microsoft 365', () => {
    const { get, link, examine, examineProblem } = useProvider(openMicrosoft)

    it('says that the credentials, the list of rooms and the calendar of a linked room work', async () => {
      expect(await examine()).to.deep.equal([
        {
          level: 'ok',
          says: 'Microsoft 365 accepts the credentials and lists rooms; no room is linked, so no calendar was read',
          todo: '',
        },
      ])
      await link()
      const [found] = await examine()
      expect(found?.says).to.equal(
        'Microsoft 365 accepts the credentials, lists rooms, and lets Berth read the calendar of Aquarium',
      )
      expect(get().server.countEvents(get().calendar.id)).to.equal(0)
    })

    it('names the secret, the tenant or the client that Entra refuses', async () => {
      expect(await examineProblem({ settings: { secret: 'wrong' } }))
        .to.include('401 invalid_client: AADSTS7000215')
        .and.include('Certificates & secrets: copy the “Value” of a secret')
      const refusals = {
        'AADSTS7000222: The provided client secret keys are expired.': 'New client secret',
        'AADSTS700016: Application was not found in the directory.': 'Application (client) ID',
        'AADSTS90002: Tenant was not found.': 'Directory (tenant) ID',
      }
      for (const [error_description, todo] of Object.entries(refusals)) {
        const body = { error: 'invalid_request', error_description }
        const matches = ({ url }: { url: URL }) => TOKEN_PATH.test(url.pathname)
        get().proxy.faults.push({ matches, answer: { status: 400, body } })
        expect(await examineProblem())
          .to.include(error_description)
          .and.include(todo)
      }
    })

    it('names the permission that is missing to list rooms, or to read a calendar', async () => {
      const { server } = get()
      await link()
      server.permissions = ['Calendars.ReadWrite']
      expect(await examineProblem())
        .to.include('The permission Place.Read.All may be missing')
        .and.include('API permissions: add the application permission Place.Read.All')
        .and.include('“Grant admin consent”')
      server.permissions = ['Place.Read.All']
      expect(await examineProblem())
        .to.include('the calendar of Aquarium (aquarium@rooms.test)')
        .and.include('New-ManagementRoleAssignment with -Role "Application Calendars.ReadWrite"')
    })

    it('says that the mailbox of a linked room is not there', async () => {
      await link('gone@rooms.test')
      expect(await examineProblem())
        .to.include('ErrorInvalidUser')
        .and.include('Exchange admin center, Resources')
    })

    it('says that the clock of this machine is wrong', async () => {
      for (const [difference, level, says] of [
        [-DAY_MS, 'problem', 'ahead of'],
        [DAY_MS, 'problem', 'behind'],
        [20_000, 'warning', 'behind'],
      ] as const) {
        const headers = { Date: new Date(Date.now() + difference).toUTCString() }
        const matches = ({ url }: { url: URL }) => url.pathname.includes('/places/')
        get().proxy.faults.push({ matches, answer: { status: 200, headers, body: { value: [] } } })
        const [access, clock] = await examine()
        expect(access?.level).to.equal('ok')
        expect(clock?.level).to.equal(level)
        expect(clock?.says).to.match(
          new RegExp(`^the clock of this machine is \\d+ s ${says} (that of )?Microsoft 365`),
        )
        expect(clock?.todo).to.include('NTP')
      }
    })

    it('says within seconds that the provider does not answer, and which hosts it needs', async () => {
      get().proxy.faults.push({ answer: () => undefined })
      expect(await examineProblem({ options: { limits: { timeoutMs: 300 } } }))
        .to.include('no answer within 0.3 s')
        .and.include('Let the process hooks reach graph.microsoft.com and login.microsoftonline.com')
    })

    it('reports the last fault of the process hooks only if it finds no fault itself', async () => {
      const { name } = get().provider
      const fault = JSON.stringify({ text: 'Old fault.' })
      const stored = { provider: name, fault_kind: 'forbidden', fault, fault_since: new Date() }
      await world.database('calendar_providers').insert(stored)
      const [first] = await examine()
      expect(first?.says).to.equal('the process hooks could not list the rooms: Old fault.')
      expect(first?.todo).to.include('It works from this machine. Give hooks the same settings')
      expect(await examineProblem({ settings: { secret: 'wrong' } })).not.to.include('Old fault')
    })
  })

  describe('of Google Workspace', () => {
    const { get, link, examine, examineProblem } = useProvider(openGoogle)

    it('says that everything works', async () => {
      await link()
      expect((await examine()).map(({ level }) => level)).to.deep.equal(['ok'])
    })

    it('names the delegation, the key, the role and the API that are missing', async () => {
      const { server } = get()
      await link()
      expect(await examineProblem({ settings: { secret: 'wrong' } }))
        .to.include('invalid_grant: Invalid JWT Signature.')
        .and.include('Service accounts, Keys: “Add key”, JSON')
      server.hasDelegation = false
      expect(await examineProblem())
        .to.include('401 unauthorized_client')
        .and.include('Domain-wide delegation: add the “Unique ID”')
        .and.include('https://www.googleapis.com/auth/admin.directory.resource.calendar.readonly')
      server.hasDelegation = true
      server.hasDirectoryScope = false
      expect(await examineProblem())
        .to.include('Admin roles')
        .and.include('“Buildings and resources”')
      server.hasDirectoryScope = true
      for (const api of ['Admin SDK API', 'Google Calendar API']) {
        server.disabledApis.add(api)
        expect(await examineProblem()).to.include(`Library: enable “${api}”`)
        server.disabledApis.delete(api)
      }
      server.accessRole = 'reader'
      expect(await examineProblem())
        .to.include(
          'Google Workspace lets Berth read the calendar of Aquarium (aquarium@rooms.test), but not write',
        )
        .and.include('“Make changes to events”')
      await world.database('room_calendars').update({ calendar: 'gone@rooms.test' })
      expect(await examineProblem()).to.include('“Make changes to events”')
    })
  })

  const describeCalDav = () => {
    const { get, link, examine, examineProblem } = useProvider(openCalDav)

    it('says that everything works', async () => {
      await link()
      expect((await examine()).map(({ level }) => level)).to.deep.equal(['ok'])
    })

    it('names the password, the address, the calendar and the private network', async () => {
      await link()
      expect(await examineProblem({ settings: { password: 'wrong' } })).to.include(
        'CALENDARS_CALDAV_PASSWORD',
      )
      const { proxy } = get()
      proxy.faults.push({ answer: { status: 404, body: '' } })
      expect(await examineProblem()).to.include('Set CALENDARS_CALDAV_URL to the address')
      const matches = ({ body }: { body: string }) => body.includes('current-user-privilege-set')
      const privileges =
        '<d:current-user-privilege-set><d:privilege><d:read/></d:privilege></d:current-user-privilege-set>'
      const body = `<d:multistatus xmlns:d="DAV:"><d:response><d:href>${get().calendar.id}</d:href><d:propstat>
        <d:prop>${privileges}</d:prop><d:status>HTTP/1.1 200 OK</d:status></d:propstat></d:response></d:multistatus>`
      proxy.faults.push({ matches, answer: { status: 207, body } })
      expect(await examineProblem())
        .to.include('but not write to it')
        .and.include('with the right to write')
      await world.database('room_calendars').update({ calendar: '/berth/gone/' })
      expect(await examineProblem())
        .to.include('/berth/gone/')
        .and.include('Share the calendar of the room')
      const calendars = { ...createSettings(get()), allowPrivate: [] }
      const [refused] = await checkCalendars(pool, { calendars, publicUrl: undefined })
      expect(refused?.says).to.include('is in a private network')
      expect(refused?.todo).to.equal('Name the address of the server in CALENDARS_ALLOW_PRIVATE.')
    })
  }
  describeWithRadicale('of a CalDAV server', () => describe('of a CalDAV server', describeCalDav))

  it('goes on with all checks if a key file is missing, and tries the other providers', async () => {
    const run = runAgainst(world, {
      REDIS_URL: world.redisUrl,
      CALENDARS_GOOGLE_KEY_FILE: '/none.json',
      CALENDARS_CALDAV_URL: 'http://127.0.0.1:9/',
      CALENDARS_CALDAV_USER: 'berth',
      CALENDARS_CALDAV_PASSWORD: 'secret',
      CALENDARS_ALLOW_PRIVATE: '127.0.0.1',
    })
    const { code, stdout } = await run('doctor', ['--json'])
    const { findings }: { findings: Finding[] } = JSON.parse(stdout)
    expect(code).to.equal(1)
    const told = findings.map(({ about, says }) => `${about}: ${says}`)
    expect(told).to.include('settings: CALENDARS_GOOGLE_KEY_FILE names a file that does not exist.')
    expect(findings.map(({ about }) => about)).to.include.members([
      'Postgres',
      'migrations',
      'webhooks',
      'Redis',
    ])
    expect(told.join('\n')).to.match(/caldav: CalDAV did not answer as expected: .*ECONNREFUSED/)
    expect(stdout).not.to.include('"secret"')
  })

  describe('about notifications', () => {
    it('says that none can arrive at an address that is not https, is private, or does not exist', async () => {
      const check = async (publicUrl: string | undefined, address = '192.0.2.1') => {
        const found = await checkNotificationAddress('microsoft', publicUrl, async () => {
          if (address === '') throw new Error('getaddrinfo ENOTFOUND')
          return [{ address, family: 4 }]
        })
        return typeof found === 'object' ? `${found.level} ${found.says}` : found
      }
      for (const address of [undefined, 'http://desk.example.com'])
        expect(await check(address)).to.match(/^warning PUBLIC_URL is not an https address/)
      expect(await check('https://desk.example.com', '10.1.2.3')).to.include(
        'Microsoft 365 cannot reach the host of PUBLIC_URL as this machine sees it: desk.example.com is in a private network',
      )
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '192.168.1.1'])
        expect(await check(`https://${host}`, '127.0.0.1'), host).to.include('is in a private network')
      expect(await check('https://desk.example.com', '')).to.include('it was not found')
    })

    it('says whether a notification that it sends reaches Berth', async () => {
      for (const provider of ['microsoft', 'google'] as const) {
        expect(await tryNotificationAddress(provider, world.url)).to.equal(
          `notifications can reach ${world.url}/calendars/notifications/${provider}, as far as this machine can tell`,
        )
        const wrong = await tryNotificationAddress(provider, `${world.url}/elsewhere`)
        expect(wrong).to.deep.include({ level: 'warning' })
        const away = await tryNotificationAddress(provider, 'http://127.0.0.1:9')
        expect(JSON.stringify(away)).to.include('did not arrive')
      }
    })

    it('does not read an endless answer of another server to its end', async () => {
      const server = http.createServer((_request, response) => {
        const writing = setInterval(() => response.write('x'.repeat(1_000)), 10)
        response.once('close', () => clearInterval(writing))
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      const found = await tryNotificationAddress('microsoft', `http://127.0.0.1:${port}`)
      server.closeAllConnections()
      server.close()
      expect(JSON.stringify(found)).to.include('it answers 200, which is not what Berth answers there')
    })
  })
})
