// Bookings at a steady rate while users are imported, compared with those in calm.
import { noteFigure } from '../figures.ts'
import { ms, printTable, quantile } from '../measure.ts'
import type { Lengths, Runner } from '../runner.ts'
import type { Servers } from '../stage/servers.ts'
import { writeImportFiles } from '../users/files.ts'
import { measureLatency } from '../users/latency.ts'
import { openStage } from '../users/stage.ts'

const USERS = 100_000
const ROUNDS_MAX = 3
// Enough bookings for a 99th percentile.
const BOOKINGS = 1_000
// Runs until Postgres recycles its WAL files, because creating one delays commits.
const WARM_UP_BOOKINGS = 500

export async function compareImports(runner: Runner, servers: Servers, { rounds }: Lengths): Promise<void> {
  const stage = await openStage(servers, 'berth_imports')
  try {
    const { csv } = await writeImportFiles(stage.directory, USERS)
    await measureLatency(stage, csv, WARM_UP_BOOKINGS)
    const calm: number[][] = []
    const importing: number[][] = []
    for (let round = 0; round < Math.min(rounds, ROUNDS_MAX); round++) {
      const latency = await measureLatency(stage, csv, BOOKINGS)
      calm.push(latency.calm)
      importing.push(latency.importing)
    }
    // The median of the rounds' ratios.
    const times = (part: number) =>
      quantile(
        importing.map((round, index) => quantile(round, part) / quantile(calm[index] ?? [], part)),
        0.5,
      )
    const cells = (rounds: number[][]) =>
      [0.5, 0.95, 0.99].map((part) =>
        ms(
          quantile(
            rounds.map((round) => quantile(round, part)),
            0.5,
          ),
        ),
      )
    const goal = noteFigure(runner, `bookings beside an import: p99, times that in calm`, times(0.99), {
      most: 1.5,
    })
    printTable(
      [`a booking, ${BOOKINGS} a round`, 'p50 ms', 'p95 ms', 'p99 ms'],
      [
        ['in calm', ...cells(calm)],
        [`while ${USERS} users are imported`, ...cells(importing)],
        ['times', times(0.5).toFixed(2), times(0.95).toFixed(2), `${times(0.99).toFixed(2)}, goal ${goal}`],
      ],
    )
  } finally {
    await stage.stop()
  }
}
