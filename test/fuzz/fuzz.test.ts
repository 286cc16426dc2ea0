// Fuzzes a gateway with generated requests, broken files and hostile connections. This is the short version:
// npm run test:fuzz runs for minutes, measures the memory, and plants every fault in separate processes.
import { expect } from 'chai'
import { type Change, type ProxiedAnswer, startAnswerProxy } from '../harness/answer-proxy.ts'
import { describeFinding } from '../harness/findings.ts'
import { itFindsEveryPatchedLine } from '../harness/planted.ts'
import { createManyBookings } from '../support/factories.ts'
import { Client } from '../support/http/http.ts'
import { openApiOf } from '../support/http/openapi.ts'
import { testSeed } from '../support/seed.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'
import { createTrials, runConnections, SHORT_TRIAL_SIZES } from './connections/run-connections.ts'
import { runFiles } from './files/run-files.ts'
import { type Finding, saveRequest } from './findings.ts'
import { checkMemoryGrowth } from './memory.ts'
import { PLANTED_FAULTS } from './planted.ts'
import { createDictionary, type Dictionary } from './requests/dictionary.ts'
import { createGenerator } from './requests/generate.ts'
import { runRaces } from './requests/run-races.ts'
import { runRequests } from './requests/run-requests.ts'
import { findErrors, type Stage } from './stage/stage.ts'

const STREAM_IDLE_MS = 500
const SETTINGS = {
  RATE_LIMIT_PER_MINUTE: '1000000000',
  FAILED_SIGN_INS_PER_MINUTE: '1000000',
  STREAM_IDLE_MS: String(STREAM_IDLE_MS),
  FILE_BYTES_MAX: String(1024 * 1024),
}
const REQUEST_COUNT = 500
const FILE_COUNT = 60
const RACE_COUNT = 100
const FINDINGS_FOLDER = '/tmp/berth-fuzz'

describe('the fuzzer', function () {
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
      findings.map((finding) => describeFinding(saveRequest(finding, FINDINGS_FOLDER))).join('\n'),
      `Seed ${testSeed}`,
    ).to.equal('')

  it('detects no failures when it sends generated requests', async () => {
    const { findings, answers } = await runRequests({
      stage: stageAt(world.url),
      seed: testSeed,
      from: 0,
      count: REQUEST_COUNT,
      clients: 8,
    })
    expect(answers.size).to.be.above(20)
    expectNothing(findings)
  })

  it('detects no failures when it sends several requests about the same resources at the same moment', async () => {
    const options = { stage: stageAt(world.url), seed: testSeed, from: 0, count: RACE_COUNT, clients: 4 }
    const { findings, answers } = await runRaces(options)
    expect(answers.size).to.be.above(50)
    expectNothing(findings)
  })

  it('detects no failures when it uploads broken files', async () => {
    const { findings, outcomes } = await runFiles({ seed: testSeed, from: 0, count: FILE_COUNT, readers: 1 })
    expect([...outcomes.keys()].join())
      .to.include('csv read')
      .and.include('validation_failed')
    expectNothing(findings)
  })

  it('detects no failures when it opens hostile connections, while other clients are served', async () => {
    const { bookables, users, token } = company.dictionary
    const bookable_id = bookables.find(({ type }) => type === 3)?.id ?? 0
    await createManyBookings(world.database, { bookable_id, user_id: users[0] ?? 0, number: 20_000 })
    const client = new Client(world.url, token)
    const { findings } = await runConnections(client, createTrials(client, SHORT_TRIAL_SIZES, STREAM_IDLE_MS))
    expectNothing(findings)
  })

  it('generates the same request again from the same seed and request number', async () => {
    const { document } = await openApiOf(world.url)
    const bytesOf = (seed: number) => {
      const generate = createGenerator(seed, document, company.dictionary)
      return Array.from({ length: 50 }, (_, number) => generate(number).bytes.toString('latin1'))
    }
    expect(bytesOf(1)).to.deep.equal(bytesOf(1))
    expect(bytesOf(1)).to.not.deep.equal(bytesOf(2))
  })

  describe('detects a planted fault', () => {
    itFindsEveryPatchedLine(PLANTED_FAULTS)

    // A proxy in front of the gateway plants these faults, so that they need no separate gateway process.
    const changes: Array<{ title: string; promise: Finding['promise']; change: Change }> = [
      { title: 'a status of 500', promise: 'no 5xx', change: () => ({ status: 500 }) },
      {
        title: 'an undocumented status',
        promise: 'every answer is as documented',
        change: () => ({ status: 418 }),
      },
      {
        title: 'an undocumented member',
        promise: 'every answer is as documented',
        change: ({ text }) => ({ text: text.replace(/^\{/, '{"secret": 1,') }),
      },
      { title: 'a missing answer', promise: 'every request is answered', change: () => undefined },
    ]
    for (const { title, promise, change } of changes) {
      it(title, async () => {
        const { url, close } = await startAnswerProxy(world.url, changeEveryTenth(change))
        try {
          const stage = stageAt(url)
          const { findings } = await runRequests({ stage, seed: 1, from: 0, count: 40, clients: 4 })
          expect(findings.map((finding) => finding.promise)).to.include(promise)
        } finally {
          close()
        }
      })
    }

    it('detects a memory leak that the test plants', () => {
      const measured = (heapMb: number, requests: number) => {
        const memory = { heapMb, rssMb: 150, sockets: 1 }
        return { requests, gateway: { ...memory, heapMb: 40 }, worker: memory }
      }
      const flat = [measured(20, 100), measured(40, 1_000), measured(41, 2_000), measured(42, 3_000)]
      expect(checkMemoryGrowth(flat)).to.deep.equal([])
      const [finding] = checkMemoryGrowth([...flat, measured(60, 4_000)])
      expect(finding?.what).to.match(/^the worker has grown by 19\.0 MB of heap/)
    })
  })
})

/** Changes every tenth answer, but never the OpenAPI document that answers are compared with. */
function changeEveryTenth(change: Change): Change {
  let answered = 0
  return (answer: ProxiedAnswer) =>
    answer.path !== '/api/v1/openapi.json' && ++answered % 10 === 0 ? change(answer) : {}
}
