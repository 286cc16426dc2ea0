// Tests the benchmark's load generator, which counts the requests it sends and the server's responses.
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { createBookingBody } from '../../bench/load/bookings.ts'
import { StreamedResponse } from '../../bench/load/connection.ts'
import { type Loader, startLoader } from '../../bench/load/load.ts'
import type { LoadSettings } from '../../bench/load/work.ts'
import { findWrk } from '../../bench/load/wrk.ts'
import { getRequests } from '../../bench/parts/scenarios.ts'
import { use } from '../support/use.ts'

const office = {
  bookables: [
    [1, 10],
    [2, 10],
    [3, 11],
  ] as Array<[number, number]>,
  users: [5, 6],
}

describe('the load generator', () => {
  const loader: Loader = use(startLoader, { close: (each) => each.stop() })

  it('requests each path in turn, and counts responses other than 2xx', async () => {
    const asked: string[] = []
    const loaded = await load(
      { connections: 1, requestsMax: 6, requests: getRequests(['/a', '/b', '/missing']) },
      (request, response) => {
        asked.push(`${request.url} ${request.headers.authorization}`)
        response.statusCode = request.url === '/missing' ? 404 : 200
        response.end('answer')
      },
    )
    expect(asked.slice(0, 4)).to.deep.equal([
      '/a Bearer t',
      '/b Bearer t',
      '/missing Bearer t',
      '/a Bearer t',
    ])
    expect(loaded).to.deep.include({ sent: 6, answered: 6, failures: { '404': 2 } })
  })

  it('adds the headers of a single request to the headers of the whole load', async () => {
    const asked: string[] = []
    const requests = ['one', 'two'].map((Cookie) => ({ method: 'GET', path: '/', headers: { Cookie } }))
    await load({ connections: 1, requestsMax: 2, requests }, ({ headers }, response) => {
      asked.push(`${headers.authorization} ${headers.cookie}`)
      response.end()
    })
    expect(asked).to.deep.equal(['Bearer t one', 'Bearer t two'])
  })

  it('waits for the requests that are still running at the end, and counts them', async () => {
    let answered = 0
    const loaded = await load({ connections: 4, seconds: 0.05 }, async (_request, response) => {
      await wait(200)
      answered++
      response.end()
    })
    expect(loaded).to.deep.include({ sent: 4, answered: 4, failures: {} })
    expect(answered).to.equal(4)
  })

  it('reads responses of any size, with a content length or chunked', async () => {
    let number = 0
    const loaded = await load({ connections: 2, requestsMax: 20 }, (_request, response) => {
      if (number++ % 2) response.end('x'.repeat(300_000))
      else for (let piece = 0; piece < 5; piece++) response.write('y'.repeat(40_000))
      response.end()
    })
    expect(loaded).to.deep.include({ sent: 20, answered: 20, failures: {} })
  })

  it('reports broken connections, and continues with new ones', async () => {
    let number = 0
    const loaded = await load({ connections: 1, requestsMax: 5 }, (_request, response) => {
      if (++number === 3) response.destroy()
      else response.end()
    })
    expect(loaded).to.deep.include({ sent: 5, answered: 4, failures: { 'The connection was closed': 1 } })
  })

  it('sends every booking once', async () => {
    const bodies: string[] = []
    const bookings = { office, firstSlot: 2 }
    await load({ connections: 3, requestsMax: 12, bookings }, async (request, response) => {
      bodies.push(await text(request))
      response.end()
    })
    const expected = Array.from({ length: 12 }, (_, number) => createBookingBody(office, 2 + number))
    expect(bodies.sort()).to.deep.equal(expected.sort())
    expect(new Set(bodies).size).to.equal(12)
  })

  it('measures a request from its scheduled time, even if it is sent late', async () => {
    const work = { connections: 1, requestsMax: 4, perSecond: 100 }
    const loaded = await load(work, async (_request, response) => {
      await wait(100)
      response.end()
    })
    // The third request is due after 20 ms and answered after 300 ms or more.
    expect(loaded.p50Ms).to.be.above(270)
    expect(loaded).to.deep.include({ sent: 4, answered: 4, failures: {} })
  })

  it('sends read requests with wrk if wrk is installed, and reports the same figures', async function () {
    const wrk = await findWrk()
    if (!wrk) return this.skip()
    const asked = new Set<string>()
    const requests = getRequests(['/a', '/b', '/missing'])
    const loaded = await load(
      { connections: 2, seconds: 1, requests },
      (request, response) => {
        asked.add(`${request.url} ${request.headers.authorization}`)
        response.statusCode = request.url === '/missing' ? 404 : 200
        response.end('answer')
      },
      wrk,
    )
    await wrk.stop()
    expect([...asked].sort()).to.deep.equal(['/a Bearer t', '/b Bearer t', '/missing Bearer t'])
    expect(loaded.failures['status 4xx or 5xx']).to.be.within(
      loaded.answered / 3 - 2,
      loaded.answered / 3 + 2,
    )
    expect(loaded.p99Ms).to.be.least(loaded.p50Ms)
    expect(loaded.seconds).to.be.within(0.9, 2)
    expect(loaded.loaderCpuUs).to.be.above(0)
  })

  async function load(work: Partial<LoadSettings>, listener: RequestListener, by = loader) {
    const server = await listen(createServer(listener))
    try {
      const { port } = server.address() as AddressInfo
      const defaults = {
        headers: { Authorization: 'Bearer t' },
        connections: 1,
        seconds: 60,
        requests: getRequests(['/']),
      }
      return await by.run({ url: `http://127.0.0.1:${port}`, ...defaults, ...work })
    } finally {
      server.close()
    }
  }
})

describe('the bookings that the load generator creates', () => {
  it('never use the same bookable at the same hour', () => {
    const claims = Array.from({ length: 30 }, (_, slot) => {
      const { bookable_id, location_id, from_time, to_time } = JSON.parse(createBookingBody(office, slot))
      expect(location_id).to.equal(bookable_id === 3 ? 11 : 10)
      expect(Date.parse(to_time) - Date.parse(from_time)).to.equal(3_600_000)
      return `${bookable_id} ${from_time}`
    })
    expect(new Set(claims).size).to.equal(30)
  })
})

describe('the HTTP response parser of the load generator', () => {
  const whole = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello'
  const chunked = 'HTTP/1.1 409 Conflict\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'
  const empty = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'
  const nothing = 'HTTP/1.1 204 No Content\r\n\r\n'

  for (const bytes of [whole, chunked, empty, nothing]) {
    it(`recognizes the last byte of an answer, wherever the answer is split: ${JSON.stringify(bytes)}`, () => {
      for (let cut = 1; cut < bytes.length; cut++) {
        const answer = new StreamedResponse()
        const [first, second] = [bytes.slice(0, cut), bytes.slice(cut)].map((part) => Buffer.from(part))
        expect(answer.take(first as Buffer), `cut at ${cut}`).to.equal(false)
        expect(answer.take(second as Buffer), `cut at ${cut}`).to.equal(true)
        expect(answer.status).to.equal(Number(bytes.slice(9, 12)))
      }
    })
  }
})

function listen(server: Server): Promise<Server> {
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}
