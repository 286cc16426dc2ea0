// Makes one token send the most expensive writes that its rate limit allows: series of 366 bookings under a
// rule that counts them. Bookings of another token must stay fast. Uses built processes; `SECONDS` sets the
// duration.
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { SERIES_MAX } from '../../shared/series/repetition.ts'
import { createBookable, createLocation, createUser, hoursFromNow } from '../support/factories.ts'
import { startGatewayProcess, startWorkerProcess } from '../support/processes.ts'
import { measureTime, promised } from '../support/time.ts'
import { use } from '../support/use.ts'
import { useWorld } from '../support/world.ts'

const SECONDS = Number(process.env.SECONDS ?? 20)
const GREEDY_CALLER_COUNT = 32
const GREEDY_BOOKABLE_COUNT = 400
const PAUSE_MS = 50
// The maximum median response time for bookings of the other token.
const MEDIAN_MS_MAX = 200
const COUNTING_RULE_JSON = JSON.stringify({ bookings_ahead_max: 1_000 })

type Answer = { status: number; tookMs: number }
type Place = { location_id: number; bookable_id: number; user_id: number }

describe('a token that writes up to its rate limit', () => {
  const world = useWorld({ workers: [] })
  const processes = use(() => startProcesses(), { close: (all) => all.stop() })

  it('does not slow down the bookings of another token', async () => {
    const [greedy, other] = [await createCaller(), await createCaller()]
    const location_id = await createLocation(world.database, { rules: COUNTING_RULE_JSON })
    const createPlace = async (): Promise<Place> => ({
      location_id,
      bookable_id: await createBookable(world.database, { location_id }),
      user_id: await createUser(world.database),
    })
    const places = await Promise.all(Array.from({ length: GREEDY_BOOKABLE_COUNT }, createPlace))
    const own = await createPlace()
    const book = callerOf(other, 'bookings', (number) => ({ ...own, ...createTimes(2 * number) }))
    const series = callerOf(greedy, 'bookings/series', (number) => ({
      ...places[number % GREEDY_BOOKABLE_COUNT],
      ...createTimes(24 + Math.floor(number / GREEDY_BOOKABLE_COUNT)),
      repeat: { every: 'day', count: SERIES_MAX },
    }))

    const calm = await book(3)
    const [beside, ...written] = await Promise.all([
      book(SECONDS),
      ...Array.from({ length: GREEDY_CALLER_COUNT }, () => series(SECONDS)),
    ])
    const figures = {
      calm: summarizeAnswers(calm),
      beside: summarizeAnswers(beside),
      greedy: summarizeAnswers(written.flat()),
    }
    console.log(JSON.stringify(figures, null, 2))
    expect([figures.calm.statuses, figures.beside.statuses].flatMap(Object.keys)).to.deep.equal([
      '200',
      '200',
    ])
    expect(figures.greedy.statuses['200'], 'series').to.be.above(SECONDS / 2)
    expect(figures.beside.medianMs).to.be.below(promised(MEDIAN_MS_MAX))
  })

  async function startProcesses() {
    const environment = { DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl }
    const worker = await startWorkerProcess(environment)
    const gateway = await startGatewayProcess(environment)
    return {
      url: gateway.url,
      async stop() {
        for (const child of [gateway, worker]) {
          child.kill('SIGTERM')
          await child.ended
        }
      },
    }
  }

  async function createCaller(): Promise<string> {
    return (await world.client('booking-write', 'read')).token ?? ''
  }

  /** Starts a caller that sends one request after another for the given seconds. */
  function callerOf(token: string, path: string, bodyOf: (number: number) => object) {
    let number = 0
    const ask = async (): Promise<number> => {
      const answer = await fetch(`${processes.url}/api/v1/${path}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(bodyOf(number++)),
      })
      await answer.arrayBuffer()
      return answer.status
    }
    return async (seconds: number): Promise<Answer[]> => {
      const untilMs = performance.now() + seconds * 1_000
      const answers: Answer[] = []
      while (performance.now() < untilMs) {
        const { answer: status, tookMs } = await measureTime(ask)
        answers.push({ status, tookMs })
        await wait(PAUSE_MS)
      }
      return answers
    }
  }
})

const createTimes = (hour: number) => ({ from_time: hoursFromNow(hour + 1), to_time: hoursFromNow(hour + 2) })

function summarizeAnswers(answers: Answer[]) {
  const statuses: Record<string, number> = {}
  for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
  const times = answers.map(({ tookMs }) => Math.round(tookMs)).sort((one, other) => one - other)
  return { statuses, medianMs: times[Math.floor(times.length / 2)] ?? 0, slowestMs: times.at(-1) ?? 0 }
}
