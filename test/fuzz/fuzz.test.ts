// Nothing breaks it: generated requests, spoiled files, and connections that press on a gateway. This is the short form:
// npm run test:fuzz runs for minutes, measures the memory, and plants every fault in processes of their own.
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { patchedText } from '../chaos/stage/dist.ts'
import { createManyBookings } from '../support/factories.ts'
import { Client } from '../support/http/http.ts'
import { openApiOf } from '../support/http/openapi.ts'
import { testSeed } from '../support/seed.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'
import { runConnections, SHORT, trialsOf } from './connections/run-connections.ts'
import { runFiles } from './files/run-files.ts'
import { describeFinding, type Finding } from './findings.ts'
import { judgeMemory } from './memory.ts'
import { PLANTED } from './planted.ts'
import { createDictionary, type Dictionary } from './requests/dictionary.ts'
import { createGenerator } from './requests/generate.ts'
import { runRequests } from './requests/run-requests.ts'
import { findErrors, type Stage } from './stage/stage.ts'

const STREAM_IDLE_MS = 500
const SETTINGS = {
  RATE_LIMIT_PER_MINUTE: '1000000000',
  FAILED_SIGN_INS_PER_MINUTE: '1000000',
  STREAM_IDLE_MS: String(STREAM_IDLE_MS),
  FILE_BYTES_MAX: String(1024 * 1024),
}
const REQUESTS = 500
const FILES = 60
const FOLDER = '/tmp/berth-fuzz'

describe('fuzz', function () {
  this.timeout(300_000)
  const lines: string[] = []
  const world = useWorld({
    workers: ['writes', 'imports', 'exports'],
    environment: SETTINGS,
    onLog: (line) => lines.push(line),
  })
  const company = use<{ dictionary: Dictionary }>(async () => ({
    dictionary: await createDictionary(world.database, world.url),
  }))
  const stageAt = (url: string): Stage => ({
    url,
    database: world.database,
    dictionary: company.dictionary,
    takeErrors: () => findErrors(lines.splice(0).map((line) => JSON.parse(line))),
  })
  const expectNothing = (findings: Finding[]) =>
    expect(
      findings.map((finding) => describeFinding(finding, FOLDER)).join('\n'),
      `Seed ${testSeed}`,
    ).to.equal('')

  it('finds no fault with generated requests', async () => {
    const { findings, answers } = await runRequests({
      stage: stageAt(world.url),
      seed: testSeed,
      from: 0,
      count: REQUESTS,
      clients: 8,
    })
    expect(answers.size).to.be.above(20)
    expectNothing(findings)
  })

  it('finds no fault with broken files', async () => {
    const { findings, outcomes } = await runFiles({ seed: testSeed, from: 0, count: FILES, readers: 1 })
    expect([...outcomes.keys()].join())
      .to.include('csv read')
      .and.include('validation_failed')
    expectNothing(findings)
  })

  it('finds no fault with hostile connections, while other clients are served', async () => {
    const { bookables, users, token } = company.dictionary
    const bookable_id = bookables.find(({ type }) => type === 3)?.id ?? 0
    await createManyBookings(world.database, { bookable_id, user_id: users[0] ?? 0, number: 20_000 })
    const client = new Client(world.url, token)
    const { findings } = await runConnections(client, trialsOf(client, SHORT, STREAM_IDLE_MS))
    expectNothing(findings)
  })

  it('generates the same request from the same seed and number', async () => {
    const { document } = await openApiOf(world.url)
    const bytesOf = (seed: number) => {
      const generate = createGenerator(seed, document, company.dictionary)
      return Array.from({ length: 50 }, (_, number) => generate(number).bytes.toString('latin1'))
    }
    expect(bytesOf(1)).to.deep.equal(bytesOf(1))
    expect(bytesOf(1)).to.not.deep.equal(bytesOf(2))
  })

  describe('finds a planted fault', () => {
    it('finds every line in which a fault is planted', () => {
      for (const fault of PLANTED) expect(patchedText(fault), fault.file).to.include(fault.replace)
    })

    // Before the gateway, so that no process of its own is needed: every 10th answer is spoiled.
    const spoilt: Array<{
      title: string
      promise: Finding['promise']
      spoil(answer: Answer): Answer | undefined
    }> = [
      { title: 'a 500', promise: 'no 5xx', spoil: (answer) => ({ ...answer, status: 500 }) },
      {
        title: 'an undocumented status',
        promise: 'every answer is as documented',
        spoil: (answer) => ({ ...answer, status: 418 }),
      },
      {
        title: 'an undocumented member',
        promise: 'every answer is as documented',
        spoil: ({ status, body }) => ({ status, body: body.replace(/^\{/, '{"secret": 1,') }),
      },
      { title: 'no answer', promise: 'every request is answered', spoil: () => undefined },
    ]
    for (const { title, promise, spoil } of spoilt) {
      it(title, async () => {
        const { url, close } = await startSpoiler(world.url, spoil)
        try {
          const stage = stageAt(url)
          const { findings } = await runRequests({ stage, seed: 1, from: 0, count: 40, clients: 4 })
          expect(findings.map((finding) => finding.promise)).to.include(promise)
        } finally {
          await close()
        }
      })
    }

    it('a leak', () => {
      const measured = (heapMb: number, requests: number) => {
        const memory = { heapMb, rssMb: 150, sockets: 1 }
        return { requests, gateway: { ...memory, heapMb: 40 }, worker: memory }
      }
      const flat = [measured(20, 100), measured(40, 1_000), measured(41, 2_000), measured(42, 3_000)]
      expect(judgeMemory(flat)).to.deep.equal([])
      const [finding] = judgeMemory([...flat, measured(60, 4_000)])
      expect(finding?.what).to.match(/^the worker has grown by 19\.0 MB of heap/)
    })
  })
})

type Answer = { status: number; body: string }

/** A gateway before the gateway; what `spoil` leaves undefined is not answered at all. */
async function startSpoiler(url: string, spoil: (answer: Answer) => Answer | undefined) {
  let answered = 0
  const server: Server = createServer((incoming, outgoing) => {
    const { method, headers, url: path } = incoming
    const passed = request(
      url,
      { method, headers: { ...headers, 'accept-encoding': 'identity' }, path, agent: false },
      async (answer) => {
        const pieces: Buffer[] = []
        for await (const piece of answer) pieces.push(piece)
        const { 'transfer-encoding': _chunked, 'content-length': _length, ...others } = answer.headers
        const real = { status: answer.statusCode ?? 0, body: Buffer.concat(pieces).toString() }
        const isSpoilt = path !== '/api/v1/openapi.json' && ++answered % 10 === 0
        const given = isSpoilt ? spoil(real) : real
        if (!given) return void incoming.socket.destroy()
        const hasBody = given.status !== 204 && given.status !== 304
        outgoing.writeHead(given.status, others)
        outgoing.end(hasBody ? given.body : undefined)
      },
    )
    passed.on('error', () => incoming.socket.destroy())
    incoming.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
