// Tests the installed `berth` command: for people, for programs and for integrators.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { createLog } from '../../shared/utilities/log.ts'
import { startHooks } from '../../workers/hooks/hooks.ts'
import { useSignedIn } from '../support/dashboard/dashboard.ts'
import { createUser } from '../support/factories.ts'
import { readEndOfFeed } from '../support/http/feed.ts'
import { createPersonalToken } from '../support/personal-tokens.ts'
import { eventually } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useClient, useWorld } from '../support/world.ts'
import { useReceiver } from '../workers/hooks/receiver.ts'
import { useInstalledClient } from './support/package.ts'
import { listCodeBlocks } from './support/readme.ts'
import { createTown, type Town } from './support/town.ts'

type CommandResult = { code: number; stdout: string; stderr: string }

const TOMORROW = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)

describe('berth', function suite() {
  this.timeout(120_000)
  const world = useWorld()
  const owner = useClient(world)
  const browser = useSignedIn(world)
  const installed = useInstalledClient()
  const receiver = useReceiver(world)
  const home = use(() => ({ folder: mkdtempSync(join(tmpdir(), 'berth-home-')) }), {
    close: ({ folder }) => rmSync(folder, { recursive: true, force: true }),
  })
  let town: Town
  const running: ChildProcess[] = []
  before(async () => {
    town = await createTown(world.database)
  })
  afterEach(async () => {
    for (const child of running.splice(0)) child.kill('SIGKILL')
    await world.database('bookings').delete()
    receiver.received.length = 0
  })

  const environmentOf = (changes: Record<string, string> = {}) => ({
    PATH: `${join(installed.folder, 'node_modules/.bin')}:${process.env['PATH']}`,
    XDG_CONFIG_HOME: home.folder,
    BERTH_URL: world.url,
    BERTH_TOKEN: owner.token ?? '',
    BERTH_AS: 'anna@example.com',
    TZ: 'America/New_York',
    RECEIVER: receiver.url,
    ...changes,
  })

  function berth(
    args: string[],
    { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
  ) {
    return new Promise<CommandResult>((resolve) => {
      const child = execFile(
        'berth',
        args,
        { env: environmentOf(env), cwd: home.folder },
        (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
      )
      child.stdin?.end(input)
    })
  }

  /** Starts a berth command that does not end by itself. */
  function start(args: string[], env: Record<string, string> = {}) {
    const child = spawn('berth', args, { env: environmentOf(env), cwd: home.folder })
    running.push(child)
    const printed = { stdout: '', stderr: '' }
    child.stdout.on('data', (data) => (printed.stdout += data))
    child.stderr.on('data', (data) => (printed.stderr += data))
    return { child, printed }
  }

  const bookDesk = (...args: string[]) => berth(['book', 'Desk 1', '--day', TOMORROW, ...args])

  describe('the berth command for people', () => {
    it('books, lists and cancels in the time zone of the computer', async () => {
      const booked = await bookDesk('--from', '9', '--to', '12:30')
      expect(booked.stderr).to.equal('')
      expect(booked.stdout).to.include(`Booked: Desk 1, Ground floor, ${TOMORROW} 09:00 to ${TOMORROW} 12:30`)
      const [row] = await world.database('bookings')
      expect([row.user_id, row.bookable_id]).to.deep.equal([town.anna, town.desks[0]])
      const mine = (await berth(['mine'])).stdout.trim().split('\n')
      expect(mine.map((line) => line.split(/ {2,}/))).to.deep.equal([
        ['ID', 'WHAT', 'WHERE', 'FROM', 'TO'],
        [String(row.id), 'Desk 1', 'Ground floor', `${TOMORROW} 09:00`, `${TOMORROW} 12:30`],
      ])
      expect((await berth(['who', '--day', TOMORROW])).stdout).to.match(/^NAME .*\nAnna Berg +Desk 1 /)
      expect((await berth(['cancel', String(row.id)])).stderr).to.equal(`Cancelled: ${row.id}\n`)
      expect(await world.database('bookings')).to.deep.equal([])
      expect(await berth(['mine'])).to.deep.equal({ code: 0, stdout: '', stderr: 'No bookings.\n' })
    })

    it('refuses to list who is in the office if the token can see only one person', async () => {
      const BERTH_TOKEN = await createPersonalToken(world.database, town.anna)
      const { stderr } = await berth(['who'], { env: { BERTH_TOKEN } })
      expect(stderr).to.match(/^A personal token does not show who else is in/)
    })

    it('explains why a desk cannot be booked, and suggests free desks', async () => {
      await bookDesk()
      const { code, stderr } = await bookDesk('--as', 'ben@example.com')
      expect(code).to.equal(1)
      expect(stderr).to.match(/^Desk 1 is taken from .*\nFree instead: Desk 2 \(\d+\), Desk 3 \(\d+\)\n$/)
      const json = await bookDesk('--as', 'ben@example.com', '--json')
      expect(JSON.parse(json.stderr)).to.include({ code: 'booking_conflict', status: 409 })
    })

    it('books the first free desk if the user names none, and lists the other free desks', async () => {
      await bookDesk()
      expect((await berth(['book', '--day', TOMORROW])).stdout).to.include('Booked: Desk 2')
      const free = await berth(['free', '--day', TOMORROW, '--json'])
      expect(JSON.parse(free.stdout).map(({ name }: { name: string }) => name)).to.deep.equal(['Desk 3'])
      expect((await berth(['free', '--day', TOMORROW])).stdout).to.match(
        /^ID +NAME .*\n\d+ +Desk 3 +Ground floor +Harbour House\n$/,
      )
    })

    it('strips terminal control characters from printed names', async () => {
      const email = 'mallory@example.com'
      await createUser(world.database, { name: 'Mal\u202Elory', email })
      await bookDesk('--as', email)
      expect((await berth(['who', '--day', TOMORROW])).stdout).to.include('Mal lory')
    })
  })

  describe('berth sign-in', () => {
    const signedOut = { BERTH_URL: '', BERTH_TOKEN: '' }
    const file = () => join(home.folder, 'berth/config.json')

    it('reads a token from standard input, and stores it in a file that only its owner can read', async () => {
      const login = await berth(['login', world.url, '--token'], {
        env: signedOut,
        input: `${owner.token}\n`,
      })
      expect(login).to.deep.include({ code: 0, stdout: 'Signed in with the token of a program: test.\n' })
      expect(statSync(file()).mode & 0o777).to.equal(0o600)
      expect(JSON.parse(readFileSync(file(), 'utf8'))).to.deep.include({ url: world.url, token: owner.token })
      expect((await berth(['mine'], { env: signedOut })).code).to.equal(0)
    })

    it('never sends the stored token to another server', async () => {
      await berth(['login', world.url, '--token'], { env: signedOut, input: owner.token ?? '' })
      const elsewhere = await berth(['mine', '--url', new URL(receiver.url).origin], { env: signedOut })
      expect(elsewhere.code).to.equal(3)
      expect(elsewhere.stderr).to.match(/^You are not signed in to http/)
      expect(receiver.received).to.deep.equal([])
    })

    it('deletes the stored token on sign-out', async () => {
      await berth(['login', world.url, '--token'], { env: signedOut, input: owner.token ?? '' })
      await berth(['logout'])
      expect((await berth(['mine'], { env: signedOut })).code).to.equal(3)
    })

    it('signs in by the device flow after an administrator approves, and then acts for that person only', async () => {
      const env = { ...signedOut, BERTH_AS: '' }
      const { child, printed } = start(['login', world.url], env)
      const address = await eventually(() => {
        const [found] = /http\S+user_code=\S+/.exec(printed.stderr) ?? []
        return found ?? expect.fail(printed.stderr)
      })
      await browser.open(address.replace(world.url, ''))
      await browser.submit('Approve', { person: 'anna@example.com' })
      const [code] = await once(child, 'close')
      expect([code, printed.stdout]).to.deep.equal([0, 'Signed in as Anna Berg (anna@example.com).\n'])
      const booked = await berth(['book', 'Desk 1', '--day', TOMORROW], { env })
      expect(booked.stderr).to.equal('')
      expect((await berth(['mine'], { env })).stdout).to.include('Desk 1')
    })

    it('shows a device code, and waits until somebody enters the code', async () => {
      const site = await startDevices(owner.token ?? '')
      const { code, stdout, stderr } = await berth(['login', site.url], { env: signedOut })
      site.close()
      expect(stderr).to.include(`Open ${site.url}/device?code=WDJB-MJHT\n`).and.include('WDJB-MJHT')
      expect([code, stdout]).to.deep.equal([0, 'Signed in as Anna Berg (anna@example.com).\n'])
      expect(site.asked).to.deep.equal([
        ['/oauth/device_authorization', 'berth-cli', null],
        ...[1, 2].map(() => ['/oauth/token', 'berth-cli', 'urn:ietf:params:oauth:grant-type:device_code']),
      ])
    })
  })

  describe('the berth command for integrators', () => {
    it('continues the change feed from the cursor in a file', async () => {
      const read = async () => {
        await readEndOfFeed(world.database, owner)
        return berth(['changes', '--types', 'booking', '--cursor-file', 'cursor.txt', '--json'])
      }
      expect((await read()).stdout).to.equal('')
      await bookDesk()
      const changes = (await read()).stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      expect(changes).to.have.length(1)
      expect(changes[0]).to.include({ type: 'booking', action: 'created' })
      expect((await read()).stdout).to.equal('')
    })

    it('follows the change feed until Ctrl-C is pressed', async () => {
      const { child, printed } = start(['changes', '--follow', '--types', 'group'])
      await eventually(async () => {
        await owner.post('groups', { name: `Group ${Date.now()}` })
        expect(printed.stdout).to.match(/ group\.created {2}\d+ {2}Group \d+ {2}\(by test\)\n/)
      })
      child.kill('SIGINT')
      expect((await once(child, 'exit'))[0]).to.equal(130)
    })

    it('passes changes to a program in the same format as webhooks', async () => {
      const hooks = await startHooks(world.config, createLog('test', 'silent'))
      const { printed } = start(['listen', '--forward-to', receiver.url, '--types', 'booking.created'])
      await eventually(() => expect(printed.stderr).to.include('Listening.'))
      const secret = /Secret: (\S+)/.exec(printed.stderr)?.[1] ?? ''
      const { json } = await owner.post('webhooks', {
        url: `${receiver.url}/server`,
        types: ['booking.created'],
      })
      await eventually(async () => {
        await world.database('bookings').delete()
        await bookDesk()
        expect(receiver.received.filter(({ path }) => path.endsWith('/server'))).to.not.have.length(0)
      })
      await hooks.stop()
      const [sent = expect.fail()] = receiver.received.filter(({ path }) => path.endsWith('/server'))
      const expected = new Webhook(json.data.secret).verify(sent.body, sent.headers) as { id: number }
      const forwarded = await eventually(() => {
        const found = receiver.received.filter(({ path }) => !path.endsWith('/server'))
        return found.find(({ body }) => JSON.parse(body).id === expected.id) ?? expect.fail('It has not come')
      })
      const received = new Webhook(secret).verify(forwarded.body, forwarded.headers)
      expect(received).to.deep.equal(expected)
      expect(Object.keys(received as object)).to.deep.equal(Object.keys(expected))
      for (const name of ['content-type', 'user-agent'])
        expect(forwarded.headers[name]).to.equal(sent.headers[name])
      expect(forwarded.headers['webhook-id']).to.match(/^msg_[\da-f]{32}$/)
    })

    it('sends a sample change to a program, and reports if the program fails', async () => {
      const trigger = (type: string) => berth(['trigger', type, '--forward-to', receiver.url])
      expect((await trigger('event.updated')).stdout).to.match(/^event\.updated {2}1 {2}200 /)
      const [{ body = '', headers = {} } = {}] = receiver.received
      const { secret } = JSON.parse(readFileSync(join(home.folder, 'berth/config.json'), 'utf8'))
      const message = new Webhook(secret).verify(body, headers)
      expect(message).to.deep.include({ type: 'event.updated', action: 'updated' })
      expect(message).to.have.nested.property('data.organizer.name')
      const { answer } = receiver
      receiver.answer = (response) => response.writeHead(500).end()
      expect((await trigger('webhook.test')).code).to.equal(1)
      receiver.answer = answer
    })

    it('sends any request to the API with “berth request”', async () => {
      expect(JSON.parse((await berth(['request', 'get', 'me'])).stdout).data.name).to.equal('test')
      const body = JSON.stringify({ name: 'From a file' })
      const created = await berth(['request', 'POST', '/api/v1/groups', '--data', '-', '--include'], {
        input: body,
      })
      expect(created.stdout)
        .to.match(/^200 OK\n(.*\n)*etag: "/)
        .and.include('"name": "From a file"')
      expect((await berth(['request', 'GET', 'users/export?format=pdf'])).code).to.equal(1)
    })

    it('runs every command-line example of the README as documented', async () => {
      // The README examples use the ids of a new installation.
      const ids = { bookable_id: town.desks[0], location_id: town.location_id, user_id: town.anna }
      const mine = `$(berth mine --json | node -p 'JSON.parse(fs.readFileSync(0))[0].id')`
      for (const block of listCodeBlocks('sh')) {
        const script = block
          .replace(/"(\w+_id)": 1/g, (_, name: keyof typeof ids) => `"${name}": ${ids[name]}`)
          .replace('815', mine)
        const child = spawn('bash', ['-eo', 'pipefail', '-c', script], {
          env: environmentOf(),
          cwd: home.folder,
        })
        const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
        expect(code, stderr).to.equal(0)
      }
      expect(receiver.received).to.have.length(1)
      expect(await world.database('bookings')).to.deep.equal([])
    })
  })

  it('prints help for every command, and the README documents every command', async () => {
    const overview = (await berth(['--help'])).stdout
    const names = [...overview.matchAll(/^ {2}(\w+) {2,}\S/gm)].map(([, name = '']) => name)
    expect(names).to.have.length(12)
    const readme = readFileSync(join(installed.folder, 'node_modules/@berth/client/README.md'), 'utf8')
    for (const name of names) {
      expect(readme).to.match(new RegExp(`\`(berth )?${name}\\b|^ *(source <\\()?berth ${name}\\b`, 'm'))
      const { code, stdout } = await berth([name, '--help'])
      expect([code, stdout.split('\n\n').length >= 4]).to.deep.equal([0, true])
    }
  })

  it('returns an exit code for each kind of failure', async () => {
    const failures: Array<[number, RegExp, string[], Record<string, string>?]> = [
      [1, /no booking/i, ['cancel', '999999999']],
      [2, /There is no command/, ['bok']],
      [2, /Unknown option '--dayy'\. See: berth book --help/, ['book', '--dayy', 'x']],
      [2, /ID… is missing/, ['cancel']],
      [2, /is not after/, ['book', 'Desk 1', '--day', TOMORROW, '--from', '10', '--to', '9']],
      [2, /There is no bookable “Desk 9”/, ['book', 'Desk 9', '--day', TOMORROW]],
      [2, /belongs to a program/, ['mine'], { BERTH_AS: '' }],
      [3, /token/i, ['mine'], { BERTH_TOKEN: 'berth_none' }],
      [4, /^No answer from http/, ['mine'], { BERTH_URL: 'http://127.0.0.1:1' }],
    ]
    // Runs these commands concurrently, because one of them retries for seconds.
    await Promise.all(
      failures.map(async ([code, message, args, env]) => {
        const ran = await berth(args, { ...(env ? { env } : {}) })
        expect(ran.stderr).to.match(message)
        expect(ran.code, ran.stderr).to.equal(code)
      }),
    )
  })

  it('completes commands and options in bash', async () => {
    const complete = (...words: string[]) =>
      new Promise<string>((resolve) => {
        const script = `source <(berth completion bash); COMP_WORDS=(berth ${words.join(' ')}); COMP_CWORD=${words.length}; _berth; echo "\${COMPREPLY[*]}"`
        execFile('bash', ['-c', script], { env: environmentOf() }, (_, stdout) => resolve(stdout.trim()))
      })
    expect(await complete('c')).to.equal('cancel changes completion')
    expect(await complete('book', '--t')).to.equal('--to --type --tag')
  })
})

/** Starts a server whose device flow succeeds at the second attempt and returns Anna’s token. */
async function startDevices(token: string) {
  const asked: Array<Array<string | null>> = []
  const server = createServer(async (request, response) => {
    const { url = '', headers } = request
    const fields = new URLSearchParams(await text(request))
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    if (url === '/api/v1/me') {
      expect(headers.authorization).to.equal(`Bearer ${token}`)
      const user = { id: 1, name: 'Anna Berg', email: 'anna@example.com' }
      return answer(200, { data: { id: 1, name: 'Laptop', user } })
    }
    asked.push([url, fields.get('client_id'), fields.get('grant_type')])
    if (url === '/oauth/device_authorization')
      return answer(200, {
        device_code: 'device',
        user_code: 'WDJB-MJHT',
        verification_uri: `http://${headers.host}/device`,
        verification_uri_complete: `http://${headers.host}/device?code=WDJB-MJHT`,
        expires_in: 60,
        interval: 0.05,
      })
    if (asked.length < 3) return answer(400, { error: 'authorization_pending' })
    return answer(200, { access_token: token, token_type: 'Bearer' })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, asked, close: () => server.close().closeAllConnections() }
}
