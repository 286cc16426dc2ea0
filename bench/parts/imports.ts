// Measures bookings at a steady rate while users are imported, and compares them with bookings while nothing is
// imported.
import { recordFigure } from '../figures.ts'
import { computeQuantile, formatMs, printTable } from '../measure.ts'
import type { RunLength, Runner } from '../runner.ts'
import type { Servers } from '../stage/servers.ts'
import { writeImportFiles } from '../users/files.ts'
import { measureLatency } from '../users/latency.ts'
import { openImportBenchStage } from '../users/stage.ts'

const IMPORTED_USER_COUNT = 100_000
const ROUNDS_MAX = 3
// The number of bookings, large enough for a 99th percentile.
const BOOKING_COUNT = 1_000
// The number of warm-up bookings. Afterwards Postgres recycles its WAL files instead of creating new ones, which delays
// commits.
const WARM_UP_BOOKING_COUNT = 500

export async function compareImports(runner: Runner, servers: Servers, { rounds }: RunLength): Promise<void> {
  const stage = await openImportBenchStage(servers, 'berth_imports')
  try {
    const { csv } = await writeImportFiles(stage.directory, IMPORTED_USER_COUNT)
    await measureLatency(stage, csv, WARM_UP_BOOKING_COUNT)
    const calm: number[][] = []
    const importing: number[][] = []
    for (let round = 0; round < Math.min(rounds, ROUNDS_MAX); round++) {
      const latency = await measureLatency(stage, csv, BOOKING_COUNT)
      calm.push(latency.calm)
      importing.push(latency.importing)
    }
    // Returns the median of the rounds' ratios.
    const times = (part: number) =>
      computeQuantile(
        importing.map(
          (round, index) => computeQuantile(round, part) / computeQuantile(calm[index] ?? [], part),
        ),
        0.5,
      )
    const cells = (rounds: number[][]) =>
      [0.5, 0.95, 0.99].map((part) =>
        formatMs(
          computeQuantile(
            rounds.map((round) => computeQuantile(round, part)),
            0.5,
          ),
        ),
      )
    const goal = recordFigure(runner, `bookings beside an import: p99, times that in calm`, times(0.99), {
      most: 1.5,
    })
    printTable(
      [`a booking, ${BOOKING_COUNT} a round`, 'p50 ms', 'p95 ms', 'p99 ms'],
      [
        ['in calm', ...cells(calm)],
        [`while ${IMPORTED_USER_COUNT} users are imported`, ...cells(importing)],
        ['times', times(0.5).toFixed(2), times(0.95).toFixed(2), `${times(0.99).toFixed(2)}, goal ${goal}`],
      ],
    )
  } finally {
    await stage.stop()
  }
}
