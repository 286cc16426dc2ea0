// Tests the compression of answers: buffered and streamed answers, their ETags, and answers that are never
// compressed.
import { once } from 'node:events'
import { connect } from 'node:net'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { chooseCoding } from '../../../../gateway/server/http/middleware/compress.ts'
import { createGroup, createManyBookings } from '../../../support/factories.ts'
import { createOffice, type Office } from '../../../support/office.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const WEEK_QUERY = 'from=2026-03-02T00:00:00Z&to=2026-03-09T00:00:00Z'
const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync }

type RawResponse = { status: number; headers: Headers; body: Buffer }

describe('the compression of responses', () => {
  const world = useWorld({ workers: [], now: () => Date.parse('2026-03-03T12:00:00Z') })
  const client = useClient(world, 'read', 'user-write')
  let office: Office
  before(async () => {
    office = await createOffice(world.database)
    for (let number = 0; number < 40; number++) await createGroup(world.database)
  })

  /** Returns the raw bytes of a response, which fetch would decode. */
  async function ask(path: string, headers: Record<string, string>, method = 'GET'): Promise<RawResponse> {
    const { hostname, port } = new URL(client.url)
    const socket = connect(Number(port), hostname)
    const lines = { Host: hostname, Authorization: `Bearer ${client.token}`, Connection: 'close', ...headers }
    const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(
      `${method} ${path.startsWith('/') ? path : `/api/v1/${path}`} HTTP/1.1\r\n${head.join('')}\r\n`,
    )
    const parts: Buffer[] = []
    socket.on('data', (part) => parts.push(part))
    await once(socket, 'close')
    const whole = Buffer.concat(parts)
    const end = whole.indexOf('\r\n\r\n')
    const [statusLine = '', ...rest] = whole.toString('latin1', 0, end).split('\r\n')
    const received = new Headers(rest.map((line) => line.split(/: (.*)/s, 2) as [string, string]))
    const body = whole.subarray(end + 4)
    return {
      status: Number(statusLine.split(' ')[1]),
      headers: received,
      body: received.get('Transfer-Encoding') === 'chunked' ? joinChunks(body) : body,
    }
  }

  it('applies to dashboard pages, but not for requests from other sites or answers to forms', async () => {
    const asked = { 'Accept-Encoding': 'br, gzip', Accept: 'text/html' }
    const codingOf = async (more: Record<string, string>, method = 'GET') =>
      (await ask('/dashboard/sign-in', { ...asked, ...more }, method)).headers.get('Content-Encoding')
    const page = await ask('/dashboard/sign-in', asked)
    expect([page.status, page.headers.get('Content-Encoding')]).to.deep.equal([200, 'br'])
    expect(brotliDecompressSync(page.body).toString()).to.include('name="_csrf"')
    for (const [site, coding] of Object.entries({
      'same-origin': 'br',
      none: 'br',
      'same-site': null,
      'cross-site': null,
    }))
      expect(await codingOf({ 'Sec-Fetch-Site': site }), site).to.equal(coding)
    expect(await codingOf({}, 'POST'), 'an answer to a form').to.equal(null)
    const [style = ''] =
      /\/dashboard\/assets\/[^"]+\.css/.exec(brotliDecompressSync(page.body).toString()) ?? []
    expect((await ask(style, asked)).headers.get('Content-Encoding')).to.equal('br')
    expect((await ask('/api/docs', asked)).headers.get('Content-Encoding')).to.equal('br')
  })

  for (const coding of ['br', 'gzip'] as const) {
    it(`uses ${coding} from 1 KiB on, with a separate ETag`, async () => {
      const plain = await ask('groups', {})
      expect(plain.headers.get('Content-Encoding')).to.equal(null)
      const coded = await ask('groups', { 'Accept-Encoding': coding })
      expect(coded.headers.get('Content-Encoding')).to.equal(coding)
      expect(coded.headers.get('Vary')).to.equal('Accept-Encoding')
      expect(coded.headers.get('Content-Length')).to.equal(String(coded.body.length))
      expect(coded.body.length).to.be.lessThan(plain.body.length / 2)
      expect(DECODERS[coding](coded.body).toString()).to.equal(plain.body.toString())
      const etag = coded.headers.get('ETag') ?? ''
      expect(etag).to.equal(plain.headers.get('ETag')?.replace(/"$/, `-${coding}"`))
      for (const known of [etag, plain.headers.get('ETag') ?? '', `"x", W/${etag}`]) {
        const same = await ask('groups', { 'Accept-Encoding': coding, 'If-None-Match': known })
        expect([same.status, same.body.length], known).to.deep.equal([304, 0])
        expect(known).to.include(same.headers.get('ETag'))
      }
      await createGroup(world.database)
      const changed = await ask('groups', { 'Accept-Encoding': coding, 'If-None-Match': etag })
      expect(changed.status).to.equal(200)
    })

    it(`caches long responses in ${coding}, and compresses a changed response again`, async () => {
      const { home, user } = await createOffice(world.database)
      await createManyBookings(world.database, { bookable_id: home.id, user_id: user.id, number: 200 })
      const path = `bookables/${home.id}/bookings?${WEEK_QUERY}`
      const askBoth = async () => {
        const [plain, coded] = [await ask(path, {}), await ask(path, { 'Accept-Encoding': coding })]
        expect(plain.body.length).to.be.greaterThan(64 * 1024)
        expect(DECODERS[coding](coded.body).equals(plain.body)).to.equal(true)
        return coded
      }
      const [first, again] = [await askBoth(), await askBoth()]
      expect(again.body.equals(first.body)).to.equal(true)
      // The new value has the same length as before.
      await world
        .database('bookings')
        .where({ bookable_id: home.id })
        .update({ guest_name: 'h'.repeat(250) })
      expect((await askBoth()).body.equals(first.body)).to.equal(false)
    })

    it(`answers HEAD with the same headers as GET: ${coding}`, async () => {
      const got = await ask('groups', { 'Accept-Encoding': coding })
      const head = await ask('groups', { 'Accept-Encoding': coding }, 'HEAD')
      for (const name of ['Content-Encoding', 'Content-Length', 'ETag', 'Vary'])
        expect(head.headers.get(name), name).to.equal(got.headers.get(name))
    })

    it(`streams responses in ${coding}, piece by piece`, async () => {
      const { home, user } = await createOffice(world.database)
      await createManyBookings(world.database, { bookable_id: home.id, user_id: user.id, number: 4_000 })
      const path = `bookables/${home.id}/bookings?${WEEK_QUERY}`
      const plain = await ask(path, {})
      const coded = await ask(path, { 'Accept-Encoding': coding })
      expect(coded.headers.get('Transfer-Encoding')).to.equal('chunked')
      expect(coded.headers.get('Content-Encoding')).to.equal(coding)
      expect(coded.body.length).to.be.lessThan(plain.body.length / 5)
      expect(DECODERS[coding](coded.body).equals(plain.body)).to.equal(true)
    })
  }

  it('skips short and already compressed responses, and clients that do not ask for it', async () => {
    for (const [path, coding] of [
      [`users/${office.user.id}`, 'br, gzip'],
      ['groups', 'identity'],
      ['groups', 'deflate, zstd'],
      ['groups', 'br;q=0, gzip;q=0.000'],
      ['nothing', 'br'],
    ] as const) {
      const answer = await ask(path, { 'Accept-Encoding': coding })
      expect(answer.headers.get('Content-Encoding'), `${path} ${coding}`).to.equal(null)
      expect(JSON.parse(answer.body.toString())).to.be.an('object')
    }
  })

  it('applies to the API documents', async () => {
    const { headers, body } = await ask('/api/v1/openapi.json', { 'Accept-Encoding': 'gzip, br' })
    expect(headers.get('Content-Encoding')).to.equal('br')
    expect(JSON.parse(brotliDecompressSync(body).toString()).openapi).to.match(/^3\.1/)
  })

  it('ends the connection if a compressed stream fails', async () => {
    const { home, user } = await createOffice(world.database)
    await createManyBookings(world.database, { bookable_id: home.id, user_id: user.id, number: 60_000 })
    const { hostname, port } = new URL(client.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `GET /api/v1/bookables/${home.id}/bookings?${WEEK_QUERY} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.token}\r\nAccept-Encoding: gzip\r\n\r\n`,
    )
    await once(socket, 'readable')
    await world.database.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name LIKE '%stream%'`,
    )
    const parts: Buffer[] = []
    for await (const part of socket as AsyncIterable<Buffer>) parts.push(part)
    expect(Buffer.concat(parts).toString('latin1').endsWith('0\r\n\r\n')).to.equal(false)
  })

  it('chooses a content coding as RFC 9110 requires', () => {
    for (const [header, coding] of Object.entries({
      '': undefined,
      gzip: 'gzip',
      'gzip, deflate, br': 'br',
      'gzip;q=1.0, br;q=0.5': 'gzip',
      'BR ; Q=0.1': 'br',
      '*': 'br',
      'br;q=0, *': 'gzip',
      'x-gzip': 'gzip',
      'identity, gzip;q=0.5': undefined,
      'gzip;q=nonsense': undefined,
      ',;': undefined,
    }))
      expect(chooseCoding(header), header).to.equal(coding)
  })
})

function joinChunks(body: Buffer): Buffer {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at)
    if (lineEnd < 0) throw new Error('The answer was cut off')
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16)
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(body.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = lineEnd + 2 + size + 2
  }
}
