// Tests HTTP requests to /mcp: the status of each refusal, and the headers, limits and logs that apply to all API
// requests.
import { expect } from 'chai'
import { createToken } from '../../../../shared/tokens/token-store.ts'
import { Client } from '../../../support/http/http.ts'
import { useClient, useWorld } from '../../../support/world.ts'

const ACCEPT_HEADER = 'application/json, text/event-stream'
const message = (method: string, params: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params })
const LIST_TOOLS_MESSAGE = message('tools/list')

describe('POST /mcp', () => {
  const ORIGIN = 'https://agents.example.com'
  const lines: string[] = []
  const world = useWorld({
    workers: [],
    environment: { CORS_ORIGINS: ORIGIN },
    onLog: (line) => lines.push(line),
  })
  const client = useClient(world, 'read')
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    client.post('/mcp', body, { Accept: ACCEPT_HEADER, ...headers })

  it('answers in JSON, with the usual response headers of the API', async () => {
    const { status, headers, json } = await post(LIST_TOOLS_MESSAGE)
    expect([status, headers.get('Content-Type')]).to.deep.equal([200, 'application/json'])
    expect(json.result.tools).to.not.have.length(0)
    for (const name of ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'X-Content-Type-Options'])
      expect(headers.get(name), name).to.be.a('string')
    expect(headers.get('Cache-Control')).to.equal('no-store')
  })

  it('returns an id for each new conversation, but stores no session', async () => {
    const begin = () =>
      post(
        message('initialize', {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'x', version: '1' },
        }),
      )
    const [one, other] = [await begin(), await begin()]
    expect(one.json.result).to.deep.include({ protocolVersion: '2025-06-18' })
    expect(one.json.result.serverInfo.name).to.equal('berth')
    expect(one.headers.get('Mcp-Session-Id')).to.match(/^[\da-f-]{36}$/)
    expect(other.headers.get('Mcp-Session-Id')).to.not.equal(one.headers.get('Mcp-Session-Id'))
    for (const session of ['never-heard-of', one.headers.get('Mcp-Session-Id') ?? ''])
      expect((await post(LIST_TOOLS_MESSAGE, { 'Mcp-Session-Id': session })).status).to.equal(200)
    const { status, text } = await post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([status, text]).to.deep.equal([202, ''])
  })

  it('refuses GET and DELETE, because there are no sessions', async () => {
    for (const method of ['GET', 'DELETE', 'PUT']) {
      const { status, headers } = await client.ask('/mcp', { method, headers: { Accept: ACCEPT_HEADER } })
      expect([status, headers.get('Allow')], method).to.deep.equal([405, 'POST, OPTIONS'])
    }
  })

  it('refuses requests without a valid token', async () => {
    const nobody = new Client(world.url)
    const missing = await nobody.post('/mcp', LIST_TOOLS_MESSAGE)
    expect([missing.status, missing.json.code]).to.deep.equal([401, 'unauthenticated'])
    expect(missing.headers.get('WWW-Authenticate')).to.equal('Bearer')
    const wrong = await new Client(world.url, 'berth_none').post('/mcp', LIST_TOOLS_MESSAGE)
    expect([wrong.status, wrong.json.code]).to.deep.equal([401, 'invalid_token'])
  })

  it('counts requests against the rate limit of the token', async () => {
    const { token } = await createToken(world.database, {
      name: 'slow',
      abilities: ['read'],
      createdBy: 'test',
      rateLimitPerMinute: 1,
    })
    const slow = new Client(world.url, token)
    const statuses = []
    for (let number = 0; number < 3; number++)
      statuses.push((await slow.post('/mcp', LIST_TOOLS_MESSAGE, { Accept: ACCEPT_HEADER })).status)
    expect(statuses).to.include(429)
  })

  it('refuses requests from web pages of unlisted origins, regardless of their Host header', async () => {
    for (const Origin of ['https://evil.example.com', 'null', world.url]) {
      const { status, json } = await post(LIST_TOOLS_MESSAGE, { Origin })
      expect([status, json.code], Origin).to.deep.equal([403, 'origin_not_allowed'])
    }
    const { status, headers } = await post(LIST_TOOLS_MESSAGE, { Origin: ORIGIN })
    expect(status).to.equal(200)
    expect(headers.get('Access-Control-Allow-Origin')).to.equal(ORIGIN)
    expect(headers.get('Access-Control-Expose-Headers')).to.include('Mcp-Session-Id')
    const preflight = await client.ask('/mcp', { method: 'OPTIONS', headers: { Origin: ORIGIN } })
    expect(preflight.status).to.equal(204)
    for (const name of ['Authorization', 'Mcp-Session-Id', 'Mcp-Protocol-Version'])
      expect(preflight.headers.get('Access-Control-Allow-Headers')).to.include(name)
  })

  it('refuses anything but a single message of a known protocol version', async () => {
    const deep = `${'['.repeat(40)}${']'.repeat(40)}`
    const raw = (text: string, headers: Record<string, string> = {}) =>
      client.ask('/mcp', {
        method: 'POST',
        raw: text,
        headers: { Accept: ACCEPT_HEADER, 'Content-Type': 'application/json', ...headers },
      })
    const text = JSON.stringify(LIST_TOOLS_MESSAGE)
    expect((await raw(JSON.stringify([LIST_TOOLS_MESSAGE, LIST_TOOLS_MESSAGE]))).status, 'batch').to.equal(
      400,
    )
    expect((await raw('{"jsonrpc"')).status, 'broken').to.equal(400)
    expect((await raw(deep)).status, 'deep').to.equal(400)
    expect((await raw('null')).status, 'null').to.equal(400)
    expect((await raw('{"id":1}')).status, 'no JSON-RPC').to.equal(400)
    expect((await raw(text, { 'Mcp-Protocol-Version': '1999-01-01' })).status, 'version').to.equal(400)
    expect((await raw(text, { 'Content-Type': 'text/plain' })).status, 'type').to.equal(415)
    expect((await raw(text, { Accept: 'text/html' })).status, 'accept').to.equal(406)
    const huge = await raw(JSON.stringify(message('tools/call', { name: 'x'.repeat(1_100_000) })))
    expect([huge.status, huge.json.code]).to.deep.equal([413, 'too_large'])
  })

  it('answers unknown methods and unknown tools with JSON-RPC errors', async () => {
    expect((await post(message('nothing/here'))).json.error.code).to.equal(-32_601)
    const unknown = await post(message('tools/call', { name: '__proto__', arguments: {} }))
    expect(unknown.json.error.code).to.equal(-32_602)
    const wrong = await post(
      message('tools/call', { name: 'who_is_in', arguments: { __proto__: 1, day: ['x'] } }),
    )
    expect(wrong.json.result).to.include({ isError: true })
  })

  it('logs one line per request, with the name of the token and without the content of the message', async () => {
    lines.length = 0
    const { headers } = await post(
      message('tools/call', { name: 'find_people', arguments: { search: 'secretname' } }),
    )
    const requestId = headers.get('X-Request-Id')
    const found = lines.map((line) => JSON.parse(line)).filter((line) => line.requestId === requestId)
    expect(found.map(({ route, method, status }) => [route, method, status])).to.deep.equal([
      ['/mcp', 'POST', 200],
    ])
    expect(found[0].tokenId).to.be.a('number')
    expect(lines.join()).to.not.include('secretname')
  })
})
