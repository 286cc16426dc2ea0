// Measures how soon a built gateway answers, and how much memory it uses while idle.
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { startGatewayProcess } from '../support/processes.ts'
import { useWorld } from '../support/world.ts'

const FIRST_ANSWER_MS_MAX = 1_000
const IDLE_MEMORY_MIB_MAX = 90
const ROUND_COUNT = 5

describe('a starting gateway', () => {
  const world = useWorld({ workers: [] })

  it('answers within a second, and uses at most 90 MiB while idle', async () => {
    const { databaseUrl, redisUrl } = world
    const times: number[] = []
    const sizes: number[] = []
    for (let round = 0; round < ROUND_COUNT; round++) {
      const startedMs = performance.now()
      const gateway = await startGatewayProcess({ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl })
      expect((await fetch(`${gateway.url}/healthz`)).status).to.equal(200)
      times.push(performance.now() - startedMs)
      await sleep(2_000)
      const status = await readFile(`/proc/${gateway.pid}/status`, 'utf8')
      sizes.push(Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1024)
      gateway.kill('SIGTERM')
      await gateway.ended
    }
    const median = (values: number[]) => values.sort((a, b) => a - b)[Math.floor(ROUND_COUNT / 2)] ?? 0
    console.log(`      ${median(times).toFixed(0)} ms, ${median(sizes).toFixed(0)} MiB`)
    expect(median(times)).to.be.lessThan(FIRST_ANSWER_MS_MAX)
    expect(median(sizes)).to.be.lessThan(IDLE_MEMORY_MIB_MAX)
  })
})
