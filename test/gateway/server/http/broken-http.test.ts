// Tests requests that are invalid HTTP or match no endpoint: all get the standard error format.

import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import type { ApiAnswer } from '../../../support/http/http.ts'
import { sendRaw } from '../../../support/http/raw-http.ts'
import { promised } from '../../../support/time.ts'
import { useClient, useWorld } from '../../../support/world.ts'

describe('a gateway that receives broken HTTP', () => {
  const world = useWorld({ workers: [], environment: { PUBLIC_URL: 'https://desk.example.com' } })
  const client = useClient(world)

  const post = (lines: string) =>
    `POST /api/v1/bookings HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.token}\r\n${lines}\r\n\r\n`

  function expectProblem(answer: ApiAnswer, status: number, code: string) {
    expect(answer.status).to.equal(status)
    expect(answer.headers.get('Content-Type')).to.equal('application/json; charset=utf-8')
    expect(answer.headers.get('Vary')).to.equal('Accept')
    expect(answer.json).to.include({
      type: `https://desk.example.com/api/docs/errors#${code}`,
      status,
      code,
      message: answer.json.detail,
      request_id: answer.headers.get('X-Request-Id'),
    })
    expect(answer.json.request_id).to.match(/^[0-9a-f-]{36}$/)
  }

  const broken: Record<string, () => string> = {
    'bytes that are not HTTP': () => 'garbage\r\n\r\n',
    'a TLS greeting': () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    'a method that HTTP does not define': () => 'FOO / HTTP/1.1\r\nHost: x\r\n\r\n',
    'a header without a colon': () => 'GET /healthz HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n',
    'a header with a NUL': () => 'GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: \0\r\n\r\n',
    'two lengths of one body': () => post('Content-Length: 2\r\nTransfer-Encoding: chunked'),
    'an invalid length': () => post('Content-Length: two'),
    'a chunk without a size': () =>
      `${post('Content-Type: application/json\r\nTransfer-Encoding: chunked')}zz\r\n{}\r\n`,
    'a request without a Host': () => 'GET /healthz HTTP/1.1\r\n\r\n',
  }
  for (const [title, request] of Object.entries(broken)) {
    it(`answers ${title} with 400`, async () => {
      expectProblem(await sendRaw(world.url, [request()]), 400, 'malformed_body')
    })
  }

  it('links to the documentation of errors, even without PUBLIC_URL', async () => {
    const gateway = await world.startGateway({ PUBLIC_URL: '' })
    const { json } = await sendRaw(gateway.url, ['garbage\r\n\r\n'])
    const { port } = new URL(gateway.url)
    expect(json.type).to.equal(`http://localhost:${port}/api/docs/errors#malformed_body`)
  })

  it('answers a body that is shorter than announced with 400', async () => {
    const request = `${post('Content-Type: application/json\r\nContent-Length: 50')}{}`
    expectProblem(await sendRaw(world.url, [request], { end: true }), 400, 'malformed_body')
  })

  it('accepts HTTP/1.0 without a Host header', async () => {
    expect((await sendRaw(world.url, ['GET /healthz HTTP/1.0\r\n\r\n'])).json).to.deep.equal({ status: 'ok' })
  })

  it('answers a long URL with 414 and large headers with 431, even if the client keeps sending', async () => {
    const url = `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`
    expectProblem(await sendRaw(world.url, [url]), 414, 'url_too_long')
    const header = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(20_000)}\r\n\r\n`
    expectProblem(await sendRaw(world.url, [header]), 431, 'headers_too_large')
    const endless = `GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(10_000_000)}\r\n\r\n`
    expectProblem(await sendRaw(world.url, [endless], { writeFirst: true }), 431, 'headers_too_large')
  })

  it('closes the connection after a refusal, whether or not the client does', async () => {
    const { port } = new URL(world.url)
    const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true })
    socket.on('error', () => undefined)
    socket.write('garbage\r\n\r\n')
    await new Promise((resolve) => socket.once('data', resolve))
    const pushing = setInterval(() => socket.write('more'), 50)
    const closed = new Promise((resolve) => socket.once('close', () => resolve('closed')))
    const ending = await Promise.race([closed, wait(promised(4_000), 'still open')])
    clearInterval(pushing)
    socket.destroy()
    expect(ending).to.equal('closed')
  })

  it('ends a response that has begun, and writes no error into it', async () => {
    await world.database.raw(
      "INSERT INTO groups (name) SELECT repeat('x', 240) || number FROM generate_series(1, 30000) AS number",
    )
    const { port } = new URL(world.url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(`GET /api/v1/groups HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${client.token}\r\n\r\n`)
    await new Promise((resolve) => socket.once('readable', resolve))
    socket.write('garbage\r\n\r\n')
    await wait(200)
    let text = ''
    for await (const chunk of socket.setEncoding('latin1')) text += chunk
    // A long response is sent in chunks, and ends with an empty chunk if it is complete.
    expect(text).to.match(/Transfer-Encoding: chunked/)
    expect(text.endsWith('0\r\n\r\n')).to.equal(false)
    expect(text).to.not.include('malformed_body')
  })

  it('treats a URL without a path as /, or refuses it', async () => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      for (const address of ['http://?q=1', 'http://', 'http:']) {
        const answer = await sendRaw(world.url, [`${method} ${address} HTTP/1.1\r\nHost: x\r\n\r\n`])
        const allowed = method === 'GET' ? [302, 400] : [405, 400]
        expect(answer.status, `${method} ${address}`).to.be.oneOf(allowed)
      }
    }
  })

  it('answers CONNECT and unknown Expect headers like other invalid requests', async () => {
    const connected = await sendRaw(world.url, ['CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'])
    expectProblem(connected, 405, 'method_not_allowed')
    expect(connected.headers.get('Allow')).to.include('GET')
    const expecting = 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: the-unexpected\r\n\r\n'
    expect((await sendRaw(world.url, [expecting])).json).to.deep.equal({ status: 'ok' })
  })

  it('answers HTTP methods that Berth does not support with 405', async () => {
    for (const method of ['TRACE', 'PROPFIND', 'QUERY', 'PURGE', 'M-SEARCH']) {
      const answer = await sendRaw(world.url, [`${method} /api/v1/groups HTTP/1.1\r\nHost: x\r\n\r\n`])
      expectProblem(answer, 405, 'method_not_allowed')
      expect(answer.headers.get('Allow')).to.equal('HEAD, GET, POST, OPTIONS')
    }
  })

  it('keeps serving the requests of other clients', async () => {
    expect((await client.get('/healthz')).status).to.equal(200)
  })
})
