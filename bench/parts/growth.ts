// How Berth scales: with a hundred times the bookings, and with more processes. On one machine with a few
// cores this shows in the CPU time per answer, not in the rate.

import { connectDatabase } from '../../shared/database/database.ts'
import { ms, printTable } from '../measure.ts'
import { alternateLoads, medianOf, type Results, type Runner, ratioOf } from '../measure-load.ts'
import { createCompany } from '../stage/company.ts'
import { createDatabase, redisUrlOf, type Servers } from '../stage/servers.ts'
import { startBerth, type Target } from '../stage/targets.ts'
import { type Lengths, rate, us } from './comparison.ts'
import { BOOKINGS, READS } from './scenarios.ts'

const PROCESSES = [1, 2, 4]

/** The same requests with many more bookings, in a separate database. */
export async function compareHistories(
  runner: Runner,
  servers: Servers,
  berth: Target,
  bookings: { own: number; large: number },
  lengths: Lengths,
): Promise<void> {
  const databaseUrl = await createDatabase(servers, 'berth_large')
  const database = connectDatabase(databaseUrl)
  const company = await createCompany(database, bookings.large)
  await database.destroy()
  const redisUrl = redisUrlOf(servers, 2)
  const large = await startBerth({ servers, company, databaseUrl, redisUrl, name: 'large' })
  try {
    const results = await alternateLoads(runner, [...READS, ...BOOKINGS], () => [berth, large], lengths)
    printGrowth(results, [`with ${count(bookings.own)} bookings`, `with ${count(bookings.large)}`])
  } finally {
    await large.stop()
  }
}

/** With as many workers as gateways. */
export async function compareProcesses(
  runner: Runner,
  servers: Servers,
  berth: Target,
  databaseUrl: string,
  lengths: Lengths,
): Promise<void> {
  const { company } = berth
  const several: Target[] = []
  try {
    for (const [index, number] of PROCESSES.entries()) {
      const redisUrl = redisUrlOf(servers, 3 + index)
      const options = { servers, company, databaseUrl, redisUrl, name: `${number}-processes` }
      several.push(await startBerth({ ...options, gateways: number, workers: number }))
    }
    const results = await alternateLoads(runner, [...READS, ...BOOKINGS], () => several, lengths)
    printGrowth(
      results,
      PROCESSES.map((number) => `${number} gateway and worker process${number === 1 ? '' : 'es'}`),
    )
  } finally {
    for (const target of several) await target.stop()
  }
}

function printGrowth(results: Results, cases: string[]): void {
  printTable(
    ['a second (p50 ms), CPU µs an answer', ...cases, 'CPU, times the first'],
    [...results].map(([{ name }, byTarget]) => {
      const measured = [...byTarget.values()]
      const [first] = measured
      return [
        name,
        ...measured
          .map(medianOf)
          .map(({ perSecond, p50Ms, totalCpuUs }) => `${rate(perSecond)} (${ms(p50Ms)}), ${us(totalCpuUs)}`),
        measured
          .slice(1)
          .map((each) => ratioOf(each, first ?? each, ({ totalCpuUs }) => totalCpuUs).toFixed(2))
          .join(', '),
      ]
    }),
  )
}

const count = (number: number) => number.toLocaleString('en')
