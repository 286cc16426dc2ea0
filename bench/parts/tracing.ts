// The CPU cost of traces: Berth without traces and Berth that samples one in ten, in turns on one company.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { printTable } from '../measure.ts'
import { alternateLoads, medianOf, type Runner, ratioOf } from '../measure-load.ts'
import { redisUrlOf } from '../stage/servers.ts'
import { startBerth, type Target, type TargetOptions } from '../stage/targets.ts'
import { cpuCells, type Lengths } from './comparison.ts'
import { BOOKINGS, READS } from './scenarios.ts'

const REDIS_NUMBER = 10
const RATIOS = ['0.1', '1']

export async function compareTracing(
  runner: Runner,
  options: Omit<TargetOptions, 'name'>,
  berth: Target,
  lengths: Lengths,
): Promise<void> {
  const collector = await startSink()
  const traced: Target[] = []
  try {
    for (const [index, ratio] of RATIOS.entries()) {
      const environment = {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: ratio,
      }
      const redisUrl = redisUrlOf(options.servers, REDIS_NUMBER + index)
      traced.push(await startBerth({ ...options, redisUrl, environment, name: `traced ${ratio}` }))
    }
    const scenarios = [...READS, ...BOOKINGS]
    const results = await alternateLoads(runner, scenarios, () => [berth, ...traced], lengths)
    const rows = [...results].flatMap(([{ name }, byTarget]) => {
      const off = byTarget.get(berth.name) ?? []
      return [...byTarget].map(([target, rounds]) => {
        const times = ratioOf(rounds, off, ({ totalCpuUs }) => totalCpuUs)
        return [name, target, ...cpuCells(medianOf(rounds)), times.toFixed(3)]
      })
    })
    printTable(
      ['CPU, µs an answer', 'sampled', 'gateway', 'worker', 'Postgres', 'Redis', 'all', 'times without'],
      rows,
    )
    console.log(`\n${collector.received()} requests reached the collector.`)
  } finally {
    for (const target of traced) await target.stop()
    collector.stop()
  }
}

/** Accepts all traces; not part of the measurement. */
async function startSink() {
  let received = 0
  const server = createServer((request, response) => {
    received++
    request.resume().on('end', () => response.end('{}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}
