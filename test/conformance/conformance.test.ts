// The conformance kit: Berth passes every rule, the kit deletes what it created, and it finds planted deviations.
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { projectDirectory } from '../../local/tools/folders.ts'
import { createToken } from '../../shared/tokens/token-store.ts'
import { createBookable } from '../support/factories.ts'
import { createOffice } from '../support/office.ts'
import { useClient, useWorld } from '../support/world.ts'
import { formatJunit } from './report.ts'
import { CHECKS, runConformance } from './run.ts'

type Change = (answer: { method: string; path: string; status: number; text: string }) => {
  status?: number
  text?: string
}

/** Breaks of one rule each, and the check that must find it. */
const PLANTED: Record<string, Change> = {
  'authentication.abilities': ({ path, status }) =>
    path.includes('export') && status === 403 ? { status: 200 } : {},
  'users.get': ({ path, text }) =>
    /users\/\d+$/.test(path) ? { text: text.replace('"name"', '"fullName"') } : {},
  'import.result': ({ path, text }) =>
    path.endsWith('import') ? { text: text.replace('"rows":1', '"rows":2') } : {},
  'import.dry-run': ({ path, status }) =>
    path.includes('by-email/conformance') && status === 404 ? { status: 200 } : {},
  'occupancy.list': ({ path, text }) =>
    path.endsWith('occupancy') ? { text: text.replace('"occupied"', '"booking_next":null,"occupied"') } : {},
  'listing.shape bookings': ({ path, text }) =>
    path.includes('/v1/bookings?') ? { text: text.replaceAll('.000000Z', 'Z') } : {},
  'range.week events': ({ path, status }) =>
    path.includes('/events?') && status === 422 ? { status: 200 } : {},
  'bookables.tags': ({ method, path, text }) =>
    method === 'PATCH' && path.includes('bookables') ? { text: text.replace('"two"', '"Two"') } : {},
  'bookables.status-assigned': ({ method, path, status }) =>
    method === 'PATCH' && path.includes('bookables') && status === 422 ? { status: 200 } : {},
  'events.create': ({ method, path, text }) =>
    method === 'POST' && path.endsWith('events') ? { text: text.replace('"attendees":[', '"people":[') } : {},
  'bookings.create': ({ method, path, text }) =>
    method === 'POST' && path.endsWith('bookings')
      ? { text: text.replace('{"data":[', '{"data":').replace(/\]\}$/, '}') }
      : {},
  'additions.event-patch': ({ method, path, text }) =>
    method === 'PATCH' && path.includes('/events/')
      ? { text: text.replace('"classification":1', '"classification":3') }
      : {},
  'additions.free-busy': ({ path, text }) =>
    path.endsWith('free-busy') ? { text: text.replace('{"from"', '{"name":"Desk 1","from"') } : {},
  'additions.move': ({ path, status }) => (path.endsWith('/move') && status === 409 ? { status: 200 } : {}),
  'additions.filters': ({ path, text }) =>
    path.includes('tag=') ? { text: text.replace('"data":[]', '"data":null') } : {},
  'bookings.delete': ({ method, status }) => (method === 'DELETE' && status === 204 ? { status: 200 } : {}),
}

describe('the conformance kit', () => {
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    environment: { RATE_LIMIT_PER_MINUTE: '100000' },
  })
  const client = useClient(world)
  let readToken: string
  before(async () => {
    const office = await createOffice(world.database)
    const location_id = office.location.id
    await createBookable(world.database, { location_id, name: 'Elbe', type: 2 })
    await createBookable(world.database, { location_id, name: 'P 1', type: 1 })
    await createBookable(world.database, { location_id, name: 'Desk 1', type: 0, tags: ['window'] })
    const { database } = world
    readToken = (await createToken(database, { name: 'read', abilities: ['read'], createdBy: 'test' })).token
  })

  const target = (url = world.url) => ({ url, token: client.token ?? '', readToken })
  const rows = async () => {
    const { database } = world
    const bookables = await database('bookables').orderBy('id').select('id', 'name', 'status', 'tags')
    return { bookables, bookings: await database('bookings').count(), users: await database('users').count() }
  }

  it('passes, skips nothing, and deletes what it created', async function passes() {
    // Each of its imports starts a process that reads the file.
    this.timeout(300_000)
    const before = await rows()
    const { results, left } = await runConformance(target())
    expect(results.filter(({ outcome }) => outcome !== 'passed')).to.deep.equal([])
    expect(results.length).to.be.above(80)
    expect(left).to.deep.equal([])
    expect(await rows()).to.deep.equal(before)
    expect(await world.database('events').where({ status: 1 })).to.deep.equal([])
  })

  it('names every check once, with its rule', () => {
    const names = CHECKS.map(({ name }) => name)
    expect(new Set(names).size).to.equal(names.length)
    for (const { rule } of CHECKS) expect(rule).to.match(/^\d/)
  })

  for (const [name, change] of Object.entries(PLANTED)) {
    it(`finds a planted deviation: ${name}`, async () => {
      const proxy = await startProxy(world.url, change)
      try {
        const { port } = proxy.address() as AddressInfo
        const { results } = await runConformance(target(`http://127.0.0.1:${port}`), name)
        const failed = results.filter(({ outcome }) => outcome === 'failed')
        expect(failed.map((each) => each.name)).to.include(name)
        const found = failed.find((each) => each.name === name)
        expect(found?.sent).to.not.be.empty
        expect([found?.expected, found?.got]).to.not.include(undefined)
      } finally {
        proxy.close()
      }
    })
  }

  it('writes its report as text, JSON and JUnit', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'berth-conformance-'))
    const files = { json: join(folder, 'report.json'), junit: join(folder, 'report.xml') }
    const tsx = join(projectDirectory, 'node_modules/tsx/dist/cli.mjs')
    const main = join(projectDirectory, 'test/conformance/main.ts')
    const options = [
      '--only',
      'authentication',
      '--url',
      world.url,
      '--token',
      client.token ?? '',
      '--json',
      files.json,
      '--junit',
      files.junit,
    ]
    const { stdout } = await promisify(execFile)(process.execPath, [tsx, main, ...options])
    expect(stdout).to.include('skip authentication.abilities').and.include(', 0 failed, 1 skipped')
    expect(JSON.parse(await readFile(files.json, 'utf8')).results).to.have.length(3)
    expect(await readFile(files.junit, 'utf8')).to.include('tests="3" failures="0" skipped="1"')
    await rm(folder, { recursive: true })
  })

  it('escapes the values in its XML', () => {
    const failed = {
      name: 'a<b',
      rule: '1 "&"',
      outcome: 'failed' as const,
      expected: '<',
      got: '&',
      durationMs: 1,
    }
    const xml = formatJunit({ url: '', results: [failed], left: [] })
    expect(xml).to.include('name="a&lt;b"').and.include('message="1 &quot;&amp;&quot;"')
  })

  it('imports no source file of Berth', () => {
    const folder = join(projectDirectory, 'test/conformance')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    for (const file of files.filter((each) => each.endsWith('.ts') && !each.endsWith('.test.ts'))) {
      const imports = [...readFileSync(join(folder, file), 'utf8').matchAll(/from '([^']+)'/g)].map(
        ([, name]) => name,
      )
      for (const name of imports) expect(name, file).to.match(/^(node:|\.\/|\.\.\/(?!\.))/)
    }
  })
})

/** In front of the server, as if it were it: its address stands in what it answers. */
async function startProxy(url: string, change: Change): Promise<Server> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = 'GET', url: path = '', headers } = request
    const { host, connection, 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = headers
    const answer = await fetch(url + path, {
      method,
      headers: rest as Record<string, string>,
      body: chunks.length > 0 ? Buffer.concat(chunks) : null,
      redirect: 'manual',
    })
    const own = `http://${host}`
    const text = (await answer.text()).replaceAll(url, own)
    const { status } = answer
    const changed = { status, text, ...change({ method, path, status, text }) }
    response.writeHead(changed.status, { 'Content-Type': answer.headers.get('Content-Type') ?? 'text/plain' })
    response.end(changed.text)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return server
}
